// Messages that Rust has been handed already. A turn hands over what is new in its history and not all of it.
//
// Whoever holds a message may change it at any time, so nothing is taken on trust: before a message is named by its number,
// every value that a request is made of is compared with what was handed over. A string that is the same one compares at
// once, so this costs a fraction of writing it.

import { jsonText } from "./json_text.js";
import { instance, wasm } from "./wasm.js";

/** What is nested deeper is handed over each time. */
const MAX_DEPTH = 32;

/** A value that cannot be told to be the same later: it is more than plain data. */
const ODD = Symbol("odd");

/** What an object or a list held, in its order; `keys` of a list are none. */
class Held {
  constructor(keys, values) {
    this.keys = keys;
    this.values = values;
  }
}

const isPlain = (value) => {
  if (typeof value.toJSON === "function") return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === (Array.isArray(value) ? Array.prototype : Object.prototype) || prototype === null;
};

/** A copy of a value to compare it with later, or `ODD`. Reads what `JSON.stringify` reads, and runs no code but ours. */
const hold = (value, depth = 0) => {
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH || !isPlain(value)) return ODD;
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  // A list with holes, or with more than its items.
  if (isList && keys.length !== value.length) return ODD;
  const values = [];
  for (const key of keys) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    const held = "value" in property ? hold(property.value, depth + 1) : ODD;
    if (held === ODD) return ODD;
    values.push(held);
  }
  return new Held(isList ? undefined : keys, values);
};

/** Whether a value is to the last of its parts what it was. */
const isSame = (value, held) => {
  if (typeof value !== "object" || value === null) return value === held;
  if (!(held instanceof Held)) return false;
  const { keys, values } = held;
  if (Array.isArray(value)) {
    if (keys !== undefined || value.length !== values.length) return false;
    for (let at = 0; at < values.length; at += 1) if (!isSame(value[at], values[at])) return false;
    return true;
  }
  if (keys === undefined) return false;
  let at = 0;
  for (const key in value) {
    if (key !== keys[at] || !isSame(value[key], values[at])) return false;
    at += 1;
  }
  return at === keys.length;
};

/** What was read of a block, by its type; of one of an unknown type, all. */
class HeldBlock {
  constructor(type, a, b, c) {
    this.type = type;
    this.a = a;
    this.b = b;
    this.c = c;
  }
}

/** The values of a block that a request is made of; `undefined` for types that are looked at as a whole. */
const blockParts = {
  text: ({ text }) => [text],
  thinking: ({ thinking, thinkingSignature, redacted }) => [thinking, thinkingSignature, redacted],
  image: ({ data, mimeType }) => [data, mimeType],
  toolCall: ({ id, name, arguments: args }) => [id, name, args],
};

const holdBlock = (block, whole) => {
  if (!Object.hasOwn(blockParts, block?.type)) return whole;
  const [a, b, c] = blockParts[block.type](block);
  return new HeldBlock(block.type, a, b, block.type === "toolCall" ? hold(c) : c);
};

const isSameBlock = (block, held) => {
  if (!(held instanceof HeldBlock)) return isSame(block, held);
  if (typeof block !== "object" || block === null || block.type !== held.type) return false;
  switch (held.type) {
    case "text":
      return block.text === held.a;
    case "thinking":
      return block.thinking === held.a && block.thinkingSignature === held.b && block.redacted === held.c;
    case "image":
      return block.data === held.a && block.mimeType === held.b;
    default:
      return block.id === held.a && block.name === held.b && isSame(block.arguments, held.c);
  }
};

/** Content is text or blocks. */
const holdContent = (content) => {
  const held = hold(content);
  // All of it is plain; then of each block what counts is enough.
  return held === ODD || !Array.isArray(content) ? held : content.map((block, at) => holdBlock(block, held.values[at]));
};

const isSameContent = (content, held) => {
  if (!Array.isArray(held)) return content !== null && content !== undefined && isSame(content, held);
  if (!Array.isArray(content) || content.length !== held.length) return false;
  for (let at = 0; at < held.length; at += 1) if (!isSameBlock(content[at], held[at])) return false;
  return true;
};

