// What became of a response, and whether to ask again.

import { wasm } from "./wasm.js";

const failureOf = ({ stopReason, errorMessage }) => (stopReason === "error" && errorMessage ? String(errorMessage) : undefined);

/** Whether the context did not fit: the provider said so, or its numbers do when the model's window is known. */
export const isContextOverflow = (message, contextWindow) => {
  const failure = failureOf(message);
  if (failure !== undefined && wasm.isOverflowText(failure, String(message.provider ?? ""))) return true;
  if (!contextWindow) return false;
  const { stopReason, usage } = message;
  const prompt = () => usage.input + usage.cacheRead;
  if (stopReason === "stop") return prompt() > contextWindow;
  // A server that cuts the prompt to the window leaves no room for an answer.
  return stopReason === "length" && usage.output === 0 && prompt() >= contextWindow * 0.99;
};

/** Whether the same request may succeed later. */
export const isRetryableError = (message) => {
  const failure = failureOf(message);
  return failure !== undefined && wasm.isRetryableText(failure);
};

/** The same by the name it has in pi. */
export const isRetryableAssistantError = isRetryableError;

/** Whether an answer was cut off before the limit that was asked for. */
export const isRecoverableLength = (message, maxTokens) =>
  message.stopReason === "length" && maxTokens > 0 && message.usage.output < maxTokens;
