// JSON that arrives in pieces, as a live value that is up to date after each of them. All pieces together cost time linear
// in the text: what arrives is applied to the value, the value is never built anew. Rust says what changes, as numbers (the
// table is in `crates/providers/src/json_stream.rs`); every text is cut from the piece it came in.

import { takeLent } from "./lent.js";
import { wasm } from "./wasm.js";

const LEAVE = 0;
const OPEN_OBJECT = 1;
const OPEN_ARRAY = 2;
const KEY = 3;
const TEXT = 4;
const RUN = 5;
const CHARACTER = 6;
const NUMBER = 7;
const TRUE = 8;
const FALSE = 9;
const NULL = 10;
const GUESS = 11;

/** A piece is read so many UTF-16 units at a time. */
const UNITS = 256;
const BYTES_PER_UNIT = 3;

/** Told with the number of changes: inside a string, a piece without quotes and backslashes is more of it. */
const IN_TEXT = 1 << 16;

/** So many keys are remembered; a power of two. */
const KEYS = 16;

const NO_BYTES = new Uint8Array(0);
const NO_NUMBERS = new Float64Array(0);

const encoder = new TextEncoder();

const isHighSurrogate = (unit) => unit >= 0xd800 && unit <= 0xdbff;

/** Writes a short text as UTF-8 and gives its length; a loop is faster than the encoder for what is short. */
const write = (text, bytes) => {
  const { length } = text;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return encoder.encodeInto(text, bytes).written;
    bytes[at] = unit;
  }
  return length;
};

/** Whether a short text has neither a quote nor a backslash. */
const isPlain = (text) => {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
};

const put = (target, key, value) => {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
};

/** Reads the pieces of one text. `free` it when the text is over. */
export class StreamingJson {
  #reader = new wasm.StreamingJson();
  /** Views of the module's memory: for the piece, and of what it changes. Empty before they are lent, and when it has grown. */
  #bytes = NO_BYTES;
  #changes = NO_NUMBERS;
  /** The root is the one key of this. */
  #top = {};
  /** The containers entered, and the innermost: where the next value goes. */
  #open = [];
  #target = this.#top;
  #isInArray = false;
  /** The key read last. */
  #key = "root";
  /** Keys met before. */
  #known = new Array(KEYS);
  #isInKey = false;
  /** Whether plain text needs no reading. */
  #isInText = false;
  /** The string put last, what it has grown by since, its place, and whether nothing stands there yet. */
  #text = "";
  #added = "";
  #textTarget;
  #textKey;
  #isNew = false;
  /** Where a guess is shown, and what takes it back. */
  #guess;
  #half = "";
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

  free() {
    this.#reader.free();
  }

