/** The loop, and the agent around it. Names, order of arguments, events and texts as in pi 1.6. */

import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  ClientIdentity,
  EventStream,
  ImageContent,
  JsonValue,
  Message,
  Model,
  SimpleStreamOptions,
  TextContent,
  ThinkingBudgets,
  ThinkingLevel,
  Tool,
  ToolCall,
  ToolResultMessage,
  TranscriptContext,
  Transport,
  Usage,
} from "./messages.js";

/**
 * Asks a model. Failures belong into the stream, as an `error` event; what it throws ends the run. Any async iterable with
 * a `result()` will do as a stream.
 */
export type StreamFn = (
  model: Model<any>,
  context: TranscriptContext,
  options?: SimpleStreamOptions,
) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>;

/** `parallel`: calls are prepared in order and run together. `sequential`: each ends before the next begins. */
export type ToolExecutionMode = "sequential" | "parallel";
export type QueueMode = "all" | "one-at-a-time";
export type AgentToolCall = ToolCall;

/** Add roles of your own by declaration merging. */
export interface CustomAgentMessages {}
export type AgentMessage = Message | CustomAgentMessages[keyof CustomAgentMessages];

/** What a tool gives. The object itself is in `tool_execution_end`, its parts in the tool result message. */
export interface AgentToolResult<T = JsonValue | undefined> {
  /** For the model. What is no list comes into the message as one text block if it is a string, else as nothing. */
  content: (TextContent | ImageContent)[];
  details: T;
  structuredContent?: JsonValue;
  usage?: Usage;
  isError?: boolean;
  /** The run may stop here; it does if every result of the batch says so. */
  terminate?: boolean;
}

/** Shows progress. Harmless after the tool has settled. */
export type AgentToolUpdateCallback<T = any> = (partialResult: AgentToolResult<T>) => void;

type IsAny<T> = 0 extends 1 & T ? true : false;
/** The arguments of a tool: the type that its schema's builder carries, else `any`. */
export type AgentToolParams<TParameters> =
  IsAny<TParameters> extends true ? any : TParameters extends { static: infer TStatic } ? TStatic : any;

/**
 * A tool. What it throws is its error result.
 *
 * A schema that does not compile is an error that names the tool: an agent throws it when its tools are set, a loop when it
 * begins. Of tools with one name the first counts, for the model and for calls.
 */
export interface AgentTool<TParameters extends object = any, TDetails = any> extends Tool<TParameters> {
  label: string;
  /** Mends raw arguments before validation. */
  prepareArguments?: (args: unknown) => AgentToolParams<TParameters>;
  outputSchema?: object;
  /**
   * `params` is a copy of the call's arguments, coerced and valid: the tool's own to change. `signal` is the run's. A tool
   * that does not settle after an abort is given up, see {@link AgentLoopConfig.abortGraceMs}.
   */
  execute: (
    toolCallId: string,
    params: AgentToolParams<TParameters>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<TDetails>,
  ) => Promise<AgentToolResult<TDetails>>;
  replay?: "never" | "safe";
  /** One sequential tool makes every batch it is called in sequential. */
  executionMode?: ToolExecutionMode;
}

export interface AgentContext {
  messages: AgentMessage[];
  tools?: AgentTool<any>[];
}

export type AgentEvent =
  | { type: "agent_start" }
  /** All messages that this run has made, prompts included: the list that the run gives. */
  | { type: "agent_end"; messages: AgentMessage[] }
  | { type: "turn_start" }
  | { type: "turn_end"; message: AgentMessage; toolResults: ToolResultMessage[] }
  /** For a response: a shallow copy of what there is of it. */
  | { type: "message_start"; message: AgentMessage }
  | { type: "message_update"; message: AgentMessage; assistantMessageEvent: AssistantMessageEvent }
  /** The message itself. */
  | { type: "message_end"; message: AgentMessage }
  /** `args` are the call's own, not coerced. */
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: any }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; args: any; partialResult: any }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      result: any;
      isError: boolean;
      /** How long the tool ran; absent when it did not. */
      durationMs?: number;
    };

