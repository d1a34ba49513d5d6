// What a browser's pages and workers have used of the processor, where the system tells (Linux). On a busy machine a wall
// clock measures the others as well.

import { readFileSync, readdirSync } from "node:fs";

const read = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // A thread may end while it is asked.
    return "";
  }
};

/** All processes below this one, each with its parent before it. */
function descendants() {
  const parents = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    // The name may hold anything; behind its last bracket come the state and the parent.
    const parent = read(`/proc/${pid}/stat`).replace(/^.*\)/s, "").trim().split(" ")[1];
    if (parent) parents.set(pid, parent);
  }
  const isOurs = (pid) => pid === String(process.pid) || (parents.has(pid) && isOurs(parents.get(pid)));
  return [...parents.keys()].filter(isOurs);
}

/** The threads that run scripts: of each renderer the first, and those of its workers. */
function scriptThreads() {
  const renderers = descendants().filter((pid) => read(`/proc/${pid}/cmdline`).includes("--type=renderer"));
  return renderers.flatMap((pid) => {
    const isScript = (task) => task === pid || read(`/proc/${pid}/task/${task}/comm`).startsWith("DedicatedWorker");
    return readdirSync(`/proc/${pid}/task`).filter(isScript).map((task) => `/proc/${pid}/task/${task}/schedstat`);
  });
}

/**
 * A function that gives the milliseconds that scripts have used so far, or `undefined` where there is none. It looks for new
 * threads only when it is made: whoever starts a worker makes another.
 */
export function scriptClock() {
  let threads;
  try {
    threads = scriptThreads();
  } catch {
    return undefined;
  }
  const now = () => threads.reduce((sum, path) => sum + Number(read(path).split(" ")[0]) / 1e6, 0);
  return now() > 0 ? now : undefined;
}
