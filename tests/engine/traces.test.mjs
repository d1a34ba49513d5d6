// The event traces of the semantics' appendix A.1, one test each.

import { test } from "node:test";

import { assert, calls, engine, pause, result, results, says, scriptedAgent, textOf, tool, user } from "./support.mjs";

const PLAIN = "agent_start · turn_start · m:user(go) · m:assistant · turn_end · agent_end";
const HEAD = "agent_start · turn_start · m:user(go) · m:assistant";
const TURN = "turn_end · turn_start";
const LAST = "m:assistant · turn_end · agent_end";
const ONE = "start a · end a · m:toolResult";

/** Plays a script for the prompt "go" and compares the trace. */
const plays = async (responses, options, expected) => {
  const played = scriptedAgent(responses, options);
  await played.agent.prompt("go");
  assert.equal(played.trace(), expected);
  return played;
};

test("1: a plain text", () => plays([says("hello")], {}, PLAIN));

test("2: a tool round trip", async () => {
  const played = await plays([calls(["a"]), says("done")], { tools: [tool("a")] }, `${HEAD} · ${ONE} · ${TURN} · ${LAST}`);
  assert.deepEqual(results(played.agent.state.messages), [["a", "a done", false]]);
});

const queueing = (mode) => {
  const a = tool("a", async () => {
    agent().steer(user("s1"));
    agent().steer(user("s2"));
    agent().followUp(user("f1"));
    return result("ok");
  });
  let played;
  const agent = () => played.agent;
  played = scriptedAgent([calls(["a"]), says("1"), says("2"), says("3")], { tools: [a], steeringMode: mode });
  return played;
};

test("3: steering and a follow-up queued during a tool, one at a time", async () => {
  const played = queueing();
  await played.agent.prompt("go");
  const turns = ["s1", "s2", "f1"].map((text) => `m:user(${text}) · m:assistant`).join(` · ${TURN} · `);
  assert.equal(played.trace(), `${HEAD} · ${ONE} · ${TURN} · ${turns} · turn_end · agent_end`);
});

test("4: the same with all steering at once", async () => {
  const played = queueing("all");
  await played.agent.prompt("go");
  const turns = `m:user(s1) · m:user(s2) · m:assistant · ${TURN} · m:user(f1) · m:assistant`;
  assert.equal(played.trace(), `${HEAD} · ${ONE} · ${TURN} · ${turns} · turn_end · agent_end`);
});

const ends = (name, terminate) => tool(name, async () => result("x", { terminate }));
const BOTH = "start a · start b · end a · end b · m:toolResult · m:toolResult";

test("5: both results terminate", () =>
  plays([calls(["a"], ["b"])], { tools: [ends("a", true), ends("b", true)] }, `${HEAD} · ${BOTH} · turn_end · agent_end`));

test("6: one of two terminates", () =>
  plays(
    [calls(["a"], ["b"]), says("on")],
    { tools: [ends("a", true), ends("b", false)] },
    `${HEAD} · ${BOTH} · ${TURN} · ${LAST}`,
  ));

test("7: all terminate and a follow-up is queued", async () => {
  const played = scriptedAgent([calls(["a"]), says("on")], { tools: [ends("a", true)] });
  played.agent.followUp(user("f"));
  await played.agent.prompt("go");
  assert.equal(played.trace(), `${HEAD} · ${ONE} · ${TURN} · m:user(f) · ${LAST}`);
});

test("8: finishTurn ends after a batch and leaves the follow-up queued", async () => {
  const played = scriptedAgent([calls(["a"])], { tools: [tool("a")], finishTurn: () => ({ action: "end" }) });
  played.agent.followUp(user("f"));
  await played.agent.prompt("go");
  assert.equal(played.trace(), `${HEAD} · ${ONE} · turn_end · agent_end`);
  assert.deepEqual(played.agent.peekQueuedMessages(), [user("f")]);
});

test("9: finishTurn continues once", async () => {
  let asked = 0;
  const finishTurn = () => (asked++ === 0 ? { action: "continue" } : undefined);
  const played = await plays([says("one"), says("two")], { finishTurn }, `${HEAD} · ${TURN} · ${LAST}`);
  assert.deepEqual(played.agent.state.messages.map(textOf), ["go", "one", "two"]);
});

test("10: calls of a response that stopped are executed", () => {
  const response = { ...calls(["a"]), stopReason: "stop" };
  return plays([response, says("done")], { tools: [tool("a")] }, `${HEAD} · ${ONE} · ${TURN} · ${LAST}`);
});

test("11: nothing of a failed response is executed", async () => {
  const response = { ...calls(["a"]), stopReason: "error", errorMessage: "down" };
  const played = await plays([response], { tools: [tool("a")] }, PLAIN);
  assert.deepEqual(played.events.find(({ type }) => type === "turn_end").toolResults, []);
  assert.equal(played.agent.state.errorMessage, "down");
});

