// What a person does to a run, through the public API: edits, what-if faults, approvals, and playing a part. Each test asks
// three things: what the events say, what the model was sent, what is in the files.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const reading = { id: "c1", name: "read", arguments: { path: "a.txt" } };
const writing = { id: "w1", name: "write", arguments: { path: "b.txt", content: "new\n" } };

/** A session with a file, a model server and notes of what was told. */
const begin = async (t, answers, files = { "a.txt": "first line\n" }) => {
  const server = await t.model(answers);
  const agent = await t.open();
  await agent.useModel(server);
  for (const [path, text] of Object.entries(files)) await agent.do((element, path, text) => element.files.writeText(path, text), path, text);
  await agent.do((element) => {
    window.told = [];
    for (const type of ["fault", "edited", "approval", "part"]) element.addEventListener(`vitrine-${type}`, ({ detail }) => window.told.push([type, detail]));
    window.states = [];
    element.addEventListener("vitrine-trace", ({ detail }) => window.states.push(`${detail.callId} ${detail.state}`));
  });
  return { server, agent };
};
const told = (agent, type) => agent.do((_, type) => window.told.filter(([name]) => name === type).map(([, detail]) => detail), type);
const states = (agent, callId) => agent.do((_, callId) => window.states.filter((line) => line.startsWith(`${callId} `)).map((line) => line.slice(callId.length + 1)), callId);
const results = async (agent) => (await agent.transcript()).filter((message) => message.role === "toolResult").map((message) => ({
  id: message.toolCallId, text: message.content.map((block) => block.text).join(""), isError: message.isError, ran: message.durationMs !== undefined,
}));
/** What the model read as the result of each call in a request. */
const sent = (request) => request.body.messages.filter((message) => message.role === "tool").map((message) => message.content);

/** Holds a run at the first call, before anything has been done about it. */
const holdAtCall = async (agent) => {
  await agent.do((element) => { element.debug.breakpoints = [{ event: "tool_execution_start" }]; });
  await agent.startPrompt("go");
  await agent.status("paused");
};

const fault = (agent, fault) => agent.do((element, fault) => element.debug.fault(fault), fault);

// --- what-if faults ---

/** kind, more of the fault, the calls of the response, then: each result, the states of the first call, whether the tool ran. */
const CALL_FAULTS = [
  { kind: "unknown-tool", calls: [reading], texts: [/^Tool read_that_does_not_exist not found$/], isError: [true], states: ["requested", "not-found", "recorded"] },
  { kind: "invalid-arguments", calls: [reading], texts: [/^Validation failed for tool "read":[^]*path/], isError: [true], states: ["requested", "found", "prepared", "invalid", "recorded"] },
  { kind: "missing-file", calls: [reading], texts: [/ENOENT.*a\.txt\.missing/], isError: [true], states: ["requested", "found", "prepared", "valid", "admitted", "executing", "threw", "recorded"] },
  { kind: "block", calls: [reading], texts: [/^Tool execution was blocked$/], isError: [true], states: ["requested", "found", "prepared", "valid", "blocked", "recorded"] },
  { kind: "block", reason: "not on a Tuesday", calls: [reading], texts: [/^not on a Tuesday$/], isError: [true], states: ["requested", "found", "prepared", "valid", "blocked", "recorded"] },
  { kind: "throw", reason: "disk on fire", calls: [reading], texts: [/^disk on fire$/], isError: [true], states: ["requested", "found", "prepared", "valid", "admitted", "executing", "threw", "recorded"] },
  { kind: "length", calls: [writing], texts: [/was not executed: the response hit the output token limit/], isError: [true], states: ["requested", "truncated", "recorded"] },
];

