// Runs the rows in one page of one Chromium and prints ratios of medians. `cargo xtask bench` installs what it needs, says
// where things are, and starts it.
//
//   node run.mjs [--json] [--only ROW]
//
// VITRINE_BENCH_MODULES: a folder whose node_modules holds what package.json names; VITRINE_BENCH_WASM: wasm-bindgen's output
// for benches/wasm; VITRINE_ENGINE: the built `engine` package; VITRINE_CHROMIUM: the browser.

import { cp, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { serveFolder } from "../tests/browser/static_server.mjs";
import { scriptClock } from "./clock.mjs";
import { NativeSearch, whyNot } from "./native.mjs";

const given = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run cargo xtask bench`);
  return value;
};
const modules = given("VITRINE_BENCH_MODULES");
const from = createRequire(pathToFileURL(join(modules, "package.json")));
const load = async (name) => import(pathToFileURL(from.resolve(name)));
const here = fileURLToPath(new URL(".", import.meta.url));

const args = process.argv.slice(2);
const asJson = args.includes("--json");
const only = args.includes("--only") ? args[args.indexOf("--only") + 1] : undefined;

const site = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
try {
  process.exitCode = await main();
} finally {
  await rm(site, { recursive: true, force: true });
}

async function main() {
  const esbuild = (await load("esbuild")).default;
  await esbuild.build({
    entryPoints: ["pi", "just_bash"].map((peer) => join(here, `peers/${peer}.js`)), outdir: join(site, "peers"), bundle: true, format: "esm",
    platform: "browser", nodePaths: [join(modules, "node_modules")], alias: { "node:zlib": join(here, "peers/no_zlib.js") },
    minify: true, logLevel: "error",
  });
  await cp(join(here, "page"), join(site, "page"), { recursive: true });
  await cp(given("VITRINE_BENCH_WASM"), join(site, "wasm"), { recursive: true });
  await cp(given("VITRINE_ENGINE"), join(site, "engine"), { recursive: true });

  const { chromium } = (await load("playwright-core")).default;
  const server = await serveFolder(site, "/");
  const native = new NativeSearch();
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath: given("VITRINE_CHROMIUM"), args: [...asRoot, "--disable-gpu", "--disable-background-networking", "--no-first-run"] });
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.error(`in the page: ${error.stack ?? error}`));
    let clock;
    await page.exposeFunction("scriptMs", () => clock?.());
    await page.exposeFunction("nativeWhyNot", whyNot);
    await page.exposeFunction("nativeLines", (...search) => native.lines(...search));
    await page.exposeFunction("nativeMs", (...search) => native.ms(...search));
    await page.goto(`${server.site}page/index.html`);
    await page.waitForFunction(() => window.benchReady, undefined, { timeout: 30_000 });
    const rows = (await page.evaluate(() => window.benchRows)).filter(({ row }) => only === undefined || row === only);
    if (rows.length === 0) throw new Error(`there is no row ${only}`);
    const results = [];
    for (const row of rows) {
      clock = scriptClock();
      const result = { ...row, ...(await page.evaluate((name) => window.runRow(name), row.row)) };
      results.push(result);
      if (!asJson) print(result);
    }
    const missed = results.filter((result) => !result.skipped && !isGood(result)).map((result) => result.row);
    if (asJson) console.log(JSON.stringify({ browser: `Chromium ${browser.version()}`, rows: results }, null, 2));
    else console.log(`\nChromium ${browser.version()}; medians of interleaved repetitions. ${missed.length ? `Limits missed: ${missed.join(", ")}` : "Every limit is met."}`);
    return missed.length ? 1 : 0;
  } finally {
    await browser.close();
    await native.close();
    await server.close();
  }
}

function isGood({ ratio, limit, exponent, exponentLimit }) {
  return ratio <= limit && (exponentLimit === undefined || exponent <= exponentLimit);
}

function print(result) {
  const { row, name, skipped, times, ratio, limit, exponent, exponentLimit } = result;
  if (skipped) return console.log(`${row.padEnd(3)} ${name}\n    skipped: ${skipped}`);
  const parts = Object.entries(times).map(([who, { median, least, greatest }]) => `${who} ${ms(median)} (${ms(least)} to ${ms(greatest)})`);
  const grows = exponent === undefined ? "" : `, exponent ${exponent.toFixed(2)}${exponentLimit === undefined ? "" : ` of ${exponentLimit}`}`;
  console.log(`${row.padEnd(3)} ${name}\n    ${parts.join(" · ")}\n    ratio ${ratio.toFixed(3)} of ${limit.toFixed(3)}${grows}${isGood(result) ? "" : "  MISSED"}`);
}

function ms(value) {
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ms`;
}