/** Told of every event; a promise is waited for before anything else happens, an abort does not cut it short. */
export type AgentEventSink = (event: AgentEvent) => Promise<void> | void;

export interface BeforeToolCallContext {
  assistantMessage: AssistantMessage;
  /** The block of the message. */
  toolCall: AgentToolCall;
  /** What the tool will get; may be changed in place and is not validated again. */
  args: unknown;
  context: AgentContext;
}
export interface BeforeToolCallResult {
  block?: boolean;
  /** What the model reads in place of a result. */
  reason?: string;
  terminate?: boolean;
}

export interface AfterToolCallContext extends BeforeToolCallContext {
  result: AgentToolResult<any>;
  isError: boolean;
}
/** Whole fields that replace the result's. Content without structured content drops the latter. */
export interface AfterToolCallResult {
  content?: (TextContent | ImageContent)[];
  details?: unknown;
  structuredContent?: JsonValue;
  isError?: boolean;
  usage?: Usage;
  terminate?: boolean;
}

export interface AgentTurnContext {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  /** The context itself, with the turn in it. */
  context: AgentContext;
  newMessages: AgentMessage[];
}
export type PrepareNextTurnContext = AgentTurnContext;
export type AgentTurnDecision = { action: "continue" } | { action: "end" };
export type FinishTurn = (
  turn: AgentTurnContext,
  signal?: AbortSignal,
) => AgentTurnDecision | void | Promise<AgentTurnDecision | undefined> | Promise<void>;

export interface AgentLoopTurnUpdate {
  context?: AgentContext;
  messages?: AgentMessage[];
  model?: Model<any>;
  thinkingLevel?: ThinkingLevel;
}
export interface PrepareRequestContext {
  context: AgentContext;
  model: Model<any>;
  thinkingLevel: ThinkingLevel;
}
export type AgentRequestUpdate = Omit<AgentLoopTurnUpdate, "messages">;
export type PrepareRequest = (
  request: PrepareRequestContext,
  signal?: AbortSignal,
) => AgentRequestUpdate | void | Promise<AgentRequestUpdate | undefined> | Promise<void>;

/**
 * What a run works with; all of it, keys of your own too, is handed on to the stream function.
 *
 * Every hook may answer at once or with a promise. What a hook of a call throws is that call's error result; what another
 * hook throws ends the run: its promise rejects with that very error. An answer that makes no sense is no answer; a list of
 * messages that is no list is a `TypeError`.
 */
export interface AgentLoopConfig extends SimpleStreamOptions {
  model: Model<any>;
  /** What of the messages a model gets, and how. */
  convertToLlm: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** What of the context this one request sends. */
  transformContext?: (messages: AgentMessage[], signal?: AbortSignal) => AgentMessage[] | Promise<AgentMessage[]>;
  /** Asked at every request; `apiKey` is used when it gives none. */
  getApiKey?: (provider: string) => Promise<string | undefined> | string | undefined;
  /** After a turn's results, before `turn_end`: end the run here, or make at least one more request. */
  finishTurn?: FinishTurn;
  /** Before every request: what this and later ones work with. */
  prepareRequest?: PrepareRequest;
  /** Before every turn but the first: what it works with, and messages to put in. */
  prepareNextTurn?: (
    context: PrepareNextTurnContext,
  ) => AgentLoopTurnUpdate | undefined | void | Promise<AgentLoopTurnUpdate | undefined | void>;
  /** Messages that go in before the next request. */
  getSteeringMessages?: () => Promise<AgentMessage[]> | AgentMessage[];
  /** Messages that go in when the run would stop. */
  getFollowUpMessages?: () => Promise<AgentMessage[]> | AgentMessage[];
  toolExecution?: ToolExecutionMode;
  beforeToolCall?: (
    context: BeforeToolCallContext,
    signal?: AbortSignal,
  ) => Promise<BeforeToolCallResult | undefined | void> | BeforeToolCallResult | undefined | void;
  afterToolCall?: (
    context: AfterToolCallContext,
    signal?: AbortSignal,
  ) => Promise<AfterToolCallResult | undefined | void> | AfterToolCallResult | undefined | void;
  /**
   * How long, after an abort, the run waits for what does not react: a hook, a tool, a stream. Then a tool's call gets the
   * error result "Interrupted by the user. The tool may have partly run.", a response ends as aborted with what there is of
   * it, a hook counts as having said nothing; whatever they do later is ignored. Default 5000, also for what is no number of
   * milliseconds.
   */
  abortGraceMs?: number;
}

