// Plays the scenarios on pi and writes what it told beside this file. Run by hand:
// `node record.mjs FOLDER`, where FOLDER holds node_modules with @earendil-works/pi-agent-core and pi-ai 1.6.0, and, for
// what is asked of compaction, pi-coding-agent 1.6.0.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

import { askCompaction } from "../scenarios/compaction.mjs";
import { SCENARIOS } from "../scenarios/index.mjs";
import { judge, play } from "../scenarios/player.mjs";
import TRANSCRIPT from "../scenarios/transcript.mjs";
import VALIDATION from "../scenarios/validation.mjs";
import { WIRE } from "../scenarios/wire.mjs";
import { playWire } from "../scenarios/wire_player.mjs";

const folder = process.argv[2];
if (!folder) throw new Error("usage: node record.mjs FOLDER_WITH_NODE_MODULES");
const modules = join(folder, "node_modules/@earendil-works");
const load = (path) => import(pathToFileURL(join(modules, path)).href);
const version = createRequire(import.meta.url)(join(modules, "pi-agent-core/package.json")).version;
if (version !== "1.6.0") throw new Error(`these are facts about 1.6.0, not ${version}`);

const core = await load("pi-agent-core/dist/index.js");
const ai = await load("pi-ai/dist/index.js");
/** Whole blocks as one piece: where they are cut is up to chance. */
const tokenSize = { min: 100_000, max: 100_000 };
const pi = { ...core, createScripted: () => ai.createFauxCore({ api: "x", tokenSize }), createStream: () => new ai.AssistantMessageEventStream() };

/** A run of pi that takes longer never ends. */
const LONGEST = 1000;

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(String(error)));

for (const [file, scenarios] of Object.entries(SCENARIOS)) {
  const traces = {};
  for (const scenario of scenarios) {
    if (scenario.name in traces) throw new Error(`two scenarios of ${file} are called ${scenario.name}`);
    const late = new Promise((resolve) => setTimeout(resolve, LONGEST, undefined));
    traces[scenario.name] = (await Promise.race([play(pi, scenario), late])) ?? ["never ends"];
    for (const error of unhandled.splice(0)) traces[scenario.name].push(`unhandled ${error}`);
  }
  await writeFile(new URL(`${file}.json`, import.meta.url), `${JSON.stringify(traces, undefined, 1)}\n`);
  console.log(file, scenarios.length);
}
const { streamSimple } = await load("pi-ai/dist/api/openai-completions.js");
const wire = {};
for (const [group, scenarios] of Object.entries(WIRE)) {
  wire[group] = {};
  for (const scenario of scenarios) wire[group][scenario.name] = await playWire(streamSimple, scenario);
  console.log("wire", group, scenarios.length);
}
await writeFile(new URL("wire.json", import.meta.url), `${JSON.stringify(wire, undefined, 1)}\n`);
const outcomes = VALIDATION.map(([schema, ...list]) => list.map((args) => judge(ai.validateToolArguments, schema, args)));
await writeFile(new URL("validation.json", import.meta.url), `${JSON.stringify(outcomes, undefined, 1)}\n`);
console.log("validation", outcomes.flat().length);
const sums = TRANSCRIPT.map(([name, ...args]) => JSON.stringify(ai[name](...args)) ?? "nothing");
await writeFile(new URL("transcript.json", import.meta.url), `${JSON.stringify(sums, undefined, 1)}\n`);
console.log("transcript", sums.length);
const compaction = "pi-coding-agent/dist/core/compaction/compaction.js";
if (existsSync(join(modules, compaction))) {
  const told = askCompaction(await load(compaction));
  await writeFile(new URL("compaction.json", import.meta.url), `${JSON.stringify(told, undefined, 1)}\n`);
  console.log("compaction", Object.keys(told).length);
}
process.exit();
