// What must stay the object it is, and what must survive as it was written.

import { test } from "node:test";

import { assert, calls, engine, result, says, scriptedAgent, tool, user } from "./support.mjs";

const convertToLlm = (messages) => messages;

test("a result's parts come back by identity", async () => {
  const whole = result("x", {
    details: { run: () => 1, made: new Date(), cyclic: undefined },
    structuredContent: { a: 1 },
    usage: { input: 1 },
    mine: Symbol("mine"),
  });
  whole.details.cyclic = whole;
  const played = scriptedAgent([calls(["a"]), says("done")], { tools: [tool("a", async () => whole)] });
  await played.agent.prompt("go");
  const end = played.events.find(({ type }) => type === "tool_execution_end");
  assert.equal(end.result, whole);
  const message = played.agent.state.messages.find(({ role }) => role === "toolResult");
  assert.equal(message.details, whole.details);
  assert.equal(message.content, whole.content);
  assert.equal(message.usage, whole.usage);
  assert.equal("structuredContent" in message, false);
});

test("the signal of a run is one object for hooks, tools and the stream", async () => {
  const controller = new AbortController();
  const seen = new Set();
  const see = (at) => (...args) => void seen.add(args[at]);
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([calls(["a"]), says("done")]);
  const config = {
    model: scripted.getModel(),
    convertToLlm,
    beforeToolCall: see(1),
    afterToolCall: see(1),
    finishTurn: see(1),
    prepareRequest: see(1),
    transformContext: (messages, signal) => (seen.add(signal), messages),
  };
  const a = tool("a", async (id, args, signal) => (seen.add(signal), result("x")));
  const streamFn = (model, context, options) => (seen.add(options.signal), scripted.stream(model, context, options));
  await engine.runAgentLoop([user("go")], { messages: [], tools: [a] }, config, () => {}, controller.signal, streamFn);
  assert.deepEqual([...seen], [controller.signal]);
});

test("messages with fields and roles of their own go through as they are", async () => {
  const prompt = { ...user("go"), mine: { deep: () => 1 } };
  const note = { role: "note", body: new Map(), timestamp: 2 };
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("done")]);
  const told = [];
  const config = {
    model: scripted.getModel(),
    convertToLlm: (messages) => messages.filter(({ role }) => role !== "note"),
  };
  const emit = (event) => void (event.type === "message_end" && told.push(event.message));
  const made = await engine.runAgentLoop([prompt, note], { messages: [] }, config, emit, undefined, scripted.stream);
  assert.equal(made[0], prompt);
  assert.equal(made[1], note);
  assert.deepEqual(told, made);
  told.forEach((message, at) => assert.equal(message, made[at]));
});

test("the stream function gets the model, the messages and every key of the config", async () => {
  const mine = { run: () => 1 };
  const model = { provider: "p", id: "m" };
  const list = [user("sent")];
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("done")]);
  let got;
  const streamFn = (...args) => {
    got = args;
    return scripted.stream(...args);
  };
  const config = { model, convertToLlm: () => list, getApiKey: (provider) => `key of ${provider}`, reasoning: "high", mine };
  const made = await engine.runAgentLoop([user("go")], { messages: [] }, config, () => {}, undefined, streamFn);
  const [gotModel, context, options] = got;
  assert.equal(gotModel, model);
  assert.equal(context.messages, list);
  assert.deepEqual(Object.keys(context), ["messages"]);
  assert.equal(options.mine, mine);
  assert.deepEqual([options.apiKey, options.reasoning], ["key of p", "high"]);
  assert.equal(made[1].thinkingLevel, "high");
});

test("the context of a continued run is the caller's own list", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("done")]);
  const context = { messages: [user("go")] };
  const config = { model: scripted.getModel(), convertToLlm };
  const made = await engine.runAgentLoopContinue(context, config, () => {}, undefined, scripted.stream);
  assert.deepEqual(context.messages.slice(1), made);
  assert.equal(context.messages[1], made[0]);
});

test("the context of a prompted run is a copy", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("done")]);
  const context = { messages: [user("before")] };
  await engine.runAgentLoop([user("go")], context, { model: {}, convertToLlm }, () => {}, undefined, scripted.stream);
  assert.equal(context.messages.length, 1);
});

test("the before hook may change the arguments the tool gets, and the transcript keeps its own", async () => {
  let got;
  const a = tool("a", async (id, args) => ((got = args), result("x")));
  let asked;
  const beforeToolCall = async ({ args, toolCall }) => {
    asked = args;
    args.added = toolCall.arguments;
  };
  const played = scriptedAgent([calls(["a", { b: { c: 1 } }]), says("done")], { tools: [a], beforeToolCall });
  await played.agent.prompt("go");
  const raw = played.events.find(({ type }) => type === "tool_execution_start").args;
  assert.equal(got, asked);
  assert.equal(got.added, raw);
  assert.deepEqual(raw, { b: { c: 1 } });
  assert.notEqual(got.b, raw.b);
});