/** The identity of requests, unless the config has another, field by field. */
export declare const DEFAULT_AGENT_IDENTITY: ClientIdentity;
/** Identities field by field: of two that have a field the later one's counts. */
export declare function mergeClientIdentity(...sources: (ClientIdentity | undefined)[]): ClientIdentity | undefined;

/**
 * Runs the loop with new messages. What makes the run fail, reading and `result()` reject with. Throws for a tool whose
 * schema does not compile.
 */
export declare function agentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]>;

/** Runs the loop from the context as it is; throws when there is nothing for the model to answer. */
export declare function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]>;

/** As {@link agentLoop}, with a sink that is awaited at every event. Gives the messages of the run. */
export declare function runAgentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]>;

/** As {@link agentLoopContinue}, with a sink. The messages also go into the context's own list. */
export declare function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]>;

export type ToolCallHooks = Pick<AgentLoopConfig, "beforeToolCall" | "afterToolCall">;

export interface RunToolCallOptions extends ToolCallHooks {
  tools: readonly AgentTool<any>[];
  assistantMessage: AssistantMessage;
  context: AgentContext;
  signal?: AbortSignal;
  onUpdate?: (partialResult: AgentToolResult<any>) => Promise<void> | void;
  /** As in {@link AgentLoopConfig}. */
  abortGraceMs?: number;
}

export interface AgentToolCallOutcome {
  toolCall: AgentToolCall;
  result: AgentToolResult<any>;
  isError: boolean;
  durationMs?: number;
}

/** Runs one call as the loop would, without events and messages: for tools that call tools. */
export declare function runToolCall(toolCall: AgentToolCall, options: RunToolCallOptions): Promise<AgentToolCallOutcome>;

/** The stream function of loops and agents that are given none. */
export declare function setDefaultStreamFn(streamFn: StreamFn | undefined): void;

/**
 * The arguments a tool gets for a call: a copy, coerced and valid. Throws an error with the text the model reads. What is
 * no JSON (`NaN`, a `Date`, a cycle, more than 100 levels) is refused by its place; keys with `undefined` are left out.
 */
export declare function validateToolArguments(tool: Tool, toolCall: ToolCall): any;
/** The same for the tool of a list that the call asks for. */
export declare function validateToolCall(tools: Tool[], toolCall: ToolCall): any;

export interface AgentState {
  /** What the transcript's system messages add up to. */
  readonly systemPrompt: string;
  model: Model<any>;
  thinkingLevel: ThinkingLevel;
  /** Assigning copies the list. What has changed is declared to the model before the next request. */
  set tools(tools: AgentTool<any>[]);
  get tools(): AgentTool<any>[];
  /** Assigning copies the list. */
  set messages(messages: AgentMessage[]);
  get messages(): AgentMessage[];
  /** True until the listeners of `agent_end` have settled. */
  readonly isStreaming: boolean;
  readonly streamingMessage?: AgentMessage;
  readonly pendingToolCalls: ReadonlySet<string>;
  /** Why the last response failed. */
  readonly errorMessage?: string;
}

export type AgentInitialState = Partial<
  Omit<AgentState, "pendingToolCalls" | "isStreaming" | "streamingMessage" | "errorMessage">