for (const { kind, reason, calls, texts, isError, states: wanted } of CALL_FAULTS) {
  test(`a fault on a call: ${kind}${reason ? ", with a reason" : ""}`, async (t) => {
    const { server, agent } = await begin(t, [answer({ calls }), answer({ text: "I see." })]);
    await fault(agent, { kind, ...(reason ? { reason } : {}) });
    assert.deepEqual((await agent.state()).faults, [{ kind, ...(reason ? { reason } : {}) }]);
    const result = await agent.prompt("go");
    assert.equal(result.stopReason, "stop");
    const found = await results(agent);
    texts.forEach((text, at) => assert.match(found[at].text, text));
    assert.deepEqual(found.map((result) => result.isError), isError);
    assert.deepEqual(await states(agent, calls[0].id), wanted);
    assert.equal(found[0].ran, wanted.includes("executing"));
    // The model was told, in the next request, what the transcript says.
    assert.match(sent(server.requests[1])[0], texts[0]);
    assert.deepEqual((await told(agent, "fault")).map((fault) => fault.kind), [kind]);
    const state = await agent.state();
    assert.deepEqual([state.faults, state.modified], [[], true]);
    if (kind === "length") assert.deepEqual((await agent.do((element) => element.files.list())).map((file) => file.name), ["a.txt"]);
  });
}

test("a fault waits for what it can act on, and for the n-th", async (t) => {
  const { agent } = await begin(t, [
    answer({ calls: [{ id: "l1", name: "ls", arguments: {} }, { ...reading, id: "c1" }] }),
    answer({ calls: [{ ...reading, id: "c2" }, { ...reading, id: "c3" }] }),
    answer({ text: "done" }),
  ]);
  await fault(agent, { kind: "missing-file" });
  await fault(agent, { kind: "block", nth: 3 });
  await agent.prompt("go");
  assert.deepEqual((await results(agent)).map((result) => [result.id, /missing/.test(result.text), /blocked/.test(result.text)]), [
    ["l1", false, false], ["c1", true, false], ["c2", false, true], ["c3", false, false],
  ]);
});

test("faults that are taken back do nothing", async (t) => {
  const { agent } = await begin(t, [answer({ calls: [reading] }), answer({ text: "done" })]);
  await fault(agent, { kind: "throw" });
  await agent.do((element) => element.debug.clearFaults());
  await agent.prompt("go");
  assert.deepEqual((await results(agent)).map((result) => result.isError), [false]);
  assert.equal((await agent.state()).modified, false);
  const refused = await agent.do((element) => element.debug.fault({ kind: "earthquake" }).catch(({ code, message }) => ({ code, message })));
  assert.equal(refused.code, "invalid-argument");
  assert.match(refused.message, /earthquake/);
});

test("terminate stops the run when every result says so, and not when some do", async (t) => {
  const three = ["x", "y", "z"].map((id) => ({ ...reading, id }));
  const { server, agent } = await begin(t, [answer({ calls: three }), answer({ calls: three.map((call) => ({ ...call, id: `${call.id}2` })) }), answer({ text: "never asked" })]);
  await fault(agent, { kind: "terminate", of: "some" });
  await fault(agent, { kind: "terminate", nth: 2 });
  const result = await agent.prompt("go");
  const ends = (await agent.events()).filter((event) => event.type === "tool_execution_end");
  assert.deepEqual(ends.map((event) => event.result.terminate === true), [true, true, false, true, true, true]);
  assert.equal(result.turns, 2);
  assert.equal(server.requests.length, 2);
});

test("calls that finish in reverse have their results in the order in which they were asked for", async (t) => {
  const three = ["x", "y", "z"].map((id) => ({ ...reading, id }));
  const { server, agent } = await begin(t, [answer({ calls: three }), answer({ text: "done" })]);
  await fault(agent, { kind: "reverse-order" });
  await agent.prompt("go");
  const events = await agent.events();
  assert.deepEqual(events.filter((event) => event.type === "tool_execution_end").map((event) => event.toolCallId), ["z", "y", "x"]);
  assert.deepEqual((await results(agent)).map((result) => result.id), ["x", "y", "z"]);
  assert.deepEqual(server.requests[1].body.messages.filter((message) => message.role === "tool").map((message) => message.tool_call_id), ["x", "y", "z"]);
});

test("reversing calls that run one after the other holds nobody up", async (t) => {
  const { agent } = await begin(t, [answer({ calls: [{ id: "b1", name: "bash", arguments: { command: "echo 1" } }, { id: "b2", name: "bash", arguments: { command: "echo 2" } }] }), answer({ text: "done" })]);
  await fault(agent, { kind: "reverse-order" });
  assert.equal((await agent.prompt("go")).stopReason, "stop");
  assert.deepEqual((await results(agent)).map((result) => result.text.trim()), ["1", "2"]);
});

