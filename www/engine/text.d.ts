/** Functions of texts and bytes. */

import type { AgentEvent } from "./agent.js";
import type { MemoryWorkspace } from "./files.js";
import type { JsonObject } from "./messages.js";

/** What JSON text that may be cut off says so far; `{}` when it says nothing. */
export declare function parseStreamingJson<T = any>(text: string | undefined): T;
/** Arguments from their whole text. What is no object is refused with the reason and the text; nothing is completed. */
export declare function parseToolCallArguments(text: string | undefined): {
  arguments: JsonObject;
  argumentsError?: string;
};
/** JSON text whose strings have been mended: raw control characters, and backslashes that begin no escape. */
export declare function repairJson(text: string): string;

export interface TruncationOptions {
  /** 2,000 unless it is said. */
  maxLines?: number;
  /** 51,200 bytes of UTF-8 unless it is said. */
  maxBytes?: number;
}

export interface TruncationResult {
  content: string;
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** The one line there is, is itself cut. */
  lastLinePartial: boolean;
  /** There is nothing, since the first line alone is too long. */
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** The first lines that fit, whole. */
export declare function truncateHead(text: string, options?: TruncationOptions): TruncationResult;
/** The last lines that fit, whole; of a last line that alone does not, its end. */
export declare function truncateTail(text: string, options?: TruncationOptions): TruncationResult;
/** A line of at most `max` UTF-16 units (500), or the first of them and a mark. */
export declare function truncateLine(text: string, max?: number): { text: string; wasTruncated: boolean };
/** A number of bytes in words. */
export declare function formatSize(bytes: number): string;

export interface ServerSentEvent {
  event?: string;
  data: string;
}

/**
 * Reads server-sent events, however the bytes are cut. An event above 64 MB is refused: `onError` is told, or the call
 * throws where there is none; nothing more is read then.
 */
export declare function sseParser(handlers: {
  onEvent: (event: ServerSentEvent) => void;
  onError?: (error: Error) => void;
}): {
  feed(bytes: Uint8Array | string): void;
  /** What stands there without a blank line after it is an event too. */
  end(): void;
};

/** Events as RFC 8785 writes JSON, without times and durations, and with ids by their order. */
export declare function canonicalize(events: Iterable<AgentEvent | object>): string;
/** The SHA-256 of that, in hex. With files, even none, it is another one. */
export declare function fingerprint(
  events: Iterable<AgentEvent | object>,
  files?: MemoryWorkspace | Map<string, string | Uint8Array> | Record<string, string | Uint8Array>,
): string;
