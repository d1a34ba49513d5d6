// JSON that arrives in pieces, as a live value that is up to date after each of them. All pieces together cost time linear
// in the text: what arrives is applied to the value, the value is never built anew.

import { wasm } from "./wasm.js";

const LEAVE = 0;
const OPEN_OBJECT = 1;
const OPEN_ARRAY = 2;
const PUT = 3;
const APPEND = 4;
const GUESS = 5;

const isHighSurrogate = (text) => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
};

const put = (target, key, value) => {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
};

/** Reads the pieces of one text. `free` it when the text is over. */
export class StreamingJson {
  #reader = new wasm.StreamingJson();
  /** The root is the one key of this. */
  #top = {};
  #open = [];
  #string;
  #undo;
  #half = "";
  #isInText = false;
  /** What has arrived since the value was looked at last. */
  #unread = "";

  /** The value so far: the same object throughout, once there is one; `{}` while there is none, or no object. */
  get value() {
    const { root } = this;
    return typeof root === "object" && root !== null && !Array.isArray(root) ? root : {};
  }

  /** The value so far, of any type; nothing before it begins. */
  get root() {
    if (this.#unread) this.#read();
    return this.#top.root;
  }

  /** Takes the next piece. It is read when someone looks at the value. */
  push(piece) {
    this.#unread += piece;
  }

  /** Makes the value so far a field of an object, until `release`. */
  bind(target, field) {
    Object.defineProperty(target, field, { get: () => this.value, enumerable: true, configurable: true });
  }

  /** Leaves the field the value there is now, and frees the reader. */
  release(target, field) {
    const { value } = this;
    Object.defineProperty(target, field, { value, enumerable: true, configurable: true, writable: true });
    this.free();
  }

  #read() {
    let text = this.#half + this.#unread;
    this.#unread = "";
    // Half a character is no text: it waits for its other half.
    this.#half = isHighSurrogate(text) ? text.at(-1) : "";
    if (this.#half) text = text.slice(0, -1);
    // Most of a long text says nothing to the reader.
    if (this.#isInText && !/["\\]/.test(text)) return this.#append(text);
    const changes = this.#reader.push(text);
    this.#undo?.();
    this.#undo = undefined;
    if (changes !== "[]") this.#apply(JSON.parse(changes));
    this.#isInText = this.#reader.isInText();
  }

  free() {
    this.#reader.free();
  }

  #apply(changes) {
    let at = 0;
    while (at < changes.length) {
      const code = changes[at];
      const operand = changes[at + 1];
      switch (code) {
        case LEAVE:
          this.#open.pop();
          at += 1;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY: {
          const container = code === OPEN_OBJECT ? {} : [];
          this.#put(operand, container);
          this.#open.push(container);
          at += 2;
          break;
        }
        case PUT:
          this.#string = this.#put(operand, changes[at + 2]);
          at += 3;
          break;
        case APPEND:
          this.#append(operand);
          at += 2;
          break;
        case GUESS:
          this.#guess(operand, changes[at + 2]);
          at += 3;
          break;
        default:
          throw new Error(`engine: internal error: no change has the code ${code}`);
      }
    }
  }

  #append(text) {
    const { target, key } = this.#string;
    put(target, key, target[key] + text);
  }

  /** Where a key leads: an array's next item, the root, or the key of an object. */
  #place(key) {
    const target = this.#open.at(-1);
    if (target === undefined) return { target: this.#top, key: "root" };
    return Array.isArray(target) ? { target, key: target.length } : { target, key };
  }

  #put(name, value) {
    const place = this.#place(name);
    put(place.target, place.key, value);
    return place;
  }

  #guess(name, value) {
    const { target, key } = this.#place(name);
    const had = Object.hasOwn(target, key);
    const old = had ? target[key] : undefined;
    put(target, key, value);
    this.#undo = () => {
      if (had) put(target, key, old);
      else if (Array.isArray(target)) target.pop();
      else delete target[key];
    };
  }
}
