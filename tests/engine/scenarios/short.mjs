// Messages in short, as scenarios write them.

export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

const userMessage = (text) => ({ role: "user", content: text, timestamp: 1 });
/** Prompts in short: texts, or messages as they are. */
export const messagesOf = (input) => [input].flat().map((one) => (typeof one === "string" ? userMessage(one) : structuredClone(one)));

const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };

/** A block in short: a text, `{think}`, `{call: name, args, id, error}`, or a block as it is. */
export const blockOf = (block) => {
  if (typeof block === "string") return { type: "text", text: block };
  if (block.think !== undefined) return { type: "thinking", thinking: block.think };
  if (block.call === undefined) return structuredClone(block);
  const call = { type: "toolCall", id: block.id ?? block.call, name: block.call, arguments: structuredClone(block.args ?? {}) };
  if (block.error !== undefined) call.argumentsError = block.error;
  return call;
};

/** A response in short: blocks, or `{blocks, stop, error}`. */
export const responseOf = (short) => {
  const { blocks, stop, error, ...more } = isObject(short) && short.blocks ? short : { blocks: [short].flat() };
  const content = blocks.map(blockOf);
  const calls = content.some(({ type }) => type === "toolCall");
  const message = { role: "assistant", content, api: "x", provider: "faux", model: "faux-1", usage: structuredClone(USAGE) };
  message.stopReason = stop ?? (calls ? "toolUse" : "stop");
  if (error !== undefined) message.errorMessage = error;
  return Object.assign(message, { timestamp: 5 }, more);
};
