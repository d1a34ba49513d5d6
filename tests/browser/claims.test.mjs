// Claims about the loop that no lesson and no other test causes: each is caused, and read off the screen, the events, the request
// and the files. docs/claims.md says where every one of the forty is.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

/** Plays turns of a scripted model at once, with what else a lesson may set up. */
const play = async (agent, turns, more = {}) => {
  const lesson = {
    id: "claim", title: "Claim", prompt: "Go.", model: { turns: turns.map((turn) => ({ ...(turn.calls && !turn.stop ? { stop: "toolUse" } : {}), ...turn })) },
    goal: { text: "It has run.", check: [{ text: "It has settled", seen: { event: "settled" } }] }, ...more,
  };
  await agent.do((element, lesson) => element.openLesson(lesson), lesson);
  return agent.do((element) => element.play({ fresh: true }));
};
const call = (name, args) => ({ name, arguments: args });
const bodies = async (agent) => (await agent.do((element) => element.requests)).map(({ body }) => JSON.parse(body));
const results = async (agent) => (await agent.transcript()).filter(({ role }) => role === "toolResult");
const textOf = (message) => message.content.map((block) => block.text ?? "").join("");

test("words about a call are no call (claim 6)", async (t) => {
  const agent = await t.open();
  await play(agent, [{ text: 'I will now read the file: read({"path":"a.txt"}).' }], { files: { "a.txt": "secret\n" } });
  assert.equal((await agent.attributes("tool-call", "data-call-id")).length, 0, "no card");
  assert.deepEqual((await agent.eventTypes()).filter((type) => type.startsWith("tool_")), []);
  assert.equal((await bodies(agent)).length, 1, "nothing went back");
});

