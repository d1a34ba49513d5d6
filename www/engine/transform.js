// A history as another model may be sent it: nothing of it is changed, what is different is a copy.

import { jsonText } from "./json_text.js";
import { wasm } from "./wasm.js";

const USER_IMAGE = "(image omitted: model does not support images)";
const RESULT_IMAGE = "(tool image omitted: model does not support images)";
const NO_RESULT = "No result provided";

/** Each run of images becomes one text. */
const withoutImages = (content, text) => {
  const kept = [];
  for (const block of content) {
    if (block.type !== "image") kept.push(block);
    else if (kept.at(-1)?.text !== text) kept.push({ type: "text", text });
  }
  return kept;
};

const readable = (message, readsImages) => {
  const { role, content } = message ?? {};
  if (content === null || content === undefined) return { ...message, content: [] };
  if (readsImages || !Array.isArray(content) || !content.some((block) => block?.type === "image")) return message;
  if (role === "user") return { ...message, content: withoutImages(content, USER_IMAGE) };
  if (role === "toolResult") return { ...message, content: withoutImages(content, RESULT_IMAGE) };
  return message;
};

const isSaid = ({ thinking }) => typeof thinking === "string" && thinking.trim() !== "";

/** The block as the model that wrote it gets it back; nothing for one that says nothing. */
const ownBlock = (block) => {
  if (block.type !== "thinking") return block;
  return block.redacted || block.thinkingSignature || isSaid(block) ? block : undefined;
};

/** The block as another model gets it: without what only its own can read. */
const foreignBlock = (block, idOf) => {
  switch (block.type) {
    case "thinking":
      return undefined;
    case "text":
      return { type: "text", text: block.text };
    case "toolCall": {
      const { thoughtSignature, ...call } = block;
      const id = idOf(call.id);
      return thoughtSignature || id !== call.id ? { ...call, id } : block;
    }
    default:
      return block;
  }
};

/** The messages as a model reads them that may read no images: of those it cannot read, a text says so. */
export const withReadableContent = (messages, model) => {
  const readsImages = model.input?.includes("image") ?? true;
  return readsImages || !Array.isArray(messages) ? messages : messages.map((message) => readable(message, false));
};

const transformed = (messages, model, normalizeToolCallId) => {
  const readsImages = model.input?.includes("image") ?? true;
  const ids = new Map();
  return messages.map((given) => {
    const message = readable(given, readsImages);
    if (message.role === "toolResult") {
      const toolCallId = ids.get(message.toolCallId) ?? message.toolCallId;
      return toolCallId === message.toolCallId ? message : { ...message, toolCallId };
    }
    if (message.role !== "assistant") return message;
    const isOwn = ["provider", "api"].every((field) => message[field] === model[field]) && message.model === model.id;
    const idOf = (id) => {
      const normalized = normalizeToolCallId(id, model, message);
      if (normalized !== id) ids.set(id, normalized);
      return normalized;
    };
    const blocks = message.content.map((block) => (isOwn ? ownBlock(block) : foreignBlock(block, idOf)));
    return { ...message, content: blocks.filter((block) => block !== undefined) };
  });
};

/** Every call is followed by a result; what failed is left out; system messages wait for the results before them. */
const arranged = (messages) => {
  const list = [];
  let open = [];
  let held = [];
  const close = () => {
    for (const { id, name } of open) {
      const content = [{ type: "text", text: NO_RESULT }];
      list.push({ role: "toolResult", toolCallId: id, toolName: name, content, isError: true, timestamp: Date.now() });
    }
    list.push(...held);
    open = [];
    held = [];
  };
  for (const message of messages) {
    const { role } = message;
    if (role === "assistant" || role === "user") close();
    if (role === "assistant") {
      if (message.stopReason === "error" || message.stopReason === "aborted") continue;
      open = message.content.filter(({ type }) => type === "toolCall");
    } else if (role === "toolResult") open = open.filter(({ id }) => id !== message.toolCallId);
    if (role === "system" && open.length > 0) held.push(message);
    else list.push(message);
  }
  close();
  return list;
};

/**
 * The messages as `model` may be sent them. `normalizeToolCallId(id, model, message)` says which id a call of another model
 * gets; without it, the model's api decides.
 */
export const transformMessages = (messages, model, normalizeToolCallId) => {
  const modelText = normalizeToolCallId ? undefined : jsonText(model);
  const ownRule = (id) => (typeof id === "string" ? wasm.foreignCallId(id, modelText) : id);
  return arranged(transformed(messages, model, normalizeToolCallId ?? ownRule));
};
