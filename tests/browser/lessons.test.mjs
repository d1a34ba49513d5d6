// The lessons: each is played to a pass as its author did and to a fail, in both languages.

import { readFile, readdir } from "node:fs/promises";

import { assert, test } from "./harness.mjs";
import { playSolution, playThrough } from "./lesson_player.mjs";

const folder = new URL("../../www/lessons/", import.meta.url);
const names = (await readdir(folder)).filter((name) => name.endsWith(".json") && name !== "index.json" && !name.includes("schema"));

for (const file of names.sort()) {
  const lesson = JSON.parse(await readFile(new URL(file, folder), "utf8"));
  for (const lang of ["en", "zh"]) {
    test(`the lesson ${lesson.id} (${lang}) is passed by its author and not by whom who only lets it run`, { limit: 120_000 }, async (t) => {
      const agent = await t.open({ query: `?lang=${lang}` });
      const told = await agent.do((element) => (window.told = [], element.addEventListener("vitrine-lesson", ({ detail }) => window.told.push(detail)), 0));
      assert.equal(told, 0);
      // At once, and not at the pace of a reader: how fast it writes is no part of what it says.
      const quick = { ...lesson, model: { ...lesson.model, tokensPerSecond: 0 } };
      const failed = await playThrough(agent, quick);
      assert.equal(failed.passed, false, "who does nothing does not pass");
      const passed = await playSolution(agent, quick, lesson, lang);
      assert.equal(passed.title, lesson.title[lang]);
      const open = [...passed.goalChecks, ...passed.steps.flatMap((step) => step.checks ?? [])].filter((check) => !check.met).map((check) => check.text);
      assert.deepEqual({ open, unreached: passed.steps.filter((step) => !step.reached).map((step) => step.id), passed: passed.passed }, { open: [], unreached: [], passed: true });
      assert.equal(passed.foreseen, passed.questions);
      assert.match(passed.receipt, /^[0-9a-f]{64}$/);
      const last = await agent.do(() => ({ step: null, ...window.told.at(-1) }));
      assert.deepEqual([last.id, last.step, last.passed, last.score, last.receipt], [lesson.id, null, true, 1, passed.receipt]);
      // Whoever runs it, wherever: the same events.
      const { hash } = lesson.fingerprint[lang];
      assert.equal(await agent.do((element) => element.fingerprint()), hash, "the fingerprint of the author's run; `cargo xtask lesson check --write` sets it");
      assert.deepEqual(passed.author, { same: true });
    });
  }
}
