// Values of another kind than they should be, wherever one is handed to the engine: each has an outcome, none costs the
// instance, and no name of the inside is in what is said of it.

import { test } from "node:test";

import { assert, calls, engine, engineModule, isNode, result, says, scriptedAgent, tool, user } from "./support.mjs";

const ODD = [undefined, null, 0, 5, -1, NaN, 1e308, "", "\ud800", true, false, 1n, Symbol("s"), {}, [], [null], () => 1];
ODD.push(Object.create(null), new Date(NaN), new Uint8Array(2), { length: 1e9 }, { toString: () => "text" });

/** What a function says when it throws, or nothing. */
const complaint = async (body) => {
  try {
    await body();
  } catch (error) {
    return String(error?.message);
  }
  return undefined;
};

test("a call whose name is no text is refused by its text", () => {
  const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const refused = (name) => () => engine.validateToolArguments({ name: "t", parameters }, { name, arguments: {} });
  for (const name of [5, true, 1n, {}, undefined, null, ["a"]]) {
    const message = `Validation failed for tool "${name}":\n  - n: missing\n\nReceived arguments:\n{}`;
    assert.throws(refused(name), { message }, String(name));
  }
  assert.throws(refused(Symbol("s")), TypeError);
  assert.throws(refused(Object.create(null)), TypeError);
  // Nothing is said of a name where the arguments fit.
  const got = engine.validateToolArguments({ name: "t", parameters }, { name: Symbol("s"), arguments: { n: "1" } });
  assert.deepEqual(got, { n: 1 });
});

test("no value in the place of another costs the instance", async () => {
  const { wasm } = await engineModule("wasm.js");
  const files = new engine.MemoryWorkspace({ "/a": "precious" });
  const session = engine.Session.parse('{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}');
  const model = { id: "m", api: "openai-completions", provider: "p", baseUrl: "http://host.invalid/v1" };
  const fails = (odd) => ({ stopReason: "error", errorMessage: odd, provider: odd });
  const parameters = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const bodies = {
    validateToolArguments: (odd) => engine.validateToolArguments({ name: odd, parameters }, { name: odd, arguments: { n: "x" } }),
    parameters: (odd) => engine.validateToolArguments({ name: "t", parameters: odd }, { name: "t", arguments: {} }),
    isContextOverflow: (odd) => engine.isContextOverflow(fails(odd), odd),
    isRetryableError: (odd) => engine.isRetryableError(fails(odd)),
    transformMessages: (odd) => engine.transformMessages([says([engine.fauxToolCall("a", {}, { id: odd })]), { role: "toolResult", toolCallId: odd, content: [] }], model),
    buildRequest: (odd) => engine.buildRequest(model, { messages: [user("x")] }, { apiKey: odd, reasoning: odd, sessionId: odd }),
    "buildRequest of a model": (odd) => engine.buildRequest({ ...model, id: odd, baseUrl: odd, provider: odd }, { messages: [user("x")] }),
    createTools: (odd) => engine.createTools(files, { cwd: odd, names: odd }),
    "a built-in tool": (odd) => engine.createTools(files)[0].execute(odd, odd, odd),
    MemoryWorkspace: (odd) => new engine.MemoryWorkspace({ "/x": odd }),
    read: (odd) => files.readSync(odd),
    write: (odd) => files.writeSync("/b", odd),
    rename: (odd) => files.renameSync("/a", odd),
    parse: (odd) => engine.Session.parse(odd),
    getLabel: (odd) => session.getLabel(odd),
    getBranch: (odd) => session.getBranch(odd),
    buildContext: (odd) => session.buildContext(odd),
    branch: (odd) => session.branch(odd),
    appendLabelChange: (odd) => session.appendLabelChange(odd, odd),
    appendMessage: (odd) => session.appendMessage(odd),
    sseParser: (odd) => engine.sseParser({ onEvent: () => {} }).feed(odd),
    canonicalize: (odd) => engine.canonicalize([odd]),
    "fingerprint of contents": (odd) => engine.fingerprint([], new Map([["/a", odd]])),
    "fingerprint of a path": (odd) => engine.fingerprint([], new Map([[odd, "x"]])),
    renderMarkdown: (odd) => engine.renderMarkdown(odd),
    truncateHead: (odd) => engine.truncateHead("a\nb", { maxLines: odd, maxBytes: odd }),
    truncateTail: (odd) => engine.truncateTail(odd),
    truncateLine: (odd) => engine.truncateLine("abc", odd),
    formatSize: (odd) => engine.formatSize(odd),
    parseStreamingJson: (odd) => engine.parseStreamingJson(odd),
    parseToolCallArguments: (odd) => engine.parseToolCallArguments(odd),
    repairJson: (odd) => engine.repairJson(odd),
  };
  for (const [name, body] of Object.entries(bodies)) {
    for (const odd of ODD) {
      const said = await complaint(() => body(odd));
      assert.doesNotMatch(said ?? "", /internal error|out of bounds/, `${name} of ${typeof odd}`);
    }
  }
  // The door itself: what no caller has looked at.
  assert.throws(() => wasm.renderMarkdown(5), { name: "TypeError", message: "engine: expected a string, got number" });
  const reader = new wasm.SseReader();
  assert.throws(() => reader.push("text"), { name: "TypeError", message: "engine: expected bytes, got string" });
  reader.free();
  assert.equal(files.readTextSync("/a"), "precious");
});

