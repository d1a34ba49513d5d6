// The scripted provider, the streams it gives, and arguments while they stream.

import { test } from "node:test";

import { assert, engine, engineModule, user } from "./support.mjs";

const { createScripted, EventStream, fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } = engine;
const { StreamingJson } = await engineModule("streaming_json.js");

const collect = async (stream) => {
  const events = [];
  for await (const event of stream) events.push(structuredClone(event));
  return events;
};
const play = (options, message, streamOptions, context = { messages: [user("x")] }) => {
  const scripted = createScripted(options);
  scripted.setResponses([message]);
  return scripted.stream(scripted.getModel(), context, streamOptions);
};

test("a response is played block by block and comes back whole", async () => {
  const args = { path: "a.txt", lines: [1, 2, { deep: true }], text: "ä".repeat(40) };
  const message = fauxAssistantMessage([fauxThinking("hm"), fauxText("so"), fauxToolCall("t", args, { id: "1" })]);
  const events = await collect(play({ seed: 3 }, message));
  const shape = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
  assert.deepEqual(shape, [
    "start",
    "thinking_start",
    "thinking_delta",
    "thinking_end",
    "text_start",
    "text_delta",
    "text_end",
    "toolcall_start",
    "toolcall_delta",
    "toolcall_end",
    "done",
  ]);
  assert.deepEqual(events.at(-1).message.content, message.content);
  assert.ok(events.slice(0, -1).every(({ partial }) => partial.stopReason === "pending"));
  const deltas = events.filter(({ type }) => type === "toolcall_delta").map(({ delta }) => delta);
  assert.equal(deltas.join(""), JSON.stringify(args));
  const last = events.findLast(({ type }) => type === "toolcall_delta");
  assert.deepEqual(last.partial.content[2].arguments, args);
});

test("the arguments of a live call are up to date whenever they are read, and plain afterwards", async () => {
  const args = { a: "x".repeat(100), b: [1, 2, 3] };
  const stream = play({ seed: 5 }, fauxAssistantMessage(fauxToolCall("t", args, { id: "1" })));
  let text = "";
  let live;
  for await (const event of stream) {
    if (event.type === "toolcall_start") [live] = event.partial.content;
    if (event.type !== "toolcall_delta") continue;
    text += event.delta;
    if (text.length > 50) assert.ok(JSON.stringify(live.arguments).length >= Math.min(text.length, 100) - 8);
  }
  assert.deepEqual(Object.getOwnPropertyDescriptor(live, "arguments").value, args);
});

test("a seed makes the pieces the same every time, and another makes others", async () => {
  const message = fauxAssistantMessage("word ".repeat(100));
  const pieces = async (seed) => (await collect(play({ seed }, message))).map(({ delta }) => delta).filter(Boolean);
  const first = await pieces(7);
  assert.deepEqual(await pieces(7), first);
  assert.notDeepEqual(await pieces(8), first);
  assert.ok(first.slice(0, -1).every(({ length }) => [12, 16, 20].includes(length)));
  assert.equal(first.join(""), message.content[0].text);
});

test("an abort ends it with what there is, before it has begun too", async () => {
  const message = fauxAssistantMessage("word ".repeat(100));
  const controller = new AbortController();
  const stream = play({ seed: 1 }, message, { signal: controller.signal });
  let count = 0;
  for await (const { type } of stream) if (type === "text_delta" && ++count === 2) controller.abort();
  const { stopReason, errorMessage, content } = await stream.result();
  assert.deepEqual([stopReason, errorMessage], ["aborted", "Request was aborted"]);
  assert.ok(content[0].text.length > 0 && content[0].text.length < message.content[0].text.length);
  const none = await play({ seed: 1 }, message, { signal: AbortSignal.abort() }).result();
  assert.deepEqual([none.stopReason, none.content], ["aborted", []]);
});

test("steps may be functions; what they throw, and no step at all, is an error message", async () => {
  const scripted = createScripted({ seed: 1 });
  const model = scripted.getModel();
  const context = { messages: [user("x")] };
  scripted.setResponses([
    async (...args) => fauxAssistantMessage(`${args[0] === context} ${args[2].callCount} ${args[3] === model}`),
    () => {
      throw new Error("no");
    },
    fauxAssistantMessage("never", { stopReason: "pending" }),
  ]);
  assert.equal(scripted.getPendingResponseCount(), 3);
  const next = () => scripted.stream(model, context).result();
  assert.equal((await next()).content[0].text, "true 1 true");
  assert.equal((await next()).errorMessage, "no");
  assert.equal((await next()).errorMessage, "Faux response ended without a stop reason");
  assert.equal((await next()).errorMessage, "No more faux responses queued");
});

test("a deferred response is a handle until it is ready, unless it was cancelled", async () => {
  const scripted = createScripted({ seed: 1, deferred: { pendingFetches: 1, pollAfterMs: 9 } });
  const model = scripted.getModel();
  scripted.setResponses([fauxAssistantMessage("ready"), fauxAssistantMessage("never")]);
  const ask = () => scripted.stream(model, { messages: [user("x")] }, { deferred: true }).result();
  const { stopReason, deferred } = await ask();
  assert.deepEqual([stopReason, deferred.modelId, deferred.pollAfterMs], ["deferred", "faux-1", 9]);
  const fetch = (handle) => scripted.fetchDeferred(model, handle).result();
  assert.deepEqual((await fetch(deferred)).deferred, deferred);
  assert.equal((await fetch(deferred)).content[0].text, "ready");
  assert.equal((await fetch(deferred)).content[0].text, "ready");
  const other = (await ask()).deferred;
  await scripted.cancelDeferred(model, other);
  assert.equal((await fetch(other)).errorMessage, `Faux deferred response was cancelled: ${other.id}`);
  const unknown = { ...deferred, id: "none" };
  assert.equal((await fetch(unknown)).errorMessage, "Unknown faux deferred response: none");
  assert.deepEqual([scripted.state.deferredFetchCount, scripted.state.cancelledDeferred], [5, [other]]);
});

