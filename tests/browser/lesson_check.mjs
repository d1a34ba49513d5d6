// The authoring check: `node lesson_check.mjs [--write] FILE...`. Plays each lesson in Chromium to a fail and to a pass, in each
// of its languages. `--write` puts the author's fingerprint into the file; without it, one that is not the same is a failure.

import { readFile, writeFile } from "node:fs/promises";

import { launch } from "./engines.mjs";
import { Trial } from "./harness.mjs";
import { playSolution, playThrough } from "./lesson_player.mjs";

const args = process.argv.slice(2);
const writes = args.includes("--write");
const files = args.filter((arg) => arg !== "--write");

/** What keeps a lesson from being passed. */
const open = ({ steps, goalChecks }) => [
  ...steps.flatMap((step) => (!step.reached ? [`step "${step.id}" is not reached`] : !step.done ? [`step "${step.id}" is not done`] : [])),
  ...[...steps.flatMap((step) => step.checks ?? []), ...goalChecks].filter((check) => !check.met).map((check) => `not met: ${check.text}`),
];

const check = async (browser, lesson, lang) => {
  const trial = new Trial("chromium", browser, lesson.id);
  try {
    const agent = await trial.open({ query: `?lang=${lang}` });
    const quick = { ...lesson, model: { ...lesson.model, tokensPerSecond: 0 } };
    if ((await playThrough(agent, quick)).passed) throw new Error("who only lets it run passes: the goal asks for nothing");
    const state = await playSolution(agent, quick, lesson, lang);
    if (!state.passed) throw new Error(`the solution does not pass it: ${open(state).join("; ")}`);
    if (state.score !== 1) throw new Error("the author answers before the run goes on, and right at once: each question has to be open then");
    trial.check();
    return { hash: await agent.do((element) => element.fingerprint()), trail: (await agent.do(({ debug }) => debug.fingerprint(true))).trail };
  } finally {
    await trial.close();
  }
};

let failed = 0;
const browser = await launch("chromium");
for (const file of files) {
  const text = await readFile(file, "utf8");
  const lesson = JSON.parse(text);
  const langs = typeof lesson.title === "string" ? ["en"] : Object.keys(lesson.title);
  const prints = {};
  for (const lang of langs) {
    try {
      prints[lang] = await check(browser, lesson, lang);
      const known = lesson.fingerprint?.[lang]?.hash;
      if (!writes && known !== prints[lang].hash) throw new Error(`its fingerprint is ${known ? "another one now" : "not there"}; look at the run, then --write sets it`);
      console.log(`ok ${file} (${lang})`);
    } catch (error) {
      failed += 1;
      console.log(`not ok ${file} (${lang})\n    ${String(error?.message ?? error).split("\n").join("\n    ")}`);
    }
  }
  if (writes && Object.keys(prints).length === langs.length) {
    await writeFile(file, `${JSON.stringify({ ...lesson, fingerprint: prints }, null, 1)}\n`);
  }
}
await browser.close();
process.exit(failed > 0 || files.length === 0 ? 1 : 0);