test("a slow call takes its time, and an abort ends it", async (t) => {
  const { agent } = await begin(t, [answer({ calls: [reading] }), answer({ calls: [{ ...reading, id: "c2" }] })]);
  await fault(agent, { kind: "slow" });
  await fault(agent, { kind: "slow", nth: 2 });
  await agent.startPrompt("go");
  await until("the second call", async () => (await agent.events()).some((event) => event.type === "tool_execution_start" && event.toolCallId === "c2"));
  const first = (await agent.transcript()).find((message) => message.toolCallId === "c1");
  assert.ok(first.durationMs >= 2900, `${first.durationMs} ms`);
  const before = Date.now();
  await agent.do((element) => element.abort());
  assert.ok(Date.now() - before < 2000);
  assert.equal((await agent.finished()).value.aborted, true);
  assert.equal((await results(agent)).length, 2);
});

test("an abort as a call begins: every call has a result, and nobody is asked any more", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [reading, { ...reading, id: "c2" }] }), answer({ text: "never asked" })]);
  await fault(agent, { kind: "abort" });
  const result = await agent.prompt("go");
  assert.equal(result.aborted, true);
  assert.equal(server.requests.length, 1);
  assert.deepEqual((await results(agent)).map((result) => result.id), ["c1", "c2"]);
});

test("a result that is dropped is in the history and in no request", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [reading] }), answer({ text: "Did it run?" })]);
  await fault(agent, { kind: "drop-result" });
  await agent.prompt("go");
  assert.deepEqual((await results(agent)).map((result) => result.text), ["first line\n"]);
  assert.deepEqual(sent(server.requests[1]).filter((text) => /first line/.test(text)), []);
});

test("an update that comes late is told and changes nothing", async (t) => {
  const { agent } = await begin(t, [answer({ calls: [reading] }), answer({ text: "slowly now ".repeat(40), wait: 20 })]);
  await fault(agent, { kind: "late-update" });
  await agent.prompt("go");
  assert.deepEqual((await told(agent, "fault")).map((fault) => [fault.kind, fault.callId]), [["late-update", "c1"]]);
  assert.deepEqual((await agent.events()).filter((event) => event.type === "tool_execution_update"), []);
  assert.deepEqual((await results(agent)).map((result) => result.text), ["first line\n"]);
});

for (const [kind, words, n] of [["overloaded", /529 overloaded_error/, 0], ["context-overflow", /prompt is too long/, 0], ["malformed-stream", /Stream ended without finish_reason/, 1]]) {
  test(`a provider that fails: ${kind}; going on asks anew`, async (t) => {
    const { server, agent } = await begin(t, [...(n ? [answer({ text: "a beginning of some length" })] : []), answer({ text: "there it is" })]);
    await fault(agent, { kind });
    const result = await agent.prompt("go");
    assert.equal(result.stopReason, "error");
    assert.match(result.errorMessage, words);
    assert.equal(server.requests.length, n);
    const again = await agent.do((element) => element.continue());
    assert.deepEqual([again.stopReason, again.text], ["stop", "there it is"]);
    assert.equal(server.requests.length, n + 1);
  });
}

// --- edits ---

test("arguments that are edited before the call runs are what runs; the model's own stay in the history", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [reading] }), answer({ text: "done" })], { "a.txt": "a\n", "other.txt": "other\n" });
  await holdAtCall(agent);
  await agent.do((element) => element.debug.edit({ callId: "c1", args: { path: "other.txt" } }));
  await agent.do((element) => element.debug.run());
  await agent.finished();
  assert.deepEqual((await results(agent)).map((result) => result.text), ["other\n"]);
  assert.deepEqual((await agent.story())[1].calls, [["read", { path: "a.txt" }]]);
  assert.deepEqual(sent(server.requests[1]), ["other\n"]);
  assert.deepEqual(await told(agent, "edited"), [{ what: "args", callId: "c1", value: { path: "other.txt" } }]);
  assert.equal((await agent.state()).modified, true);
});