test("usage is what the texts weigh, and a session's prompt is read from its cache", async () => {
  const scripted = createScripted({ seed: 1 });
  const messages = [user("a".repeat(35))];
  const use = async (options) => {
    scripted.setResponses([fauxAssistantMessage("12345678")]);
    const { usage } = await scripted.stream(scripted.getModel(), { messages }, options).result();
    return [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.totalTokens];
  };
  assert.deepEqual(await use(), [10, 2, 0, 0, 12]);
  assert.deepEqual(await use({ sessionId: "s" }), [0, 2, 0, 10, 12]);
  messages.push(user("b".repeat(33)));
  assert.deepEqual(await use({ sessionId: "s" }), [0, 2, 10, 10, 22]);
  assert.deepEqual(await use({ sessionId: "s", cacheRetention: "none" }), [20, 2, 0, 0, 22]);
});

test("arguments grow with every piece, wherever the pieces are cut", () => {
  const rows = [
    ['{"a":"he', { a: "he" }],
    ['{"a":tr', { a: true }],
    ['{"a":nul', { a: null }],
    ['{"a":1e', { a: 1 }],
    ['{"a":-', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":[1,2', { a: [1, 2] }],
    ['{"a":{"b":"c\\', { a: { b: "c" } }],
    ['{"a":"x\\u00', { a: "x" }],
    ['{"a":"\\d', { a: "\\d" }],
    ['{"a":1,}', { a: 1 }],
    ['{"a":1 "b":2', { a: 1, b: 2 }],
    ['{"a":12,"b":"😀"}', { a: 12, b: "😀" }],
    ["[1]", {}],
  ];
  for (const [text, expected] of rows) {
    for (let size = 1; size <= text.length; size += 1) {
      for (const look of [(reader) => reader.value, () => {}]) {
        const reader = new StreamingJson();
        for (let at = 0; at < text.length; at += size) {
          reader.push(text.slice(at, at + size));
          look(reader);
        }
        assert.deepEqual(reader.value, expected, `${text} in pieces of ${size}`);
        reader.free();
      }
    }
  }
});

test("long texts are whole after every piece, wherever escapes and keys are cut", () => {
  const value = { a: 'x\\y"z\n'.repeat(30), b: ["plain ".repeat(20), { "k\"ey": "é😀\u0001" }, 12, ""], c: "end" };
  const text = JSON.stringify(value).replace("😀", "\\ud83d\\ude00");
  for (let size = 1; size < 40; size += 1) {
    const reader = new StreamingJson();
    for (let at = 0; at < text.length; at += size) {
      const before = JSON.stringify(reader.value).length;
      reader.push(text.slice(at, at + size));
      assert.ok(JSON.stringify(reader.value).length >= before - 20);
    }
    assert.deepEqual(reader.value, value, `pieces of ${size}`);
    reader.free();
  }
});

test("a key that is no ordinary one stays an own key", () => {
  const reader = new StreamingJson();
  for (const piece of ['{"__proto__":{"x":', '1},"b":"c', 'd"}']) {
    reader.push(piece);
    assert.equal(Object.hasOwn(reader.value, "__proto__"), true);
  }
  assert.equal(JSON.stringify(reader.value), '{"__proto__":{"x":1},"b":"cd"}');
  reader.free();
});

test("a stream takes nothing after its end, and gives what was queued first", async () => {
  const stream = new EventStream(
    (event) => event === "end",
    (event) => `${event}ed`,
  );
  for (let at = 0; at < 100; at += 1) stream.push(at);
  stream.push("end");
  stream.push("late");
  stream.end("other");
  const events = [];
  for await (const event of stream) events.push(event);
  assert.deepEqual(events, [...Array(100).keys(), "end"]);
  assert.equal(await stream.result(), "ended");
});

test("a stream of many events is read and written in constant time each", async () => {
  const time = async (count) => {
    const stream = new EventStream(
      () => false,
      () => {},
    );
    const started = performance.now();
    for (let at = 0; at < count; at += 1) stream.push(at);
    stream.end();
    let seen = 0;
    for await (const at of stream) if (at === seen) seen += 1;
    assert.equal(seen, count);
    return performance.now() - started;
  };
  await time(1_000);
  const small = await time(20_000);
  assert.ok((await time(200_000)) < 60 * small + 100);
});

test("a reader that waits is told of the end, and of a failure", async () => {
  const never = () => false;
  const ended = new EventStream(never, never);
  const read = collect(ended);
  ended.end();
  assert.deepEqual(await read, []);
  const failed = new EventStream(never, never);
  const reading = collect(failed);
  failed.fail(new Error("down"));
  await assert.rejects(reading, { message: "down" });
  await assert.rejects(failed.result(), { message: "down" });
});
