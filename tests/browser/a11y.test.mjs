// What axe finds, in every place that the page can be in: nothing. And what it cannot look at: forced colours, reduced motion.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { assert, test, until } from "./harness.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds in the element now, one line each. */
const findings = async (agent, where) => {
  await agent.tab.evaluate(`${axe};0`);
  const found = await agent.do(async (element) => {
    const rules = { region: { enabled: false } };
    const { violations } = await window.axe.run(element, { rules, resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target.flat().join(" ")}: ${failureSummary.split("\n").slice(1).join(" ")}`));
  });
  return found.map((line) => `${where}: ${line}`);
};
const one = { engines: ["chromium"], limit: 120_000 };
const tab = (agent, name) => agent.click(`tab-${name}`);

for (const [lang, scheme] of [["en", "light"], ["zh", "dark"]]) {
  test(`axe finds nothing from the first screen to the end of a run (${lang}, ${scheme})`, one, async (t) => {
    const agent = await t.open({ query: `?lang=${lang}&theme=${scheme}` });
    const found = await findings(agent, "first screen");
    await agent.click("run");
    await agent.status("paused");
    found.push(...await findings(agent, "paused"));
    for (const name of ["log", "request", "history", "what-if", "map"]) {
      await tab(agent, name);
      await until(`${name} to be drawn`, () => agent.do((element) => !element.shadowRoot.querySelector("#loop-shown .lede")));
      found.push(...await findings(agent, name));
    }
    await agent.do(({ debug }) => debug.run());
    await agent.status("idle");
    found.push(...await findings(agent, "settled"));
    for (const sheet of ["model", "sessions", "keys"]) {
      await agent.click(sheet);
      await until(`${sheet}`, () => agent.do((element) => element.shadowRoot.querySelector("[role=dialog]") !== null));
      found.push(...await findings(agent, `sheet ${sheet}`));
      await agent.tab.press("Escape");
    }
    assert.deepEqual(found, []);
  });

  test(`axe finds nothing in files, questions, parts and lessons (${lang}, ${scheme})`, one, async (t) => {
    const agent = await t.open({ query: `?lang=${lang}&theme=${scheme}` });
    await agent.do(({ files }) => files.writeText("a.md", "# A\n\ntext\n"));
    await until("the tree", () => agent.do((element) => element.shadowRoot.querySelector('[data-path="a.md"]') !== null));
    await agent.tab.click('[data-path="a.md"]');
    const found = await findings(agent, "viewer");
    await agent.click("tab-changes");
    found.push(...await findings(agent, "changes"));
    await agent.click("lessons");
    await until("the list", async () => (await agent.texts("lesson-line")).length > 0);
    found.push(...await findings(agent, "lessons"));
    await agent.do((element) => element.openLesson("blocked"));
    await agent.click("start-lesson");
    await agent.status("waiting");
    await until("the dock", async () => (await agent.texts("approval")).length > 0);
    found.push(...await findings(agent, "approval and a lesson"));
    await agent.do((element) => element.abort());
    await agent.status("idle");
    await agent.do((element) => element.debug.playPart("model"));
    await agent.startPrompt("x");
    await agent.status("waiting");
    await until("the form", async () => (await agent.texts("part")).length > 0);
    found.push(...await findings(agent, "the model's part"));
    await agent.do((element) => element.abort());
    await agent.status("idle");
    assert.deepEqual(found, []);
  });
}

test("axe finds nothing on a phone", one, async (t) => {
  const agent = await t.open({ query: "?lesson=two-requests" });
  await agent.do((element) => { element.style.width = "375px"; });
  await until("one column", () => agent.do((element) => element.shadowRoot.querySelector('[data-width="phone"]') !== null));
  const found = await findings(agent, "lesson");
  await agent.start((element) => element.play());
  await agent.status("paused");
  const tabs = await agent.do((element) => element.shadowRoot.querySelectorAll(".tabbar button").length);
  assert.equal(tabs, 4);
  for (let at = 0; at < tabs; at += 1) {
    await agent.do((element, at) => element.shadowRoot.querySelectorAll(".tabbar button")[at].click(), at);
    found.push(...await findings(agent, `tab ${at}`));
  }
  assert.deepEqual(found, []);
});

test("with reduced motion nothing moves by itself", one, async (t) => {
  const agent = await t.open();
  await agent.tab.page.emulateMedia({ reducedMotion: "reduce" });
  await agent.click("run");
  await agent.status("paused");
  const moving = await agent.do((element) => element.shadowRoot.getAnimations().filter((animation) => animation.playState === "running").map((animation) => animation.animationName ?? animation.transitionProperty));
  assert.deepEqual(moving, []);
});

test("with forced colours every control can be told from what is around it", one, async (t) => {
  const agent = await t.open({ query: "?lesson=two-requests" });
  await agent.tab.page.emulateMedia({ forcedColors: "active" });
  await agent.start((element) => element.play());
  await agent.status("paused");
  // A button without a border and without a word would be nothing at all: a shape is drawn in the colour of texts.
  const lost = await agent.do((element) => [...element.shadowRoot.querySelectorAll("button:not([hidden])")].filter((button) => button.offsetParent).filter((button) => {
    const style = getComputedStyle(button);
    const hasBorder = parseFloat(style.borderTopWidth) + parseFloat(style.borderBottomWidth) > 0;
    return !hasBorder && !button.textContent.trim() && !button.querySelector("svg");
  }).map((button) => button.outerHTML));
  assert.deepEqual(lost, []);
  const selected = await agent.do((element) => {
    const tabs = [...element.shadowRoot.querySelectorAll('.loop [role="tab"]')];
    const look = (tab) => { const { borderBottomColor, borderBottomWidth, backgroundColor, color, fontWeight } = getComputedStyle(tab); return [borderBottomColor, borderBottomWidth, backgroundColor, color, fontWeight].join(); };
    return { on: look(tabs.find((tab) => tab.ariaSelected === "true")), off: look(tabs.find((tab) => tab.ariaSelected !== "true")) };
  });
  assert.notEqual(selected.on, selected.off, "the chosen tab looks otherwise");
});
