// The run's hooks: when they are asked, what they see, and what their answers change.

import { test } from "node:test";

import { assert, calls, engine, pause, result, results, says, scriptedAgent, textOf, tool, user } from "./support.mjs";

test("what the caller does right after prompting belongs to the run", async () => {
  const played = scriptedAgent([says("one"), says("two")], { convertToLlm: (messages) => messages });
  const running = played.agent.prompt("go");
  played.agent.steer(user("at once"));
  await running;
  const head = "agent_start · turn_start · m:user(go) · m:user(at once) · m:assistant";
  assert.equal(played.trace(), `${head} · turn_end · agent_end`);
});

test("an abort right after prompting counts before the first request", async () => {
  const played = scriptedAgent([says("one")], {});
  const running = played.agent.prompt("go");
  played.agent.abort();
  await running;
  assert.equal(played.agent.state.messages.at(-1).stopReason, "aborted");
});

test("the next turn works with the context, model and level it is given", async () => {
  const seen = [];
  const other = { id: "other", provider: "p" };
  const kept = [user("kept")];
  const prepareNextTurnWithContext = async ({ context }) => ({
    context: { messages: kept, tools: context.tools },
    messages: [user("put in")],
    model: other,
    thinkingLevel: "high",
  });
  const played = scriptedAgent([calls(["a"]), says("done")], { tools: [tool("a")], prepareNextTurnWithContext });
  const { streamFunction } = played.agent;
  played.agent.streamFunction = (model, context, options) => {
    seen.push([model.id, context.messages.map(({ role }) => role).join(" "), options.reasoning]);
    return streamFunction(model, context, options);
  };
  await played.agent.prompt("go");
  assert.deepEqual(seen, [
    ["faux-1", "system user", undefined],
    ["other", "user system user", "high"],
  ]);
  assert.deepEqual(kept.map(({ role }) => role), ["user", "system", "user", "assistant"]);
  assert.equal(played.agent.state.messages.at(-1).thinkingLevel, "high");
});

test("a transformed context is sent once and kept nowhere", async () => {
  const sent = [];
  const transformContext = async (messages) => messages.slice(-1);
  const convertToLlm = (messages) => (sent.push(messages.map(({ role }) => role)), messages);
  const played = scriptedAgent([calls(["a"]), says("done")], { tools: [tool("a")], transformContext, convertToLlm });
  await played.agent.prompt("go");
  assert.deepEqual(sent, [["user"], ["toolResult"]]);
  assert.equal(played.agent.state.messages.length, 5);
});

test("a blocked call says why, and may say that the run may stop", async () => {
  const rows = [
    [{ block: true }, "Tool execution was blocked", undefined],
    [{ block: true, reason: "not now" }, "not now", undefined],
    [{ block: true, reason: "stop here", terminate: true }, "stop here", true],
  ];
  for (const [answer, text, terminate] of rows) {
    const played = scriptedAgent([calls(["a"]), says("done")], { tools: [tool("a")], beforeToolCall: async () => answer });
    await played.agent.prompt("go");
    const end = played.events.find(({ type }) => type === "tool_execution_end");
    const expected = { content: [{ type: "text", text }], details: {} };
    assert.deepEqual(end.result, terminate ? { ...expected, terminate } : expected);
    assert.equal("durationMs" in end, false);
    assert.equal(played.agent.state.messages.at(-1).role, terminate ? "toolResult" : "assistant");
  }
});

test("a call that is blocked after an abort was aborted", async () => {
  const beforeToolCall = async () => (played.agent.abort(), { block: true, reason: "too late" });
  const played = scriptedAgent([calls(["a"]), says("x")], { tools: [tool("a")], beforeToolCall });
  await played.agent.prompt("go");
  assert.deepEqual(results(played.agent.state.messages), [["a", "Operation aborted", true]]);
});

test("every call of a batch is started before the first result, of a tool of no promise too", async () => {
  const order = [];
  const now = (name) => tool(name, () => (order.push(`run ${name}`), result(name)));
  const played = scriptedAgent([calls(["a"], ["b"]), says("done")], { tools: [now("a"), now("b")] });
  played.agent.subscribe(({ type, toolName }) => void (type === "tool_execution_end" && order.push(`end ${toolName}`)));
  await played.agent.prompt("go");
  assert.deepEqual(order, ["run a", "run b", "end a", "end b"]);
});

test("updates are told while the tool runs and waited for before it ends", async () => {
  const order = [];
  const a = tool("a", async (id, args, signal, onUpdate) => (onUpdate(result("half")), result("whole")));
  const played = scriptedAgent([calls(["a"]), says("done")], { tools: [a] });
  played.agent.subscribe(async ({ type }) => {
    if (!type.startsWith("tool_execution")) return;
    await pause(3);
    order.push(type);
  });
  await played.agent.prompt("go");
  assert.deepEqual(order, ["tool_execution_start", "tool_execution_update", "tool_execution_end"]);
});

