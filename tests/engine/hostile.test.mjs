// Streams, schemas, arguments and results at their worst: what each comes to. None hangs, traps or spoils the transcript.

import { test } from "node:test";

import { assert, calls, engine, pause, result, results, says, scriptedAgent, textOf, tool, user } from "./support.mjs";

/** The last message of a run with this stream function, and all events. */
const streamed = async (streamFn, options = {}) => {
  const played = scriptedAgent([], { streamFn, ...options });
  await played.agent.prompt("go");
  assert.equal(played.agent.state.isStreaming, false);
  assert.equal(played.events.at(-1).type, "agent_end");
  return { ...played, last: played.agent.state.messages.at(-1) };
};

/** Any iterable as a stream with a result. */
const streamOf = (events, final) => () => ({
  async *[Symbol.asyncIterator]() {
    yield* events;
  },
  result: async () => {
    if (final instanceof Error) throw final;
    return final;
  },
});

const start = () => ({ type: "start", partial: { ...says(""), content: [], stopReason: "pending" } });

test("a stream that talks for ever ends after an abort", async () => {
  for (const type of ["text_delta", "no such thing", "start"]) {
    const partial = { ...says("on and on"), stopReason: "pending" };
    let isAsked = true;
    const stream = {
      async *[Symbol.asyncIterator]() {
        try {
          yield { type: "start", partial };
          for (;;) {
            await pause(1);
            yield { type, contentIndex: 0, delta: "x", partial };
          }
        } finally {
          isAsked = false;
        }
      },
      result: () => new Promise(() => {}),
    };
    const played = scriptedAgent([], { streamFn: () => stream, abortGraceMs: 20 });
    const running = played.agent.prompt("go");
    await pause(10);
    played.agent.abort();
    await running;
    const last = played.agent.state.messages.at(-1);
    assert.deepEqual([type, textOf(last), last.stopReason, last.errorMessage], [type, "on and on", "aborted", "Request was aborted"]);
    await pause(10);
    assert.equal(isAsked, false, `${type}: it is still read`);
  }
});

test("a stream that lets nothing else have its turn ends after an abort", async () => {
  const partial = { ...says("busy"), stopReason: "pending" };
  const stream = {
    async *[Symbol.asyncIterator]() {
      yield { type: "start", partial };
      for (;;) yield { type: "text_delta", contentIndex: 0, delta: "x", partial };
    },
    result: () => new Promise(() => {}),
  };
  const played = scriptedAgent([], { streamFn: () => stream, abortGraceMs: 20 });
  played.agent.subscribe(({ type }) => void (type === "message_update" && played.agent.abort()));
  await played.agent.prompt("go");
  const last = played.agent.state.messages.at(-1);
  assert.deepEqual([textOf(last), last.stopReason], ["busy", "aborted"]);
});

test("a stream whose result never comes ends after an abort", async () => {
  const stream = { ...streamOf([start(), { type: "done" }])(), result: () => new Promise(() => {}) };
  const played = scriptedAgent([], { streamFn: () => stream, abortGraceMs: 1 });
  const running = played.agent.prompt("go");
  await pause(5);
  played.agent.abort();
  await running;
  assert.equal(played.agent.state.messages.at(-1).stopReason, "aborted");
});

test("a stream of nonsense closes the run with an error", async () => {
  const whole = says("whole");
  for (const [name, events, final] of [
    ["an event that is nothing", [null], whole],
    ["an event that is nothing, after a start", [start(), undefined], whole],
    ["no message", [{ type: "done" }], undefined],
    ["a message that is a text", [{ type: "done" }], "whole"],
    ["a message without content", [{ type: "done" }], { role: "assistant", stopReason: "stop" }],
    ["content that is a text", [{ type: "done" }], { ...whole, content: "whole" }],
    ["content that holds nothing", [{ type: "done" }], { ...whole, content: [null] }],
    ["a result that rejects", [{ type: "done" }], new Error("no result")],
  ]) {
    const { last, agent } = await streamed(streamOf(events, final));
    assert.deepEqual([name, last.role, last.stopReason], [name, "assistant", "error"]);
    // The next run works.
    const scripted = engine.createScripted({ seed: 1 });
    scripted.setResponses([says("again")]);
    agent.streamFunction = scripted.stream;
    agent.state.messages = [user("go")];
    await agent.prompt("again");
    assert.equal(textOf(agent.state.messages.at(-1)), "again", name);
  }
});

