// Files in memory, by absolute paths.

import { bytesOf } from "./bytes.js";
import { wasm } from "./wasm.js";

const encoder = new TextEncoder();
/** Shows what is no UTF-8 as U+FFFD, and keeps a mark of the byte order. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const handles = new WeakMap();

const filesOf = (workspace) => {
  const files = handles.get(workspace);
  if (!files) throw new Error("engine: the workspace has been freed or is no MemoryWorkspace");
  return files;
};

/** What is in Rust behind a workspace, for its tools. */
export const handleOf = filesOf;

const assertPath = (path) => {
  if (typeof path !== "string") throw new TypeError(`engine: a path must be a string, got ${typeof path}`);
  if (!path.startsWith("/")) throw new Error(`engine: a path must be absolute: ${path}`);
  return path;
};

const entryOf = ([name, kind, size]) => ({ name, kind, size });

const done = (failure) => {
  if (failure !== undefined) throw new Error(failure);
};

const found = (files, value) => {
  if (value === undefined) throw new Error(files.failure());
  return value;
};

/** A workspace that lives as long as this object. Each method has a synchronous variant. */
export class MemoryWorkspace {
  /** `files`: path → text or bytes. */
  constructor(files = {}) {
    handles.set(this, new wasm.MemoryFiles());
    for (const [path, data] of Object.entries(files)) {
      if (typeof data === "string") this.writeTextSync(path, data);
      else this.writeSync(path, data);
    }
  }

  readSync(path) {
    const files = filesOf(this);
    return found(files, files.read(assertPath(path)));
  }

  readTextSync(path) {
    return decoder.decode(this.readSync(path));
  }

  writeSync(path, data) {
    done(filesOf(this).write(assertPath(path), bytesOf(data)));
  }

  writeTextSync(path, text) {
    if (typeof text !== "string") throw new TypeError(`engine: expected a string, got ${typeof text}`);
    this.writeSync(path, encoder.encode(text));
  }

  mkdirSync(path) {
    done(filesOf(this).mkdir(assertPath(path)));
  }

  /** What is in a folder, by name. */
  listSync(path = "/") {
    const files = filesOf(this);
    return JSON.parse(found(files, files.list(assertPath(path)))).map(entryOf);
  }

  statSync(path) {
    const files = filesOf(this);
    return entryOf(JSON.parse(found(files, files.stat(assertPath(path)))));
  }

  removeSync(path) {
    done(filesOf(this).remove(assertPath(path)));
  }

  renameSync(from, to) {
    done(filesOf(this).rename(assertPath(from), assertPath(to)));
  }

  async read(path) {
    return this.readSync(path);
  }

  async readText(path) {
    return this.readTextSync(path);
  }

  async write(path, data) {
    this.writeSync(path, data);
  }

  async writeText(path, text) {
    this.writeTextSync(path, text);
  }

  async mkdir(path) {
    this.mkdirSync(path);
  }

  async list(path) {
    return this.listSync(path);
  }

  async stat(path) {
    return this.statSync(path);
  }

  async remove(path) {
    this.removeSync(path);
  }

  async rename(from, to) {
    this.renameSync(from, to);
  }

  /** Gives the memory back at once. Tools made of it keep what they hold. */
  free() {
    handles.get(this)?.free();
    handles.delete(this);
  }
}