test("every emit is awaited before anything else happens", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([calls(["a"]), says("done")]);
  let isTelling = false;
  const idle = () => assert.equal(isTelling, false);
  const emit = async () => {
    idle();
    isTelling = true;
    await pause();
    isTelling = false;
  };
  const hook = async () => idle();
  const config = { model: {}, convertToLlm: (messages) => (idle(), messages), toolExecution: "sequential" };
  Object.assign(config, { beforeToolCall: hook, afterToolCall: hook, finishTurn: hook, prepareNextTurn: hook });
  const context = { messages: [], tools: [tool("a", async () => (idle(), result("x")))] };
  const made = await engine.runAgentLoop([user("go")], context, config, emit, undefined, scripted.stream);
  assert.equal(textOf(made.at(-1)), "done");
});

test("one call alone goes the same way, without events", async () => {
  const updates = [];
  const a = tool("a", async (id, args, signal, onUpdate) => (onUpdate(result("half")), result(JSON.stringify(args))), {
    parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  });
  const seen = [];
  const options = {
    tools: [a],
    assistantMessage: says("x"),
    context: { messages: [] },
    beforeToolCall: async ({ args }) => void seen.push(args),
    afterToolCall: async () => ({ details: 5 }),
    onUpdate: (update) => void updates.push(update),
  };
  const call = (name, args, more) =>
    engine.runToolCall({ type: "toolCall", id: "1", name, arguments: args }, { ...options, ...more });
  const { durationMs, ...outcome } = await call("a", { n: "1" });
  assert.ok(durationMs >= 0);
  const toolCall = { type: "toolCall", id: "1", name: "a", arguments: { n: "1" } };
  const whole = { content: [{ type: "text", text: '{"n":1}' }], details: 5, usage: undefined, terminate: undefined };
  assert.deepEqual(outcome, { toolCall, result: whole, isError: false });
  assert.deepEqual([seen, updates.map(textOf)], [[{ n: 1 }], ["half"]]);
  for (const [made, text] of [
    [await call("b", {}), "Tool b not found"],
    [await call("a", {}), 'Validation failed for tool "a":\n  - n: missing\n\nReceived arguments:\n{}'],
    [await call("a", { n: 1 }, { signal: AbortSignal.abort() }), "Operation aborted"],
    [await call("a", { n: 1 }, { beforeToolCall: async () => ({ block: true }) }), "Tool execution was blocked"],
  ]) {
    assert.deepEqual([textOf(made.result), made.isError, "durationMs" in made], [text, true, false]);
  }
});

test("while a response comes in, the context ends with what there is of it", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("some words that come in pieces, one after the other")]);
  const context = { messages: [user("go")] };
  const config = { model: scripted.getModel(), convertToLlm: (messages) => messages };
  let updates = 0;
  const emit = ({ type, assistantMessageEvent, message }) => {
    if (type === "message_update") {
      updates += 1;
      assert.equal(context.messages.at(-1), assistantMessageEvent.partial);
    }
    if (type === "message_end") assert.equal(context.messages.at(-1), message);
    if (type.startsWith("message_")) assert.equal(context.messages.length, 2);
  };
  await engine.runAgentLoopContinue(context, config, emit, undefined, scripted.stream);
  assert.ok(updates > 3);
});

test("a tool that becomes sequential during a run makes the next batch sequential", async () => {
  const tools = [tool("a"), tool("b")];
  const prepareNextTurn = () => {
    tools[0].executionMode = "sequential";
  };
  const batch = () => calls(["a"], ["b"]);
  const played = scriptedAgent([batch(), batch(), says("done")], { tools, prepareNextTurn });
  await played.agent.prompt("go");
  const [first, second] = played.trace().split(" · turn_end · ");
  assert.ok(first.endsWith("start a · start b · end a · end b · m:toolResult · m:toolResult"), first);
  assert.ok(second.endsWith("start a · end a · m:toolResult · start b · end b · m:toolResult"), second);
});

test("a run that fails is no unhandled rejection for who only reads its events, or nothing", async () => {
  const config = {
    model: {},
    convertToLlm: () => {
      throw new Error("mine");
    },
  };
  engine.agentLoop([user("go")], { messages: [] }, config, undefined, () => {});
  const read = async () => {
    for await (const event of engine.agentLoop([user("go")], { messages: [] }, config, undefined, () => {})) assert.ok(event.type);
  };
  await assert.rejects(read(), { message: "mine" });
  // A rejection that nobody handled fails the test file in Node and the page in a browser.
  await pause(5);
});
