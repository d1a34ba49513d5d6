// A response from a server: the request, its retries, the bytes of the answer.

import { createAssistantMessageEventStream } from "./event_stream.js";
import { brokenText, refusalText, statusMessage, textOf, unreachableText } from "./failure_text.js";
import { assertApi, exchangeOf, httpRequestOf } from "./http_request.js";
import { jsonText } from "./json_text.js";
import { Response } from "./model_events.js";
import { ABORTED, LATE, MAX_TIMER_MS, Patience, SILENT } from "./patience.js";
import { ProviderEvents } from "./provider_events.js";
import { mayRetry, retryDelayMs } from "./retry.js";

const IDLE_MS = 300_000;
/** How long to wait for usage and the end once the reason to stop has been read. */
const ENDING_MS = 1000;
/** How much of an error's body is read. */
const ERROR_BODY_BYTES = 64 * 1024;

/** One response, while it is asked for and read. */
class Conversation {
  #model;
  #options;
  #exchange;
  #response;
  #patience;
  #idleMs;
  /** Ends the request when nobody wants its answer any more. */
  #controller = new AbortController();

  constructor(model, context, options, stream) {
    this.#model = model;
    this.#options = options;
    this.#idleMs = options.idleTimeoutMs ?? model.compat?.idleTimeoutMs ?? IDLE_MS;
    this.#response = new Response(stream, model);
    try {
      this.#exchange = exchangeOf(model, context, options);
    } catch (error) {
      this.#response.fail("error", error.message);
      return;
    }
    this.#patience = new Patience(options.signal, this.#idleMs);
  }

