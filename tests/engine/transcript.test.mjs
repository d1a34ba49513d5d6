// Prompt and tools as state of the transcript, event streams, and the identity of requests.

import { test } from "node:test";

import { assert, engine, pause, readJson, says, tool, user } from "./support.mjs";
import TRANSCRIPT, { DIFFERS } from "./scenarios/transcript.mjs";

const NAMES = [
  "createInitialSystemMessage",
  "getCurrentSystemMessage",
  "getCurrentSystemPrompt",
  "getCurrentTools",
  "getSystemMessageText",
  "normalizeContext",
  "toToolDeclaration",
];

test("system messages add up to what they did with pi", async () => {
  assert.deepEqual([...new Set(TRANSCRIPT.map(([name]) => name))].sort(), NAMES);
  const facts = await readJson("pi-1.6/transcript.json");
  assert.equal(facts.length, TRANSCRIPT.length);
  const same = (one) => JSON.stringify(one);
  for (const [at, [name, ...args]] of TRANSCRIPT.entries()) {
    const differs = DIFFERS.find((row) => row[0] === name && same(row[1]) === same(args));
    if (differs) assert.notEqual(facts[at], same(differs[2]), "it does not differ any more");
    if (differs) facts[at] = same(differs[2]);
    assert.equal(JSON.stringify(engine[name](...args)) ?? "nothing", facts[at], `${at}: ${name} ${JSON.stringify(args)}`);
  }
});

test("a context that says everything in its messages keeps its list", () => {
  const messages = [user("x")];
  assert.equal(engine.normalizeContext({ messages }).messages, messages);
  const more = engine.normalizeContext({ systemPrompt: "be", messages }).messages;
  assert.equal(more[1], messages[0]);
  assert.equal(messages.length, 1);
});

test("a declaration shares nothing with its tool", () => {
  const whole = tool("a", undefined, { parameters: { type: "object", properties: {} } });
  const declaration = engine.toToolDeclaration(whole);
  assert.deepEqual(declaration.parameters, whole.parameters);
  assert.notEqual(declaration.parameters, whole.parameters);
  assert.notEqual(declaration.parameters.properties, whole.parameters.properties);
});

test("the messages of a declared tool's transcript are the ones given", () => {
  const a = tool("a");
  assert.equal(engine.getCurrentTools([{ role: "system", content: "", toolsAdded: [a] }])[0], a);
  assert.equal(engine.createInitialSystemMessage("", [a]).toolsAdded[0], a);
});

const read = async (stream) => {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
};

test("a stream gives its events in order, those queued before and after somebody reads, and none after the last", async () => {
  const { EventStream } = engine;
  const stream = new EventStream(({ last }) => last === true, ({ value }) => value);
  const events = [{ at: 1 }, { at: 2 }, { at: 3 }, { last: true, value: "whole" }];
  stream.push(events[0]);
  stream.push(events[1]);
  const reading = read(stream);
  await pause();
  stream.push(events[2]);
  await pause();
  stream.push(events[3]);
  stream.push({ at: 5 });
  const got = await reading;
  assert.equal(got.length, events.length);
  got.forEach((event, at) => assert.equal(event, events[at]));
  assert.equal(await stream.result(), "whole");
  stream.end("too late");
  assert.equal(await stream.result(), "whole");
});

test("a stream that is ended tells whoever waits, and its result", async () => {
  const { EventStream } = engine;
  const stream = new EventStream(() => false, () => undefined);
  const readings = [read(stream), read(stream)];
  await pause();
  stream.end("made elsewhere");
  assert.deepEqual(await Promise.all(readings), [[], []]);
  assert.equal(await stream.result(), "made elsewhere");
  assert.deepEqual(await read(stream), []);
});

test("a stream of 100,000 events is read in time that grows with it and no faster", async () => {
  const { EventStream } = engine;
  const stream = new EventStream(({ last }) => last === true, () => undefined);
  for (let at = 0; at < 100_000; at += 1) stream.push({ at });
  stream.push({ last: true });
  const begin = performance.now();
  const got = await read(stream);
  assert.equal(got.length, 100_001);
  assert.ok(got.every(({ at, last }, place) => last || at === place));
  // A queue that moves all it holds at each event would take minutes.
  assert.ok(performance.now() - begin < 10_000);
});

test("the stream of a response ends with done or error and times the message", async () => {
  const { AssistantMessageEventStream, EventStream } = engine;
  for (const [type, field] of [
    ["done", "message"],
    ["error", "error"],
  ]) {
    const stream = engine.createAssistantMessageEventStream();
    assert.ok(stream instanceof AssistantMessageEventStream && stream instanceof EventStream);
    const message = says("x", { timestamp: Date.now() + 1000 });
    await pause(3);
    stream.push({ type, reason: "stop", [field]: message });
    assert.equal(await stream.result(), message);
    assert.ok(message.durationMs >= 1, String(message.durationMs));
  }
  const timed = { ...says("x", { timestamp: Date.now() + 1000 }), durationMs: 7 };
  const early = says("x", { timestamp: 5 });
  for (const message of [timed, early]) {
    const stream = new AssistantMessageEventStream();
    stream.end(message);
    await stream.result();
  }
  assert.equal(timed.durationMs, 7);
  assert.equal("durationMs" in early, false);
});

test("a request bears the identity of the program, or the config's, field by field", async () => {
  const seen = async (identity) => {
    const scripted = engine.createScripted({ seed: 1 });
    scripted.setResponses([says("x")]);
    let got;
    const streamFn = (model, context, options) => ((got = options.identity), scripted.stream(model, context, options));
    const config = { model: scripted.getModel(), convertToLlm: (messages) => messages, identity };
    await engine.runAgentLoop([user("go")], { messages: [] }, config, () => {}, undefined, streamFn);
    return got;
  };
  const { DEFAULT_AGENT_IDENTITY } = engine;
  assert.deepEqual(Object.keys(DEFAULT_AGENT_IDENTITY), ["attribution"]);
  assert.deepEqual(Object.keys(DEFAULT_AGENT_IDENTITY.attribution), ["name", "url", "categories"]);
  assert.deepEqual(await seen(undefined), DEFAULT_AGENT_IDENTITY);
  assert.deepEqual(await seen({ userAgent: "mine/1" }), { ...DEFAULT_AGENT_IDENTITY, userAgent: "mine/1" });
  assert.deepEqual(await seen({ attribution: { name: "n", url: "u" } }), { attribution: { name: "n", url: "u" } });
});
