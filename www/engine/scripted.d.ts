/** The scripted provider: a model for tests and demonstrations. */

import type {
  AssistantMessage,
  AssistantMessageEventStream,
  DeferredHandle,
  Model,
  SimpleStreamOptions,
  TextContent,
  ThinkingContent,
  ToolCall,
  TranscriptContext,
} from "./messages.js";

export type FauxContentBlock = TextContent | ThinkingContent | ToolCall;

export declare function fauxText(text: string): TextContent;
export declare function fauxThinking(thinking: string): ThinkingContent;
export declare function fauxToolCall(
  name: string,
  args: ToolCall["arguments"],
  options?: { id?: string },
): ToolCall;

/** A response to play. `stopReason` is `stop` unless it is given, whatever the content. */
export declare function fauxAssistantMessage(
  content: string | FauxContentBlock | FauxContentBlock[],
  options?: {
    stopReason?: AssistantMessage["stopReason"];
    deferred?: DeferredHandle;
    errorMessage?: string;
    responseId?: string;
    timestamp?: number;
  },
): AssistantMessage;

export interface ScriptedState {
  /** Requests so far. */
  callCount: number;
  deferredFetchCount: number;
  cancelledDeferred: DeferredHandle[];
}

/** A response, or what makes it once the request is there. */
export type ScriptedStep =
  | AssistantMessage
  | ((
      context: TranscriptContext,
      options: SimpleStreamOptions | undefined,
      state: ScriptedState,
      model: Model<any>,
    ) => AssistantMessage | Promise<AssistantMessage>);

export interface ScriptedOptions {
  api?: string;
  provider?: string;
  models?: (Partial<Model<string>> & { id: string })[];
  /** A request with the option `deferred` is answered by a handle; the response is ready after so many fetches. */
  deferred?: { pendingFetches?: number; pollAfterMs?: number };
  /** Without it, pieces follow each other at once. */
  tokensPerSecond?: number;
  /** A piece has between `min` and `max` tokens of four characters; 3 and 5 by default. */
  tokenSize?: { min?: number; max?: number };
  /** With it, the same responses come in the same pieces every time, and what is made up (the api's name, handles) is the same. */
  seed?: number;
}

type ScriptedStreamFn = (
  model: Model<any>,
  context: TranscriptContext,
  options?: SimpleStreamOptions,
) => AssistantMessageEventStream;

export interface Scripted {
  api: string;
  provider: string;
  models: Model<string>[];
  state: ScriptedState;
  /** The stream function, under each name it goes by. */
  stream: ScriptedStreamFn;
  streamSimple: ScriptedStreamFn;
  streamFn: ScriptedStreamFn;
  /** Asks for a response that was deferred. */
  fetchDeferred(model: Model<any>, handle: DeferredHandle, options?: SimpleStreamOptions): AssistantMessageEventStream;
  cancelDeferred(model: Model<any>, handle: DeferredHandle, options?: SimpleStreamOptions): Promise<void>;
  getModel(): Model<string>;
  getModel(id: string): Model<string> | undefined;
  /** Replaces what is still to be played. */
  setResponses(responses: ScriptedStep[]): void;
  appendResponses(responses: ScriptedStep[]): void;
  getPendingResponseCount(): number;
}

/** A provider that plays one response a request. A request too many is answered by an error. */
export declare function createScripted(options?: ScriptedOptions): Scripted;
