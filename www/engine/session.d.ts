/** Sessions: pi's JSON Lines, version 3. */

import type { AgentMessage } from "./agent.js";
import type { ImageContent, SystemMessage, TextContent, Usage } from "./messages.js";

export interface SessionHeader {
  type: "session";
  version?: number;
  id: string;
  timestamp: string;
  cwd: string;
  parentSession?: string;
}

/** An entry: what all have, and what its type adds. Types that are not known here are kept. */
export interface SessionEntry {
  type: string;
  id: string;
  parentId: string | null;
  timestamp: string;
  message?: AgentMessage;
  systemMessage?: SystemMessage;
  [field: string]: any;
}

export interface SessionTreeNode {
  entry: SessionEntry;
  /** Oldest first. */
  children: SessionTreeNode[];
  label?: string;
}

export interface SessionContext {
  messages: AgentMessage[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/** An append-only tree of entries and its leaf. Each `append` follows the leaf, becomes it, and gives its id. */
export declare class Session {
  private constructor();
  /** Reads a file; its header alone is a new session. Lines that cannot be read are left out. Throws without a header. */
  static parse(jsonl: string): Session;
  readonly header: SessionHeader;
  readonly entries: SessionEntry[];
  readonly tree: SessionTreeNode[];
  readonly leaf: string | null;
  readonly name: string | undefined;
  /** The whole file; lines that were read are as they were. */
  toJsonl(): string;
  /** What a model reads at an entry, or at the leaf. Messages that were not edited are the objects of their entries. */
  buildContext(leaf?: string | null): SessionContext;
  buildSessionContext(): SessionContext;
  /** Moves the leaf; that alone is not written. */
  branch(id: string): void;
  resetLeaf(): void;
  branchWithSummary(id: string | null, summary: string, details?: unknown, fromHook?: boolean, usage?: Usage): string;
  appendMessage(message: AgentMessage): string;
  appendThinkingLevelChange(thinkingLevel: string): string;
  appendModelChange(provider: string, modelId: string): string;
  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): SessionEntry;
  /** `null` keeps nothing. Prompt and tools are kept with it. */
  appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendCustomMessageEntry(
    customType: string,
    content: string | (TextContent | ImageContent)[],
    display: boolean,
    details?: unknown,
  ): string;
  appendSessionInfo(name: string): string;
  /** `null` leaves the entry out from here on. */
  appendContextEdit(targetId: string, replacement: { content: string | object[] } | null): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
  getHeader(): SessionHeader;
  getSessionId(): string;
  getCwd(): string;
  getSessionName(): string | undefined;
  getEntries(): SessionEntry[];
  getTree(): SessionTreeNode[];
  getEntry(id: string): SessionEntry | undefined;
  getLeafId(): string | null;
  getLeafEntry(): SessionEntry | undefined;
  getChildren(id: string): SessionEntry[];
  getLabel(id: string): string | undefined;
  getBranch(id?: string | null): SessionEntry[];
  /** Gives the memory back at once; else it goes with the object. */
  free(): void;
}
