// Starts the shell's module, in the worker that the agent's worker makes for it.

const BUILD = "__VITRINE_BUILD__";
const asked = new URL(import.meta.url).searchParams.get("v") ?? BUILD;
// A server that was updated under an open page hands out the new shell whatever address is asked for.
if (asked !== BUILD) throw new Error("shell_loader.js is of another build; reload the page");

// What goes wrong where nobody waits for it is an error of this worker, which is how its host hears of it.
addEventListener("unhandledrejection", (event) => {
  throw event.reason;
});

const beside = (name) => {
  const url = new URL(name, import.meta.url);
  if (!BUILD.startsWith("__")) url.searchParams.set("v", BUILD);
  return url.href;
};
/** jq's module: loaded when a command first asks for it, and with an instance that has run nothing each time. */
let jq;
let tries = 0;
globalThis.vitrineJq = async () => {
  if (jq) {
    jq.__wbg_reset_state();
    return jq;
  }
  // Each time another fragment: some browsers never again ask for what once could not be loaded.
  const module = await import(`${beside("jq.js")}#${tries++}`);
  if ((module.BUILD ?? BUILD) !== BUILD) throw new Error("jq.js is of another build; reload the page");
  await module.default({ module_or_path: beside("jq_bg.wasm") });
  return (jq = module);
};

const { default: start } = await import(beside("shell.js"));
await start({ module_or_path: beside("shell_bg.wasm") });