test("a run goes on or ends, whatever calls and tools are called", async () => {
  const parameters = { type: "object", required: ["n"] };
  for (const odd of ODD) {
    const call = { type: "toolCall", id: odd, name: odd, arguments: {} };
    const message = { ...says(""), content: [call], stopReason: "toolUse" };
    const a = { ...tool("a", undefined, { parameters }), name: odd };
    const played = scriptedAgent([message, says("done")], { tools: [a] });
    await played.agent.prompt("go");
    const { isStreaming, errorMessage } = played.agent.state;
    assert.equal(isStreaming, false);
    assert.doesNotMatch(errorMessage ?? "", /internal error|out of bounds|reading 'length'/, typeof odd);
  }
});

test("bytes are bytes, whatever holds them, and nothing else is fed to a reader of events", () => {
  const bytes = new TextEncoder().encode("data: a\n\n");
  for (const given of [bytes, bytes.buffer, new DataView(bytes.buffer), "data: a\n\n"]) {
    const told = [];
    engine.sseParser({ onEvent: (event) => told.push(event) }).feed(given);
    assert.deepEqual(told, [{ data: "a" }]);
  }
  for (const none of [undefined, null, 5, {}, [1]]) {
    assert.throws(() => engine.sseParser({ onEvent: () => {} }).feed(none), { name: "TypeError" });
  }
});

test("what is missing is named as in pi, not as it is called inside", { skip: isNode ? false : "each browser has words of its own" }, async () => {
  const failure = async (streamFn, more = {}) => {
    const played = scriptedAgent([calls(["a"]), says("done")], { ...(streamFn && { streamFn }), ...more });
    await played.agent.prompt("go");
    const { messages, errorMessage } = played.agent.state;
    return errorMessage ?? messages.find(({ role }) => role === "toolResult").content[0].text;
  };
  const iterates = (event) => ({
    async *[Symbol.asyncIterator]() {
      yield event;
    },
    result: async () => says("x"),
  });
  for (const [streamFn, said] of [
    [() => ({ [Symbol.asyncIterator]: async function* () {} }), "response.result is not a function"],
    [() => ({}), "response is not async iterable"],
    [() => undefined, "response is not async iterable"],
    [() => iterates(undefined), "Cannot read properties of undefined (reading 'type')"],
    [() => iterates(null), "Cannot read properties of null (reading 'type')"],
    [() => ({ [Symbol.asyncIterator]: () => ({ next: () => 5 }), result: async () => says("x") }), "Iterator result 5 is not an object"],
    [async () => iterates({ type: "done", message: {} }), "done"],
  ]) {
    if (said !== "done") assert.equal(await failure(streamFn), said);
  }
  const unfinished = { ...tool("a"), execute: undefined };
  assert.equal(await failure(undefined, { tools: [unfinished] }), "prepared.tool.execute is not a function");
});