test("the model is sent the content of a result and not its details (claim 8)", async (t) => {
  const agent = await t.open();
  await play(agent, [{ text: "e", calls: [call("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] })] }, { text: "done" }], { files: { "a.txt": "one\n" } });
  const [result] = await results(agent);
  assert.match(JSON.stringify(result.details), /two/, "the page has the difference");
  const [, second] = await bodies(agent);
  const sent = JSON.stringify(second.messages.filter(({ role }) => role === "tool"));
  assert.match(sent, /a\.txt/);
  assert.ok(!/details|patch|diff/.test(sent), sent);
  assert.equal(await agent.do(({ files }) => files.readText("a.txt")), "two\n");
});

test("what a tool did not look for is no evidence that it is not there (claim 10)", async (t) => {
  const agent = await t.open();
  const file = "const add = (a, b) => a + b;\nfunction sub(a, b) { return a - b; }\n";
  await play(agent, [{ text: "g", calls: [call("grep", { pattern: "function", path: "m.js" })] }, { text: "g", calls: [call("grep", { pattern: "=>", path: "m.js" })] }, { text: "both" }], { files: { "m.js": file }, tools: ["grep"] });
  const [first, second] = (await results(agent)).map(textOf);
  assert.ok(first.includes("sub") && !first.includes("add"), first);
  assert.ok(second.includes("add"), second);
});

test("a block the default text is put in place of, unless a reason is given (claim 18)", async (t) => {
  const agent = await t.open();
  const deny = { tool: "read", path: "a.txt", decision: "deny" };
  await play(agent, [{ text: "r", calls: [call("read", { path: "a.txt" }), call("read", { path: "b.txt" })] }, { text: "ok" }], {
    files: { "a.txt": "1\n", "b.txt": "2\n" }, policy: { mode: "auto", rules: [deny, { ...deny, path: "b.txt", reason: "Not on Sundays." }] },
  });
  assert.deepEqual((await results(agent)).map((result) => [textOf(result), result.isError, "durationMs" in result]), [["Tool execution was blocked", true, false], ["Not on Sundays.", true, false]]);
});

test("thoughts are opaque: the log has events of what was done, and a thought is closed on screen (claim 21)", async (t) => {
  const agent = await t.open();
  await play(agent, [{ thinking: "Nobody sees how I came to this.", text: "Four." }]);
  assert.ok(!(await agent.texts("transcript")).join("").includes("Nobody sees"), "closed");
  const [first] = await bodies(agent);
  assert.ok(!JSON.stringify(first).includes("Nobody sees"));
});

test("four lamps of evidence light one by one on a call (claim 24)", async (t) => {
  const agent = await t.open();
  await agent.click("run");
  await agent.status("paused");
  const lit = async () => agent.do((element) => element.shadowRoot.querySelector('[data-testid="tool-call"] .lamps')?.getAttribute("aria-label") ?? [...element.shadowRoot.querySelectorAll('[data-testid="tool-call"] .lamp, [data-testid="tool-call"] .lamps > *')].map((lamp) => lamp.className).join());
  const seen = [await lit()];
  for (let steps = 0; steps < 12 && (await agent.state()).status !== "idle"; steps += 1) {
    await agent.do(({ debug }) => debug.step());
    await until("the step", async () => ["paused", "idle"].includes((await agent.state()).status));
    const now = await lit();
    if (now !== seen.at(-1)) seen.push(now);
  }
  assert.ok(seen.length >= 3, `they change step by step: ${seen.join(" | ")}`);
});

test("the content of a response decides whether a call runs, not its stop reason alone (claim 25)", async (t) => {
  const agent = await t.open();
  await play(agent, [{ text: "r", calls: [call("read", { path: "a.txt" })], stop: "stop" }, { text: "r", calls: [call("read", { path: "a.txt" })], stop: "length" }, { text: "ok" }], { files: { "a.txt": "1\n" } });
  assert.deepEqual((await results(agent)).map((result) => [result.isError, "durationMs" in result]), [[false, true], [true, false]]);
});

test("a session is only added to, message by message, and there is no file before the first answer (claim 28)", async (t) => {
  const agent = await t.open();
  const list = () => agent.do(({ sessions }) => sessions.list());
  assert.deepEqual((await list()).filter(({ current }) => current).map(({ messages }) => messages ?? 0), [], "nothing is stored of an empty session");
  await agent.do((element) => { element.debug.breakpoints = [{ event: "message_end" }, { event: "turn_end" }, { event: "agent_end" }]; });
  await agent.start((element) => element.play());
  const versions = [];
  for (let holds = 0; holds < 40; holds += 1) {
    await until("a hold", async () => ["paused", "idle"].includes((await agent.state()).status) && (await agent.do((element) => element.lesson?.played)));
    const id = (await list()).find(({ current }) => current)?.id;
    if (id) versions.push(await agent.do(({ sessions }, id) => sessions.export(id), id));
    if ((await agent.state()).status === "idle") break;
    await agent.do(({ debug }) => debug.run());
  }
  assert.ok(new Set(versions).size >= 4, `${new Set(versions).size} versions`);
  versions.reduce((before, after) => (assert.ok(after.startsWith(before), "what was written stays as it was"), after), "");
});

test("the core knows no provider: the model is swapped in the middle of a session (claim 30)", async (t) => {
  const server = await t.model([answer({ text: "And I am a server." })]);
  const agent = await t.open();
  await play(agent, [{ text: "I am a script." }]);
  await agent.useModel(server);
  await agent.prompt("Who are you now?");
  assert.deepEqual((await agent.transcript()).filter(({ role }) => role === "assistant").map(({ api }) => api), ["scripted", "openai-completions"]);
  assert.deepEqual(server.requests[0].body.messages.filter(({ role }) => role !== "system").map(({ role, content }) => [role, JSON.stringify(content).includes("script") || role]), [["user", "user"], ["assistant", true], ["user", "user"]]);
});

test("turn_start comes before the request of its turn (claim 31)", async (t) => {
  const agent = await t.open();
  await play(agent, [{ text: "r", calls: [call("read", { path: "a.txt" })] }, { text: "ok" }], { files: { "a.txt": "1\n" } });
  const events = await agent.events();
  const requests = await agent.do((element) => element.requests.map(({ event, turn }) => ({ event, turn })));
  const starts = events.flatMap(({ type }, at) => (type === "turn_start" ? [at] : []));
  assert.equal(starts.length, 2);
  for (const { event, turn } of requests) {
    assert.ok(starts[turn - 1] < event, `request of turn ${turn}`);
    assert.ok(events.slice(starts[turn - 1], event).every(({ type, message }) => type !== "message_start" || message.role !== "assistant"), "nothing was answered before it");
  }
});

test("what a person puts in place of a result's content leaves its other fields as they are (claim 40)", async (t) => {
  const agent = await t.open();
  await agent.do((element) => { element.debug.breakpoints = [{ event: "tool_execution_end" }]; });
  await agent.do((element, lesson) => element.openLesson(lesson), {
    id: "claim", title: "Claim", prompt: "Go.", files: { "a.txt": "one\n" }, goal: { text: "g", check: [{ text: "c", seen: { event: "settled" } }] },
    model: { turns: [{ text: "e", calls: [call("edit", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] })], stop: "toolUse" }, { text: "ok" }] },
  });
  await agent.start((element) => element.play({ fresh: true }));
  await agent.status("paused");
  const callId = (await agent.events()).find(({ type }) => type === "tool_execution_start").toolCallId;
  await agent.do(({ debug }, callId) => debug.edit({ callId, result: "It was three." }), callId);
  await agent.do(({ debug }) => debug.run());
  await agent.status("idle");
  const [result] = await results(agent);
  assert.match(JSON.stringify(result.details), /two/, "the details are the tool's");
  assert.ok("durationMs" in result);
  const [, second] = await bodies(agent);
  assert.match(JSON.stringify(second.messages.at(-1)), /It was three\./, "the content is the person's");
});
