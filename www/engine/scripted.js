// The scripted provider: responses written down beforehand, played as a stream. With a seed, always in the same pieces.

import { createAssistantMessageEventStream } from "./event_stream.js";
import { Prompts } from "./scripted_usage.js";
import { StreamingJson } from "./streaming_json.js";

const PROVIDER = "faux";
const MODEL = {
  id: "faux-1",
  name: "Faux Model",
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 128000,
  maxTokens: 16384,
};

const noUsage = () => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

const randomId = (prefix) => `${prefix}:${Date.now()}:${Math.random().toString(36).slice(2)}`;

export const fauxText = (text) => ({ type: "text", text });

export const fauxThinking = (thinking) => ({ type: "thinking", thinking });

export const fauxToolCall = (name, args, { id } = {}) => ({
  type: "toolCall",
  id: id ?? randomId("tool"),
  name,
  arguments: args,
});

/** A response to play. Its stop reason is what it is told to be: calls do not change it. */
export const fauxAssistantMessage = (content, options = {}) => {
  const blocks = typeof content === "string" ? [fauxText(content)] : [content].flat();
  const message = {
    role: "assistant",
    content: blocks,
    api: PROVIDER,
    provider: PROVIDER,
    model: MODEL.id,
    usage: noUsage(),
    stopReason: options.stopReason ?? "stop",
  };
  for (const field of ["deferred", "errorMessage", "responseId"]) {
    if (options[field] !== undefined) message[field] = options[field];
  }
  message.timestamp = options.timestamp ?? Date.now();
  return message;
};

/** Numbers from 0 to 1 that only the seed decides. */
const seeded = (seed) => {
  let state = Number(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const pieces = (text, { min, max }, random) => {
  const cut = [];
  for (let at = 0; at < text.length; ) {
    const length = Math.max(1, (min + Math.floor(random() * (max - min + 1))) * 4);
    cut.push(text.slice(at, at + length));
    at += length;
  }
  return cut.length > 0 ? cut : [""];
};

class Aborted extends Error {}

/** A failure whose message is there already. */
class Failed extends Error {
  constructor(response) {
    super(response.errorMessage);
    this.response = response;
  }
}

/** Plays one message on a stream. */
class Playback {
  #stream;
  #options;
  #signal;
  #partial;

  constructor(stream, message, options, signal) {
    this.#stream = stream;
    this.#options = options;
    this.#signal = signal;
    this.#partial = { ...message, content: [], stopReason: "pending" };
  }

  async play(message) {
    try {
      this.#checkAbort();
      this.#push({ type: "start" });
      for (const [contentIndex, block] of message.content.entries()) {
        this.#checkAbort();
        await this.#block(contentIndex, block);
      }
    } catch (error) {
      if (!(error instanceof Aborted)) throw error;
      const errorMessage = "Request was aborted";
      this.#finish({ ...this.#partial, stopReason: "aborted", errorMessage, timestamp: Date.now() });
      return;
    }
    if (message.stopReason === "pending") throw new Error("Faux response ended without a stop reason");
    this.#finish(message);
  }

  async #block(contentIndex, block) {
    if (block.type === "toolCall") return this.#toolCall(contentIndex, block);
    const field = block.type === "thinking" ? "thinking" : "text";
    const live = this.#open(contentIndex, field, { type: field, [field]: "" });
    for (const delta of this.#pieces(block[field])) {
      await this.#pause(delta);
      live[field] += delta;
      this.#push({ type: `${field}_delta`, contentIndex, delta });
    }
    this.#push({ type: `${field}_end`, contentIndex, content: block[field] });
  }

  async #toolCall(contentIndex, block) {
    const live = this.#open(contentIndex, "toolcall", {
      type: "toolCall",
      id: block.id,
      name: block.name,
      arguments: {},
    });
    const reader = new StreamingJson();
    reader.bind(live, "arguments");
    try {
      for (const delta of this.#pieces(JSON.stringify(block.arguments))) {
        await this.#pause(delta);
        reader.push(delta);
        this.#push({ type: "toolcall_delta", contentIndex, delta });
      }
    } finally {
      reader.release(live, "arguments");
    }
    live.arguments = block.arguments;
    this.#push({ type: "toolcall_end", contentIndex, toolCall: block });
  }

  #open(contentIndex, name, live) {
    // A list of its own: who kept the event before has what there was then.
    this.#partial.content = [...this.#partial.content, live];
    this.#push({ type: `${name}_start`, contentIndex });
    return live;
  }

  #pieces(text) {
    return pieces(text, this.#options.tokenSize, this.#options.random);
  }

  async #pause(piece) {
    const { tokensPerSecond } = this.#options;
    if (tokensPerSecond > 0) {
      const ms = (Math.ceil(piece.length / 4) / tokensPerSecond) * 1000;
      await new Promise((resolve) => setTimeout(resolve, ms));
    } else await undefined;
    this.#checkAbort();
  }

  #checkAbort() {
    if (this.#signal?.aborted) throw new Aborted();
  }

  #push(event) {
    this.#stream.push({ ...event, partial: { ...this.#partial } });
  }

  #finish(message) {
    const { stopReason: reason } = message;
    const isBad = reason === "error" || reason === "aborted";
    this.#stream.push(isBad ? { type: "error", reason, error: message } : { type: "done", reason, message });
    this.#stream.end(message);
  }
}