test("edited arguments are checked as the model's are", async (t) => {
  const { agent } = await begin(t, [answer({ calls: [reading] }), answer({ text: "done" })]);
  await holdAtCall(agent);
  await agent.do((element) => element.debug.edit({ callId: "c1", args: { path: { no: "path" } } }));
  await agent.do((element) => element.debug.run());
  await agent.finished();
  const [result] = await results(agent);
  assert.match(result.text, /^Validation failed for tool "read"/);
  assert.equal(result.isError, true);
  assert.ok((await states(agent, "c1")).includes("invalid"));
});

test("a result that is given before the call runs stands in its place: the tool never runs", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [writing] }), answer({ text: "done" })]);
  await holdAtCall(agent);
  await agent.do((element) => element.debug.edit({ callId: "w1", result: "It is written, believe me." }));
  await agent.do((element) => element.debug.run());
  await agent.finished();
  assert.deepEqual(sent(server.requests[1]), ["It is written, believe me."]);
  assert.deepEqual((await agent.do((element) => element.files.list())).map((file) => file.name), ["a.txt"]);
});

test("a result that is edited after the call is another one in later requests; the history keeps what was", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [reading] }), answer({ text: "one" }), answer({ text: "two" })]);
  await agent.do((element) => { element.debug.breakpoints = [{ event: "turn_end" }]; });
  await agent.startPrompt("go");
  await agent.status("paused");
  await agent.do((element) => element.debug.edit({ callId: "c1", result: "The file is empty." }));
  await agent.do((element) => { element.debug.breakpoints = []; return element.debug.run(); });
  await agent.finished();
  assert.deepEqual((await results(agent)).map((result) => result.text), ["first line\n"]);
  assert.deepEqual(sent(server.requests[1]), ["The file is empty."]);
  await agent.prompt("again");
  assert.deepEqual(sent(server.requests[2]), ["The file is empty."]);
  const lines = (await agent.do(async (element) => element.sessions.export((await element.sessions.list()).find((session) => session.current).id))).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.filter((line) => line.type === "context_edit").map((line) => line.replacement.content), [[{ type: "text", text: "The file is empty." }]]);
});

test("a result that is edited when it is made and before it is in the history is another one in later requests", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [reading, { ...reading, id: "c2" }] }), answer({ text: "done" })]);
  await fault(agent, { kind: "slow", nth: 2 });
  await agent.startPrompt("go");
  await until("the first call to end", async () => (await agent.events()).some((event) => event.type === "tool_execution_end" && event.toolCallId === "c1"));
  await agent.do((element) => element.debug.edit({ callId: "c1", result: "other" }));
  await agent.finished();
  assert.deepEqual(sent(server.requests[1]), ["other", "first line\n"]);
  assert.deepEqual((await results(agent)).map((result) => result.text), ["first line\n", "first line\n"]);
});

test("the system prompt of later requests, and the messages of the next one alone, can be other ones", async (t) => {
  const { server, agent } = await begin(t, [answer({ text: "one" }), answer({ text: "two" }), answer({ text: "three" })]);
  await agent.prompt("first");
  await agent.do((element) => element.debug.edit({ system: "Speak like a pirate." }));
  await agent.prompt("second");
  const system = (request) => request.body.messages.filter((message) => message.role === "system").map((message) => message.content).join("\n");
  assert.doesNotMatch(system(server.requests[0]), /pirate/);
  assert.match(system(server.requests[1]), /^Speak like a pirate\.$/);
  assert.deepEqual(server.requests[1].body.tools.map((tool) => tool.function.name), server.requests[0].body.tools.map((tool) => tool.function.name));
  await agent.do((element) => element.debug.edit({ request: { messages: [{ role: "user", content: "only this", timestamp: 1 }] } }));
  await agent.prompt("third");
  assert.deepEqual(server.requests[2].body.messages.map((message) => [message.role, message.content]), [["user", "only this"]]);
  assert.deepEqual((await agent.story()).map((entry) => entry.user).filter(Boolean), ["first", "second", "third"]);
});

