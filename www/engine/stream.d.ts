/** A response from a server, and the request it takes. */

import type { AssistantMessageEventStream, Context, Model, SimpleStreamOptions } from "./messages.js";

export interface StreamOptions extends SimpleStreamOptions {
  /** How long the server may be silent, in milliseconds: 5 minutes unless it is said; 0 is for ever. */
  idleTimeoutMs?: number;
}

/**
 * Asks a model of the api `openai-completions`. Throws for another api; every other failure is an event, without the key.
 * `partial` is one live message, and the arguments of a call in it say what has arrived of them. A server that refuses a
 * field by its name is asked once more without it. A key is not required: a server may do without one. A base URL that is no absolute
 * address is an error: in a page the key would go to the page's own server. `identity` names the program to OpenRouter,
 * NVIDIA and OpenCode; the user agent only outside of browsers.
 */
export declare function stream(model: Model, context: Context, options?: StreamOptions): AssistantMessageEventStream;

export interface HttpRequest {
  method: "POST";
  url: string;
  /** Names in lower case; one of them may hold the key. */
  headers: Record<string, string>;
  /** JSON text. */
  body: string;
}

/** The request that `stream` would send first. `onPayload` is not asked. */
export declare function buildRequest(model: Model, context: Context, options?: StreamOptions): HttpRequest;
