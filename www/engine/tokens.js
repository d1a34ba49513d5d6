// How many tokens messages may have: four characters are one.

import { getCurrentSystemMessage } from "./transcript.js";

const CHARS_PER_TOKEN = 4;
const IMAGE_CHARS = 4800;

const contentChars = (content) => {
  if (typeof content === "string") return content.length;
  let chars = 0;
  for (const block of content) {
    if (block.type === "image") chars += IMAGE_CHARS;
    else if (block.type === "text") chars += block.text?.length ?? 0;
  }
  return chars;
};

const blockChars = (block) => {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "thinking":
      return block.thinking.length;
    case "toolCall":
      return block.name.length + JSON.stringify(block.arguments).length;
    default:
      return 0;
  }
};

const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);

/** Characters of a message, by its role. */
const CHARS = {
  system: ({ content, sections, toolsAdded }) => {
    const declared = toolsAdded ? JSON.stringify(toolsAdded).length : 0;
    return contentChars(content) + sum(Object.values(sections ?? {}), (section) => section?.length ?? 0) + declared;
  },
  user: ({ content }) => contentChars(content),
  assistant: ({ content }) => sum(content, blockChars),
  toolResult: ({ content }) => contentChars(content),
  custom: ({ content }) => contentChars(content),
  bashExecution: ({ command, output }) => command.length + output.length,
  branchSummary: ({ summary }) => summary.length,
  compactionSummary: ({ summary }) => summary.length,
};

/** The tokens of one message, roughly; none of a role that is not known. */
export const estimateTokens = (message) => {
  const chars = Object.hasOwn(CHARS, message.role) ? CHARS[message.role](message) : 0;
  return Math.ceil(chars / CHARS_PER_TOKEN);
};

export const estimateAll = (messages) => sum(messages, estimateTokens);

/** What a provider has counted for a whole context; 0 when the message does not say. */
const counted = ({ role, stopReason, usage }) => {
  if (role !== "assistant" || stopReason === "aborted" || stopReason === "error" || !usage) return 0;
  return usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
};

/**
 * The tokens of a context: what was counted last and an estimate of what came since. `isTrusted(at)` says whether what
 * the message at a place has counted still holds; if not, all is an estimate, of one system message that says what all say.
 */
export const contextTokens = (messages, isTrusted) => {
  const last = messages.findLastIndex((message) => counted(message) > 0);
  if (last >= 0 && isTrusted(last)) return counted(messages[last]) + estimateAll(messages.slice(last + 1));
  const system = getCurrentSystemMessage(messages);
  return (system ? estimateTokens(system) : 0) + estimateAll(messages.filter(({ role }) => role !== "system"));
};
