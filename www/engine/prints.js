// What a run comes to, so that two runs can be compared wherever they ran.

import { bytesOf } from "./bytes.js";
import { MemoryWorkspace } from "./files.js";
import { wasm } from "./wasm.js";

const encoder = new TextEncoder();

const eventsText = (events) => JSON.stringify([...events]);

/** Every file below a folder: `[path, bytes]`. */
const filesBelow = function* (workspace, folder) {
  const open = [folder];
  while (open.length > 0) {
    const path = open.pop();
    for (const { name, kind } of workspace.listSync(path === "" ? "/" : path)) {
      if (kind === "folder") open.push(`${path}/${name}`);
      else yield [`${path}/${name}`, workspace.readSync(`${path}/${name}`)];
    }
  }
};

const filesOf = (files) => {
  if (files instanceof MemoryWorkspace) return filesBelow(files, "");
  return files instanceof Map ? files : Object.entries(files);
};

const withPrints = (files, take) => {
  const prints = new wasm.Prints(Boolean(files));
  try {
    for (const [path, data] of files ? filesOf(files) : []) {
      if (typeof path !== "string") throw new TypeError(`engine: a path must be a string, got ${typeof path}`);
      prints.add(path, typeof data === "string" ? encoder.encode(data) : bytesOf(data));
    }
    const answer = take(prints);
    if (answer === undefined) throw new Error(prints.failure());
    return answer;
  } finally {
    prints.free();
  }
};

/** Events as RFC 8785 writes JSON, without times, and with ids by their order. */
export const canonicalize = (events) => withPrints(undefined, (prints) => prints.form(eventsText(events)));

/** The SHA-256 of the canonical form, in hex; `files` are a `MemoryWorkspace`, a map or an object of paths to contents. */
export const fingerprint = (events, files) =>
  withPrints(files, (prints) => prints.fingerprint(eventsText(events)));
