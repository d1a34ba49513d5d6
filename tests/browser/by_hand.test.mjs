// What a reader does with mouse and keyboard alone, and what they then see.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

/** Types into a field as a reader does: clicks it and writes over what is there. */
async function fill(agent, id, text) {
  await agent.click(id);
  await agent.tab.press("ControlOrMeta+a");
  await agent.tab.type(text);
}
async function say(agent, text) {
  await fill(agent, "composer", text);
  await agent.tab.press("Enter");
}

/** Answers with `given` once `go` is called. */
const held = (given) => {
  let go;
  const wait = new Promise((resolve) => (go = resolve));
  return { answer: () => wait.then(() => given), go };
};

test("a server by hand: address, key, test, model, prompt, and the status line", async (t) => {
  const first = held(answer({ text: "From your own server.", calls: [{ name: "ls", arguments: {} }] }));
  const second = held(answer({ text: "That is all." }));
  // The test of the connection may send a request of its own.
  let prompts = 0;
  const server = await t.model([({ body }) => {
    if (!body.messages.some((message) => message.role === "system")) return answer({ text: "ok" });
    prompts += 1;
    return (prompts === 1 ? first : second).answer();
  }]);
  const agent = await t.open();
  await agent.click("model");
  await fill(agent, "base-url", server.url);
  await fill(agent, "key", "sk-typed-by-hand");
  await agent.click("test-connection");
  await until("the verdict", async () => (await agent.attributes("connection", "data-verdict"))[0] === "ok");
  assert.match((await agent.texts("connection")).join(), /The server answers/);
  // Of the models that the server lists, one.
  await agent.tab.page.locator('[data-testid="connection"] button', { hasText: "loopback" }).click();
  assert.equal(await agent.do((element) => element.shadowRoot.querySelector('[data-testid="model-id"]').value), "loopback");
  await agent.click("use-model");
  await until("the sheet to close", async () => (await agent.texts("sheet")).length === 0);
  assert.match((await agent.texts("model")).join(), /loopback/);

  await say(agent, "hello");
  await until("the prompt to be sent", () => prompts === 1);
  const status = async () => (await agent.texts("status")).join().replace(/\s+/g, " ");
  await until("the first turn in the status line", async () => /running ?turn 1 ?1 request\b/.test(await status()));
  first.go();
  await until("the second turn", async () => /running ?turn 2 ?2 requests/.test(await status()));
  second.go();
  await agent.sees(/That is all\./, "message-assistant");
  await agent.sees(/^idle\s*2 requests\s*[\d.,k]+ context/, "status");
  const { contextTokens } = await agent.state();
  assert.ok((await status()).includes(`${contextTokens} context`), await status());
  assert.deepEqual([...new Set(server.requests.filter(({ body }) => body.messages.some(({ role }) => role === "system")).map(({ headers, body }) => `${headers.authorization} ${body.model}`))], ["Bearer sk-typed-by-hand loopback"]);
});

