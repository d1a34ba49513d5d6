// Runs the rows in one page of one Chromium and prints ratios of medians. `cargo xtask bench` installs what it needs, says
// where things are, and starts it.
//
//   node run.mjs [--json FILE] [--only ROW,ROW]
//
// VITRINE_BENCH_MODULES: a folder whose node_modules holds what package.json names; VITRINE_BENCH_WASM: wasm-bindgen's output
// for benches/wasm; VITRINE_DIST: the built site; VITRINE_CHROMIUM: the browser.

import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { serveFolder } from "../tests/browser/static_server.mjs";
import { Driver, prepareSite } from "./driver.mjs";

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
const json = args.includes("--json") ? args[args.indexOf("--json") + 1] : undefined;
const only = args.includes("--only") ? args[args.indexOf("--only") + 1].split(",") : undefined;

const folder = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
try {
  process.exitCode = await main(join(folder, "served"), join(folder, "profile"));
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function main(served, profile) {
  await prepare(served);
  const { chromium } = (await load("playwright-core")).default;
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const options = { executablePath: given("VITRINE_CHROMIUM"), args: [...asRoot, "--disable-gpu", "--disable-background-networking", "--no-first-run"] };
  const server = await serveFolder(served, "/");
  // In a private window each write to storage goes through another process; what people have is a profile.
  const browser = await chromium.launchPersistentContext(profile, options);
  const page = await browser.newPage();
  const driver = new Driver({ page, launch: () => chromium.launch(options), site: `${server.site}site/` });
  try {
    page.on("pageerror", (error) => console.error(`in the page: ${error.stack ?? error}`));
    await driver.attach();
    await page.goto(`${server.site}page/index.html`);
    await page.waitForFunction(() => window.benchReady, undefined, { timeout: 30_000 });
    const rows = (await page.evaluate(() => window.benchRows)).filter(({ row }) => only === undefined || only.includes(row));
    if (rows.length === 0) throw new Error(`there is no row ${only}`);
    const results = [];
    for (const row of rows) {
      driver.watch();
      const result = { ...row, ...(await page.evaluate((name) => window.runRow(name), row.row)) };
      results.push(result);
      print(result);
    }
    const missed = results.filter((result) => !result.skipped && !isGood(result)).map((result) => result.row);
    const version = `Chromium ${browser.browser()?.version() ?? ""}`.trim();
    if (json !== undefined) await writeFile(json, JSON.stringify({ browser: version, rows: results }, null, 2));
    console.log(`\n${version}; medians of interleaved repetitions. ${missed.length ? `Limits missed: ${missed.join(", ")}` : "Every limit is met."}`);
    return missed.length ? 1 : 0;
  } finally {
    await browser.close();
    await driver.close();
    await server.close();
  }
}

/** What the page is made of, in one folder: the rows, the peers as an app would bundle them, our wasm, and the built site. */
async function prepare(served) {
  const esbuild = (await load("esbuild")).default;
  await esbuild.build({
    entryPoints: ["pi", "just_bash", "fflate"].map((peer) => join(here, `peers/${peer}.js`)), outdir: join(served, "peers"), bundle: true,
    format: "esm", platform: "browser", nodePaths: [join(modules, "node_modules")], alias: { "node:zlib": join(here, "peers/no_zlib.js") },
    minify: true, logLevel: "error",
  });
  const dist = given("VITRINE_DIST");
  await cp(join(here, "page"), join(served, "page"), { recursive: true });
  await cp(given("VITRINE_BENCH_WASM"), join(served, "wasm"), { recursive: true });
  await cp(join(dist, "engine"), join(served, "engine"), { recursive: true });
  await cp(dist, join(served, "site"), { recursive: true });
  await prepareSite(join(served, "site"));
}

function isGood({ ratio, limit, exponent, exponentLimit }) {
  return ratio <= limit && (exponentLimit === undefined || exponent <= exponentLimit);
}

function print(result) {
  const { row, name, unit = "ms", skipped, times, ratio, limit, exponent, exponentLimit } = result;
  if (skipped) {
    console.log(`${row.padEnd(4)} ${name}\n     skipped: ${skipped}`);
    return;
  }
  const range = ({ median, least, greatest }) => (least === greatest ? "" : ` (${short(least)} to ${short(greatest)} ${unit})`);
  const parts = Object.entries(times).map(([who, found]) => `${who} ${short(found.median)} ${unit}${range(found)}`);
  const grows = exponent === undefined ? "" : `, exponent ${exponent.toFixed(2)}${exponentLimit === undefined ? "" : ` of ${exponentLimit}`}`;
  console.log(`${row.padEnd(4)} ${name}\n     ${parts.join(" · ")}\n     ratio ${ratio.toFixed(3)} of ${limit.toFixed(3)}${grows}${isGood(result) ? "" : "  MISSED"}`);
}

function short(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