/** What of a message of a role a request is made of. */
const parts = {
  system: ({ role, content, sections, toolsAdded, toolsRemoved }) => ({
    role,
    content: content ?? [],
    sections,
    toolsAdded,
    toolsRemoved,
  }),
  user: ({ role, content }) => ({ role, content: content ?? [] }),
  assistant: ({ role, content, api, provider, model, stopReason }) => ({
    role,
    content: content ?? [],
    api,
    provider,
    model,
    stopReason,
  }),
  toolResult: ({ role, content, toolCallId, toolName, isError }) => ({
    role,
    content: content ?? [],
    toolCallId,
    toolName,
    isError,
  }),
};

/** Whether each of these is what was held of it. Spelt out by role, since this runs for every message of every request. */
const checks = {
  system: (message, held) =>
    isSameContent(message.content, held.content) &&
    isSame(message.sections, held.sections) &&
    isSame(message.toolsAdded, held.toolsAdded) &&
    isSame(message.toolsRemoved, held.toolsRemoved),
  user: (message, held) => isSameContent(message.content, held.content),
  assistant: (message, held) =>
    message.stopReason === held.stopReason &&
    message.model === held.model &&
    message.provider === held.provider &&
    message.api === held.api &&
    isSameContent(message.content, held.content),
  toolResult: (message, held) =>
    message.toolCallId === held.toolCallId &&
    message.toolName === held.toolName &&
    message.isError === held.isError &&
    isSameContent(message.content, held.content),
};

/** A message that was handed over: its number, in which instance, and what it held then. */
class Kept {
  constructor(number, role, held) {
    this.number = number;
    this.role = role;
    this.held = held;
    this.isSame = checks[role];
    this.generation = instance();
  }

  isCurrent(message, generation) {
    return this.generation === generation && message.role === this.role && this.isSame(message, this.held);
  }
}

const known = new WeakMap();

const drop = ({ number, generation }) => {
  // An instance that is lost has lost its messages.
  if (generation === instance()) wasm.dropMessage(number);
};
const dropped = new FinalizationRegistry(drop);

const forget = (message, kept) => {
  dropped.unregister(kept);
  known.delete(message);
  drop(kept);
};

/** What is held of a message that may be kept; nothing of one that may not. */
const heldOf = (picked) => {
  const held = {};
  for (const field of Object.keys(picked)) {
    held[field] = field === "content" ? holdContent(picked[field]) : hold(picked[field]);
    if (held[field] === ODD) return undefined;
  }
  return held;
};

/** Hands messages over. Gives the numbers of those that were not kept. */
const handOver = (fresh, numbers) => {
  if (fresh.length === 0) return [];
  const given = wasm.keepMessages(jsonText(fresh.map(({ picked }) => picked)));
  if (given.length !== fresh.length) throw new Error(wasm.keepFailure());
  const passing = [];
  fresh.forEach(({ at, message, picked, held }, nth) => {
    const number = given[nth];
    numbers[at] = number;
    // One that stands twice in a list is kept once.
    if (held === undefined || known.has(message)) passing.push(number);
    else {
      const kept = new Kept(number, picked.role, held);
      known.set(message, kept);
      dropped.register(message, { number, generation: kept.generation }, kept);
    }
  });
  return passing;
};

/**
 * Calls `use` with the numbers of messages, in order, as a `Uint32Array`. They stand for the messages as they are now, and
 * hold until `use` returns. Throws for what is no list of messages.
 */
export const withNumbers = (messages, use) => {
  if (!Array.isArray(messages)) throw new TypeError("engine: messages are no list");
  const numbers = new Uint32Array(messages.length);
  const generation = instance();
  const plain = [];
  const odd = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    const kept = typeof message === "object" && message !== null ? known.get(message) : undefined;
    if (kept?.isCurrent(message, generation)) numbers[at] = kept.number;
    else {
      if (kept) forget(message, kept);
      const role = message?.role;
      const picked = Object.hasOwn(parts, role) ? parts[role](message) : message;
      const held = picked === message ? undefined : heldOf(picked);
      (held ? plain : odd).push({ at, message, picked, held });
    }
  }
  // To write the odd ones may run code of theirs: nothing is to come between what was held of the others and their writing.
  const passing = handOver(plain, numbers);
  passing.push(...handOver(odd, numbers));
  try {
    return use(numbers);
  } finally {
    for (const number of passing) wasm.dropMessage(number);
  }
};
