// What a scripted response would have cost: a token is four characters, a session's prompt is cached as a whole.

import { getSystemMessageText } from "./transcript.js";

const tokens = (length) => Math.ceil(length / 4);

const blocksToText = (content) =>
  typeof content === "string"
    ? content
    : content
        .map((block) => (block.type === "text" ? block.text : `[image:${block.mimeType}:${block.data.length}]`))
        .join("\n");

/** The text of a response: what it says, thinks and calls. */
export const responseText = (content) =>
  content
    .map((block) => {
      if (block.type === "text") return block.text;
      return block.type === "thinking" ? block.thinking : `${block.name}:${JSON.stringify(block.arguments)}`;
    })
    .join("\n");

const bodyText = (message) => {
  switch (message.role) {
    case "system": {
      const removed = (message.toolsRemoved ?? []).map((tool) => `tool-:${JSON.stringify(tool)}`);
      const added = (message.toolsAdded ?? []).map((tool) => `tool+:${JSON.stringify(tool)}`);
      return [getSystemMessageText(message), ...removed, ...added].filter((part) => part.length > 0).join("\n");
    }
    case "user":
      return blocksToText(message.content);
    case "assistant":
      return responseText(message.content);
    default:
      return [message.toolName, ...message.content.map((block) => blocksToText([block]))].join("\n");
  }
};

const messageText = (message) => `${message.role}:${bodyText(message)}`;

/** Messages are joined by a blank line. */
const JOINT = "\n\n";

const commonPrefix = (a, b) => {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at += 1;
  return at;
};

/** Prompts as they come in. One that begins with the messages of the last costs only what is new in it. */
export class Prompts {
  #messages = [];
  /** The length of the joined text up to and with each message. */
  #ends = [];
  #bySession = new Map();

  /** The usage of a response to this prompt. */
  usage(messages, content, { sessionId, cacheRetention } = {}) {
    const prompt = tokens(this.#length(messages));
    const output = tokens(responseText(content).length);
    let [input, cacheRead, cacheWrite] = [prompt, 0, 0];
    if (sessionId && cacheRetention !== "none") {
      const before = this.#bySession.get(sessionId);
      cacheRead = before ? tokens(this.#common(before, messages)) : 0;
      cacheWrite = Math.max(0, prompt - cacheRead);
      input = 0;
      this.#bySession.set(sessionId, messages.slice());
    }
    const totalTokens = input + output + cacheRead + cacheWrite;
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    return { input, output, cacheRead, cacheWrite, totalTokens, cost };
  }

  #length(messages) {
    let at = 0;
    while (at < messages.length && messages[at] === this.#messages[at]) at += 1;
    this.#messages.length = at;
    this.#ends.length = at;
    for (; at < messages.length; at += 1) {
      const before = at === 0 ? 0 : this.#ends[at - 1] + JOINT.length;
      this.#messages.push(messages[at]);
      this.#ends.push(before + messageText(messages[at]).length);
    }
    return this.#ends.at(-1) ?? 0;
  }

  /** How many characters both prompts begin with. `current` is the one whose length was asked for last. */
  #common(previous, current) {
    const end = Math.min(previous.length, current.length);
    let at = 0;
    while (at < end && (previous[at] === current[at] || messageText(previous[at]) === messageText(current[at]))) at += 1;
    const rest = (messages) =>
      at === messages.length ? "" : (at > 0 ? JOINT : "") + messages.slice(at).map(messageText).join(JOINT);
    return (at > 0 ? this.#ends[at - 1] : 0) + commonPrefix(rest(previous), rest(current));
  }
}