test("a decision that cannot be read ends the run after the turn", async () => {
  const decision = {
    get action() {
      throw new Error("undecided");
    },
  };
  const played = scriptedAgent([says("one")], { finishTurn: () => decision });
  await played.agent.prompt("go");
  assert.equal(played.agent.state.errorMessage, "undecided");
  const types = played.events.map(({ type }) => type).filter((type) => type !== "message_update");
  const run = ["agent_start", "turn_start", "message_start", "message_end", "message_start", "message_end", "turn_end"];
  assert.deepEqual(types, [...run, "message_start", "message_end", "turn_end", "agent_end"]);
  // A failed response is decided on by nobody.
  const failed = scriptedAgent([says("", { stopReason: "error", errorMessage: "down" })], { finishTurn: () => decision });
  await failed.agent.prompt("go");
  assert.equal(failed.agent.state.errorMessage, "down");
});

test("nothing is not queued", async () => {
  for (const nothing of [undefined, null, "", 0, false]) {
    const played = scriptedAgent([says("one")]);
    played.agent.steer(nothing);
    played.agent.followUp(nothing);
    assert.equal(played.agent.hasQueuedMessages(), false);
    await played.agent.prompt("go");
    assert.deepEqual([played.agent.state.errorMessage, played.agent.state.messages.length], [undefined, 2]);
  }
});

test("a grace that is no number of milliseconds is the usual one, and a tool that reacts ends the run at once", async () => {
  for (const abortGraceMs of [NaN, -1, "x", null, Infinity]) {
    const a = tool("a", async (id, args, signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return result("stopped");
    });
    const played = scriptedAgent([calls(["a"]), says("x")], { tools: [a], abortGraceMs });
    const running = played.agent.prompt("go");
    played.agent.subscribe(({ type }) => type === "tool_execution_start" && setTimeout(() => played.agent.abort()));
    await running;
    assert.equal(played.agent.state.messages.at(-1).stopReason, "aborted");
  }
});

test("equal runs of equal seeds have equal fingerprints", async () => {
  const print = async (seed) => {
    const scripted = engine.createScripted({ seed });
    scripted.setResponses([calls(["a", {}, "1"]), says("done")]);
    const agent = new engine.Agent({ streamFn: scripted.stream, initialState: { model: scripted.getModel(), tools: [tool("a")] } });
    const events = [];
    agent.subscribe((event) => void events.push(event));
    await agent.prompt("go");
    return engine.fingerprint(events);
  };
  assert.equal(await print(1), await print(1));
  const handle = async () => {
    const scripted = engine.createScripted({ seed: 7, deferred: { pendingFetches: 1 } });
    scripted.setResponses([says("later")]);
    const message = await scripted.stream(scripted.getModel(), { messages: [user("x")] }, { deferred: true }).result();
    return JSON.stringify({ ...message, timestamp: 0, durationMs: 0 });
  };
  assert.equal(await handle(), await handle());
});

test("half a character stays in a session, in memory and in its file", () => {
  const head = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';
  const session = engine.Session.parse(head);
  session.appendMessage({ role: "user", content: "a\ud800b", timestamp: 1 });
  session.appendMessage({ role: "user", content: "whole \ud83d\ude00 \\ud800", timestamp: 1 });
  const text = session.toJsonl();
  assert.ok(text.includes('"content":"a\\ud800b"'), text);
  const again = engine.Session.parse(text);
  assert.equal(again.toJsonl(), text);
  for (const one of [session, again]) {
    assert.deepEqual(one.buildContext().messages.map(({ content }) => content), ["a\ud800b", "whole \ud83d\ude00 \\ud800"]);
  }
  again.appendSessionInfo("\udc00");
  assert.equal(engine.Session.parse(again.toJsonl()).name, "\udc00");
});
