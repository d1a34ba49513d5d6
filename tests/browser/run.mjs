// Runs the browser tests: `node run.mjs ENGINE... [--only TEXT] [--file TEXT]`. One line a test, `ok`, `not ok` or `skip`, then its time.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { launch } from "./engines.mjs";
import { Skip, Trial, tests } from "./harness.mjs";

/** A test that takes longer hangs. */
const LONGEST = 90_000;

const here = fileURLToPath(new URL(".", import.meta.url));
const args = process.argv.slice(2);
/** What stands behind an option, taken out of the arguments. */
const option = (name) => {
  const at = args.indexOf(name);
  return at < 0 ? "" : args.splice(at, 2)[1];
};
const only = option("--only");
const inFile = option("--file");
const engines = args;

for (const file of (await readdir(here)).filter((name) => name.endsWith(".test.mjs") && name.includes(inFile)).sort()) {
  await import(new URL(file, import.meta.url));
}

const withLimit = (promise, limit) => {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`did not end within ${limit} ms`)), limit)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
const indent = (text) => text.split("\n").map((line) => `    ${line}`).join("\n");

let failed = 0;
let ran = 0;
for (const engine of engines) {
  const chosen = tests.filter((test) => test.engines.includes(engine) && test.name.includes(only));
  let browser;
  /** Runs a test; what was wrong with it, if anything was. */
  const attempt = async (test) => {
    let trial;
    try {
      browser ??= await withLimit(launch(engine), LONGEST);
      trial = new Trial(engine, browser, test.name);
      await withLimit(Promise.resolve(test.body(trial)).then(() => trial.check()), test.limit ?? LONGEST);
      return undefined;
    } catch (error) {
      if (!(error instanceof Skip)) {
        await trial?.picture(join(here, "../../target/site/failed"));
        // A browser that failed once may be in any state.
        await trial?.close();
        trial = undefined;
        await browser?.close().catch(() => {});
        browser = undefined;
      }
      return error;
    } finally {
      await trial?.close();
    }
  };
  for (const test of chosen) {
    const label = `${engine}: ${test.name}`;
    const reason = await test.skip?.(engine);
    if (reason) {
      console.log(`skip ${label}: ${reason}`);
      continue;
    }
    const begin = Date.now();
    const took = () => `(${((Date.now() - begin) / 1000).toFixed(1)} s)`;
    let error = await attempt(test);
    if (error && !(error instanceof Skip)) {
      // Once more, in a fresh browser: the log keeps both, so that one that fails now and then is seen to.
      console.log(`failed at first ${label} ${took()}`);
      console.log(indent(String(error?.stack ?? error)));
      error = await attempt(test);
    }
    if (error instanceof Skip) console.log(`skip ${label}: ${error.message}`);
    else if (error) {
      failed += 1;
      console.log(`not ok ${label} ${took()}`);
      console.log(indent(String(error?.stack ?? error)));
    } else {
      ran += 1;
      console.log(`ok ${label} ${took()}`);
    }
  }
  await browser?.close();
}
console.log("all were run");
process.exit(failed > 0 || ran === 0 ? 1 : 0);
