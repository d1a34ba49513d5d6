// The composer and the keyboard alone: Enter, Shift+Enter, input methods, Stop, steering.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const composer = (element) => {
  const found = element.shadowRoot.querySelector('[data-testid="composer"]');
  return found.matches("textarea, input, [contenteditable]") ? found : found.querySelector("textarea, input, [contenteditable]");
};

// f01: what browsers send while a candidate is confirmed. Safari ends the composition before the key.
const sequences = [
  { name: "chrome", sends: false, events: [["compositionstart"], ["keydown", { key: "Enter", isComposing: true, keyCode: 229 }], ["compositionend"]] },
  { name: "safari", sends: false, events: [["compositionstart"], ["compositionend"], ["keydown", { key: "Enter", isComposing: false, keyCode: 229 }]] },
  { name: "shift", sends: false, events: [["keydown", { key: "Enter", shiftKey: true, isComposing: false, keyCode: 13 }]] },
  { name: "plain", sends: true, events: [["keydown", { key: "Enter", isComposing: false, keyCode: 13 }]] },
];

test("Enter that confirms a candidate does not send (f01)", async (t) => {
  const server = await t.model([answer({ text: "received" })]);
  const agent = await t.open();
  await agent.useModel(server);
  for (const { name, sends, events } of sequences) {
    await agent.do(
      `(element, events, find) => {
        const field = (${composer})(element);
        field.focus();
        field.value = "你好";
        field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
        for (const [type, init] of events) {
          const event = type === "keydown"
            ? new KeyboardEvent(type, { bubbles: true, composed: true, cancelable: true, ...init })
            : new CompositionEvent(type, { bubbles: true, composed: true, data: "你好" });
          if (type === "keydown") for (const key of ["keyCode", "isComposing"]) Object.defineProperty(event, key, { value: init[key] });
          field.dispatchEvent(event);
        }
      }`,
      events,
    );
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.equal(server.requests.length > 0, sends, `the ${name} sequence ${sends ? "did not send" : "sent"}`);
  }
  await agent.status("idle");
  assert.equal((await agent.story())[0].user, "你好");
});

test("type, break a line, send, and stop, with keys alone", async (t) => {
  const server = await t.model([answer({ text: "A long answer begins", stallAfter: 4 }), answer({ text: "Second." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.focus("composer");
  await agent.tab.type("first line");
  await agent.tab.press("Shift+Enter");
  await agent.tab.type("second line");
  await agent.tab.press("Enter");
  await server.received(1);
  await agent.sees(/A long answer/, "message-assistant");
  assert.equal((await agent.story())[0].user, "first line\nsecond line");
  // The field is empty and keeps the focus.
  assert.equal(await agent.do(`(element) => (${composer})(element).value`), "");

  await agent.tab.press("Escape");
  await agent.status("idle");
  assert.equal((await agent.story())[1].stop, "aborted");
  await agent.focus("composer");
  await agent.tab.type("again");
  await agent.tab.press("Enter");
  await agent.sees(/Second\./);
});

test("what is typed during a run steers it", async (t) => {
  // The server answers once the keys are pressed, so that no slow machine ends the run before.
  let answerNow;
  const typed = new Promise((resolve) => (answerNow = resolve));
  const first = answer({ text: "Wait.", calls: [{ name: "ls", arguments: {} }] });
  const server = await t.model([() => typed.then(() => first), answer({ text: "Steered." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.startPrompt("go");
  await server.received(1);
  await agent.focus("composer");
  await agent.tab.type("other way");
  await agent.tab.press("Enter");
  await until("the message to be queued", async () => (await agent.state()).steering.length === 1);
  answerNow();
  assert.equal((await agent.finished()).value.text, "Steered.");
  const users = (await agent.story()).filter((entry) => entry.user).map((entry) => entry.user);
  assert.deepEqual(users, ["go", "other way"]);
});

test("Tab reaches the composer, and every control it passes has a name and a visible place", async (t) => {
  const agent = await t.open();
  const seen = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await agent.tab.press("Tab");
    const at = await agent.do((element) => {
      const node = element.shadowRoot.activeElement;
      if (!node) return null;
      const box = node.getBoundingClientRect();
      const labels = node.labels ? [...node.labels].map((label) => label.textContent).join("") : "";
      return {
        id: node.getAttribute("data-testid"),
        tag: node.localName,
        name: (node.getAttribute("aria-label") ?? "") + labels + (node.textContent ?? "") + (node.getAttribute("title") ?? "") + (node.getAttribute("placeholder") ?? ""),
        visible: box.width > 0 && box.height > 0,
      };
    });
    if (at) seen.push(at);
    if (at?.id === "composer" || at?.tag === "textarea") break;
  }
  assert.ok(seen.some((at) => at.tag === "textarea" || at.id === "composer"), `Tab met ${JSON.stringify(seen)}`);
  assert.deepEqual(seen.filter((at) => !at.name.trim() || !at.visible), []);
});

test("one status region, polite, and not told about each token (f08)", async (t) => {
  const server = await t.model([answer({ text: "A fairly long answer, in many small pieces. ".repeat(6), wait: 3 })]);
  const agent = await t.open();
  await agent.useModel(server);
  const regions = await agent.do((element) => {
    const found = [...element.shadowRoot.querySelectorAll('[aria-live="polite"], [role="status"]')];
    window.announced = [];
    for (const region of found) new MutationObserver(() => window.announced.push(region.textContent.trim())).observe(region, { childList: true, characterData: true, subtree: true });
    return { polite: found.length, logs: element.shadowRoot.querySelectorAll('[role="log"]:not([aria-live="off"])').length };
  });
  assert.deepEqual(regions, { polite: 1, logs: 0 });
  await agent.prompt("talk");
  await until("the end to be announced", async () => (await agent.do(() => window.announced.length)) > 0);
  const announced = await agent.do(() => window.announced.filter((text, index, all) => text && text !== all[index - 1]));
  assert.ok(announced.length <= 4, `announced ${announced.length} times: ${JSON.stringify(announced)}`);
});
