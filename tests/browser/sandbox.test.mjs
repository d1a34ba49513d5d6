// The free sandbox: tools of the reader's own, in a frame where they can reach nothing, and scripts for the scripted model.

import { createServer } from "node:http";

import { assert, test, until } from "./harness.mjs";

const schema = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
const toy = (name, code, more = {}) => ({ name, description: `The tool ${name}`, parameters: schema, code, ...more });
const call = (name, args) => ({ name, arguments: args });
/** Plays turns of a scripted model with toys, at once. */
const play = async (agent, toys, turns, more = {}) => {
  const lesson = {
    id: "sandbox", title: "Sandbox", prompt: "Go.", toys, model: { turns: turns.map((turn) => ({ ...(turn.calls ? { stop: "toolUse" } : {}), ...turn })) },
    goal: { text: "It has run.", check: [{ text: "It has settled", seen: { event: "settled" } }] }, ...more,
  };
  await agent.do((element, lesson) => element.openLesson(lesson), lesson);
  return agent.do((element) => element.play({ fresh: true }));
};
const results = async (agent) => (await agent.transcript()).filter(({ role }) => role === "toolResult")
  .map(({ content, isError }) => [content.map(({ text }) => text).join(""), isError]);
const body = async (agent, at) => JSON.parse((await agent.do((element) => element.requests.map(({ body }) => body)))[at]);

test("a tool of one's own is declared, judged by its schema, run and read (claim 38)", async (t) => {
  const agent = await t.open();
  await play(agent, [toy("add", "return args.a + args.b;")], [
    { calls: [call("add", { a: 2, b: "3" }), call("add", { a: "x", b: 1 })] }, { text: "Five." },
  ]);
  const [sum, wrong] = await results(agent);
  assert.deepEqual(sum, ["5", false], "a number in quotes is a number by the schema");
  assert.ok(wrong[1] && wrong[0].startsWith('Validation failed for tool "add"'), wrong[0]);
  const declared = (await body(agent, 0)).tools.find((tool) => tool.function.name === "add");
  assert.deepEqual([declared.function.description, declared.function.parameters], ["The tool add", schema]);
  // Another schema is another declaration and another judgement.
  const words = { ...schema, properties: { a: { type: "string" }, b: { type: "string" } } };
  await play(agent, [toy("add", "return args.a + args.b;", { parameters: words })], [{ calls: [call("add", { a: 2, b: "3" })] }, { text: "23." }]);
  assert.deepEqual((await results(agent))[0], ["23", false]);
});

test("what a tool of one's own gives back: a text, data, blocks; what it throws is an error", async (t) => {
  const agent = await t.open();
  const any = { parameters: { type: "object" } };
  await play(agent, [
    toy("text", "return 'hello';", any), toy("data", "return { a: [1, 2] };", any), toy("nothing", "", any), toy("later", "await new Promise((done) => setTimeout(done, 20)); return 1;", any),
    toy("whole", "return { content: [{ type: 'text', text: 'for the model' }], details: { for: 'the page' }, structuredContent: { n: 1 } };", any),
    toy("fails", "throw new Error('on purpose');", any), toy("broken", "return (", any), toy("circle", "const a = {}; a.a = a; return a;", any),
  ], [{ calls: ["text", "data", "nothing", "later", "whole", "fails", "broken", "circle"].map((name) => call(name, {})) }, { text: "ok" }]);
  const all = await results(agent);
  assert.deepEqual(all.slice(0, 6), [["hello", false], ['{"a":[1,2]}', false], ["null", false], ["1", false], ["for the model", false], ["on purpose", true]]);
  assert.ok(all[6][1] && all[7][1], JSON.stringify(all.slice(6)));
  const whole = (await agent.transcript()).find(({ toolName }) => toolName === "whole");
  assert.deepEqual(whole.details, { for: "the page" });
  const ended = (await agent.events()).find(({ type, toolName }) => type === "tool_execution_end" && toolName === "whole");
  assert.deepEqual(ended.result.structuredContent, { n: 1 });
  assert.ok(!JSON.stringify(await body(agent, 1)).includes("the page"), "details are not sent");
});

test("one tool that runs by itself serialises its batch (claim 26)", async (t) => {
  const agent = await t.open();
  const slow = (name, more) => toy(name, "await new Promise((done) => setTimeout(done, 150)); return 1;", { parameters: { type: "object" }, ...more });
  const order = async (sequential) => {
    await play(agent, [slow("one", { sequential }), slow("two")], [{ calls: [call("one", {}), call("two", {})] }, { text: "ok" }]);
    return (await agent.events()).filter(({ type }) => /^tool_execution_(start|end)$/.test(type)).map(({ type, toolName }) => `${toolName} ${type.slice(15)}`);
  };
  assert.deepEqual((await order(false)).slice(0, 2), ["one start", "two start"], "together");
  assert.deepEqual(await order(true), ["one start", "one end", "two start", "two end"], "one after the other");
});

