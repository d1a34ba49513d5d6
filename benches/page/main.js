// Loads the contenders and says what can be run; `run.mjs` calls it row by row.

import initBench, * as bench from "../wasm/bench.js";
import initEngine, * as engine from "../engine/index.js";
import { Bash } from "../peers/just_bash.js";
import * as pi from "../peers/pi.js";

import { loopRows } from "./rows/loop.js";
import { searchRows } from "./rows/search.js";

/** What `run.mjs` does for the page. */
const native = { lines: window.nativeLines, ms: window.nativeMs, whyNot: window.nativeWhyNot };

await Promise.all([initBench(), initEngine()]);
const all = [...loopRows({ bench, engine, pi }), ...searchRows({ bench, Bash, native })];

window.benchRows = all.map(({ row, name, limit, exponentLimit }) => ({ row, name, limit, exponentLimit }));
window.runRow = async (wanted) => {
  const row = all.find((row) => row.row === wanted);
  const skipped = await row.needs?.();
  if (skipped) return { skipped };
  const times = await row.measure();
  const [ours, peer] = row.between ?? ["ours", Object.keys(times).find((name) => name !== "ours")];
  return { times, ratio: times[ours].median / times[peer].median, exponent: row.growth ? await row.growth() : undefined };
};
window.benchReady = true;
