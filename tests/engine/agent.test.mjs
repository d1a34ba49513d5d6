// The agent around the loop: what it refuses, its queues, its state.

import { test } from "node:test";

import { assert, calls, engine, pause, says, scriptedAgent, textOf, tool, user } from "./support.mjs";

test("one run at a time, and each refusal says what to do", async () => {
  const played = scriptedAgent([says("one")]);
  const running = played.agent.prompt("go");
  await assert.rejects(played.agent.prompt("more"), {
    message:
      "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
  });
  await assert.rejects(played.agent.continue(), {
    message: "Agent is already processing. Wait for completion before continuing.",
  });
  assert.throws(() => played.agent.reset(), {
    message: "Agent is already processing. Wait for completion before resetting.",
  });
  await running;
});

test("there must be something to continue from", async () => {
  const { agent } = scriptedAgent([says("one")], { initialState: { systemPrompt: "be" } });
  agent.steer(user("kept"));
  await assert.rejects(agent.continue(), { message: "No messages to continue from" });
  assert.equal(agent.hasQueuedMessages(), true);
  agent.clearAllQueues();
  await agent.prompt("go");
  await assert.rejects(agent.continue(), { message: "Cannot continue from message role: assistant" });
  const loop = { model: {}, convertToLlm: (messages) => messages };
  assert.throws(() => engine.agentLoopContinue({ messages: [] }, loop, undefined, () => {}), {
    message: "Cannot continue: no messages in context",
  });
  assert.throws(() => engine.agentLoopContinue({ messages: [says("x")] }, loop, undefined, () => {}), {
    message: "Cannot continue from message role: assistant",
  });
});

test("continue after an answer runs one drain of steering, and no second at its start", async () => {
  const played = scriptedAgent([says("zero"), says("one"), says("two")]);
  await played.agent.prompt("go");
  played.agent.steer(user("s1"));
  played.agent.steer(user("s2"));
  played.events.length = 0;
  await played.agent.continue();
  assert.equal(
    played.trace(),
    "agent_start · turn_start · m:user(s1) · m:assistant · turn_end · turn_start · m:user(s2) · m:assistant · " +
      "turn_end · agent_end",
  );
});

test("continue after an answer falls back to follow-ups; after a user message it asks", async () => {
  const played = scriptedAgent([says("zero"), says("one"), says("two")]);
  await played.agent.prompt("go");
  played.agent.followUp(user("f"));
  await played.agent.continue();
  played.agent.state.messages = [user("from here")];
  await played.agent.continue();
  assert.deepEqual(played.agent.state.messages.map(textOf), ["from here", "two"]);
});

test("queues give all or one, and show what they would give", () => {
  const { agent } = scriptedAgent([]);
  const [a, b, c] = ["a", "b", "c"].map(user);
  agent.followUp(c);
  assert.deepEqual(agent.peekQueuedMessages(), [c]);
  agent.steer(a);
  agent.steer(b);
  assert.deepEqual([agent.steeringMode, agent.peekQueuedMessages()], ["one-at-a-time", [a]]);
  agent.steeringMode = "all";
  assert.deepEqual(agent.peekQueuedMessages(), [a, b]);
  agent.clearSteeringQueue();
  assert.deepEqual(agent.peekQueuedMessages(), [c]);
  agent.clearFollowUpQueue();
  assert.equal(agent.hasQueuedMessages(), false);
});

test("state follows the events before listeners are told, and is busy until they are through", async () => {
  const played = scriptedAgent([calls(["a"]), says("done")], { tools: [tool("a")] });
  const { agent } = played;
  const seen = [];
  agent.subscribe(async ({ type, message }) => {
    const { state } = agent;
    if (type === "message_start" && message.role === "assistant") seen.push(state.streamingMessage === message);
    if (type === "message_end") seen.push([state.messages.at(-1) === message, state.streamingMessage]);
    if (type.startsWith("tool_execution")) seen.push([type, [...state.pendingToolCalls]]);
    if (type === "agent_end") {
      await pause(5);
      seen.push(state.isStreaming);
    }
  });
  const running = agent.prompt("go");
  assert.equal(agent.state.isStreaming, true);
  let isIdle = false;
  agent.waitForIdle().then(() => (isIdle = true));
  await running;
  await undefined;
  assert.equal(isIdle, true);
  assert.deepEqual(seen, [
    [true, undefined],
    true,
    [true, undefined],
    ["tool_execution_start", ["a"]],
    ["tool_execution_end", []],
    [true, undefined],
    true,
    [true, undefined],
    true,
  ]);
  assert.deepEqual([agent.state.isStreaming, agent.signal], [false, undefined]);
});

test("the prompt and the tools are the transcript's, and outlive a reset", async () => {
  const { agent } = scriptedAgent([says("one")], {
    initialState: { systemPrompt: "be kind" },
    tools: [tool("a")],
  });
  agent.state.messages.push({ role: "system", content: "and brief", sections: { x: "1", y: "2" }, timestamp: 3 });
  agent.state.messages.push({ role: "system", content: "", sections: { x: null, z: "3" }, timestamp: 4 });
  assert.equal(agent.state.systemPrompt, "be kind\n\nand brief\n\n2\n\n3");
  await agent.prompt("go");
  agent.followUp(user("f"));
  agent.reset();
  assert.deepEqual(agent.state.messages, [
    {
      role: "system",
      content: "be kind\n\nand brief",
      sections: { y: "2", z: "3" },
      toolsAdded: [{ name: "a", description: "does a", parameters: { type: "object" } }],
      timestamp: 0,
    },
  ]);
  assert.equal(agent.hasQueuedMessages(), false);
});

test("a prompt is a text with images, a message or several", async () => {
  const image = { type: "image", data: "AA==", mimeType: "image/png" };
  const { agent } = scriptedAgent([says("1"), says("2"), says("3")]);
  await agent.prompt("look", [image]);
  await agent.prompt(user("one"));
  await agent.prompt([user("two"), user("three")]);
  assert.deepEqual(agent.state.messages[0].content, [{ type: "text", text: "look" }, image]);
  assert.deepEqual(agent.state.messages.slice(1).map(textOf), ["1", "one", "2", "two", "three", "3"]);
});

test("an agent without a stream function takes the default, which must have been set", async () => {
  const message = "No default stream function configured. Pass streamFn explicitly or call setDefaultStreamFn().";
  assert.throws(() => new engine.Agent(), { message });
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([says("by default")]);
  engine.setDefaultStreamFn(scripted.stream);
  const agent = new engine.Agent();
  await agent.prompt("go");
  assert.equal(textOf(agent.state.messages[1]), "by default");
  engine.setDefaultStreamFn(undefined);
});

test("a listener that has gone is not told", async () => {
  const { agent } = scriptedAgent([says("one")]);
  let told = 0;
  const leave = agent.subscribe(() => {
    told += 1;
    leave();
  });
  await agent.prompt("go");
  assert.equal(told, 1);
});