test("the order of keys, big numbers, odd keys and half characters survive", async () => {
  const text = '{"z":1,"a":12345678901234567890,"m":-0.1,"__proto__":{"x":1},"e":1e21,"s":"\\ud800","d":5e-324}';
  const parameters = { type: "object", properties: { n: { type: "number" } } };
  for (const more of ["", ',"n":"7"']) {
    let got;
    const a = tool("a", async (id, args) => ((got = args), result("x")), { parameters });
    const args = JSON.parse(text.replace(/}$/, `${more}}`));
    const played = scriptedAgent([calls(["a", args]), says("done")], { tools: [a] });
    await played.agent.prompt("go");
    assert.equal(JSON.stringify(got), text.replace(/}$/, `${more.replaceAll('"7"', "7")}}`).replace("12345678901234567890", "12345678901234567000").replace("1e21", "1e+21"));
    assert.equal(Object.hasOwn(got, "__proto__"), true);
  }
});

test("a result object is the same in the after hook and replaced field by field", async () => {
  const first = result("first", { details: 1, structuredContent: { s: 1 }, usage: { u: 1 }, own: 1 });
  let seen;
  const content = [{ type: "text", text: "second" }];
  const afterToolCall = async ({ result: given }) => {
    seen = given;
    return { content, terminate: true, isError: true };
  };
  const played = scriptedAgent([calls(["a"])], { tools: [tool("a", async () => first)], afterToolCall });
  await played.agent.prompt("go");
  const end = played.events.find(({ type }) => type === "tool_execution_end");
  assert.equal(seen, first);
  assert.deepEqual(end.result, { content, details: 1, usage: { u: 1 }, terminate: true, own: 1 });
  assert.equal(end.isError, true);
  assert.equal(played.events.at(-1).type, "agent_end");
});

test("agent_end bears the very list that the run gives", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("done")]);
  let told;
  const emit = (event) => void (event.type === "agent_end" && (told = event.messages));
  const config = { model: {}, convertToLlm };
  const made = await engine.runAgentLoop([user("go")], { messages: [] }, config, emit, undefined, scripted.stream);
  assert.equal(told, made);
});

test("tools and messages that hooks put into the context are declared and sent", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([calls(["a"]), calls(["b"]), says("done")]);
  const added = tool("b");
  const context = { messages: [], tools: [tool("a")] };
  const prepareNextTurn = async ({ context: live }) => {
    if (!live.tools.includes(added)) live.tools.push(added);
  };
  const config = { model: scripted.getModel(), convertToLlm, prepareNextTurn };
  const made = await engine.runAgentLoop([user("go")], context, config, () => {}, undefined, scripted.stream);
  const roles = made.map((message) => (message.role === "system" ? message.toolsAdded.map(({ name }) => name) : message.role));
  assert.deepEqual(roles, [["a"], "user", "assistant", "toolResult", ["b"], "assistant", "toolResult", "assistant"]);
  assert.equal(made[6].isError, false);
});

test("tools and hooks are called as members of what they belong to", async () => {
  const seen = [];
  const parameters = { type: "object" };
  const a = {
    name: "a",
    label: "a",
    description: "",
    parameters,
    prepareArguments(args) {
      seen.push(["prepareArguments", this]);
      return args;
    },
    async execute() {
      seen.push(["execute", this]);
      return result("x");
    },
  };
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([calls(["a"]), says("done")]);
  const config = { model: scripted.getModel(), convertToLlm };
  for (const hook of ["beforeToolCall", "afterToolCall", "finishTurn", "prepareNextTurn", "getSteeringMessages"]) {
    config[hook] = function () {
      seen.push([hook, this]);
    };
  }
  await engine.runAgentLoop([user("go")], { messages: [], tools: [a] }, config, () => {}, undefined, scripted.stream);
  assert.equal(a.parameters, parameters);
  assert.deepEqual([...new Set(seen.map(([name]) => name))].sort(), [
    "afterToolCall",
    "beforeToolCall",
    "execute",
    "finishTurn",
    "getSteeringMessages",
    "prepareArguments",
    "prepareNextTurn",
  ]);
  for (const [name, self] of seen) assert.ok(name === "execute" || name === "prepareArguments" ? self === a : "model" in self, name);
});