test("a message with any stop reason, known or not, is an answer", async () => {
  for (const stopReason of ["stop", "nonsense", undefined, null, 7]) {
    const { last } = await streamed(streamOf([start(), { type: "done" }], { ...says("whole"), stopReason }));
    assert.deepEqual([last.stopReason, textOf(last)], [stopReason, "whole"]);
  }
});

test("calls with odd names and ids have one result each", async () => {
  const odd = [
    { type: "toolCall", id: "1", name: "", arguments: {} },
    { type: "toolCall", id: "2", name: undefined, arguments: {} },
    { type: "toolCall", name: "a", arguments: {} },
    { type: "toolCall", id: "4", name: "a" },
    { type: "toolCall", id: "5", name: "a", arguments: null },
    { type: "toolCall", id: "6", name: "a", arguments: "text" },
    { type: "toolCall", id: "7", name: "__proto__", arguments: {} },
    { type: "toolCall", id: "8", name: "constructor", arguments: {} },
    { type: "toolCall", id: "9", name: "x".repeat(100_000), arguments: {} },
    { type: "toolCall", id: "10", name: "\ud800", arguments: {} },
  ];
  const responses = [{ ...says(""), content: odd, stopReason: "toolUse" }, says("done")];
  const streamFn = () => streamOf([start(), { type: "done" }], responses.shift())();
  const { agent, last } = await streamed(streamFn, { tools: [tool("a")] });
  assert.equal(textOf(last), "done");
  const made = agent.state.messages.filter(({ role }) => role === "toolResult");
  assert.deepEqual(made.map(({ toolCallId }) => toolCallId), odd.map(({ id }) => id));
  assert.deepEqual(made.map(({ isError }) => isError), [true, true, false, true, true, true, true, true, true, true]);
  assert.equal(textOf(made[6]), "Tool __proto__ not found");
});

test("a thousand calls side by side have a thousand results", async () => {
  const many = Array.from({ length: 1000 }, (_, at) => ["a", { at }, `c${at}`]);
  const a = tool("a", async (id, { at }) => (at % 3 === 0 && (await pause()), result(String(at))));
  const played = scriptedAgent([calls(...many), says("done")], { tools: [a] });
  await played.agent.prompt("go");
  assert.deepEqual(results(played.agent.state.messages), many.map(([, { at }]) => ["a", String(at), false]));
});

test("arguments of ten megabytes, ten thousand levels and odd characters go through a run", async () => {
  let deep = {};
  for (let level = 0; level < 10_000; level += 1) deep = { deep };
  const big = { text: "x".repeat(10_000_000) };
  const odd = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"s":"\\ud800 \\u0000","":0}');
  const got = [];
  const a = tool("a", async (id, args) => (got.push(args), result("ok")));
  // Not by the scripted provider, which would have to write them down.
  const responses = [calls(["a", big, "1"], ["a", deep, "2"], ["a", odd, "3"]), says("done")];
  const { agent } = await streamed(() => streamOf([start(), { type: "done" }], responses.shift())(), { tools: [a] });
  const made = results(agent.state.messages);
  assert.deepEqual(made.map(([, , isError]) => isError), [false, true, false]);
  assert.match(made[1][1], /nested deeper than 100 levels/);
  assert.equal(got[0].text, big.text);
  assert.deepEqual(Object.entries(got[1]), Object.entries(odd));
  assert.equal({}.polluted, undefined);
});

