// The focus stays where the reader is, and the keys on screen work from there.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const focused = (agent) => agent.do((element) => element.shadowRoot.activeElement?.dataset.testid ?? element.shadowRoot.activeElement?.className ?? "");

test("after Run the debugger's keys work at once, and from the composer", async (t) => {
  const agent = await t.open();
  await agent.click("run");
  await agent.status("paused");
  assert.notEqual(await focused(agent), "", "the focus fell out of the element");
  const before = (await agent.eventTypes()).length;
  await agent.tab.press("F10");
  await until("a step", async () => (await agent.eventTypes()).length > before);
  await agent.status("paused");
  await agent.focus("composer");
  await agent.tab.press("F8");
  await agent.status("idle");
});

test("a message that is being written does not take Stop away", async (t) => {
  const server = await t.model([answer({ text: "word ".repeat(400), wait: 20 })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.start((element) => element.prompt("talk"));
  await agent.sees(/word/, "message-assistant");
  await agent.focus("composer");
  await agent.tab.type("a draft");
  await agent.sees(/Send/, "send");
  await agent.click("stop");
  await agent.status("idle");
  assert.equal(await agent.do((element) => element.shadowRoot.querySelector('textarea[data-testid="composer"]').value), "a draft");
});

test("the first screen is read from its top, on a small phone too", { engines: ["chromium", "firefox"] }, async (t) => {
  const agent = await t.open();
  const top = await agent.do((element) => {
    element.style.cssText = "width: 375px; height: 480px";
    return new Promise((resolve) => setTimeout(() => resolve(element.shadowRoot.querySelector('[data-testid="transcript"]').parentElement.scrollTop), 300));
  });
  assert.equal(top, 0);
});

test("renaming a session keeps the focus in the sheet, and Escape gives up the name alone", async (t) => {
  const server = await t.model([answer({ text: "Hello." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("hi");
  await agent.click("sessions");
  const rename = (element) => [...element.shadowRoot.querySelectorAll('[data-testid="session"] button')].find((button) => /rename/i.test(button.textContent)).click();
  await until("the list", async () => (await agent.texts("session")).length === 1);
  await agent.do(rename);
  await until("the field", () => agent.do((element) => element.shadowRoot.activeElement?.tagName === "INPUT"));
  await agent.tab.press("Escape");
  assert.equal(await focused(agent), "session-list");
  await agent.do(rename);
  await until("the field", () => agent.do((element) => element.shadowRoot.activeElement?.tagName === "INPUT"));
  await agent.tab.type("A better name");
  await agent.tab.press("Enter");
  await agent.sees(/A better name/, "session");
  assert.equal(await focused(agent), "session-list");
  await agent.tab.press("Escape");
  await until("the sheet to close", async () => (await agent.texts("sheet")).length === 0);
});

test("what a tool's name hides is spelled out", async (t) => {
  const server = await t.model([answer({ calls: [{ name: "\u202edaer", arguments: { path: "a\u200b.txt" } }] }), answer({ text: "ok" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("go");
  await agent.sees(/⟨U\+202E⟩daer/, "tool-call");
  await agent.sees(/a⟨U\+200B⟩\.txt/, "tool-call");
});