>;

/** Hooks and options are members of the agent, too, and count at the beginning of a run. */
export interface AgentOptions
  extends Partial<
    Pick<
      AgentLoopConfig,
      | "convertToLlm"
      | "transformContext"
      | "getApiKey"
      | "onPayload"
      | "onResponse"
      | "onProviderStreamEvent"
      | "beforeToolCall"
      | "afterToolCall"
      | "finishTurn"
      | "prepareRequest"
      | "sessionId"
      | "thinkingBudgets"
      | "transport"
      | "maxRetryDelayMs"
      | "toolExecution"
      | "identity"
      | "abortGraceMs"
    >
  > {
  initialState?: AgentInitialState;
  /** The one of {@link setDefaultStreamFn} when absent. */
  streamFn?: StreamFn;
  prepareNextTurn?: (
    signal?: AbortSignal,
  ) => Promise<AgentLoopTurnUpdate | undefined> | AgentLoopTurnUpdate | undefined;
  prepareNextTurnWithContext?: (
    context: PrepareNextTurnContext,
    signal?: AbortSignal,
  ) => Promise<AgentLoopTurnUpdate | undefined> | AgentLoopTurnUpdate | undefined;
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
}

/**
 * The loop with a memory. What a run fails with that no response says becomes a response with `errorMessage`: no promise of
 * `prompt` or `continue` rejects for it.
 */
export declare class Agent {
  constructor(options?: AgentOptions);

  convertToLlm: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  transformContext?: AgentLoopConfig["transformContext"];
  streamFunction: StreamFn;
  getApiKey?: AgentLoopConfig["getApiKey"];
  onPayload?: SimpleStreamOptions["onPayload"];
  onResponse?: SimpleStreamOptions["onResponse"];
  onProviderStreamEvent?: SimpleStreamOptions["onProviderStreamEvent"];
  beforeToolCall?: AgentLoopConfig["beforeToolCall"];
  afterToolCall?: AgentLoopConfig["afterToolCall"];
  finishTurn?: FinishTurn;
  prepareRequest?: PrepareRequest;
  prepareNextTurn?: AgentOptions["prepareNextTurn"];
  /** Takes the place of `prepareNextTurn`. */
  prepareNextTurnWithContext?: AgentOptions["prepareNextTurnWithContext"];
  sessionId?: string;
  thinkingBudgets?: ThinkingBudgets;
  transport: Transport;
  maxRetryDelayMs?: number;
  toolExecution: ToolExecutionMode;
  identity?: ClientIdentity;
  abortGraceMs?: number;

  get state(): AgentState;
  /** The signal of the run, while there is one. */
  get signal(): AbortSignal | undefined;
  steeringMode: QueueMode;
  followUpMode: QueueMode;

  /** Listeners are told in order, each after the last has let go. Gives the way out. */
  subscribe(listener: (event: AgentEvent, signal: AbortSignal) => Promise<void> | void): () => void;

  /** Runs the loop with a text, a message or several. Throws while a run is on. */
  prompt(message: AgentMessage | AgentMessage[]): Promise<void>;
  prompt(input: string, images?: ImageContent[]): Promise<void>;
  /** Runs the loop from the transcript as it is, or with what is queued when the model has had its word. */
  continue(): Promise<void>;
  /** Queues a message for the next turn of the run. */
  steer(message: AgentMessage): void;
  /** Queues a message for when the run would stop. */
  followUp(message: AgentMessage): void;
  clearSteeringQueue(): void;
  clearFollowUpQueue(): void;
  clearAllQueues(): void;
  hasQueuedMessages(): boolean;
  /** What the next turn would take from the queues. */
  peekQueuedMessages(): AgentMessage[];
  abort(): void;
  /** Resolves when the run and its listeners are through. */
  waitForIdle(): Promise<void>;
  /** Forgets the conversation and the queues, and keeps the prompt and the declared tools. Throws while a run is on. */
  reset(): void;
}