  #read() {
    let text = this.#half + this.#unread;
    this.#unread = "";
    this.#half = "";
    // Half a character is no text: it waits for its other half.
    if (isHighSurrogate(text.charCodeAt(text.length - 1))) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    if (text.length <= UNITS) this.#readPiece(text);
    else for (let at = 0; at < text.length; at += UNITS) this.#readPiece(text.slice(at, at + UNITS));
    this.#settle();
  }

  #readPiece(piece) {
    if (this.#isInText && isPlain(piece)) {
      this.#added += piece;
      return;
    }
    if (this.#bytes.length < piece.length * BYTES_PER_UNIT) this.#borrow();
    const told = this.#reader.push(write(piece, this.#bytes));
    this.#isInText = told >= IN_TEXT;
    const count = told & (IN_TEXT - 1);
    if (this.#changes.length < count) this.#borrow();
    const changes = this.#changes;
    // A value takes the place of what was guessed for it, everything else takes it back.
    if (this.#guess && !(count > 0 && changes[0] >= NUMBER)) this.#takeBack();
    if (count > 0) this.#apply(changes, count, piece);
  }

  #borrow() {
    this.#reader.lend();
    ({ piece: this.#bytes, changes: this.#changes } = takeLent());
  }

  #apply(changes, count, piece) {
    let at = 0;
    while (at < count) {
      // `| 0`: codes and places are whole numbers, and faster when that is known.
      const code = changes[at] | 0;
      switch (code) {
        case RUN:
          this.#grow(piece, changes[at + 1] | 0, changes[at + 2] | 0);
          at += 3;
          break;
        case CHARACTER:
          if (this.#isInKey) this.#key += String.fromCodePoint(changes[at + 1] | 0);
          else this.#added += String.fromCodePoint(changes[at + 1] | 0);
          at += 2;
          break;
        case KEY:
          this.#key = "";
          this.#isInKey = true;
          at += 1;
          break;
        case TEXT:
          this.#putText();
          at += 1;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY: {
          this.#enter(code === OPEN_OBJECT ? {} : []);
          at += 1;
          break;
        }
        case LEAVE:
          this.#leave();
          at += 1;
          break;
        case NUMBER:
          this.#put(changes[at + 1]);
          at += 2;
          break;
        case TRUE:
        case FALSE:
        case NULL:
          this.#put(code === NULL ? null : code === TRUE);
          at += 1;
          break;
        case GUESS: {
          const of = changes[at + 1];
          this.#putGuess(of === NUMBER ? changes[at + 2] : of === NULL ? null : of === TRUE);
          at += of === NUMBER ? 3 : 2;
          break;
        }
        default:
          throw new Error(`engine: internal error: no change has the code ${code}`);
      }
    }
  }

  #grow(piece, start, end) {
    if (!this.#isInKey) this.#added += piece.slice(start, end);
    else if (this.#key === "") this.#key = this.#keyOf(piece, start, end);
    else this.#key += piece.slice(start, end);
  }

  /** A key cut from a piece; if it was met before, the string of then, which costs no more to look up. */
  #keyOf(piece, start, end) {
    const slot = (piece.charCodeAt(start) + end - start) & (KEYS - 1);
    const known = this.#known[slot];
    if (known !== undefined && known.length === end - start && piece.startsWith(known, start)) return known;
    return (this.#known[slot] = piece.slice(start, end));
  }

  /** What has been added to the string is put into its place: once for all that a piece adds. */
  #settle() {
    if (this.#added === "" && !this.#isNew) return;
    this.#text += this.#added;
    this.#added = "";
    this.#isNew = false;
    put(this.#textTarget, this.#textKey, this.#text);
  }

  #put(value) {
    this.#settle();
    if (this.#guess) {
      put(this.#guess.target, this.#guess.key, value);
      this.#guess = undefined;
    } else if (this.#isInArray) this.#target.push(value);
    else put(this.#target, this.#key, value);
  }

  #putText() {
    this.#settle();
    this.#isInKey = false;
    this.#text = "";
    this.#textTarget = this.#target;
    this.#textKey = this.#isInArray ? this.#target.length : this.#key;
    this.#isNew = true;
  }

  #enter(container) {
    this.#put(container);
    this.#open.push(container);
    this.#target = container;
    this.#isInArray = Array.isArray(container);
  }

  #leave() {
    this.#settle();
    this.#open.pop();
    this.#target = this.#open.at(-1) ?? this.#top;
    this.#isInArray = Array.isArray(this.#target);
  }

  #putGuess(value) {
    this.#settle();
    if (!this.#guess) {
      const target = this.#target;
      const key = this.#isInArray ? target.length : this.#key;
      const had = Object.hasOwn(target, key);
      this.#guess = { target, key, had, old: had ? target[key] : undefined };
    }
    put(this.#guess.target, this.#guess.key, value);
  }

  #takeBack() {
    const { target, key, had, old } = this.#guess;
    this.#guess = undefined;
    if (had) put(target, key, old);
    else if (Array.isArray(target)) target.pop();
    else delete target[key];
  }
}
