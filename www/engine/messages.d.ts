/** Messages, models and streams: what a model reads, and how it answers. Fields as in pi 1.6. */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };

export interface TextContent {
  type: "text";
  text: string;
  /** Opaque; goes back to the provider it came from. */
  textSignature?: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  /** The provider hid the text; what it hides is in the signature. */
  redacted?: boolean;
}

export interface ImageContent {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: JsonObject;
  thoughtSignature?: string;
  namespace?: string;
  /** Why the arguments were refused; they are `{}` then, and the call does not run. */
  argumentsError?: string;
}

/** `pending` while it streams, never afterwards. */
export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface Usage {
  /** Without cached tokens. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cacheWrite1h?: number;
  /** The part of `output` that was reasoning. */
  reasoning?: number;
  totalTokens: number;
  /** US dollars. */
  cost: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    total: number;
    totalFromProvider?: boolean;
  };
}

export type ConstrainedSamplingConfig =
  | { type: "json_schema"; strict: "prefer" | "require" }
  | { type: "grammar"; variants: { openai_lark?: string; openai_regex?: string } };

/** What a model is told of a tool. */
export interface Tool<TParameters extends object = object> {
  name: string;
  description: string;
  /** A JSON Schema, draft-07 or 2020-12. */
  parameters: TParameters;
  constrainedSampling?: false | ConstrainedSamplingConfig;
}

export interface ToolReference {
  name: string;
}

/** The prompt and the tools, or a later change of them. All of a transcript's together give the current state. */
export interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  /** Named parts of the prompt, in order; `null` removes one. */
  sections?: Record<string, string | null>;
  toolsAdded?: Tool[];
  toolsRemoved?: ToolReference[];
  timestamp: number;
}

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  timestamp: number;
}

export interface DeferredHandle {
  provider: string;
  modelId: string;
  api: string;
  id: string;
  expiresAt?: number;
  pollAfterMs?: number;
  data?: JsonValue;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  responseModel?: string;
  responseId?: string;
  providerThinkingLevel?: string;
  /** Stamped by the loop: the level it asked for. */
  thinkingLevel?: ThinkingLevel;
  diagnostics?: {
    type: string;
    timestamp: number;
    error?: { name?: string; message: string; stack?: string; code?: string | number };
    details?: Record<string, unknown>;
  }[];
  usage: Usage;
  stopReason: StopReason;
  deferred?: DeferredHandle;
  errorMessage?: string;
  rawStopReason?: string;
  endTurn?: boolean;
  /** Milliseconds since 1970, at the start of the request. */
  timestamp: number;
  /** From the making of its stream to its last event; stamped by {@link AssistantMessageEventStream}. */
  durationMs?: number;
}

export interface NestedToolCalls {
  calls: {
    id: string;
    name: string;
    arguments?: JsonObject;
    argumentsBytes?: number;
    status: "ok" | "error" | "unfinished";
    durationMs?: number;
    error?: string;
  }[];
  complete: boolean;
}

export interface ToolResultMessage<TDetails = any> {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** The very object the tool gave. */
  details?: TDetails;
  usage?: Usage;
  nestedCalls?: NestedToolCalls;
  isError: boolean;
  timestamp: number;
  /** How long the tool ran; absent when it did not. */
  durationMs?: number;
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

/** A model, and where it is. */
export interface Model<TApi extends string = string> {
  type?: "chat";
  id: string;
  name: string;
  api: TApi;
  provider: string;
  baseUrl: string;
  input: ("text" | "image")[];
  inputLimits?: Record<string, unknown>;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; tiers?: Record<string, number>[] };
  headers?: Record<string, string>;
  reasoning: boolean;
  thinkingLevelMap?: { [level in ThinkingLevel]?: string | null };
  promptCache?: { short?: number; long?: number };
  contextWindow: number;
  maxTokens: number;
  samplingParams?: Record<string, unknown>;
  samplingParamsByThinkingLevel?: { [level in ThinkingLevel]?: Record<string, unknown> };
  compat?: any;
}

