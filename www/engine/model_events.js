// Batches of a model's events (`src/engine/exchange/batch.rs`), as events and as one live message.

import { StreamingJson } from "./streaming_json.js";
import { noUsage, price } from "./usage.js";

/** A response under way: every batch it is told changes its message and goes out as events. `close` it. */
export class Response {
  #stream;
  #message;
  #prices;
  #isStarted = false;
  /** The readers of arguments that are still arriving, by index. */
  #readers = new Map();

  constructor(stream, model) {
    this.#stream = stream;
    this.#prices = model.cost;
    this.#message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: noUsage(),
      stopReason: "pending",
      timestamp: Date.now(),
    };
  }

  /** Says that there is an answer, once. */
  start() {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stream.push({ type: "start", partial: this.#message });
  }

  /** Takes one batch. */
  tell(text) {
    if (text === "") return;
    const list = JSON.parse(text);
    const partial = this.#message;
    const { content } = partial;
    let at = 0;
    while (at < list.length) {
      const code = list[at];
      const index = list[at + 1];
      switch (code) {
        case 0:
          this.start();
          at += 1;
          break;
        case 1:
          Object.assign(partial, index);
          at += 2;
          break;
        case 2:
          content[index] = { type: "text", text: "" };
          this.#stream.push({ type: "text_start", contentIndex: index, partial });
          at += 2;
          break;
        case 3: {
          const delta = list[at + 2];
          content[index].text += delta;
          this.#stream.push({ type: "text_delta", contentIndex: index, delta, partial });
          at += 3;
          break;
        }
        case 4:
          this.#textEnd(index, list[at + 2]);
          at += 3;
          break;
        case 5:
          content[index] = { type: "thinking", thinking: "" };
          this.#stream.push({ type: "thinking_start", contentIndex: index, partial });
          at += 2;
          break;
        case 6: {
          const delta = list[at + 2];
          content[index].thinking += delta;
          this.#stream.push({ type: "thinking_delta", contentIndex: index, delta, partial });
          at += 3;
          break;
        }
        case 7:
          this.#thinkingEnd(index, list[at + 2], list[at + 3]);
          at += 4;
          break;
        case 8:
          this.#callStart(index, list[at + 2], list[at + 3]);
          at += 4;
          break;
        case 9: {
          const delta = list[at + 2];
          this.#readers.get(index)?.push(delta);
          this.#stream.push({ type: "toolcall_delta", contentIndex: index, delta, partial });
          at += 3;
          break;
        }
        case 10:
          this.#callEnd(index, list[at + 2]);
          at += 3;
          break;
        case 11:
          partial.usage = price({ reasoning: 0, ...index }, this.#prices);
          at += 2;
          break;
        case 12:
          this.close();
          partial.stopReason = index;
          this.#stream.push({ type: "done", reason: index, message: partial });
          at += 2;
          break;
        case 13:
          this.fail(index, list[at + 2]);
          at += 3;
          break;
        default:
          throw new Error(`engine: internal error: no event has the code ${code}`);
      }
    }
  }

  /** Ends it, unless it has ended. */
  fail(reason, errorMessage) {
    this.close();
    if (this.#stream.done) return;
    Object.assign(this.#message, { stopReason: reason, errorMessage });
    this.#stream.push({ type: "error", reason, error: this.#message });
  }

  /** What has arrived of arguments stays as it is. */
  close() {
    for (const [index, reader] of this.#readers) reader.release(this.#message.content[index], "arguments");
    this.#readers.clear();
  }

  #textEnd(index, signature) {
    const block = this.#message.content[index];
    if (signature !== null) block.textSignature = signature;
    this.#end("text_end", index, { content: block.text });
  }

  #thinkingEnd(index, signature, isRedacted) {
    const block = this.#message.content[index];
    if (signature !== null) block.thinkingSignature = signature;
    if (isRedacted) block.redacted = true;
    this.#end("thinking_end", index, { content: block.thinking });
  }

  #callStart(index, id, name) {
    const block = { type: "toolCall", id, name, arguments: {} };
    const reader = new StreamingJson();
    reader.bind(block, "arguments");
    this.#readers.set(index, reader);
    this.#message.content[index] = block;
    this.#stream.push({ type: "toolcall_start", contentIndex: index, partial: this.#message });
  }

  #callEnd(index, call) {
    const block = this.#message.content[index];
    this.#readers.get(index)?.release(block, "arguments");
    this.#readers.delete(index);
    Object.assign(block, call);
    this.#end("toolcall_end", index, { toolCall: block });
  }

  #end(type, contentIndex, what) {
    this.#stream.push({ type, contentIndex, ...what, partial: this.#message });
  }
}