test("Alt+Enter follows up, Enter steers, and Alt+ArrowUp takes back what waits", async (t) => {
  const first = held(answer({ text: "One.", calls: [{ name: "ls", arguments: {} }] }));
  const server = await t.model([first.answer, answer({ text: "Two." }), answer({ text: "Three." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await say(agent, "begin");
  await server.received(1);
  const waiting = async () => (({ steering, followUp }) => ({ steering, followUp }))(await agent.state());
  const queued = (wanted) => until(`${JSON.stringify(wanted)} to wait`, async () => JSON.stringify(await waiting()) === JSON.stringify(wanted));
  await fill(agent, "composer", "afterwards");
  await agent.tab.press("Alt+Enter");
  await queued({ steering: [], followUp: ["afterwards"] });
  await agent.tab.type("at once");
  await agent.tab.press("Enter");
  await queued({ steering: ["at once"], followUp: ["afterwards"] });
  // Both are on screen, with what they are.
  assert.match(await agent.everything(), /“at once”\s*steering/);
  assert.match(await agent.everything(), /“afterwards”\s*follow-up/);

  await agent.tab.press("Alt+ArrowUp");
  await queued({ steering: [], followUp: [] });
  assert.equal(await agent.do((element) => element.shadowRoot.querySelector('textarea[data-testid="composer"]').value), "at once\n\nafterwards");
  await fill(agent, "composer", "and then?");
  await agent.tab.press("Alt+Enter");
  await queued({ steering: [], followUp: ["and then?"] });
  first.go();
  await agent.status("idle");
  assert.deepEqual((await agent.story()).map((entry) => entry.user ?? entry.model ?? entry.of), ["begin", "One.", "ls", "Two.", "and then?", "Three."]);
});

test("thoughts are named, closed at first, and open and close by mouse and key; turns have rules", async (t) => {
  const server = await t.model([
    answer({ thinking: "It could be there.", text: "I look.", calls: [{ name: "ls", arguments: {} }] }),
    answer({ thinking: "It is not.", text: "Nothing there." }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await say(agent, "look");
  const look = async () => {
    await agent.sees(/Nothing there\./);
    const { page } = agent.tab;
    const thoughts = page.locator('[data-testid="message-assistant"] summary');
    assert.deepEqual(await thoughts.allInnerTexts(), ["thoughts of the model", "thoughts of the model"]);
    const seen = async () => (await page.getByText("It could be there.").count()) > 0;
    assert.equal(await seen(), false);
    await thoughts.first().click();
    await until("the thoughts to open", seen);
    await thoughts.first().click();
    await until("the thoughts to close", async () => !(await seen()));
    await thoughts.first().focus();
    await agent.tab.press("Enter");
    await until("the thoughts to open by key", seen);
    const order = (await agent.texts("transcript")).join().match(/turn \d|I look\.|Nothing there\./g);
    assert.deepEqual(order, ["turn 1", "I look.", "turn 2", "Nothing there."]);
  };
  await look();
  await agent.tab.reload();
  await agent.ready();
  await look();
});

test("each state of a call has its name on screen, live and after a reload", async (t) => {
  const calls = [
    { id: "good", name: "write", arguments: { path: "a.txt", content: "a" } },
    { id: "unknown", name: "nosuch", arguments: {} },
    { id: "invalid", name: "read", arguments: {} },
    { id: "throws", name: "read", arguments: { path: "missing.txt" } },
    { id: "slow", name: "write", arguments: { path: "b.txt", content: "b" } },
  ];
  const server = await t.model([
    answer({ text: "half", calls: [{ id: "cut", name: "write", arguments: { path: "c.txt", content: "c" } }], finish: "length" }),
    answer({ text: "five", calls }),
    answer({ text: "one more", calls: [{ id: "stopped", name: "ls", arguments: {} }] }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  const card = async (id) => {
    const ids = await agent.attributes("tool-call", "data-call-id");
    return (await agent.attributes("tool-call", "aria-label"))[ids.indexOf(id)];
  };
  const shows = (id, words) => until(`call ${id} to show "${words}"`, async () => (await card(id))?.endsWith(`, ${words}`));
  /** Presses Step until the run holds before this event of this call. */
  const stepTo = async (event, callId) => {
    for (let steps = 0; steps < 40; steps += 1) {
      const { pausedAt } = await agent.state();
      if (pausedAt.event === event && pausedAt.callId === callId) return;
      await agent.click("step");
      await until(`a hold after ${JSON.stringify(pausedAt)}`, async () => {
        const now = await agent.state();
        return now.status === "paused" && JSON.stringify(now.pausedAt) !== JSON.stringify(pausedAt);
      });
    }
    assert.fail(`${event} of ${callId} did not come`);
  };
  await agent.do((element) => void (element.debug.breakpoints = [{ event: "tool_execution_start" }]));
  await say(agent, "go");
  await agent.status("paused");
  await shows("cut", "asked, not executed");
  await stepTo("tool_execution_start", "good");
  await shows("cut", "truncated, not executed");
  await shows("good", "asked, not executed");
  await stepTo("tool_execution_start", "unknown");
  await shows("good", "admitted");
  await stepTo("tool_execution_end", "good");
  await shows("slow", "executing");
  await agent.click("run");
  await shows("stopped", "asked, not executed");
  await agent.click("stop");
  await agent.status("idle");
  const ends = { cut: "truncated, not executed", good: "done", unknown: "not found", invalid: "invalid", throws: "threw", slow: "done", stopped: "aborted, not executed" };
  for (const [id, words] of Object.entries(ends)) await shows(id, words);
  assert.equal((await agent.attributes("tool-call", "data-call-id")).length, Object.keys(ends).length);

  await agent.tab.reload();
  await agent.ready();
  await agent.sees(/one more/);
  for (const [id, words] of Object.entries(ends)) await shows(id, words);
});

test("the second click of a double one on Send does not stop the run it began", async (t) => {
  const server = await t.model([answer({ text: "Once is enough. ".repeat(12), wait: 30 })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.click("composer");
  await agent.tab.type("hello");
  await agent.click("send");
  // What is pressed where Send was is Stop by now.
  await agent.click("stop");
  await until("the answer", async () => (await agent.state()).status === "idle");
  const last = (await agent.transcript()).at(-1);
  assert.equal(last.stopReason, "stop", last.errorMessage);
});

test("the message field grows with what is written, to a part of the screen, and shrinks again", async (t) => {
  const agent = await t.open();
  const field = (what) => agent.do((element, what) => {
    const field = element.shadowRoot.querySelector('textarea[data-testid="composer"]');
    return what === "grows" ? CSS.supports("field-sizing", "content") : field.getBoundingClientRect().height;
  }, what);
  // A browser that cannot has a field that scrolls.
  if (!(await field("grows"))) return;
  const empty = await field();
  const lines = async (count) => {
    await agent.click("composer");
    await agent.tab.press("ControlOrMeta+a");
    for (let line = 0; line < count; line += 1) {
      await agent.tab.type("x");
      await agent.tab.press("Shift+Enter");
    }
    return field();
  };
  const [some, many] = [await lines(4), await lines(30)];
  assert.ok(some > empty + 40 && many > some, `${empty} ${some} ${many}`);
  assert.ok(many <= 0.4 * (await agent.do(() => innerHeight)) + 1 && many <= 241, `${many}`);
  await agent.tab.press("ControlOrMeta+a");
  await agent.tab.press("Delete");
  assert.equal(await field(), empty);
});
