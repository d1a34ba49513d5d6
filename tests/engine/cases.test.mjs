// The handed cases of group c, the loop: those the engine decides. Where the others are tested, or why not: README.md.

import { test } from "node:test";

import { assert, calls, engine, pause, result, results, says, scriptedAgent, textOf, tool, user } from "./support.mjs";

const never = () => new Promise(() => {});
/** Each call of a transcript has one result, between it and the next message that is no result. */
const assertPaired = (messages) => {
  messages.forEach(({ role, content }, at) => {
    if (role !== "assistant") return;
    const ids = content.filter(({ type }) => type === "toolCall").map(({ id }) => id);
    const answers = messages.slice(at + 1, at + 1 + ids.length).map(({ toolCallId }) => toolCallId);
    assert.deepEqual(answers, ids);
  });
};

test("c01: stopped in the midst of a batch, every call has its result before the next message", async () => {
  for (const toolExecution of ["sequential", "parallel"]) {
    let settleLate;
    const late = new Promise((resolve) => (settleLate = resolve));
    const tools = [tool("k1", async () => result("ok")), tool("k2", () => late), tool("k3", never)];
    const responses = [calls(["k1"], ["k2"], ["k3"]), says("aborted, never played"), says("fine")];
    const sent = [];
    const played = scriptedAgent(responses, { tools, toolExecution, abortGraceMs: 1 });
    const { streamFunction } = played.agent;
    played.agent.streamFunction = (model, context, options) => {
      sent.push(structuredClone(context.messages));
      return streamFunction(model, context, options);
    };
    const running = played.agent.prompt("go");
    await pause(10);
    played.agent.abort();
    await running;
    const interrupted = "Interrupted by the user. The tool may have partly run.";
    const third = toolExecution === "sequential" ? "Operation aborted" : interrupted;
    const expected = [
      ["k1", "ok", false],
      ["k2", interrupted, true],
      ["k3", third, true],
    ];
    assert.deepEqual(results(played.agent.state.messages), expected);
    const before = JSON.stringify(played.agent.state.messages);
    settleLate(result("late"));
    await pause(5);
    assert.equal(JSON.stringify(played.agent.state.messages), before, "a late result changes nothing");
    await played.agent.prompt("and now?");
    assertPaired(played.agent.state.messages);
    assertPaired(sent.at(-1));
    assert.equal(textOf(sent.at(-1).at(-1)), "and now?");
  }
});

test("c15: a stop is no error; what steers goes out first, and what follows is still queued", async () => {
  const played = scriptedAgent([calls(["a"]), says("aborted, never played"), says("after the steer")], { tools: [tool("a", never)], abortGraceMs: 1 });
  const running = played.agent.prompt("go");
  await pause(5);
  played.agent.followUp(user("F1"));
  played.agent.steer(user("S1"));
  played.agent.abort();
  await running;
  assert.equal(played.agent.state.messages.at(-1).stopReason, "aborted");
  const queued = played.agent.peekQueuedMessages().map(textOf);
  const steered = played.agent.state.messages.map(textOf).includes("S1");
  assert.deepEqual([steered, queued], [true, ["F1"]], "it went into the turn that closed the run");
  assert.ok(played.agent.hasQueuedMessages());
});

test("c17: an answer of thoughts alone ends the run as it is, for whoever judges it", async () => {
  const played = scriptedAgent([engine.fauxAssistantMessage(engine.fauxThinking("I should list files"))]);
  await played.agent.prompt("go");
  const last = played.agent.state.messages.at(-1);
  assert.deepEqual([last.stopReason, last.content], ["stop", [{ type: "thinking", thinking: "I should list files" }]]);
});
