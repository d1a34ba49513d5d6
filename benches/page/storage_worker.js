// Our workspace over storage, in a worker as it has to be: one call a message, one answer each.

import init, { StorageBench } from "../wasm/bench.js";

let bench;
const calls = {
  open: async (folder) => {
    await init();
    bench = await StorageBench.open(folder);
  },
  grep: (pattern) => bench.grep(pattern),
  /** Milliseconds of `count` changes, each flushed. */
  each: (count, size) => timed(() => bench.write(count, 1, size)),
  together: (count, group, size) => timed(() => bench.write(count, group, size)),
};

const timed = (work) => {
  const began = performance.now();
  work();
  return performance.now() - began;
};

// What comes while another call is under way waits for it.
let before = Promise.resolve();
onmessage = ({ data: [call, ...args] }) => {
  before = before.then(async () => {
    try {
      postMessage({ value: await calls[call](...args) });
    } catch (error) {
      postMessage({ error: String(error?.stack ?? error) });
    }
  });
};