test("schemas that do not compile are named, all others are taken", async () => {
  const cyclic = { type: "object", properties: {} };
  cyclic.properties.self = cyclic;
  let deep = { type: "string" };
  for (let level = 0; level < 10_000; level += 1) deep = { type: "object", properties: { deep } };
  const streamFn = () => {};
  for (const [name, parameters] of [
    ["no schema", undefined],
    ["null", null],
    ["a text", "object"],
    ["a number", 5],
    ["true", true],
    ["an unknown type", { type: "nonsense" }],
    ["a type that is a number", { type: 5 }],
    ["properties that are a list", { type: "object", properties: ["a"] }],
    ["required that is a text", { type: "object", required: "a" }],
    ["a pattern that is none", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
    ["a length that no text has", { type: "object", properties: { a: { type: "string", maxLength: -1 } } }],
    ["no schema of a property", { type: "object", properties: { a: null } }],
    ["a cycle", cyclic],
    ["ten thousand levels", deep],
  ]) {
    const make = () => new engine.Agent({ streamFn, initialState: { tools: [tool("fine"), tool("mine", undefined, { parameters })] } });
    assert.throws(make, ({ message }) => message.startsWith('Tool "mine": '), name);
  }
  for (const [name, parameters, args] of [
    ["anything", {}, { a: 1 }],
    ["a dangling reference", { type: "object", properties: { a: { $ref: "#/nowhere" } } }, { b: 1 }],
    ["a reference to itself", { type: "object", properties: { a: { $ref: "#" } } }, { a: { a: {} } }],
    ["a length that all texts have", { type: "object", properties: { a: { type: "string", minLength: -1 } } }, { a: "" }],
    ["properties that are an empty list", { type: "object", properties: [], required: null }, { a: 1 }],
    ["unknown words", { type: "object", "x-mine": () => 1, nonsense: 5 }, { a: 1 }],
  ]) {
    const played = scriptedAgent([calls(["a", args]), says("done")], { tools: [tool("a", undefined, { parameters })] });
    await played.agent.prompt("go");
    assert.deepEqual([name, results(played.agent.state.messages)], [name, [["a", "a done", false]]]);
  }
});

test("results whose parts throw, promises that settle twice and revoked objects are errors of their call", async () => {
  const twice = {
    then(resolve, reject) {
      resolve(result("first"));
      reject(new Error("second"));
      resolve(result("third"));
    },
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const throwing = (name) =>
    Object.defineProperty({ ...result("x") }, name, {
      get: () => {
        throw new Error(`no ${name}`);
      },
    });
  for (const [value, text, isError] of [
    [twice, "first", false],
    [throwing("isError"), "no isError", true],
    [throwing("terminate"), "no terminate", true],
    [proxy, undefined, true],
  ]) {
    const played = scriptedAgent([calls(["a"]), says("done")], { tools: [tool("a", () => value)] });
    await played.agent.prompt("go");
    const [made] = results(played.agent.state.messages);
    assert.equal(made[2], isError);
    if (text !== undefined) assert.equal(made[1], text);
    assert.equal(textOf(played.agent.state.messages.at(-1)), "done");
  }
});

test("a result whose content throws when it is read closes the run", async () => {
  const bad = Object.defineProperty({}, "content", {
    get: () => {
      throw new Error("no content");
    },
  });
  const played = scriptedAgent([calls(["a"]), says("done")], { tools: [tool("a", async () => bad)] });
  await played.agent.prompt("go");
  const last = played.agent.state.messages.at(-1);
  assert.deepEqual([last.stopReason, last.errorMessage], ["error", "no content"]);
});

test("updates of any kind, however many, are told in order", async () => {
  const updates = [null, undefined, 5, "text", {}, ...Array.from({ length: 2000 }, (_, at) => ({ at }))];
  const a = tool("a", async (id, args, signal, onUpdate) => {
    updates.forEach((update) => onUpdate(update));
    return result("ok");
  });
  const played = scriptedAgent([calls(["a"]), says("done")], { tools: [a] });
  await played.agent.prompt("go");
  const told = played.events.filter(({ type }) => type === "tool_execution_update").map(({ partialResult }) => partialResult);
  assert.equal(told.length, updates.length);
  told.forEach((update, at) => assert.equal(update, updates[at]));
});