test("what cannot be edited any more is refused with a reason", async (t) => {
  const { agent } = await begin(t, [answer({ calls: [reading] }), answer({ text: "done" })]);
  await agent.prompt("go");
  const refused = (edit) => agent.do((element, edit) => element.debug.edit(edit).then(() => "edited", ({ code }) => code), edit);
  assert.equal(await refused({ callId: "c1", args: { path: "x" } }), "too-late");
  assert.equal(await refused({ callId: "none", args: { path: "x" } }), "call-not-found");
  assert.equal(await refused({ callId: "none", result: "x" }), "call-not-found");
  assert.equal(await refused({ callId: "c1", args: [1] }), "invalid-argument");
  assert.equal(await refused({ callId: "c1" }), "invalid-argument");
  assert.equal(await refused({ request: { messages: [] } }), "invalid-argument");
});

// --- approvals ---

const setPolicy = (agent, policy) => agent.do((element, policy) => element.setPolicy(policy), policy);
const decide = (agent, decisions) => agent.do((element, decisions) => element.decide(decisions), decisions);
const list = async (agent) => (await agent.do((element) => element.files.list())).map((file) => file.name);

test("a change is asked about with what it would do; denied with a reason, the model reads the reason", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [reading, writing] }), answer({ text: "a pity" })]);
  await setPolicy(agent, { mode: "ask" });
  await agent.startPrompt("go");
  await agent.status("waiting");
  const [approval] = await told(agent, "approval");
  assert.deepEqual(approval.calls.map(({ effect, ...call }) => [call, { ...effect, patch: undefined }]), [
    [{ callId: "w1", tool: "write", args: writing.arguments, asked: true }, { kind: "diff", path: "b.txt", added: 1, removed: 0, patch: undefined }],
  ]);
  assert.match(approval.calls[0].effect.patch, /\+new/);
  assert.deepEqual(await list(agent), ["a.txt"]);
  await decide(agent, [{ callId: "w1", decision: "deny", reason: "Not in this folder." }]);
  await agent.finished();
  assert.deepEqual(await list(agent), ["a.txt"]);
  assert.deepEqual(sent(server.requests[1]), ["first line\n", "Not in this folder."]);
  assert.deepEqual((await results(agent)).map((result) => [result.isError, result.ran]), [[false, true], [true, false]]);
  assert.equal((await told(agent, "approval")).at(-1), null);
  assert.equal((await agent.state()).modified, false);
});

test("a batch is decided row by row, also before its turn, and allowed with other arguments", async (t) => {
  const calls = ["1", "2", "3"].map((n) => ({ id: `w${n}`, name: "write", arguments: { path: `${n}.txt`, content: n } }));
  const { agent } = await begin(t, [answer({ calls }), answer({ text: "done" })]);
  await setPolicy(agent, { mode: "ask" });
  await agent.startPrompt("go");
  await agent.status("waiting");
  const [approval] = await told(agent, "approval");
  assert.deepEqual(approval.calls.map((call) => [call.callId, call.asked]), [["w1", true], ["w2", false], ["w3", false]]);
  const invalid = await agent.do((element) => element.decide([{ callId: "w2", decision: "deny" }, { callId: "w3", decision: "allow", args: { path: 5, content: {} } }]).catch(({ code }) => code));
  assert.equal(invalid, "invalid-arguments");
  await decide(agent, [{ callId: "w3", decision: "allow", args: { path: "three.txt", content: "III" } }, { callId: "w2", decision: "deny" }]);
  assert.equal((await agent.state()).status, "waiting");
  await decide(agent, { callId: "w1", decision: "allow" });
  await agent.finished();
  assert.deepEqual(await list(agent), ["1.txt", "a.txt", "three.txt"]);
  assert.deepEqual((await results(agent)).map((result) => [result.id, result.isError]), [["w1", false], ["w2", true], ["w3", false]]);
  assert.equal(await agent.do((element) => element.decide({ callId: "w1", decision: "allow" }).catch(({ code }) => code)), "not-asked");
});

