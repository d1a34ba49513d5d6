// Runs the test files named in the address, in a page or a dedicated worker, and gives what came of them.

import { runAll } from "./test.mjs";

/** The outcomes of the files, each with its file. */
export const run = async (files) => {
  const outcomes = [];
  for (const file of files) {
    try {
      await import(new URL(file, import.meta.url).href);
    } catch (error) {
      outcomes.push({ file, name: `${file} loads`, outcome: "not ok", text: `${error}\n${error?.stack ?? ""}` });
    }
    for (const outcome of await runAll()) outcomes.push({ file, ...outcome });
  }
  return outcomes;
};

const isWorker = typeof DedicatedWorkerGlobalScope === "function" && globalThis instanceof DedicatedWorkerGlobalScope;
const parameters = new URL(globalThis.location.href).searchParams;
const files = parameters.getAll("file");
if (isWorker) {
  globalThis.postMessage(await run(files));
} else if (parameters.has("worker")) {
  globalThis.outcomes = new Promise((resolve, reject) => {
    const address = new URL(import.meta.url);
    for (const file of files) address.searchParams.append("file", file);
    const worker = new Worker(address, { type: "module" });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message ?? "the worker did not start"));
  });
} else {
  globalThis.outcomes = run(files);
}
