// What went wrong, in pi's words: they are what retries and overflows are judged by, and what a session keeps.

import { wasm } from "./wasm.js";

const MAX_CHARS = 4000;
/** How far causes are followed. */
const MAX_CAUSES = 5;

const capped = (text) =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}... [truncated ${text.length - MAX_CHARS} chars]`;

/** What a body says: the error in its JSON, or the JSON itself where it names none; its text when it is no JSON. */
const read = (body) => {
  let json;
  try {
    json = JSON.parse(body);
  } catch {
    // Text, then.
  }
  if (!json) return { text: capped(body) };
  return { error: typeof json === "object" && (json.error === null || json.error === undefined) ? json : json.error };
};

const isFilledObject = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** The status and what the server said, in one line. */
export const statusMessage = (status, body) => {
  const { error, text } = read(body);
  let said = text;
  if (error?.message) said = typeof error.message === "string" ? error.message : JSON.stringify(error.message);
  else if (error) said = JSON.stringify(error);
  return `${status} ${said || "status code (no body)"}`;
};

const fullText = (status, body) => {
  const message = statusMessage(status, body);
  const { error } = read(body);
  const details = isFilledObject(error) ? capped(JSON.stringify(error)) : undefined;
  const text = details === undefined || message.includes(details) ? message : `${status}: ${details}`;
  // What a gateway says of the server behind it.
  const raw = error?.metadata?.raw;
  return raw && !text.includes(String(raw)) ? `${text}\n${raw}` : text;
};

/**
 * An answer that is none. `ours` says it in our own words, which are better for a web page, unless the page's text would
 * have it judged in another way.
 */
export const refusalText = (status, body, ours, provider = "") => {
  const text = fullText(status, body);
  if (!body.trimStart().startsWith("<")) return text;
  const judge = (said) => [wasm.isRetryableText(said), wasm.isOverflowText(said, String(provider))].join();
  return judge(text) === judge(ours) ? ours : text;
};

/** The deepest cause of an error, and its code. */
const causeOf = (error) => {
  let deepest;
  let cause = error.cause;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    deepest = cause;
    cause = cause.cause;
  }
  if (!deepest) return "";
  const text = (deepest.message || deepest.name).trim();
  const { code } = deepest;
  if ((typeof code !== "string" && typeof code !== "number") || text.includes(String(code))) return text;
  return text ? `${text} (${code})` : String(code);
};

/** An error's message and its deepest cause. */
export const textOf = (thrown) => {
  if (!(thrown instanceof Error)) return String(thrown);
  const { message } = thrown;
  const cause = causeOf(thrown);
  if (cause === "" || message.includes(cause)) return message;
  return message ? `${message}: ${cause}` : cause;
};

/** There is no connection. */
export const unreachableText = (thrown) => {
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
  return textOf(new Error("Connection error.", { cause }));
};

/** The connection broke in the midst of an answer. That may be tried again, whatever a browser calls it. */
export const brokenText = (thrown) => {
  const text = textOf(thrown);
  return wasm.isRetryableText(text) ? text : unreachableText(thrown);
};