test("allowed for the session is a rule that is seen and can be taken back", async (t) => {
  const write = (id) => ({ id, name: "write", arguments: { path: `${id}.txt`, content: id } });
  const { agent } = await begin(t, [answer({ calls: [write("x"), write("y")] }), answer({ text: "1" }), answer({ calls: [write("z")] }), answer({ text: "2" }), answer({ calls: [write("q")] }), answer({ text: "3" })]);
  await setPolicy(agent, { mode: "ask" });
  await agent.startPrompt("go");
  await agent.status("waiting");
  await decide(agent, { callId: "x", decision: "allow-session" });
  await agent.finished();
  assert.deepEqual((await agent.state()).policy, { mode: "ask", rules: [{ tool: "write", decision: "allow" }] });
  await agent.prompt("more");
  assert.deepEqual(await list(agent), ["a.txt", "x.txt", "y.txt", "z.txt"]);
  await setPolicy(agent, { mode: "ask", rules: [] });
  await agent.startPrompt("and more");
  await agent.status("waiting");
  await decide(agent, { callId: "q", decision: "deny" });
  await agent.finished();
  assert.deepEqual(await list(agent), ["a.txt", "x.txt", "y.txt", "z.txt"]);
});

for (const order of ["one after the other", "together"]) {
  test(`a call that was denied before its turn stays denied when another of its tool is allowed for the session: ${order}`, async (t) => {
    const calls = ["1", "2", "3"].map((n) => ({ id: `w${n}`, name: "write", arguments: { path: `${n}.txt`, content: n } }));
    const { agent } = await begin(t, [answer({ calls }), answer({ text: "done" })]);
    await setPolicy(agent, { mode: "ask" });
    await agent.startPrompt("go");
    await agent.status("waiting");
    const deny = { callId: "w3", decision: "deny", reason: "no" };
    const allow = { callId: "w1", decision: "allow-session" };
    for (const decisions of order === "together" ? [[deny, allow]] : [deny, allow]) await decide(agent, decisions);
    await agent.finished();
    assert.deepEqual(await list(agent), ["1.txt", "2.txt", "a.txt"]);
    assert.equal((await results(agent))[2].text, "no");
    assert.equal((await told(agent, "approval")).at(-1), null);
  });
}

test("arguments that were allowed before their turn are what runs when another of the tool is allowed for the session", async (t) => {
  const calls = ["1", "2"].map((n) => ({ id: `w${n}`, name: "write", arguments: { path: `${n}.txt`, content: n } }));
  const { agent } = await begin(t, [answer({ calls }), answer({ text: "done" })]);
  await setPolicy(agent, { mode: "ask" });
  await agent.startPrompt("go");
  await agent.status("waiting");
  await decide(agent, { callId: "w2", decision: "allow", args: { path: "edited.txt", content: "x" } });
  await decide(agent, { callId: "w1", decision: "allow-session" });
  await agent.finished();
  assert.deepEqual(await list(agent), ["1.txt", "a.txt", "edited.txt"]);
});

test("a rule about paths is about where a path leads, however it is written", async (t) => {
  const secret = ["secret/key", "/workspace/secret/key", "x/../secret/key"].map((path, n) => ({ id: `r${n}`, name: "read", arguments: { path } }));
  const { agent } = await begin(t, [
    answer({ calls: secret }), answer({ text: "1" }), answer({ calls: [{ id: "w", name: "write", arguments: { path: "src/../a.txt", content: "gone" } }] }), answer({ text: "2" }),
  ], { "secret/key": "hidden", "a.txt": "first line\n" });
  await setPolicy(agent, { rules: [{ tool: "read", path: "secret/**", decision: "deny", reason: "no" }] });
  await agent.prompt("go");
  assert.deepEqual((await results(agent)).map((result) => result.text), ["no", "no", "no"]);
  await setPolicy(agent, { mode: "ask", rules: [{ tool: "write", path: "src/**", decision: "allow" }] });
  await agent.startPrompt("again");
  await agent.status("waiting");
  assert.equal(await agent.do((element) => element.files.readText("a.txt")), "first line\n");
  await decide(agent, { callId: "w", decision: "deny" });
  await agent.finished();
});

