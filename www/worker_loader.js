// Starts the worker module. Its own file, because the worker's glue only defines the start function.

const BUILD = "__VITRINE_BUILD__";
const asked = new URL(import.meta.url).searchParams.get("v") ?? BUILD;
// A server that was updated under an open page hands out the new worker whatever address is asked for.
if (asked !== BUILD) throw new Error("worker_loader.js is of another build; reload the page");

const beside = (name) => {
  const url = new URL(name, import.meta.url);
  if (!BUILD.startsWith("__")) url.searchParams.set("v", BUILD);
  return url.href;
};

/** A module that the worker asks for when it is first needed, started: `src/platform/transfer_link.rs`. */
let count = 0;
globalThis.vitrineModule = async (name) => {
  // Each time another fragment: some browsers never again ask for what once could not be loaded.
  const module = await import(`${beside(`${name}.js`)}#${count++}`);
  if ((module.BUILD ?? BUILD) !== BUILD) throw new Error(`${name}.js is of another build; reload the page`);
  await module.default({ module_or_path: beside(`${name}_bg.wasm`) });
  return module;
};

const { default: start } = await import(beside("worker.js"));
await start({ module_or_path: beside("worker_bg.wasm") });
