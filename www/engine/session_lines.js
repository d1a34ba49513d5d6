// Half a surrogate pair is text in JavaScript and in its JSON, and none to Rust: lines that have one are kept here.

import { jsonText } from "./json_text.js";

/** The line without it; nothing for a line that has none, or is no JSON. */
const withoutHalves = (line) => {
  if (!/\\u[dD][89a-fA-F]/.test(line)) return undefined;
  try {
    const value = JSON.parse(line);
    const text = jsonText(value);
    return text === JSON.stringify(value) ? undefined : text;
  } catch {
    return undefined;
  }
};

/** The lines of one session that Rust has in another form than the file. */
export class OwnLines {
  /** Line in Rust → line in the file. */
  #lines = new Map();

  /** The text, of one line or more, as Rust can read all of it. */
  readable(text) {
    if (!text.includes("\\u")) return text;
    const lines = text.split("\n").map((line) => {
      const readable = withoutHalves(line);
      if (readable === undefined) return line;
      this.#lines.set(readable, line);
      return readable;
    });
    return lines.join("\n");
  }

  /** What Rust has, as the file has it. */
  restored(text) {
    if (this.#lines.size === 0) return text;
    return text
      .split("\n")
      .map((line) => this.#lines.get(line) ?? line)
      .join("\n");
  }
}
