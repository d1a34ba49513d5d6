// A conversation with a model server: real HTTP, real SSE, cut in odd places.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

test("two rounds of tools over a slow stream in odd chunks", async (t) => {
  const server = await t.model([
    answer({ text: "先写一个文件 ✍️, then I read it.", calls: [{ name: "write", arguments: { path: "notes/你好.md", content: "# 你好 👋\n\nline two\n" } }] }),
    answer({ thinking: "Now I check it.", calls: [{ name: "read", arguments: { path: "notes/你好.md" } }, { name: "ls", arguments: { path: "notes" } }] }),
    answer({ text: "It says **你好 👋** and has two lines." }),
  ], { seed: 3 });
  const agent = await t.open();
  await agent.useModel(server);
  const result = await agent.prompt("Write a greeting and check it.");

  assert.equal(result.stopReason, "stop");
  assert.equal(result.text, "It says **你好 👋** and has two lines.");
  assert.equal(result.turns, 3);
  assert.equal(result.aborted, false);

  const story = await agent.story();
  assert.deepEqual(story.map((entry) => Object.keys(entry)[0]), ["user", "model", "result", "model", "result", "result", "model"]);
  assert.equal(story[1].model, "先写一个文件 ✍️, then I read it.");
  assert.deepEqual(story[1].calls, [["write", { path: "notes/你好.md", content: "# 你好 👋\n\nline two\n" }]]);
  assert.match(story[4].result, /# 你好 👋\n\nline two/);
  assert.match(story[5].result, /你好\.md/);
  assert.deepEqual(story.filter((entry) => entry.isError), []);
  assert.equal(await agent.do((element) => element.files.readText("notes/你好.md")), "# 你好 👋\n\nline two\n");

  // What the server saw: the history, whole, with each call answered (the harness checks the pairing).
  assert.equal(server.requests.length, 3);
  const roles = server.requests[2].body.messages.filter((message) => message.role !== "system").map((message) => message.role);
  assert.deepEqual(roles, ["user", "assistant", "tool", "assistant", "tool", "tool"]);
  assert.deepEqual(server.requests[0].body.tools.map((tool) => tool.function.name).sort(), ["bash", "edit", "ls", "read", "write"]);

  // On screen: the cards of all calls, done, and Markdown as Markdown.
  assert.equal((await agent.attributes("tool-call", "data-call-id")).length, 3);
  assert.deepEqual([...new Set(await agent.attributes("tool-call", "data-state"))], ["recorded"]);
  const bold = await agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid="message-assistant"] strong')].map((node) => node.textContent));
  assert.deepEqual(bold, ["你好 👋"]);
});

test("events come in pi's order, and their messages are the transcript", async (t) => {
  const server = await t.model([
    answer({ text: "Two at once.", calls: [{ id: "a", name: "write", arguments: { path: "a.txt", content: "a" } }, { id: "b", name: "ls", arguments: {} }] }),
    answer({ text: "Done." }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("go");
  const events = await agent.events();
  const types = (await agent.eventTypes()).filter((type) => type !== "message_start" && type !== "message_update");
  // A first system message declares the tools; it may come before or with the user's.
  const withoutSystem = types.slice(types.indexOf("turn_start"), types.length);
  assert.deepEqual(withoutSystem.filter((type, index) => !(type === "message_end" && events.filter((event) => event.type === "message_end")[index - 1]?.message.role === "system")), [
    "turn_start", "message_end", "message_end",
    "tool_execution_start", "tool_execution_start", "tool_execution_end", "tool_execution_end", "message_end", "message_end", "turn_end",
    "turn_start", "message_end", "turn_end", "agent_end",
  ]);
  const ended = events.filter((event) => event.type === "message_end").map((event) => event.message);
  assert.deepEqual(ended, await agent.transcript());
  assert.deepEqual(events.at(-1).messages, ended);
  const results = ended.filter((message) => message.role === "toolResult").map((message) => message.toolCallId);
  assert.deepEqual(results, ["a", "b"]);
  assert.ok(ended.filter((message) => message.role === "toolResult").every((message) => typeof message.durationMs === "number"));
});

test("an answer is on screen while it streams, and arguments while they stream", async (t) => {
  const server = await t.model([
    answer({ text: "The beginning is here long before the end. ".repeat(3), calls: [{ name: "write", arguments: { path: "slow.txt", content: "x".repeat(300) } }], stallAfter: 60, size: 6 }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.startPrompt("slowly");
  await agent.sees(/The beginning is here/, "message-assistant");
  await until("the card of the call", async () => (await agent.attributes("tool-call", "data-call-id")).length === 1);
  await agent.sees(/slow\.txt/, "tool-call");
  assert.equal((await agent.state()).status, "running");
  await agent.do((element) => element.abort());
  assert.equal((await agent.finished()).value.aborted, true);
});

test("a steering message goes into the next request, a follow-up makes one more turn", async (t) => {
  const agent = await t.open();
  let answerNow;
  const queued = new Promise((resolve) => (answerNow = resolve));
  const first = answer({ text: "One moment.", calls: [{ name: "ls", arguments: {} }] });
  const server = await t.model([
    () => queued.then(() => first),
    answer({ text: "Heard you." }),
    answer({ text: "And this too." }),
  ]);
  await agent.useModel(server);
  await agent.startPrompt("start");
  await server.received(1);
  await agent.do(async (element) => {
    await element.steer("mind the gap");
    await element.followUp("and afterwards?");
  });
  answerNow();
  assert.equal((await agent.finished()).value.text, "And this too.");
  const users = (body) => body.messages.filter((message) => message.role === "user").map((message) => (typeof message.content === "string" ? message.content : message.content.map((part) => part.text).join("")));
  assert.deepEqual(server.requests.map((request) => users(request.body)), [
    ["start"], ["start", "mind the gap"], ["start", "mind the gap", "and afterwards?"],
  ]);
});

test("a second prompt during a run is refused, not lost or mixed in", async (t) => {
  const server = await t.model([answer({ text: "working on it", stallAfter: 3 }), answer({ text: "ok" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.startPrompt("first");
  await server.received(1);
  const refused = await agent.do((element) => element.prompt("second").then(() => "taken", (error) => error.code));
  assert.equal(refused, "busy");
  await agent.do((element) => element.abort());
  await agent.finished();
  assert.equal((await agent.prompt("third")).text, "ok");
});