  /** Never rejects: failures are events. */
  async run() {
    if (!this.#exchange) return;
    try {
      const answer = await this.#ask();
      if (answer) await this.#read(answer);
    } catch (error) {
      this.#response.fail("error", this.#redacted(error));
    } finally {
      this.#patience.close();
      this.#controller.abort();
      this.#response.close();
      this.#exchange.free();
    }
  }

  /** The answer to the request; nothing when there is none, which has been told then. */
  async #ask() {
    const { maxRetries = 0, onResponse } = this.#options;
    let request = await this.#request();
    let isAdapted = false;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#send(request);
      if (this.#isOver(answer)) return undefined;
      if (answer.error) {
        if (attempt >= maxRetries) return this.#fail(answer.error);
        if (await this.#sleep(retryDelayMs(attempt, undefined, this.#options))) return undefined;
        continue;
      }
      const { status, headers } = answer;
      await onResponse?.({ status, headers: Object.fromEntries(headers) }, this.#model);
      if (answer.ok) {
        this.#response.start();
        return answer;
      }
      const body = await this.#patience.for(errorText(answer));
      if (this.#isOver(body)) return undefined;
      if (this.#exchange.refuse(status, body) && !isAdapted) {
        isAdapted = true;
        request = await this.#request();
        attempt -= 1;
      } else if (attempt < maxRetries && mayRetry(answer)) {
        const delay = retryDelayMs(attempt, headers, this.#options, statusMessage(status, body));
        if (await this.#sleep(delay)) return undefined;
      } else return this.#fail(refusalText(status, body, this.#exchange.refusalText(), this.#model.provider));
    }
  }

  async #request() {
    const request = httpRequestOf(this.#exchange, this.#model, this.#options);
    const replaced = await this.#options.onPayload?.(JSON.parse(request.body), this.#model);
    if (replaced === undefined) return request;
    if (typeof replaced !== "object" || replaced === null) throw new TypeError("onPayload must give a payload or nothing");
    request.body = jsonText(replaced);
    return request;
  }

  /** The answer, `{error}`, or why it was not waited for. */
  async #send({ method, url, headers, body }) {
    // A signal that has fired must not come as far as a request.
    if (this.#options.signal?.aborted) return ABORTED;
    const { fetch: send = globalThis.fetch, timeoutMs } = this.#options;
    this.#patience.heard();
    let timer;
    try {
      const answer = Promise.resolve(send(url, { method, headers, body, signal: this.#controller.signal }));
      if (timeoutMs > 0) timer = setTimeout(() => this.#patience.interrupt(LATE), Math.min(timeoutMs, MAX_TIMER_MS));
      const settled = await this.#patience.for(answer);
      return settled === LATE ? this.#giveUpSending(answer) : settled;
    } catch (error) {
      return this.#options.signal?.aborted ? ABORTED : { error: unreachableText(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends a request that is not answered in time. The next one has a signal of its own. */
  #giveUpSending(answer) {
    this.#controller.abort();
    this.#controller = new AbortController();
    answer.then(({ body }) => body?.cancel()).catch(() => {});
    return { error: "Request timed out." };
  }

  async #read({ body }) {
    const reader = body?.getReader();
    let interrupted;
    let release;
    const interruption = new Promise((resolve) => {
      release = resolve;
    });
    let isEnding = false;
    const provided = this.#options.onProviderStreamEvent && new ProviderEvents(this.#options.onProviderStreamEvent, this.#model);
    try {
      // Ending the body ends the wait for its next piece, so a piece costs no promise but its own.
      this.#patience.watch((why) => {
        interrupted = why;
        release();
        reader?.cancel().catch(() => {});
      });
      const isOver = () => interrupted && !(isEnding && interrupted === SILENT);
      for (;;) {
        const { value, done } = reader ? await reader.read() : { done: true };
        if (isOver()) return this.#isOver(interrupted);
        if (done) return this.#tell(this.#exchange.finish());
        this.#patience.heard();
        if (provided) await Promise.race([provided.tell(value), interruption]);
        if (isOver()) return this.#isOver(interrupted);
        this.#tell(this.#exchange.push(value));
        if (this.#exchange.isComplete()) return undefined;
        if (!isEnding && this.#exchange.isEnding()) {
          isEnding = true;
          this.#patience.limit(ENDING_MS);
        }
      }
    } catch (error) {
      // An abort in mid-stream arrives as an error of the body.
      const { signal } = this.#options;
      if (provided?.failure === error) throw error;
      return signal?.aborted ? this.#tell(this.#exchange.abort()) : this.#fail(brokenText(error));
    } finally {
      provided?.close();
      this.#patience.watch(undefined);
      reader?.cancel().catch(() => {});
    }
  }

  /** Tells of an abort or a silence, if that is what a wait gave. */
  #isOver(what) {
    if (what === ABORTED) this.#tell(this.#exchange.abort());
    else if (what === SILENT) this.#tell(this.#exchange.stalled(this.#idleMs));
    else return false;
    return true;
  }

  async #sleep(milliseconds) {
    return this.#isOver(await this.#patience.sleep(milliseconds));
  }

  #tell(batch) {
    this.#response.tell(batch);
  }

  #fail(text) {
    this.#tell(this.#exchange.failed(text));
  }

  #redacted(error) {
    try {
      return this.#exchange.redact(textOf(error));
    } catch {
      // The instance is lost, and this error says so.
      return textOf(error);
    }
  }
}

/** The body of an answer that is none, as much as a reader could want. */
const errorText = async ({ body }) => {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  try {
    while (reader && length < ERROR_BODY_BYTES) {
      const { value, done } = await reader.read();
      if (done) break;
      length += value.length;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // What there is has to do: the status is what matters.
  }
  reader?.cancel().catch(() => {});
  return text;
};

/**
 * Asks a model. The context begins with a system message, or has `systemPrompt` and `tools` beside its messages. Throws for
 * an api that is not spoken here; every other failure is an event.
 */
export const stream = (model, context, options) => {
  assertApi(model);
  const events = createAssistantMessageEventStream();
  const conversation = new Conversation(model, context, options ?? {}, events);
  conversation.run().finally(() => events.end());
  return events;
};