test("hooks see the very message, block, context, tools and results", async () => {
  const a = tool("a", async () => result("x"));
  const context = { messages: [user("go")], tools: [a] };
  const told = [];
  const seen = {};
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([calls(["a"]), says("done")]);
  const config = {
    model: scripted.getModel(),
    convertToLlm,
    beforeToolCall: async (about) => void (seen.before = about),
    afterToolCall: async (about) => void (seen.after = about),
    finishTurn: async (turn) => void (seen.turn ??= turn),
    prepareNextTurn: async (turn) => void (seen.next = turn),
    prepareRequest: async (request) => void (seen.request ??= request),
  };
  const emit = (event) => void told.push(event);
  const made = await engine.runAgentLoopContinue(context, config, emit, undefined, scripted.stream);
  const ends = told.filter(({ type }) => type === "message_end").map(({ message }) => message);
  const [message, toolResult] = ends.filter(({ role }) => role !== "system");
  const block = message.content.at(-1);
  assert.equal(seen.before.assistantMessage, message);
  assert.equal(seen.before.toolCall, block);
  assert.equal(seen.before.context.messages, context.messages);
  assert.equal(seen.before.context.tools[0], a);
  assert.equal(seen.after.toolCall, block);
  assert.equal(seen.after.args, seen.before.args);
  assert.equal(seen.after.result, told.find(({ type }) => type === "tool_execution_end").result);
  assert.equal(seen.turn.message, message);
  assert.equal(seen.turn.toolResults[0], toolResult);
  assert.equal(seen.turn.newMessages, made);
  assert.equal(seen.turn, seen.next);
  assert.equal(seen.request.context, seen.turn.context);
  assert.equal(seen.request.model, config.model);
  assert.equal(context.messages.includes(toolResult), true);
  const end = told.find(({ type }) => type === "turn_end");
  assert.equal(end.message, message);
  assert.equal(end.toolResults, seen.turn.toolResults);
  assert.equal(told.find(({ type }) => type === "tool_execution_start").args, block.arguments);
});

test("a progress report and a stream's event are told as they are", async () => {
  const report = result("half", { details: { run: () => 1 } });
  const a = tool("a", async (id, args, signal, onUpdate) => (onUpdate(report), result("x")));
  const message = says("whole");
  const partial = { ...message, content: [], mine: new Map() };
  const delta = { type: "text_delta", contentIndex: 0, delta: "x", partial, mine: Symbol("mine") };
  const streams = [
    calls(["a"]),
    message,
  ].map((final) => () => {
    const stream = engine.createAssistantMessageEventStream();
    stream.push({ type: "start", partial });
    stream.push(delta);
    stream.push({ type: "done", reason: "stop", message: final });
    return stream;
  });
  const played = scriptedAgent([], { tools: [a], streamFn: () => streams.shift()() });
  await played.agent.prompt("go");
  const update = played.events.find(({ type }) => type === "message_update");
  assert.equal(update.assistantMessageEvent, delta);
  assert.notEqual(update.message, partial);
  assert.equal(update.message.mine, partial.mine);
  assert.equal(played.events.find(({ type }) => type === "tool_execution_update").partialResult, report);
  assert.equal(played.agent.state.messages.at(-1), message);
});

test("structured content stays when a hook replaces anything but the content", async () => {
  const whole = result("x", { structuredContent: { run: () => 1 } });
  const details = { mine: () => 1 };
  const played = scriptedAgent([calls(["a"]), says("done")], {
    tools: [tool("a", async () => whole)],
    afterToolCall: async () => ({ details }),
  });
  await played.agent.prompt("go");
  const { result: told } = played.events.find(({ type }) => type === "tool_execution_end");
  assert.equal(told.structuredContent, whole.structuredContent);
  assert.equal(told.content, whole.content);
  assert.equal(told.details, details);
  assert.equal(played.agent.state.messages.find(({ role }) => role === "toolResult").details, details);
});

test("an agent's listeners, tools and hooks get its one signal, and each run has its own", async () => {
  const seen = [new Set(), new Set()];
  let run = 0;
  const see = (signal) => void seen[run].add(signal);
  const played = scriptedAgent([calls(["a"]), says("one"), says("two")], {
    tools: [tool("a", async (id, args, signal) => (see(signal), result("x")))],
    beforeToolCall: async (about, signal) => see(signal),
    finishTurn: async (turn, signal) => see(signal),
  });
  played.agent.subscribe((event, signal) => {
    see(signal);
    see(played.agent.signal);
  });
  await played.agent.prompt("go");
  run = 1;
  await played.agent.prompt("again");
  assert.deepEqual(seen.map(({ size }) => size), [1, 1]);
  assert.notEqual([...seen[0]][0], [...seen[1]][0]);
});

test("messages queued and prompted are the ones in the transcript, and tools the ones that were set", async () => {
  const [prompt, steering, following] = ["p", "s", "f"].map((text) => ({ ...user(text), mine: () => text }));
  const a = tool("a");
  const played = scriptedAgent([says("one"), says("two"), says("three")], { tools: [a] });
  played.agent.steer(steering);
  played.agent.followUp(following);
  assert.equal(played.agent.peekQueuedMessages()[0], steering);
  await played.agent.prompt(prompt);
  const users = played.agent.state.messages.filter(({ role }) => role === "user");
  [prompt, steering, following].forEach((message, at) => assert.equal(users[at], message));
  assert.equal(played.agent.state.tools[0], a);
});
