// Messages that wait for their turn: all at once or one at a time.

export class MessageQueue {
  /** `"all"` or `"one-at-a-time"`. */
  mode;
  #messages = [];

  constructor(mode = "one-at-a-time") {
    this.mode = mode;
  }

  /** Nothing is no message. */
  add(message) {
    if (message) this.#messages.push(message);
  }

  get isEmpty() {
    return this.#messages.length === 0;
  }

  /** What the next `drain` would take. */
  peek() {
    return this.mode === "all" ? this.#messages.slice() : this.#messages.slice(0, 1);
  }

  drain() {
    return this.#messages.splice(0, this.mode === "all" ? this.#messages.length : 1);
  }

  clear() {
    this.#messages = [];
  }
}
