/** When a history is to be cut, where, and what of it has to be summed up. */

import type { AgentMessage } from "./agent.js";
import type { SessionEntry } from "./session.js";

export interface CompactionSettings {
  enabled: boolean;
  /** Tokens of the window that are to stay free. */
  reserveTokens: number;
  /** About as many tokens are kept as they are. */
  keepRecentTokens: number;
}

export interface CutPointResult {
  firstKeptEntryIndex: number;
  /** Where the turn begins that is cut in its midst; -1 for none. */
  turnStartIndex: number;
  isSplitTurn: boolean;
}

export interface CompactionPreparation {
  firstKeptEntryId: string;
  messagesToSummarize: AgentMessage[];
  /** Of a turn that is cut in its midst, what comes before the cut. */
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  tokensBefore: number;
  /** What the last compaction said. */
  previousSummary?: string;
  /** The files that calls have named. */
  fileOps: { read: Set<string>; written: Set<string>; edited: Set<string> };
  settings: CompactionSettings;
}

/** The tokens of a message, roughly: four characters are one. */
export declare function estimateTokens(message: AgentMessage): number;
/** Whether there is too little room left in the window. */
export declare function shouldCompact(contextTokens: number, contextWindow: number, settings: CompactionSettings): boolean;
/** Where entries of a branch, from `startIndex` and before `endIndex`, are cut. A result is never cut off its call. */
export declare function findCutPoint(
  entries: SessionEntry[],
  startIndex: number,
  endIndex: number,
  keepRecentTokens: number,
): CutPointResult;
/** What a compaction of a branch has to sum up and what it keeps; nothing when there is nothing to sum up. */
export declare function prepareCompaction(
  pathEntries: SessionEntry[],
  settings: CompactionSettings,
): CompactionPreparation | undefined;
