// Markdown, as the page renders it.

import { wasm } from "./wasm.js";

/** Markdown as HTML in which nothing runs. */
export const renderMarkdown = (text) => {
  if (typeof text !== "string") throw new TypeError(`engine: expected a string, got ${typeof text}`);
  return wasm.renderMarkdown(text);
};