/** A prompt and tools beside the messages are short for a leading system message. */
export interface Context {
  systemPrompt?: string;
  messages: Message[];
  tools?: Tool[];
}

/** What a stream function gets: prompt and tools are in the system messages. */
export interface TranscriptContext {
  messages: Message[];
}

export interface ClientAttribution {
  name: string;
  url: string;
  categories?: string[];
}

/** How requests name the program that makes them. */
export interface ClientIdentity {
  userAgent?: "short" | "detailed" | { custom: string };
  attribution?: ClientAttribution | null;
  version?: string;
}

export type ThinkingBudgets = { minimal?: number; low?: number; medium?: number; high?: number };
export type Transport = "sse" | "websocket" | "websocket-cached" | "auto";

/** What a stream function is asked with. The loop hands its whole config on, so there may be more in it. */
export interface SimpleStreamOptions {
  signal?: AbortSignal;
  apiKey?: string;
  fetch?: typeof globalThis.fetch;
  env?: Record<string, string>;
  /** May give another payload, an object, in place of the one there is. */
  onPayload?: (payload: unknown, model: Model<any>) => unknown;
  onResponse?: (response: { status: number; headers: Record<string, string> }, model: Model<any>) => void | Promise<void>;
  /** Sees each event of the answer as the server sent it, parsed. What it throws ends the response. */
  onProviderStreamEvent?: (data: unknown, model: Model<any>) => void | Promise<void>;
  headers?: Record<string, string | null>;
  identity?: ClientIdentity;
  /** How long a request may wait for the server to answer, in milliseconds; with `maxRetries` it is sent again then. */
  timeoutMs?: number;
  maxRetries?: number;
  maxRetryDelayMs?: number;
  temperature?: number;
  samplingParams?: Record<string, unknown>;
  maxTokens?: number;
  transport?: Transport;
  cacheRetention?: "none" | "short" | "long";
  sessionId?: string;
  disableContinuation?: boolean;
  websocketConnectTimeoutMs?: number;
  metadata?: Record<string, unknown>;
  toolChoice?: "auto" | "none";
  reasoning?: Exclude<ThinkingLevel, "off">;
  deferred?: boolean | { window?: "15m" | "1h" | "24h" };
  thinkingBudgets?: ThinkingBudgets;
}

/**
 * What a response's stream says: at most one `start`, then updates, then `done` or `error`. `partial` is the response so
 * far, and alive: it grows.
 *
 * The loop reads over what has no place: updates before `start`, a second `start`, unknown types, anything after the end.
 * A stream that just ends is asked for its `result()`. One that never ends is given up after an abort, see
 * {@link AgentLoopConfig.abortGraceMs}.
 */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | { type: "text_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "text_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "text_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "thinking_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "thinking_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "thinking_end"; contentIndex: number; content: string; partial: AssistantMessage }
  | { type: "toolcall_start"; contentIndex: number; partial: AssistantMessage }
  | { type: "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall; partial: AssistantMessage }
  | { type: "done"; reason: "stop" | "length" | "toolUse" | "deferred"; message: AssistantMessage }
  | { type: "error"; reason: "aborted" | "error"; error: AssistantMessage };

/** Events in order, for one reader, and the result they come to. */
export declare class EventStream<T, R = T> implements AsyncIterable<T> {
  constructor(isComplete: (event: T) => boolean, extractResult: (event: T) => R);
  /** Whether nothing more can be pushed. */
  get done(): boolean;
  /** Adds an event; ignored after the last. Constant time, however many wait. */
  push(event: T): void;
  /** Ends it, with a result if it has none. */
  end(result?: R): void;
  /** Ends it with an error: `result()` rejects with it, and so does reading, after what was queued. */
  fail(error: unknown): void;
  [Symbol.asyncIterator](): AsyncIterator<T>;
  result(): Promise<R>;
}

/** The events of one response. Its final message gets `durationMs`. */
export declare class AssistantMessageEventStream extends EventStream<AssistantMessageEvent, AssistantMessage> {
  constructor();
}

export declare function createAssistantMessageEventStream(): AssistantMessageEventStream;