test("edits: files are changed without asking, commands are asked about; a denied command is denied in a chain, too", async (t) => {
  const bash = (id, command) => ({ id, name: "bash", arguments: { command } });
  const { agent } = await begin(t, [answer({ calls: [writing, bash("b1", "rm a.txt; true"), bash("b2", "echo hi")] }), answer({ text: "done" })]);
  await setPolicy(agent, { mode: "edits", rules: [{ tool: "bash", command: "rm", decision: "deny", reason: "no rm" }] });
  await agent.startPrompt("go");
  await agent.status("waiting");
  const [approval] = await told(agent, "approval");
  assert.deepEqual(approval.calls.map(({ callId, effect }) => [callId, effect]), [["b2", { kind: "command", command: "echo hi" }]]);
  await decide(agent, { callId: "b2", decision: "allow" });
  await agent.finished();
  assert.deepEqual(await list(agent), ["a.txt", "b.txt"]);
  assert.deepEqual((await results(agent)).map((result) => result.text.trim()), ["Successfully wrote to b.txt", "no rm", "hi"]);
});

test("a policy that is changed while calls are listed decides those to come, and nothing stays on screen", async (t) => {
  const calls = ["1", "2"].map((n) => ({ id: `w${n}`, name: "write", arguments: { path: `${n}.txt`, content: n } }));
  const { agent } = await begin(t, [answer({ calls }), answer({ text: "slowly ".repeat(60), wait: 20 })]);
  await setPolicy(agent, { mode: "ask" });
  await agent.startPrompt("go");
  await agent.status("waiting");
  await setPolicy(agent, { mode: "auto" });
  await decide(agent, { callId: "w1", decision: "allow" });
  await until("the second answer", async () => (await agent.state()).turn === 2);
  assert.deepEqual(await agent.texts("approval"), []);
  assert.equal((await told(agent, "approval")).at(-1), null);
  await agent.finished();
  assert.deepEqual(await list(agent), ["1.txt", "2.txt", "a.txt"]);
});

test("read-only: tools that change something are not offered, and asked for all the same they are not found", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [writing] }), answer({ text: "done" }), answer({ text: "more" })]);
  await setPolicy(agent, { mode: "read-only" });
  await agent.prompt("go");
  assert.deepEqual(server.requests[0].body.tools.map((tool) => tool.function.name).sort(), ["ls", "read"]);
  assert.deepEqual(sent(server.requests[1]), ["Tool write not found"]);
  await setPolicy(agent, {});
  await agent.prompt("again");
  assert.deepEqual(server.requests[2].body.tools.map((tool) => tool.function.name).sort(), ["bash", "edit", "ls", "read", "write"]);
});

test("an abort ends the asking; a host page that answers itself is shown no dock", async (t) => {
  const { agent } = await begin(t, [answer({ calls: [writing] }), answer({ calls: [{ ...writing, id: "w2" }] }), answer({ text: "done" })]);
  await setPolicy(agent, { mode: "ask" });
  await agent.startPrompt("go");
  await agent.status("waiting");
  await agent.do((element) => element.abort());
  assert.equal((await agent.finished()).value.aborted, true);
  assert.deepEqual(await list(agent), ["a.txt"]);
  assert.equal((await told(agent, "approval")).at(-1), null);
  await agent.do((element) => element.addEventListener("vitrine-approval", (event) => {
    event.preventDefault();
    for (const call of event.detail?.calls ?? []) if (!call.decision) element.decide({ callId: call.callId, decision: "allow" });
  }));
  await agent.prompt("again");
  assert.deepEqual(await list(agent), ["a.txt", "b.txt"]);
});

// --- playing a part ---

