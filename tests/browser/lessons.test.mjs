// The lessons: each is played to a pass as its author did and to a fail, in both languages.

import { readFile, readdir } from "node:fs/promises";

import { assert, test, until } from "./harness.mjs";
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

/** A lesson with as little in it as one can have. */
const small = (more) => ({ id: "small", title: "Small", prompt: "Go.", model: { turns: [{ text: "ok" }] }, goal: { text: "It has run.", check: [{ text: "It has settled", seen: { event: "settled" } }] }, ...more });
const open = (agent, lesson) => agent.do((element, lesson) => element.openLesson(lesson).then(() => "opened", ({ code, message }) => `${code}: ${message}`), lesson);

test("a lesson by hand: from the list, through its question, hint and steps, to the next one", async (t) => {
  const agent = await t.open();
  await agent.click("lessons");
  await until("the list", async () => (await agent.texts("lesson-line")).length === 13);
  await agent.do((element) => element.shadowRoot.querySelectorAll('[data-testid="lesson-line"]')[1].click());
  await agent.sees(/Two requests/, "lesson");
  assert.deepEqual(await agent.events(), [], "nothing runs before it is started");
  assert.deepEqual(await agent.do(({ files }) => files.list()), [], "and nothing is laid out");
  await agent.click("start-lesson");
  await agent.status("paused");
  await until("the question", async () => (await agent.texts("lesson-question")).length === 1);
  const choose = (n) => agent.do((element, n) => element.shadowRoot.querySelectorAll('[data-testid="lesson-question"] input')[n].click(), n);
  await choose(0);
  await agent.click("check-answer");
  await agent.sees(/Not that/, "lesson-question");
  await agent.click("hint");
  await agent.sees(/only the result came/, "lesson-step");
  await choose(1);
  await agent.click("check-answer");
  await agent.sees(/no memory but the request/, "lesson-question");
  await agent.focus("lesson");
  await agent.tab.press("F8");
  await agent.status("idle");
  await until("the second question", async () => (await agent.texts("lesson-question")).length === 2);
  await agent.do((element) => element.shadowRoot.querySelectorAll('[data-testid="lesson-question"]')[1].querySelectorAll("input")[1].click());
  await agent.do((element) => element.shadowRoot.querySelectorAll('[data-testid="check-answer"]')[0].click());
  await agent.sees(/Passed[^]*1 of 2 foreseen/, "lesson-passed");
  assert.deepEqual(await agent.attributes("lesson-check", "data-met"), ["true", "true", "true", "true"]);
  await agent.click("next-lesson");
  await agent.sees(/Four gates/, "lesson");
  // It is kept that it was passed.
  await agent.click("all-lessons");
  await until("the mark", async () => (await agent.texts("lesson-line")).some((text) => /Two requests[^]*Passed/.test(text)));
});

test("a link to a lesson shows it and runs nothing; files of the reader's stay until the lesson is started over", async (t) => {
  const agent = await t.open();
  await agent.do(({ files }) => files.writeText("two-requests/notes.txt", "mine\n"));
  await agent.tab.goto(t.server.site + "?lesson=two-requests");
  await agent.ready();
  await agent.sees(/Two requests/, "lesson");
  assert.deepEqual(await agent.events(), []);
  await agent.sees(/notes\.txt/, "lesson-differs");
  const text = () => agent.do(({ files }) => files.readText("two-requests/notes.txt"));
  await agent.start((element) => element.play());
  await agent.status("paused");
  assert.equal(await text(), "mine\n");
  await agent.do((element) => element.abort());
  await agent.status("idle");
  await agent.click("start-over");
  await until("the file", async () => (await text()).startsWith("Meeting at nine"));
  // And can be had back.
  const changes = await agent.do(({ files }) => files.changes());
  assert.ok(changes.length > 0);
});

