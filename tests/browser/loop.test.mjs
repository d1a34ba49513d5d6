// The loop's tabs by role, test id and key: the log, the one cursor, requests, history and what a person sets up.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const selected = (agent) => agent.do((element) => element.shadowRoot.querySelector('[role="tab"][aria-selected="true"]').dataset.testid);
const cursor = async (agent) => Number((await agent.texts("cursor"))[0]?.match(/\d+/)?.[0] ?? -1);
const at = (agent, selector) => agent.do((element, selector) => [...element.shadowRoot.querySelectorAll(`${selector}.at`)].map((node) => node.getAttribute("aria-label") ?? node.dataset.number ?? node.dataset.testid), selector);
/** Puts a text into a field, or chooses an option, as a reader's input does. */
const fill = (agent, id, value, event = "input") => agent.do((element, id, value, event) => {
  const field = element.shadowRoot.querySelector(`[data-testid="${id}"]`);
  field.value = value;
  field.dispatchEvent(new Event(event, { bubbles: true }));
}, id, value, event);
const count = async (agent) => (await agent.texts("log-count"))[0];

/** A run of a call that works and one that does not. */
const played = async (t, more = []) => {
  const server = await t.model([
    answer({ text: "Both.", calls: [{ id: "w", name: "write", arguments: { path: "a.txt", content: "one\n" } }, { id: "r", name: "read", arguments: { path: "nowhere.txt" } }] }),
    answer({ text: "Half of it worked." }),
    ...more,
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("go");
  return { server, agent };
};

test("the tabs of the loop go by arrow keys, one of them is in the order of Tab", async (t) => {
  const agent = await t.open();
  await agent.click("tab-map");
  for (const tab of ["tab-log", "tab-request", "tab-history", "tab-what-if", "tab-sandbox", "tab-map"]) {
    await agent.tab.press("ArrowRight");
    await until(tab, async () => (await selected(agent)) === tab);
    await until("its focus", () => agent.do((element, tab) => element.shadowRoot.activeElement?.dataset.testid === tab, tab));
  }
  const inOrder = await agent.do((element) => [...element.shadowRoot.querySelectorAll('.loop [role="tab"][tabindex="0"]')].length);
  assert.equal(inOrder, 1);
});

test("the log has every event by its number, and a filter says how many are left", async (t) => {
  const { agent } = await played(t);
  const events = await agent.events();
  await agent.click("tab-log");
  await until("the log", async () => (await count(agent)) === `${events.length} of ${events.length} events match`);
  await fill(agent, "log-type", "tool_execution_end", "change");
  const ends = events.flatMap((event, number) => (event.type === "tool_execution_end" ? [String(number)] : []));
  await until("two ends", async () => JSON.stringify(await agent.attributes("log-event", "data-number")) === JSON.stringify(ends));
  await fill(agent, "log-search", "NOWHERE");
  await until("one of them", async () => (await count(agent)) === `1 of ${events.length} events match`);
  await fill(agent, "log-search", "not said anywhere");
  await until("none", async () => (await count(agent)) === `0 of ${events.length} events match`);
  await agent.click("log-clear");
  await until("all again", async () => (await count(agent)) === `${events.length} of ${events.length} events match`);
});

test("one cursor goes through log, map and chat, by click and by key", async (t) => {
  const { agent } = await played(t);
  const events = await agent.events();
  const end = events.findIndex((event) => event.type === "tool_execution_end" && event.toolCallId === "r");
  await agent.click("tab-log");
  await fill(agent, "log-type", "tool_execution_end", "change");
  await until("the line", async () => (await agent.attributes("log-event", "data-number")).includes(String(end)));
  await agent.tab.click(`[data-testid="log-event"][data-number="${end}"]`);
  await until("the cursor", async () => (await cursor(agent)) === end);
  assert.deepEqual(await at(agent, ".logline"), [String(end)]);
  assert.deepEqual(await at(agent, ".msg"), ["message-assistant"]);
  await agent.click("tab-map");
  await until("the node", async () => /toolResult.*threw/s.test((await at(agent, ".node")).join()));
  await agent.click("back");
  await until("one back", async () => (await cursor(agent)) === end - 1);
  await agent.tab.press("]");
  await until("forth again", async () => (await cursor(agent)) === end);
  await agent.tab.press("Home");
  await until("the first", async () => (await cursor(agent)) === 0);
  assert.match((await at(agent, ".node")).join(), /^run/);
  await agent.tab.press("End");
  await until("the newest", async () => (await agent.texts("cursor")).length === 0);
  // Looking is not going back: nothing has changed.
  assert.deepEqual(await agent.events(), events);
});

test("the map has the run's brackets, and over is not settled", async (t) => {
  const { agent } = await played(t);
  const names = await agent.attributes("event", "aria-label");
  assert.match(names[0], /^run, agent_start/);
  assert.deepEqual(names.slice(-2), ["run over, agent_end", "settled, nothing follows by itself"]);
});

test("branching from the cursor goes back to just before that event", async (t) => {
  const { agent } = await played(t);
  const start = (await agent.events()).findIndex((event) => event.type === "tool_execution_start");
  await agent.click("tab-log");
  await fill(agent, "log-type", "tool_execution_start", "change");
  await agent.tab.click(`[data-testid="log-event"][data-number="${start}"]`);
  await agent.click("branch");
  await agent.status("paused");
  assert.equal((await agent.events()).length, start);
  assert.equal(await agent.do((element) => element.files.readText("a.txt").catch(({ code }) => code)), "file-not-found");
});

test("a request is shown byte for byte, with what the one before did not have", async (t) => {
  const { agent, server } = await played(t);
  await agent.click("tab-request");
  await until("the second body", async () => (await agent.texts("request-body"))[0]?.includes("nowhere.txt"));
  assert.deepEqual(JSON.parse((await agent.texts("request-body"))[0]), server.requests[1].body);
  const against = await agent.do((element) => [...element.shadowRoot.querySelectorAll(".reqview tbody tr")].map((row) => [row.querySelector("b").textContent, row.lastElementChild.textContent]));
  assert.deepEqual(against.filter(([, said]) => said === "new").map(([role]) => role), ["assistant", "tool", "tool"]);
  await agent.click("request-before");
  await until("the first body", async () => !(await agent.texts("request-body"))[0]?.includes("nowhere.txt"));
  await until("its body", async () => (await agent.texts("request-body"))[0]?.length > 0);
  assert.deepEqual(JSON.parse((await agent.texts("request-body"))[0]), server.requests[0].body);
});

test("the history says of each entry whether the next request carries it", async (t) => {
  const { agent } = await played(t);
  await agent.click("tab-history");
  await until("the ledger", async () => (await agent.attributes("ledger-entry", "data-reason")).filter((reason) => reason === "whole").length >= 5);
});

test("a fault and a breakpoint that were set up by hand act", async (t) => {
  const { agent } = await played(t, [
    answer({ calls: [{ id: "b", name: "write", arguments: { path: "b.txt", content: "b" } }] }),
    answer({ text: "Refused." }),
  ]);
  await agent.click("tab-what-if");
  await agent.tab.click('[data-fault="block"]');
  await until("armed", async () => (await agent.state()).faults?.length === 1);
  await fill(agent, "break-event", "turn_end", "change");
  await fill(agent, "break-tool", "");
  await agent.click("break-add");
  await until("listed", async () => (await agent.texts("breakpoint")).join().startsWith("event = turn_end"));
  await agent.startPrompt("again");
  await agent.status("paused");
  assert.equal((await agent.state()).pausedAt.event, "turn_end");
  await until("blocked", async () => (await agent.attributes("tool-call", "data-state")).includes("blocked"));
  await agent.do((element) => element.debug.run());
  await agent.status("paused");
  await agent.do((element) => element.debug.run());
  await agent.finished();
  assert.equal(await agent.do((element) => element.files.readText("b.txt").catch(({ code }) => code)), "file-not-found");
});

test("a person in the model's place asks for a tool by a form, and in the harness's gives its result", async (t) => {
  const agent = await t.open();
  await agent.click("tab-what-if");
  await agent.click("part-model");
  await agent.startPrompt("write something");
  await until("the question", async () => (await agent.attributes("part", "data-part"))[0] === "model");
  await fill(agent, "part-tool", "write", "change");
  await until("its fields", async () => (await agent.attributes("part-field", "data-name")).join() === "path,content");
  await agent.tab.click('[data-testid="part-field"][data-name="path"]');
  await agent.tab.type("mine.txt");
  await agent.tab.click('[data-testid="part-field"][data-name="content"]');
  await agent.tab.type("by hand");
  await agent.click("part-add");
  await until("the call", async () => (await agent.texts("part-call")).join().includes("mine.txt"));
  await agent.click("part-harness");
  await agent.click("part-answer");
  await until("the harness's turn", async () => (await agent.attributes("part", "data-part"))[0] === "harness");
  await fill(agent, "part-text", "It is done, says the person.");
  await agent.click("part-none");
  await agent.click("part-result");
  await agent.finished();
  const results = (await agent.transcript()).filter((message) => message.role === "toolResult");
  // The scripted model goes on by itself after that.
  assert.deepEqual(results.slice(0, 1).map(({ toolName, isError, content }) => ({ toolName, isError, text: content[0].text })), [{ toolName: "write", isError: false, text: "It is done, says the person." }]);
  assert.equal(await agent.do((element) => element.files.readText("mine.txt").catch(({ code }) => code)), "file-not-found");
});

test("arguments that a person edits while the call is held are what runs; the model's stay beside them", async (t) => {
  const server = await t.model([
    answer({ calls: [{ id: "w", name: "write", arguments: { path: "a.txt", content: "the model's" } }] }),
    answer({ text: "Done." }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => { element.debug.breakpoints = [{ event: "tool_execution_start" }]; });
  await agent.startPrompt("write");
  await agent.status("paused");
  await agent.click("edit-args");
  await fill(agent, "edit-text", '{"path":"a.txt","content":"mine"}');
  await agent.click("edit-save");
  await until("what was put in", async () => (await agent.texts("edited")).join().includes("mine"));
  assert.ok((await agent.texts("tool-call")).join().includes("the model's"));
  await agent.do((element) => element.debug.run());
  await agent.finished();
  assert.equal(await agent.do((element) => element.files.readText("a.txt")), "mine");
  assert.equal((await agent.state()).modified, true);
});

test("a batch is drawn in lanes, in the order of the calls, with the order of finishing beside it", async (t) => {
  const server = await t.model([
    answer({ calls: [{ id: "s", name: "bash", arguments: { command: "sleep 0.3; echo slow" } }, { id: "q", name: "ls", arguments: {} }, { id: "n", name: "fly", arguments: {} }] }),
    answer({ text: "All back." }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("go");
  const rows = await agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid="lanes"] tbody tr')].map((row) => [row.cells[0].textContent, Number(row.cells[2].textContent), row.cells[1].children.length]));
  assert.deepEqual(rows.map(([name, , bars]) => [name, bars]), [["bash", 1], ["ls", 1], ["fly", 0]], "what never ran has no bar");
  assert.deepEqual(rows.map(([, place]) => place).toSorted(), [1, 2, 3]);
  const ends = (await agent.events()).filter((event) => event.type === "tool_execution_end").map((event) => event.toolName);
  assert.deepEqual(rows.toSorted((a, b) => a[1] - b[1]).map(([name]) => name), ends);
});

test("by hand: a fault with words of its own and for a later call, a rule that is taken back, another system prompt", async (t) => {
  const agent = await t.open();
  const type = (id, text) => agent.do((element, id, text) => { element.shadowRoot.querySelector(`[data-testid="${id}"]`).value = text; }, id, text);
  await agent.click("tab-what-if");
  await until("the faults", async () => (await agent.texts("what-if")).length > 0);
  await type("fault-reason", "disk on fire");
  await type("fault-nth", "2");
  const arm = (kind) => agent.tab.click(`[data-fault="${kind}"]`);
  await arm("throw");
  await agent.click("fault-some");
  await arm("terminate");
  await until("them", async () => (await agent.state()).faults.length === 2);
  assert.deepEqual((await agent.state()).faults, [{ kind: "throw", reason: "disk on fire", nth: 2 }, { kind: "terminate", of: "some", nth: 2 }]);
  const rules = [{ tool: "read", path: "a.txt", decision: "deny" }, { tool: "bash", command: "rm", decision: "ask" }];
  await agent.do((element, rules) => element.setPolicy({ mode: "auto", rules }), rules);
  await until("the rules", async () => (await agent.texts("rule")).length === 2);
  await agent.do((element) => element.shadowRoot.querySelector('[data-testid="rule"] button').click());
  await until("one rule", async () => (await agent.state()).policy.rules.length === 1);
  assert.deepEqual((await agent.state()).policy.rules, [rules[1]]);
  await agent.do(({ debug }) => debug.clearFaults());
  await type("system-prompt", "You are a parrot.");
  await agent.click("system-set");
  await until("the edit", async () => (await agent.state()).modified);
  await agent.prompt("Hello");
  const [body] = await agent.do((element) => element.requests.map(({ body }) => JSON.parse(body)));
  assert.match(JSON.stringify(body.messages[0]), /You are a parrot/);
});
