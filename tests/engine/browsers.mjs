// Runs the tests of the engine in browsers: `node browsers.mjs ENGINE... [--only FILE]`, in a page, and in Chromium in a
// dedicated worker too. One line a test, `ok`, `not ok` or `skip`. The built package: VITRINE_ENGINE.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { launch } from "../browser/engines.mjs";
import { serveFolder } from "../browser/static_server.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const args = process.argv.slice(2);
const onlyAt = args.indexOf("--only");
const only = onlyAt < 0 ? "" : args.splice(onlyAt, 2)[1];

/** What takes the place of a module of Node's. */
const SHIMS = { "node:test": "shims/test.mjs", "node:assert/strict": "shims/assert.mjs" };
const CSP = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'; img-src data:";
/** A run that takes longer hangs. */
const LONGEST = 120_000;

/** Lays out what is served: the engine, and the tests with the shims. Gives the test files, and why some stay away. */
async function layOut(folder) {
  await cp(process.env.VITRINE_ENGINE, join(folder, "engine"), { recursive: true });
  const files = [];
  const missing = new Map();
  for (const entry of await readdir(here, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name).slice(here.length);
    await mkdir(join(folder, "tests", path, ".."), { recursive: true });
    const depth = "../".repeat(path.split("/").length - 1) || "./";
    const text = (await readFile(join(here, path), "utf8")).replace(/(from ")(node:[a-z_/]+)(")/g, (whole, from, name, end) => {
      return name in SHIMS ? `${from}${depth}${SHIMS[name]}${end}` : whole;
    });
    await writeFile(join(folder, "tests", path), text);
    if (!path.endsWith(".test.mjs") || !path.includes(only)) continue;
    const needs = /from "(node:[a-z_/]+)"/.exec(text);
    if (needs) missing.set(path, needs[1]);
    else files.push(path);
  }
  return { files: files.sort(), missing };
}

const within = (promise, limit) => {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`did not end within ${limit} ms`)), limit)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

const indent = (text) => text.split("\n").map((line) => `    ${line}`).join("\n");

/** The outcomes of test files in a tab of their own. */
async function outcomes(browser, site, files, place) {
  const profile = await browser.profile();
  try {
    const tab = await profile.tab();
    const query = files.map((file) => `file=${encodeURIComponent(`../${file}`)}`);
    if (place === "worker") query.push("worker");
    await tab.goto(`${site}tests/page.html?${query.join("&")}`);
    const found = await within(tab.evaluate("(async () => { while (!globalThis.outcomes) await new Promise((go) => setTimeout(go, 5)); return outcomes; })()"), LONGEST);
    // Promises nobody handled, errors in no test, refusals of the policy.
    for (const problem of tab.problems) found.push({ name: `${place} has no problems`, outcome: "not ok", text: problem });
    return found;
  } finally {
    await profile.close();
  }
}

const EXPECTED = "not ok fails · not ok fails later · ok passes · skip is skipped";

let failed = 0;
let passed = 0;
const say = (label, { name, outcome, text, took }) => {
  if (outcome === "ok") passed += 1;
  if (outcome === "not ok") failed += 1;
  const why = outcome === "skip" ? `: ${text}` : "";
  console.log(`${outcome} engine ${label}: ${name}${why}${took > 1000 ? ` (${(took / 1000).toFixed(1)} s)` : ""}`);
  if (outcome === "not ok") console.log(indent(String(text)));
};

const folder = await mkdtemp(join(tmpdir(), "engine-tests-"));
const { files, missing } = await layOut(folder);
const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${CSP}">
<title>engine tests</title><link rel="icon" href="data:,"><script type="module" src="shims/run.mjs"></script>`;
const server = await serveFolder(folder, "/some/path/", { "/some/path/tests/page.html": page });
try {
  for (const engine of args) {
    const browser = await launch(engine);
    try {
      for (const place of engine === "chromium" ? ["page", "worker"] : ["page"]) {
        const label = place === "page" ? engine : `${engine} ${place}`;
        const canary = await outcomes(browser, server.site, ["shims/canary.mjs"], place);
        const seen = canary.map(({ name, outcome }) => `${outcome} ${name}`).join(" · ");
        say(label, { name: "a failure is seen", outcome: seen === EXPECTED ? "ok" : "not ok", text: seen });
        for (const [path, need] of missing) say(label, { name: path, outcome: "skip", text: `it needs ${need}` });
        for (const one of await outcomes(browser, server.site, files, place)) say(label, one);
      }
    } catch (error) {
      say(engine, { name: "runs to its end", outcome: "not ok", text: error?.stack ?? String(error) });
    } finally {
      await browser.close().catch(() => {});
    }
  }
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
process.exit(failed > 0 || passed === 0 ? 1 : 0);
