// Loads the contenders and says what can be run; `run.mjs` calls it row by row.

import initBench, * as bench from "../wasm/bench.js";
import initEngine, * as engine from "../engine/index.js";
import { Bash } from "../peers/just_bash.js";
import * as pi from "../peers/pi.js";

import { loopRows } from "./rows/loop.js";
import { searchRows } from "./rows/search.js";
import { shellRows } from "./rows/shell.js";
import { storageRows } from "./rows/storage.js";

/** What `driver.mjs` does for the page, as functions. */
const driver = new Proxy({}, { get: (_, name) => (...args) => window.driver(name, ...args) });
const { nativeWhyNot: whyNot, nativeLines: lines, nativeMs: ms } = driver;

await Promise.all([initBench(), initEngine()]);
const all = [
  ...loopRows({ bench, engine, pi }),
  ...searchRows({ bench, Bash, native: { whyNot, lines, ms } }),
  ...shellRows({ Bash, watch: driver.watch }),
  ...storageRows({ driver }),
];

/** Of several peers the fastest. */
const fastest = (times) => {
  const peers = Object.keys(times).filter((name) => name !== "ours");
  return peers.reduce((best, name) => (times[name].median < times[best].median ? name : best));
};

window.benchRows = all.map(({ row, name, limit, exponentLimit, unit }) => ({ row, name, limit, exponentLimit, unit }));
window.runRow = async (wanted) => {
  const row = all.find((row) => row.row === wanted);
  const skipped = await row.needs?.();
  if (skipped) return { skipped };
  const times = await row.measure();
  const [ours, peer] = row.between ?? ["ours", fastest(times)];
  return { times, ratio: times[ours].median / times[peer].median, exponent: row.growth ? await row.growth() : undefined };
};
window.benchReady = true;