test("12: calls of a response that was cut off fail", async () => {
  const response = { ...calls(["a"]), stopReason: "length" };
  const played = await plays([response, says("done")], { tools: [tool("a")] }, `${HEAD} · ${ONE} · ${TURN} · ${LAST}`);
  const text =
    'Tool call "a" was not executed: the response hit the output token limit, so its arguments may be truncated. ' +
    "Re-issue the tool call with complete arguments.";
  assert.deepEqual(results(played.agent.state.messages), [["a", text, true]]);
  assert.equal("durationMs" in played.agent.state.messages.find(({ role }) => role === "toolResult"), false);
});

test("13: a stream function that throws", async () => {
  const streamFn = () => {
    throw new Error("boom");
  };
  const played = await plays([], { streamFn }, PLAIN);
  const { timestamp, ...message } = played.agent.state.messages[1];
  assert.ok(timestamp > 0);
  assert.deepEqual(message.content, [{ type: "text", text: "" }]);
  assert.deepEqual([message.stopReason, message.errorMessage], ["error", "boom"]);
  assert.deepEqual(played.events.at(-1).messages, [played.agent.state.messages[1]]);
});

test("14: an empty script", async () => {
  const played = await plays([], {}, PLAIN);
  const [, message] = played.agent.state.messages;
  assert.deepEqual([message.content, message.stopReason, message.errorMessage], [
    [],
    "error",
    "No more faux responses queued",
  ]);
});

const updating = (name, ms, more) =>
  tool(
    name,
    async (id, args, signal, onUpdate) => {
      onUpdate(result("so far"));
      await pause(ms);
      return result(name);
    },
    more,
  );

test("15: parallel calls end as they settle and are recorded in source order", async () => {
  const tools = [updating("a", 40), updating("b", 1)];
  const played = await plays(
    [calls(["a"], ["b"], ["c"]), says("done")],
    { tools },
    `${HEAD} · start a · start b · start c · end c · update a · update b · end b · end a · ` +
      `m:toolResult · m:toolResult · m:toolResult · ${TURN} · ${LAST}`,
  );
  assert.deepEqual(results(played.agent.state.messages), [
    ["a", "a", false],
    ["b", "b", false],
    ["c", "Tool c not found", true],
  ]);
});

test("16: one sequential tool makes the batch sequential", async () => {
  const tools = [updating("a", 5, { executionMode: "sequential" }), updating("b", 1)];
  const one = (name) => `start ${name} · update ${name} · end ${name} · m:toolResult`;
  await plays([calls(["a"], ["b"]), says("done")], { tools }, `${HEAD} · ${one("a")} · ${one("b")} · ${TURN} · ${LAST}`);
});

test("17: an abort from the first call's update", async () => {
  const tools = [updating("a", 5), updating("b", 5)];
  const played = scriptedAgent([calls(["a"], ["b"]), says("never")], { tools, toolExecution: "sequential" });
  played.agent.subscribe(({ type }) => type === "tool_execution_update" && played.agent.abort());
  await played.agent.prompt("go");
  assert.equal(
    played.trace(),
    `${HEAD} · start a · update a · end a · m:toolResult · start b · end b · m:toolResult · ${TURN} · ${LAST}`,
  );
  assert.deepEqual(results(played.agent.state.messages), [
    ["a", "a", false],
    ["b", "Operation aborted", true],
  ]);
  const last = played.agent.state.messages.at(-1);
  assert.deepEqual([last.content, last.stopReason, last.errorMessage], [[], "aborted", "Request was aborted"]);
});

test("18: tools replaced between two prompts are declared before the second", async () => {
  const played = scriptedAgent([says("one"), says("two")], { tools: [tool("old")] });
  await played.agent.prompt("go");
  played.agent.state.tools = [tool("new")];
  await played.agent.prompt("again");
  assert.ok(played.trace().endsWith(`agent_start · turn_start · m:system · m:user(again) · ${LAST}`));
  const { timestamp, ...system } = played.agent.state.messages[3];
  assert.deepEqual(system, {
    role: "system",
    content: "",
    toolsAdded: [{ name: "new", description: "does new", parameters: { type: "object" } }],
    toolsRemoved: [{ name: "old" }],
  });
});

test("the low-level loop declares tools that the context has not", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("one")]);
  const config = { model: scripted.getModel(), convertToLlm: (messages) => messages };
  const stream = engine.agentLoop([user("go")], { messages: [], tools: [tool("a")] }, config, undefined, scripted.stream);
  const types = [];
  for await (const event of stream) if (event.type === "message_end") types.push(event.message.role);
  assert.deepEqual(types, ["system", "user", "assistant"]);
  assert.deepEqual((await stream.result()).map(({ role }) => role), types);
});
