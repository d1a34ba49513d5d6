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
  assert.equal(server.requests.length, 1, "an aborted run asked the model again");

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

/** Each call has one result on the branch, in the order it was asked; gives what they say. */
async function results(agent, ids) {
  const found = (await agent.transcript()).filter((message) => message.role === "toolResult");
  assert.deepEqual(found.map((result) => result.toolCallId), ids);
  const ended = (await agent.events()).filter((event) => event.type === "tool_execution_end").map((event) => event.toolCallId);
  assert.deepEqual([...ended].sort(), [...ids].sort());
  return found;
}

test("stop between the tools of a batch: each call has one result, and the next prompt works", async (t) => {
  const calls = [
    { id: "k1", name: "write", arguments: { path: "one.txt", content: "1" } },
    { id: "k2", name: "write", arguments: { path: "two.txt", content: "2" } },
    { id: "k3", name: "read", arguments: { path: "large.txt", limit: 1 } },
  ];
  const server = await t.model([answer({ text: "Three at once.", calls }), answer({ text: "Here again." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => element.files.writeText("large.txt", "a line of a large file\n".repeat(400_000)));
  // The first call has run; the others were let in and have not run.
  await agent.do((element) => void (element.debug.breakpoints = [{ event: "execute", nth: 2 }]));
  await agent.startPrompt("go");
  await agent.status("paused");
  assert.deepEqual((await agent.state()).pausedAt, { event: "execute", callId: "k2" });
  await agent.click("stop");
  const { value } = await agent.finished();
  assert.deepEqual([value.aborted, value.stopReason], [true, "aborted"]);
  assert.equal((await agent.state()).status, "idle");
  const said = (await results(agent, ["k1", "k2", "k3"])).map(({ isError, content }) => [isError, content[0].text.split("\n")[0]]);
  // What was done is done, and said; what had not been done by then is not.
  assert.deepEqual(said, [[false, "Successfully wrote to one.txt"], [true, "Operation aborted"], [true, "Operation aborted"]]);
  assert.deepEqual((await agent.do((element) => element.files.list())).map(({ name }) => name), ["large.txt", "one.txt"]);
  assert.ok(!(await agent.attributes("tool-call", "data-state")).includes("executing"));
  assert.equal(server.requests.length, 1, "an aborted run asked the model again");

  await agent.do((element) => void (element.debug.breakpoints = []));
  assert.equal((await agent.prompt("and now?")).text, "Here again.");
  const tools = server.requests[1].body.messages.filter((message) => message.role === "tool");
  assert.deepEqual(tools.map((message) => message.tool_call_id), ["k1", "k2", "k3"]);
});

test("stop as soon as a tool has started, wherever that finds the run", async (t) => {
  const reads = Array.from({ length: 12 }, (_, n) => ({ id: `r${n}`, name: "read", arguments: { path: "large.txt", offset: 1 + 1000 * n } }));
  const server = await t.model([answer({ calls: reads }), (request) => (JSON.stringify(request.body).includes("and now?") ? answer({ text: "Here again." }) : answer({ text: "never ends", stallAfter: 2 }))]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => element.files.writeText("large.txt", "a line of a large file\n".repeat(400_000)));
  const result = await agent.do(async (element) => {
    element.addEventListener("vitrine-event", ({ detail }) => {
      if (detail.type === "tool_execution_start" && detail.toolCallId === "r0") element.abort();
    });
    return element.prompt("read it all");
  });
  assert.deepEqual([result.aborted, result.stopReason], [true, "aborted"]);
  await results(agent, reads.map(({ id }) => id));
  assert.equal((await agent.prompt("and now?")).text, "Here again.");
});
