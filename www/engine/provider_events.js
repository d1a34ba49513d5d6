// A server's own events, for whoever wants to see them before they are read.

import { sseParser } from "./sse.js";

/** Hands each event of an answer on as it was sent, parsed. */
export class ProviderEvents {
  #hook;
  #model;
  #parser;
  #waiting = [];
  /** What the hook has thrown. */
  failure;

  constructor(hook, model) {
    this.#hook = hook;
    this.#model = model;
    const onEvent = ({ data }) => void this.#waiting.push(data);
    // What is no stream of events has none; that it is none is for its reader to say.
    this.#parser = sseParser({ onEvent, onError: () => {} });
  }

  /** Tells of the events that these bytes complete, one after the other. Rejects with what the hook throws. */
  async tell(bytes) {
    this.#parser.feed(bytes);
    for (const data of this.#waiting.splice(0)) {
      const event = parsed(data);
      if (event !== undefined) await this.#call(event);
    }
  }

  close() {
    this.#parser.end();
  }

  async #call(event) {
    try {
      await this.#hook(event, this.#model);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}

/** What an event says; nothing for the mark of the end, and for what is no JSON. */
const parsed = (data) => {
  if (data.startsWith("[DONE]")) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
};