/** A provider that plays what it is given, one response a request. */
export const createScripted = (options = {}) => {
  const { seed } = options;
  // Whatever a run tells of is the seed's, so that equal runs have equal fingerprints.
  const newId = (prefix, count = 0) => (seed === undefined ? randomId(prefix) : `${prefix}:${seed}:${count}`);
  const api = options.api ?? newId(PROVIDER);
  const provider = options.provider ?? PROVIDER;
  const low = options.tokenSize?.min ?? 3;
  const high = options.tokenSize?.max ?? 5;
  const min = Math.max(1, Math.min(low, high));
  const playback = {
    tokenSize: { min, max: Math.max(min, high) },
    tokensPerSecond: options.tokensPerSecond,
    random: seed === undefined ? Math.random : seeded(seed),
  };
  const definitions = options.models?.length ? options.models : [MODEL];
  const models = definitions.map((definition) => ({
    ...MODEL,
    ...definition,
    name: definition.name ?? definition.id,
    api,
    provider,
    baseUrl: "http://localhost:0",
  }));
  const state = { callCount: 0, deferredFetchCount: 0, cancelledDeferred: [] };
  const prompts = new Prompts();
  const deferred = new Map();
  let responses = [];

  const failure = (error, model) => ({
    role: "assistant",
    content: [],
    api,
    provider,
    model: model.id,
    usage: noUsage(),
    stopReason: "error",
    errorMessage: error instanceof Error ? error.message : String(error),
    timestamp: Date.now(),
  });

  const noResponse = (model, context, streamOptions) => {
    const message = failure(new Error("No more faux responses queued"), model);
    message.usage = prompts.usage(context.messages, [], streamOptions);
    return new Failed(message);
  };

  const deferredMessage = (model, handle) => ({
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: noUsage(),
    stopReason: "deferred",
    deferred: handle,
    timestamp: Date.now(),
  });

  let deferrals = 0;
  const defer = (step, model, context, streamOptions) => {
    deferrals += 1;
    const id = newId("deferred", deferrals);
    const handle = { provider: model.provider, modelId: model.id, api: model.api, id };
    const { pollAfterMs, pendingFetches = 0 } = options.deferred ?? {};
    if (pollAfterMs !== undefined) handle.pollAfterMs = pollAfterMs;
    // What belonged to the request that was answered with the handle.
    const { deferred: _, signal, onResponse, ...rest } = streamOptions;
    const settle = () => resolve(step, model, context, rest).catch((error) => failure(error, model));
    deferred.set(handle.id, { handle, resolve: settle, pendingFetches: Math.max(0, Math.floor(pendingFetches)) });
    return deferredMessage(model, handle);
  };

  const resolve = async (step, model, context, streamOptions) => {
    const given = typeof step === "function" ? await step(context, streamOptions, state, model) : step;
    const message = structuredClone(given);
    Object.assign(message, { api, provider, model: model.id, timestamp: message.timestamp ?? Date.now() });
    message.usage = prompts.usage(context.messages, message.content, streamOptions);
    return message;
  };

  /** Plays what `make` gives, or why it fails, on a stream of its own. */
  const play = (make, model, streamOptions) => {
    const events = createAssistantMessageEventStream();
    queueMicrotask(async () => {
      try {
        await streamOptions?.onResponse?.({ status: 200, headers: {} }, model);
        const message = await make();
        await new Playback(events, message, playback, streamOptions?.signal).play(message);
      } catch (error) {
        const message = error instanceof Failed ? error.response : failure(error, model);
        events.push({ type: "error", reason: "error", error: message });
        events.end(message);
      }
    });
    return events;
  };

  /** The stream function: takes the next response at once and begins in a microtask. */
  const stream = (model, context, streamOptions) => {
    const step = responses.shift();
    state.callCount += 1;
    const make = () => {
      if (step === undefined) throw noResponse(model, context, streamOptions);
      const answer = streamOptions?.deferred ? defer : resolve;
      return answer(step, model, context, streamOptions);
    };
    return play(make, model, streamOptions);
  };

  /** Asks for a response that was deferred: the handle again until it is ready, then the response, as often as wanted. */
  const fetchDeferred = (model, handle, fetchOptions) => {
    state.deferredFetchCount += 1;
    const make = async () => {
      const entry = deferred.get(handle.id);
      const isKnown = ["provider", "modelId", "api"].every((field) => entry?.handle[field] === handle[field]);
      if (!entry || !isKnown) throw new Error(`Unknown faux deferred response: ${handle.id}`);
      if (entry.isCancelled) throw new Error(`Faux deferred response was cancelled: ${handle.id}`);
      if (entry.pendingFetches > 0) {
        entry.pendingFetches -= 1;
        return deferredMessage(model, entry.handle);
      }
      entry.final ??= await entry.resolve();
      return entry.final;
    };
    return play(make, model, fetchOptions);
  };

  const cancelDeferred = async (model, handle, cancelOptions) => {
    state.cancelledDeferred.push(structuredClone(handle));
    const entry = deferred.get(handle.id);
    if (entry) entry.isCancelled = true;
    await cancelOptions?.onResponse?.({ status: 200, headers: {} }, model);
  };

  return {
    api,
    provider,
    models,
    state,
    stream,
    streamSimple: stream,
    streamFn: stream,
    fetchDeferred,
    cancelDeferred,
    getModel: (id) => (id ? models.find((model) => model.id === id) : models[0]),
    setResponses: (steps) => {
      responses = [...steps];
    },
    appendResponses: (steps) => {
      responses.push(...steps);
    },
    getPendingResponseCount: () => responses.length,
  };
};
