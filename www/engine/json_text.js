// Values as JSON text that Rust can read.

/**
 * A value as JSON text. Half a surrogate pair, which is no text outside JavaScript, is left out, as everywhere in what is
 * sent to a model.
 */
export const jsonText = (value) => {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError("engine: there is no JSON for undefined");
  if (!text.includes("\\ud")) return text;
  // What is written as an escape has no other half; an escaped backslash before it makes it plain text.
  return text.replace(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (escape, what) => (what === "\\" ? escape : ""));
};
