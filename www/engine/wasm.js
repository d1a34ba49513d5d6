// The one door to wasm. A trap (a panic, a stack that overflowed) ends an instance: here it becomes an Error, and a new
// instance takes over. Objects of the old one throw that same error from then on.

import * as glue from "./engine.js";
import { takePanic } from "./panic.js";

let loading;
let isReady = false;
/** How many instances have been lost; wasm-bindgen stamps its objects with the same count. */
let generation = 0;
let lastTrap = "";
/** Whether no new instance could be had: a page of Chromium makes none of a module above 8 MB at once, as a debug build is. */
let isGone = false;

const internalError = (text) => new Error(`engine: internal error: ${text}`);

/** Whether an error means that the instance is lost. Rust throws nothing else: what fails by itself is a value. */
const isTrap = (error) =>
  error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error?.name === "InternalError";

const lost = (error) => {
  if (!isTrap(error)) return error;
  const panic = takePanic();
  lastTrap = panic ?? String(error.message);
  generation += 1;
  try {
    glue.__wbg_reset_state();
  } catch (refusal) {
    isGone = true;
    lastTrap += ` (and it cannot be started anew here: ${refusal.message})`;
  }
  return internalError(lastTrap);
};

const assertReady = () => {
  if (isGone) throw internalError(lastTrap);
  if (!isReady) throw new Error("engine is not initialised: await init() first");
};

/** Fixed parameters, as many as any export has: rest parameters would cost at every call. */
const guardedFunction = (exported) => (a, b, c, d) => {
  assertReady();
  try {
    return exported(a, b, c, d);
  } catch (error) {
    throw lost(error);
  }
};

const guardedMethod = (method) =>
  function (a, b, c, d) {
    if (this.__wbg_inst !== generation) throw internalError(lastTrap);
    try {
      return method.call(this, a, b, c, d);
    } catch (error) {
      throw lost(error);
    }
  };

/** Freeing what was lost with its instance is nothing to do. */
const guardedFree = (free) =>
  function () {
    if (this.__wbg_inst === generation && this.__wbg_ptr !== 0) free.call(this);
  };

const guardClass = (exported) => {
  const { prototype } = exported;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value } = Object.getOwnPropertyDescriptor(prototype, name);
    if (name === "constructor" || name.startsWith("__") || typeof value !== "function") continue;
    prototype[name] = name === "free" ? guardedFree(value) : guardedMethod(value);
  }
  for (const name of Object.getOwnPropertyNames(exported)) {
    if (typeof exported[name] === "function" && name !== "__wrap" && name !== "__unwrap") {
      exported[name] = guardedFunction(exported[name].bind(exported));
    }
  }
  return new Proxy(exported, {
    construct: (target, args) => {
      assertReady();
      try {
        return new target(...args);
      } catch (error) {
        throw lost(error);
      }
    },
  });
};

/** Every export of the Rust module, guarded. */
export const wasm = {};
for (const [name, exported] of Object.entries(glue)) {
  if (name.startsWith("__") || name === "default" || name === "initSync") continue;
  if (typeof exported !== "function") wasm[name] = exported;
  else if (/^class\b/.test(Function.prototype.toString.call(exported))) wasm[name] = guardClass(exported);
  else wasm[name] = guardedFunction(exported);
}

/** The number of the instance at work. What was kept of an earlier one is lost. */
export const instance = () => generation;

/** The bytes beside this file, where `fetch` reads no files. */
const ownFile = async () => {
  const url = new URL("engine_bg.wasm", import.meta.url);
  const isNode = typeof process === "object" && Boolean(process.versions?.node);
  if (!isNode || url.protocol !== "file:") return url;
  // A name in a variable keeps bundlers for browsers from looking for it.
  const files = "node:fs/promises";
  return (await import(files)).readFile(url);
};

/**
 * Loads the wasm module, once: later calls wait for the first. Without an argument it is the file beside this one.
 * A failed load may be tried again.
 */
export const init = (module) =>
  (loading ??= (async () => {
    await glue.default({ module_or_path: module ?? (await ownFile()) });
    isReady = true;
  })().catch((error) => {
    loading = undefined;
    throw error;
  }));