test("a lesson that is wrong is refused with line and fix, and the one before stays open", async (t) => {
  const agent = await t.open();
  assert.equal(await open(agent, small()), "opened");
  const text = JSON.stringify(small({ steps: [{ id: "a", text: "t", at: { event: "turn_begin" } }] }), null, 1);
  const line = text.split("\n").findIndex((line) => line.includes("turn_begin")) + 1;
  assert.match(await open(agent, text), new RegExp(`^invalid-lesson: line ${line}: steps\\.0\\.at\\.event: unknown variant \`turn_begin\`, expected one of \`agent_start\``));
  assert.match(await open(agent, "{"), /^invalid-lesson: line 1: no JSON/);
  assert.match(await open(agent, small({ tools: ["teleport"] })), /^invalid-lesson: .*there is no tool "teleport"; there are read, bash/);
  assert.match(await open(agent, small({ files: { "../../etc/passwd": "x" } })), /^invalid-lesson: /);
  assert.match(await open(agent, "lessons/none.json"), /^lesson-not-loaded: /);
  assert.match(await open(agent, "javascript:alert(1)"), /^(invalid-argument|lesson-not-loaded): /);
  assert.equal((await agent.do((element) => element.lesson)).id, "small");
  t.allow(/404|none\.json/);
});

test("a lesson by an attribute that cannot be had is said on screen, and the page starts all the same", async (t) => {
  t.allow(/404|nowhere/);
  const agent = await t.open({ query: "?lesson=nowhere" });
  await until("the reason", async () => /nowhere\.json\S*: status 404/.test(await agent.everything()));
  await agent.prompt("hello");
});

test("hostile text in a lesson is text", async (t) => {
  const agent = await t.open();
  const evil = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script> [x](javascript:window.hacked=1) **bold**";
  await open(agent, small({ title: evil, about: evil, steps: [{ id: "a", text: evil, hint: evil, question: { ask: evil, options: [evil, evil], answer: 0, why: evil }, check: [{ text: evil, seen: { event: "settled" } }] }], goal: { text: evil, check: [{ text: evil, seen: { event: "settled" } }] } }));
  await agent.sees(/onerror/, "lesson");
  await agent.do(({ lessons }) => lessons.hint("a"));
  await agent.do(({ lessons }) => lessons.answer("a", 0));
  await agent.do((element) => element.play());
  assert.deepEqual(await agent.do((element) => [...element.shadowRoot.querySelector('[data-testid="lesson"]').querySelectorAll("img, script, iframe, a[href^=javascript]")].map((node) => node.outerHTML)), []);
  assert.equal(await agent.do(() => window.hacked ?? null), null);
});

test("a lesson gives back what it changed: tools, rules and faults are the reader's again when it is put by", async (t) => {
  const agent = await t.open();
  await agent.do((element) => element.setTools(["read", "grep"]));
  const mine = async () => (({ tools, policy, faults }) => ({ on: tools.filter(({ on }) => on).map(({ name }) => name), policy, faults }))(await agent.state());
  const before = await mine();
  await open(agent, small({ tools: ["ls"], policy: { mode: "read-only" }, faults: [{ kind: "slow" }] }));
  assert.deepEqual(await mine(), before, "to open it changes nothing");
  await agent.do((element) => element.play());
  assert.deepEqual(await mine(), { on: ["ls"], policy: { mode: "read-only", rules: [] }, faults: [{ kind: "slow" }] });
  await agent.do(({ lessons }) => lessons.close());
  assert.deepEqual(await mine(), before);
});

test("another language in the middle of a lesson: its steps are told in it, and nothing is lost", async (t) => {
  const agent = await t.open({ query: "?lang=en&lesson=two-requests" });
  await agent.start((element) => element.play());
  await agent.status("paused");
  await agent.do(({ lessons }) => lessons.answer("between", 1));
  await agent.do((element) => element.setAttribute("lang", "zh"));
  await agent.sees(/一来一回/, "lesson");
  const { steps, foreseen } = await agent.do((element) => element.lesson);
  assert.deepEqual([steps[1].question.right, foreseen], [true, 1]);
});

test("a link sends nothing to another site, not even for a lesson, and one that is no address is said", async (t) => {
  const server = await t.model([]);
  const agent = await t.open({ query: `?lesson=${encodeURIComponent(`${server.url}/lesson.json`)}` });
  await until("the reason", async () => /a lesson of another site/.test(await agent.everything()));
  assert.deepEqual(agent.tab.addresses.filter((address) => !address.startsWith(t.server.site)), []);
  assert.equal(await agent.do((element) => element.lesson ?? null), null);
  const bad = await t.open({ query: `?lesson=${encodeURIComponent("http://")}` });
  await until("the reason", async () => /give a lesson's name/.test(await bad.everything()));
  await bad.prompt("hello");
});
