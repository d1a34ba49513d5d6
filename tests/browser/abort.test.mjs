// Stop, anywhere: what arrived is kept, every call has a result, and the next request is valid.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

test("stop in the middle of a stream keeps the text and closes the connection", async (t) => {
  const server = await t.model([answer({ text: "This much has arrived. Then nothing more.", stallAfter: 6 }), answer({ text: "Here again." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.startPrompt("talk");
  await agent.sees(/This much has arrived/, "message-assistant");
  await agent.click("stop");
  const { value } = await agent.finished();
  assert.equal(value.aborted, true);
  assert.equal(value.stopReason, "aborted");
  await until("the server to see the connection closed", () => server.requests[0].closed);
  const story = await agent.story();
  assert.equal(story[1].stop, "aborted");
  assert.match(story[1].model, /^This much has arrived/);
  assert.equal((await agent.prompt("again")).text, "Here again.");
});

test("stop between calls: each has a result, and the next request is valid (c01)", async (t) => {
  const server = await t.model([
    answer({
      calls: [
        { id: "k1", name: "write", arguments: { path: "k1.txt", content: "1" } },
        { id: "k2", name: "write", arguments: { path: "k2.txt", content: "2" } },
        { id: "k3", name: "read", arguments: { path: "k1.txt" } },
      ],
    }),
    answer({ text: "Understood." }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => void (element.debug.breakpoints = [{ event: "tool_execution_start", nth: 2 }]));
  await agent.startPrompt("three calls");
  await agent.status("paused");
  await agent.do((element) => element.abort());
  assert.equal((await agent.finished()).value.aborted, true);
  const results = (await agent.transcript()).filter((message) => message.role === "toolResult");
  assert.deepEqual(results.map((result) => result.toolCallId), ["k1", "k2", "k3"]);
  assert.ok(results.slice(1).every((result) => result.isError), "a call that was not run has no error result");
  assert.equal(results[2].durationMs, undefined);

  await agent.do((element) => void (element.debug.breakpoints = []));
  assert.equal((await agent.prompt("and now?")).text, "Understood.");
  const tools = server.requests[1].body.messages.filter((message) => message.role === "tool").map((message) => message.tool_call_id);
  assert.deepEqual(tools, ["k1", "k2", "k3"]);
});

test("stop while paused, and stop when idle", async (t) => {
  const agent = await t.open();
  await agent.do((element) => element.abort());
  assert.equal((await agent.state()).status, "idle");
  await agent.start((element) => element.play());
  await agent.status("paused");
  await agent.do((element) => element.abort());
  assert.equal((await agent.finished()).value.aborted, true);
  assert.equal((await agent.state()).status, "idle");
  const results = (await agent.transcript()).filter((message) => message.role === "toolResult");
  assert.deepEqual(results.map((result) => result.isError), [true]);
});
