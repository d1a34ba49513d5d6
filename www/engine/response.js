// One request: the context as the model gets it, and the stream it answers with.

import { AssistantMessageEventStream, NOTHING } from "./event_stream.js";
import { DEFAULT_AGENT_IDENTITY, mergeClientIdentity } from "./identity.js";
import { normalizeContext } from "./transcript.js";
import { isThenable, OVER } from "./waits.js";

const noUsage = () => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

/** Sends one request. Gives the stream, or `OVER`. `messages` is what of the context is sent. */
export const request = async ({ config, signal, waits, streamFunction }, messages) => {
  const settled = (value) => (isThenable(value) ? waits.for(value) : value);
  const llmMessages = await settled(config.convertToLlm(messages));
  if (llmMessages === OVER) return OVER;
  const context = normalizeContext({ messages: llmMessages });
  const key = config.getApiKey ? await settled(config.getApiKey(config.model.provider)) : undefined;
  if (key === OVER) return OVER;
  const options = { ...config, apiKey: key || config.apiKey, identity: mergeClientIdentity(DEFAULT_AGENT_IDENTITY, config.identity), signal };
  return settled(streamFunction(config.model, context, options));
};

/** Reads any stream: ours without a promise for an event that is there, others as `for await` would. */
class Reader {
  #stream;
  #isOurs;
  #iterator;

  constructor(stream) {
    this.#stream = stream;
    this.#isOurs =
      stream instanceof AssistantMessageEventStream &&
      stream[Symbol.asyncIterator] === AssistantMessageEventStream.prototype[Symbol.asyncIterator];
    if (this.#isOurs) return;
    const iterate = stream?.[Symbol.asyncIterator] ?? stream?.[Symbol.iterator];
    if (typeof iterate !== "function") throw new TypeError("response is not async iterable");
    this.#iterator = iterate.call(stream);
  }

  /** An event that is there now, or `NOTHING`. */
  now() {
    return this.#isOurs ? this.#stream.takeNow() : NOTHING;
  }

  /** The next step of the iteration. */
  next() {
    return this.#isOurs ? this.#stream.take() : this.#iterator.next();
  }

  /** Tells the stream that nobody reads on. Gives what there is to wait for. */
  close() {
    return this.#isOurs ? undefined : this.#iterator.return?.();
  }
}

const UPDATES = new Set(
  ["text", "thinking", "toolcall"].flatMap((block) => ["start", "delta", "end"].map((part) => `${block}_${part}`)),
);

/** What a stream has come to, while the loop reads it. */
export class Response {
  #stream;
  #reader;
  #waits;
  #isExhausted = false;
  /** The stream's own live object; nothing before `start`. */
  partial;

  constructor(stream, waits) {
    this.#stream = stream;
    this.#waits = waits;
    waits.startReading();
    this.#reader = new Reader(stream);
  }

  /**
   * Reads on: `{type: "start"}` once, an update while there is a partial, or `{type: "end"}`; a promise of it when nothing
   * is there yet. A second start, updates before the first and events of unknown types are read over. `OVER` when the wait
   * was given up.
   */
  next() {
    for (;;) {
      if (this.#waits.isReadEnough()) return OVER;
      const event = this.#reader.now();
      if (event === NOTHING) return this.#wait();
      const told = this.#read(event);
      if (told !== undefined) return told;
    }
  }

  async #wait() {
    for (;;) {
      const step = await this.#step();
      if (step === OVER) return OVER;
      if (step.done) {
        this.#isExhausted = true;
        return { type: "end" };
      }
      const told = this.#read(step.value);
      if (told !== undefined) return told;
      if (this.#waits.isReadEnough()) return OVER;
    }
  }

  /** The next step of the iteration. One that fails is the last. */
  async #step() {
    try {
      const step = this.#reader.next();
      const settled = isThenable(step) ? await this.#waits.for(step) : step;
      if (settled === OVER || (typeof settled === "object" && settled !== null)) return settled;
      throw new TypeError(`Iterator result ${String(settled)} is not an object`);
    } catch (error) {
      this.#isExhausted = true;
      throw error;
    }
  }

  #read(event) {
    const type = event.type;
    if (type === "done" || type === "error") return { type: "end" };
    if (type === "start") {
      const isFirst = this.partial === undefined;
      this.partial = event.partial;
      return isFirst ? event : undefined;
    }
    if (this.partial === undefined || !UPDATES.has(type)) return undefined;
    this.partial = event.partial;
    return event;
  }

  /** The final message, or `OVER`. */
  async result() {
    // Called so in pi, which a message says where there is no such function.
    const response = this.#stream;
    const message = response.result();
    return isThenable(message) ? this.#waits.for(message) : message;
  }

  /** To be called when it is read no further: lets the stream clean up. Gives a promise where that takes time. */
  close() {
    if (this.#isExhausted) return undefined;
    this.#isExhausted = true;
    const closed = this.#reader.close();
    return isThenable(closed) ? this.#waits.for(closed) : undefined;
  }

  /** The same where something worse has happened: what comes of it is its own affair. */
  abandon() {
    try {
      const closed = this.close();
      if (isThenable(closed)) closed.then(undefined, () => {});
    } catch {
      // It was asked to stop; that it cannot even do that changes nothing.
    }
  }
}

/** The message of a response that was given up: what there is of it, aborted. */
export const abortedMessage = (model, partial) => ({
  role: "assistant",
  content: [],
  api: model?.api,
  provider: model?.provider,
  model: model?.id,
  usage: noUsage(),
  timestamp: Date.now(),
  ...partial,
  stopReason: "aborted",
  errorMessage: "Request was aborted",
});