test("be the model: the run waits for the answer, calls and all", async (t) => {
  const { server, agent } = await begin(t, []);
  await agent.do((element) => element.debug.playPart("model"));
  await agent.startPrompt("What is in a.txt?");
  await agent.status("waiting");
  const [first] = await told(agent, "part");
  assert.deepEqual([first.part, first.request, first.tools.map((tool) => tool.name).sort()], ["model", 1, ["bash", "edit", "ls", "read", "write"]]);
  await agent.do((element) => element.debug.answerAsModel([{ type: "text", text: "I look." }, { type: "toolCall", id: "", name: "read", arguments: { path: "a.txt" } }]));
  await until("the second request", async () => (await told(agent, "part")).filter((part) => part?.request === 2).length === 1);
  assert.equal(await agent.do((element) => element.debug.answerAsModel([]).catch(({ code }) => code)), "invalid-argument");
  await agent.do((element) => element.debug.answerAsModel([{ type: "text", text: "A first line." }]));
  const { value } = await agent.finished();
  assert.deepEqual([value.text, value.turns, value.stopReason], ["A first line.", 2, "stop"]);
  assert.deepEqual((await results(agent)).map((result) => result.text), ["first line\n"]);
  assert.equal(server.requests.length, 0);
  await agent.startPrompt("more");
  await agent.status("waiting");
  await agent.do((element) => element.abort());
  assert.equal((await agent.finished()).value.aborted, true);
});

test("be the harness: each call waits to be rejected, run, or given a result", async (t) => {
  const calls = ["1", "2", "3"].map((n) => ({ id: `w${n}`, name: "write", arguments: { path: `${n}.txt`, content: n } }));
  const { server, agent } = await begin(t, [answer({ calls }), answer({ text: "done" })]);
  await agent.do((element) => element.debug.playPart("harness"));
  await agent.startPrompt("go");
  for (const given of [{ action: "reject", text: "no" }, { action: "run" }, { action: "result", text: "done already", isError: false }]) {
    const callId = await until("a call", async () => {
      const last = (await told(agent, "part")).at(-1);
      return (await agent.state()).status === "waiting" && last?.callId;
    });
    await agent.do((element, answer) => element.debug.answerAsHarness(answer), { callId, ...given });
  }
  await agent.finished();
  assert.deepEqual(sent(server.requests[1]), ["no", "Successfully wrote to 2.txt", "done already"]);
  assert.deepEqual(await list(agent), ["2.txt", "a.txt"]);
  assert.equal(await agent.do((element) => element.debug.answerAsHarness({ callId: "w1", action: "run" }).catch(({ code }) => code)), "not-asked");
});

test("the question is docked above the composer: focus on the question and not on Allow, Escape denies, a reason is read", async (t) => {
  const { server, agent } = await begin(t, [answer({ calls: [{ id: "e1", name: "edit", arguments: { path: "a.txt", edits: [{ oldText: "first", newText: "second" }] } }, { id: "b1", name: "bash", arguments: { command: "rm -r src" } }] }), answer({ text: "a pity" }), answer({ calls: [writing] }), answer({ text: "done" })]);
  await agent.click("policy");
  await until("the mode", async () => (await agent.state()).policy.mode === "ask");
  await agent.focus("composer");
  await agent.tab.type("go");
  await agent.tab.press("Enter");
  await agent.sees(/Allow edit to change a\.txt\? 1 lines come, 1 go\./, "approval");
  await agent.sees(/-first line\n?\+second line/, "approval");
  await agent.sees(/1 more call waits/, "approval");
  assert.equal(await agent.do((element) => element.shadowRoot.activeElement.id), "approval-question");
  // A stray Enter decides nothing.
  await agent.tab.press("Enter");
  assert.equal((await agent.state()).status, "waiting");
  await agent.tab.press("Escape");
  await agent.sees(/Allow bash to run\?[^]*rm -r src/, "approval");
  await agent.focus("deny-reason");
  await agent.tab.type("Keep the sources.");
  await agent.click("deny-why");
  await agent.status("idle");
  assert.deepEqual(sent(server.requests[1]), ["Tool execution was blocked", "Keep the sources."]);
  assert.deepEqual(await agent.texts("approval"), []);
  // In Chinese; allowed with other arguments; and what is allowed for the session can be taken back.
  await agent.do((element) => element.setAttribute("lang", "zh"));
  await agent.startPrompt("再来");
  await agent.sees(/允许 write 修改 b\.txt 吗？新增 1 行，删除 0 行。/, "approval");
  await agent.click("allow-session");
  await agent.finished();
  assert.deepEqual(await list(agent), ["a.txt", "b.txt"]);
  await agent.click("forget-rules");
  await until("no rules", async () => (await agent.state()).policy.rules.length === 0);
});
