/**
 * The engine: an agent's loop as a library, for a page, a worker or Node 20 and later.
 *
 * `await init()` once; everything else may be used from then on. A panic inside becomes an `Error` that begins with
 * `engine: internal error: `; what was under way is lost, what comes next works.
 */

import type {
  Context,
  ImageContent,
  Model,
  SystemMessage,
  TextContent,
  ThinkingContent,
  Tool,
  ToolCall,
  TranscriptContext,
  Usage,
} from "./messages.js";

/** Loads the wasm module: the one beside this file, or a given one. Later calls wait for the first. */
export default function init(
  module?: string | URL | Request | Response | BufferSource | WebAssembly.Module | Promise<Response>,
): Promise<void>;

export * from "./messages.js";
export * from "./agent.js";
export * from "./scripted.js";
export * from "./judge.js";
export * from "./stream.js";
export * from "./text.js";
export * from "./markdown.js";
export * from "./files.js";
export * from "./session.js";
export * from "./compaction.js";

/** Puts a prompt and tools that stand beside the messages at their head. */
export declare function normalizeContext(context: Context): TranscriptContext;
/** The system message a transcript begins with; nothing when there is nothing to say. */
export declare function createInitialSystemMessage(systemPrompt?: string, tools?: Tool[]): SystemMessage | undefined;
/** One system message that says what all of them say. */
export declare function getCurrentSystemMessage(messages: readonly { role: string }[]): SystemMessage | undefined;
export declare function getCurrentSystemPrompt(messages: readonly { role: string }[]): string;
export declare function getCurrentTools(messages: readonly { role: string }[]): Tool[];
/** The texts of a message's content, joined by line breaks or what is given. */
export declare function contentText(
  content: string | readonly (TextContent | ImageContent | ThinkingContent | ToolCall)[],
  separator?: string,
): string;
/** A system message as a whole prompt. */
export declare function getSystemMessageText(message: SystemMessage): string;
/** What the model is told of a tool. */
export declare function toToolDeclaration(tool: Tool): Tool;

/** A schema for one of several texts, in a form that every provider takes. */
export declare function StringEnum<const T extends readonly string[]>(
  values: T,
  options?: { description?: string; default?: T[number] },
): { type: "string"; enum: T; description?: string; default?: T[number]; static: T[number] };
/** A UUID of version 7. Those without a time of their own sort in the order in which they were made. */
export declare function uuidv7(timestampMs?: number): string;
/** Puts to `usage` what its tokens cost by the model's prices, and gives that. */
export declare function calculateCost(model: Pick<Model<any>, "cost">, usage: Usage): Usage["cost"];
