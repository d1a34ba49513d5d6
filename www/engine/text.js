// Functions of a text. What is cut is cut from the caller's own string.

import { StreamingJson } from "./streaming_json.js";
import { wasm } from "./wasm.js";

const MAX_LINES = 2000;
const MAX_BYTES = 50 * 1024;
const MAX_LINE_UNITS = 500;

const assertText = (text) => {
  if (typeof text !== "string") throw new TypeError(`engine: expected a string, got ${typeof text}`);
};

const truncation = (text, options, cut, contentOf) => {
  assertText(text);
  const maxLines = options?.maxLines ?? MAX_LINES;
  const maxBytes = options?.maxBytes ?? MAX_BYTES;
  const result = JSON.parse(cut(text, maxLines, maxBytes));
  result.content = result.truncated ? contentOf(result.content) : text;
  return Object.assign(result, { maxLines, maxBytes });
};

/** The first lines that fit, whole. */
export const truncateHead = (text, options) =>
  truncation(text, options, wasm.truncateHead, (units) => text.slice(0, units));

/** The last lines that fit, whole; of a last line that alone does not, its end. */
export const truncateTail = (text, options) =>
  truncation(text, options, wasm.truncateTail, (units) => {
    const end = text.endsWith("\n") ? text.length - 1 : text.length;
    return text.slice(end - units, end);
  });

/** A line of at most `max` UTF-16 units, or the first of them and a mark. */
export const truncateLine = (text, max = MAX_LINE_UNITS) => {
  assertText(text);
  const units = wasm.truncateLine(text, max);
  if (units === undefined) return { text, wasTruncated: false };
  return { text: `${text.slice(0, units)}... [truncated]`, wasTruncated: true };
};

/** A number of bytes in words: `12B`, `1.5KB`, `2.0MB`. */
export const formatSize = (bytes) => {
  if (bytes < 1024) return `${bytes}B`;
  return Number.isFinite(bytes) ? wasm.formatSize(bytes) : `${bytes}MB`;
};

const CONTROLS = { "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const escapedControl = (control) =>
  CONTROLS[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * JSON text whose strings have been mended: raw control characters become escapes, a backslash that begins none is doubled.
 * In JavaScript, since half a surrogate pair has to stay what it is.
 */
export const repairJson = (text) => {
  assertText(text);
  let isInString = false;
  return text.replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|["\\\0-\x1f]/g, (found) => {
    if (!isInString) {
      // A backslash means nothing here, so a quote after it begins a string.
      isInString = found.endsWith('"');
      return found;
    }
    if (found === '"') isInString = false;
    else if (found === "\\") return "\\\\";
    else if (found < " ") return escapedControl(found);
    return found;
  });
};

const parseWithRepair = (text) => {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = repairJson(text);
    if (repaired !== text) return JSON.parse(repaired);
    throw error;
  }
};

const isBlank = (text) => typeof text !== "string" || text.trim() === "";

/** Arguments from their whole text. A prefix is never completed. */
export const parseToolCallArguments = (text) => {
  if (isBlank(text)) return { arguments: {} };
  try {
    const value = parseWithRepair(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { arguments: value };
    throw new Error("Tool arguments must be a JSON object");
  } catch (error) {
    return { arguments: {}, argumentsError: `${error.message}\n\nReceived arguments:\n${text}` };
  }
};

/** What JSON text that may be cut off says so far. */
export const parseStreamingJson = (text) => {
  if (isBlank(text)) return {};
  try {
    return parseWithRepair(text);
  } catch {
    const reader = new StreamingJson();
    try {
      reader.push(text);
      return reader.root ?? {};
    } finally {
      reader.free();
    }
  }
};