test("a tool of one's own reaches no network, no storage and no page, and one that never ends is ended", async (t) => {
  t.allow(/Content.Security.Policy|CSP|blocked|Refused|violates|NetworkError|denied/i);
  const asked = [];
  const elsewhere = createServer((request, response) => (asked.push(request.url), response.writeHead(200, { "access-control-allow-origin": "*" }).end("")));
  await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  t.onClose(() => new Promise((resolve) => elsewhere.close(resolve)));
  const url = `http://127.0.0.1:${elsewhere.address().port}`;
  const agent = await t.open();
  const any = { parameters: { type: "object" } };
  const tries = `
    const got = [];
    const attempt = async (name, act) => { try { await act(); got.push(name); } catch {} };
    await attempt("fetch", () => fetch("${url}/fetch"));
    await attempt("import", () => import("${url}/import.js"));
    await attempt("importScripts", () => importScripts("${url}/scripts.js"));
    await attempt("xhr", () => { const x = new XMLHttpRequest(); x.open("GET", "${url}/xhr", false); x.send(); });
    await attempt("socket", () => new Promise((done, fail) => { const s = new WebSocket("${url.replace("http", "ws")}/s"); s.onopen = done; s.onerror = fail; setTimeout(fail, 300); }));
    await attempt("database", () => new Promise((done, fail) => { const r = indexedDB.open("x"); r.onsuccess = done; r.onerror = fail; }));
    await attempt("opfs", () => navigator.storage.getDirectory());
    await attempt("window", () => window.document.title);
    await attempt("parent", () => parent.document.title);
    return got.join();`;
  await play(agent, [toy("tries", tries, any), toy("loops", "for (;;) {}", any)], [{ calls: [call("tries", {})] }, { text: "ok" }]);
  assert.deepEqual(await results(agent), [['', false]].map(([text]) => [text, false]));
  assert.deepEqual(asked, []);
  // Stop ends one that never would.
  await agent.do((element, lesson) => element.openLesson(lesson), {
    id: "loop", title: "Loop", prompt: "Go.", toys: [toy("loops", "for (;;) {}", any)], model: { turns: [{ calls: [call("loops", {})], stop: "toolUse" }, { text: "ok" }] },
    goal: { text: "g", check: [{ text: "c", seen: { event: "settled" } }] },
  });
  await agent.start((element) => element.play({ fresh: true }));
  await until("it to run", async () => (await agent.events()).some(({ type, toolName }) => type === "tool_execution_start" && toolName === "loops"));
  await agent.do((element) => element.abort());
  await agent.status("idle");
  assert.equal((await results(agent))[0][1], true);
  // The next one works: the frame was not lost with it.
  await play(agent, [toy("fine", "return 'fine';", any)], [{ calls: [call("fine", {})] }, { text: "ok" }]);
  assert.deepEqual(await results(agent), [["fine", false]]);
});

test("bad tools are refused as a whole, with a reason", async (t) => {
  const agent = await t.open();
  const set = (toys) => agent.do((element, toys) => element.setToyTools(toys).then(() => "taken", ({ code, message }) => `${code}: ${message}`), toys);
  assert.equal(await set([toy("good", "return 1;")]), "taken");
  const names = async () => (await agent.state()).tools.map(({ name }) => name);
  assert.ok((await names()).includes("good"));
  assert.match(await set([toy("other", ""), toy("read", "")]), /^invalid-tool: there is a tool read already/);
  assert.match(await set([toy("no spaces", "")]), /^invalid-tool: "no spaces" is no name of a tool/);
  assert.match(await set([toy("twice", ""), toy("twice", "")]), /^invalid-tool: there is a tool twice already/);
  assert.match(await set([toy("odd", "", { parameters: { type: "object", oneOf: [] } })]), /^invalid-tool: the schema of odd: /);
  assert.match(await set([{ name: "half" }]), /^invalid-argument: /);
  assert.ok((await names()).includes("good") && !(await names()).includes("other"), "nothing was taken of a list that was refused");
  await agent.do((element) => element.setTools(["read"]));
  assert.deepEqual((await agent.state()).tools.filter(({ on }) => on).map(({ name }) => name), ["read"], "they are switched as all others");
});

test("by hand: a tool is made, a call of it is added to a script, and the script is played and saved as a lesson", async (t) => {
  const agent = await t.open();
  await agent.click("tab-sandbox");
  await until("the sandbox", async () => (await agent.texts("sandbox")).length > 0);
  await agent.click("toy-save");
  await until("the tool", async () => (await agent.texts("toy")).length === 1);
  await agent.do((element) => {
    const select = element.shadowRoot.querySelector('[data-testid="turn-tool"]');
    select.value = "add";
  });
  await agent.click("add-call");
  await agent.click("add-words");
  const turns = await agent.do((element) => JSON.parse(element.shadowRoot.querySelector('[data-testid="sandbox-turns"]').value));
  assert.deepEqual(turns, [{ calls: [{ name: "add", arguments: { a: 1, b: 1 } }], stop: "toolUse" }, { text: "Done." }]);
  await agent.click("sandbox-play");
  await until("the run", async () => (await results(agent)).length === 1);
  await agent.status("idle");
  assert.deepEqual(await results(agent), [["2", false]]);
  // What is no JSON is said with its line, and nothing is lost.
  await agent.do((element) => {
    const field = element.shadowRoot.querySelector('[data-testid="sandbox-turns"]');
    field.value = "[\n  { oops }\n]";
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await agent.click("sandbox-play");
  await agent.sees(/^Line 2 is no JSON/, "sandbox-problem");
  // Another tab and back: it is all still there.
  await agent.click("tab-log");
  await agent.click("tab-sandbox");
  await until("the text", () => agent.do((element) => element.shadowRoot.querySelector('[data-testid="sandbox-turns"]')?.value.includes("oops")));
  assert.equal((await agent.texts("toy")).length, 1);
});
