// Requests, what they carry of the session, fingerprints, and going back: by the public API, over scripted and live models.

import { assert, test, until } from "./harness.mjs";
import { answer, status } from "./model_server.mjs";

const write = (id, path, content) => ({ id, name: "write", arguments: { path, content } });
const read = (id, path) => ({ id, name: "read", arguments: { path } });
const rewind = (agent, to) => agent.do((element, to) => element.debug.rewind(to), to);
const refused = (agent, to) => agent.do((element, to) => element.debug.rewind(to).then(() => "went", ({ code }) => code), to);
const run = (agent) => agent.do((element) => element.debug.run());
const text = (agent, path) => agent.do((element, path) => element.files.readText(path).catch(({ code }) => code), path);
const fingerprint = (agent) => agent.do((element) => element.fingerprint());
/** The number of the first event that fits. */
const eventOf = (agent, type, more = {}) => agent.do((element, type, more) => element.events.findIndex((event) => event.type === type && Object.entries(more).every(([key, value]) => event[key] === value)), type, more);
/** What a reader sees of each call and message. */
const seen = (agent) => agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid^="message-"], [data-testid="tool-call"]')].map((node) => `${node.dataset.testid} ${node.dataset.state ?? ""}`.trim()));
const entries = async (agent) => (await agent.do(async (element) => element.sessions.export((await element.sessions.list()).find((session) => session.current).id))).trim().split("\n").slice(1).map((line) => JSON.parse(line));

/** A run of one write and one answer. */
const played = async (t, more = []) => {
  const server = await t.model([answer({ text: "I write.", calls: [write("w", "a.txt", "one\n")] }), answer({ text: "Written." }), ...more]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("write");
  return { server, agent };
};

test("a round trip of a tool is two requests, and the second has two messages more", async (t) => {
  const { server, agent } = await played(t);
  await agent.do((element, origin) => element.setKey("sk-very-secret", { origin }), new URL(server.url).origin);
  const requests = await agent.do((element) => element.requests);
  assert.deepEqual(requests.map(({ number, turn, sent, method }) => ({ number, turn, sent, method })), [
    { number: 1, turn: 1, sent: true, method: "POST" }, { number: 2, turn: 2, sent: true, method: "POST" },
  ]);
  // Byte for byte what the server was sent.
  for (const [at, request] of requests.entries()) {
    assert.deepEqual(JSON.parse(request.body), server.requests[at].body);
    assert.equal(request.bytes, new TextEncoder().encode(request.body).length);
    assert.equal(request.sections.reduce((sum, section) => sum + section.bytes, 0), request.bytes);
    assert.equal(await agent.do(async (element, number) => new TextDecoder().decode(await element.debug.readRequest(number)), request.number), request.body);
  }
  assert.deepEqual(requests[1].sections.filter((section) => section.kind === "message").map(({ role, sameAsBefore }) => [role, sameAsBefore]), [["user", true], ["assistant", false], ["tool", false]]);
  assert.equal(await agent.do((element) => element.debug.readRequest(9).catch(({ code }) => code)), "no-such-request");
});

test("a request that is made anew, because a server refused a field, is in the log as well", async (t) => {
  const server = await t.model([status(400, { error: { message: "Unsupported parameter: 'stream_options' is not supported with this model." } }), answer({ text: "hi" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("hello");
  const requests = await agent.do((element) => element.requests);
  assert.deepEqual(requests.map((request) => JSON.parse(request.body)), server.requests.map((request) => request.body));
  assert.equal(requests.length, 2);
});

test("a key is in no request that is shown", async (t) => {
  const server = await t.model([answer({ text: "hi" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element, origin) => element.setKey("sk-very-secret", { origin }), new URL(server.url).origin);
  await agent.prompt("hello");
  assert.match(server.requests[0].headers.authorization, /sk-very-secret/);
  const [request] = await agent.do((element) => element.requests);
  assert.equal(request.headers.authorization, "Bearer ••••");
  assert.doesNotMatch(JSON.stringify(request), /very-secret/);
});

test("a scripted run has its requests, too, and the same fingerprint each time", async (t) => {
  const agent = await t.open();
  const play = async () => {
    await agent.start((element) => element.play());
    await agent.status("paused");
    await run(agent);
    await agent.finished();
    return { hash: await fingerprint(agent), requests: await agent.do((element) => element.requests) };
  };
  const first = await play();
  assert.equal(first.hash.length, 64);
  assert.deepEqual(first.requests.map(({ sent, url }) => [sent, url]), [[false, "scripted:scripted"], [false, "scripted:scripted"]]);
  assert.equal(JSON.parse(first.requests[1].body).messages.length - JSON.parse(first.requests[0].body).messages.length, 2);
  const second = await play();
  assert.equal(second.hash, first.hash);
});

test("the ledger says of every entry whether the next request carries it, and why not", async (t) => {
  const { server, agent } = await played(t, [answer({ text: "more" })]);
  await agent.do((element) => element.debug.edit({ callId: "w", result: "All is well." }));
  const ledger = await agent.do((element) => element.debug.ledger());
  assert.deepEqual(ledger.map(({ kind, role, inRequest }) => [role ?? kind, inRequest]), [
    ["model_change", "screen-only"], ["system", "whole"], ["user", "whole"], ["assistant", "whole"], ["toolResult", "edited"], ["assistant", "whole"], ["context_edit", "screen-only"],
  ]);
  assert.equal(ledger[4].instead, "All is well.");
  const user = ledger.find((line) => line.role === "user");
  await rewind(agent, user.entryId);
  const after = await agent.do((element) => element.debug.ledger());
  assert.deepEqual(after.map(({ onBranch }) => onBranch), [true, true, true, false, false, false, false]);
  await agent.do((element) => element.continue());
  assert.deepEqual(server.requests[2].body.messages.map((message) => message.role), ["system", "user"]);
});

test("back to just before a call, on from there: the same run with the same fingerprint", async (t) => {
  const { agent } = await played(t, [answer({ text: "Written." })]);
  const before = await fingerprint(agent);
  const at = await eventOf(agent, "tool_execution_start");
  const went = await rewind(agent, { event: at });
  assert.deepEqual([went.event, went.filesRestored], [at, true]);
  assert.equal(await text(agent, "a.txt"), "file-not-found");
  const state = await agent.state();
  assert.deepEqual([state.status, state.pausedAt.event, state.pausedAt.callId, state.turn], ["paused", "tool_execution_start", "w", 1]);
  assert.equal((await agent.events()).length, at);
  await until("the screen", async () => (await seen(agent)).join() === "message-user,message-assistant,tool-call requested");
  await run(agent);
  await agent.status("idle");
  assert.equal(await text(agent, "a.txt"), "one\n");
  assert.equal(await fingerprint(agent), before);
  await until("the screen", async () => (await seen(agent)).join() === "message-user,message-assistant,tool-call recorded,message-assistant");
  // The session has both branches; the calls of each have their results.
  const messages = (await entries(agent)).filter((entry) => entry.type === "message").map((entry) => entry.message.role);
  assert.deepEqual(messages, ["system", "user", "assistant", "toolResult", "assistant", "toolResult", "assistant"]);
  const runs = await agent.do((element) => element.debug.runs());
  assert.deepEqual(runs.map(({ left, hash }) => [left, hash]), [[true, before], [false, before]]);
  assert.equal((await agent.do((element, a, b) => element.debug.diffRuns(a, b), runs[0].runId, runs[1].runId)).first, undefined);
});

test("back, another result by hand, on: a branch that went otherwise, and where it left the first", async (t) => {
  const { server, agent } = await played(t, [answer({ text: "It failed." })]);
  await rewind(agent, { event: await eventOf(agent, "tool_execution_start") });
  await agent.do((element) => element.debug.edit({ callId: "w", result: "disk full", isError: true }));
  await run(agent);
  await agent.status("idle");
  assert.equal(await text(agent, "a.txt"), "file-not-found");
  assert.deepEqual(server.requests[2].body.messages.at(-1).content, "disk full");
  const runs = await agent.do((element) => element.debug.runs());
  const diff = await agent.do((element, a, b) => element.debug.diffRuns(a, b), runs[0].runId, runs[1].runId);
  assert.equal(diff.first.a.type, "tool_execution_end");
  assert.deepEqual([diff.first.a.isError, diff.first.b.isError], [false, true]);
});

test("back into a response that had begun: the rest of it arrives as it did, and nobody is asked", async (t) => {
  const { server, agent } = await played(t, [answer({ text: "Written." })]);
  const before = await fingerprint(agent);
  const at = await agent.do((element) => element.events.findIndex((event) => event.type === "message_update") + 2);
  await rewind(agent, { event: at });
  assert.equal((await agent.state()).status, "paused");
  await run(agent);
  await agent.status("idle");
  assert.equal(await fingerprint(agent), before);
  assert.equal(server.requests.length, 3);
});

test("back to the very first event: the question is asked anew", async (t) => {
  const { server, agent } = await played(t, [answer({ text: "No need." })]);
  await rewind(agent, { event: 0 });
  assert.deepEqual((await agent.events()).length, 0);
  await run(agent);
  await agent.status("idle");
  assert.deepEqual((await agent.story()).map((entry) => entry.user ?? entry.model), ["write", "No need."]);
  assert.equal(server.requests.length, 3);
  assert.equal(await text(agent, "a.txt"), "file-not-found");
});

test("what is no place to go back to changes nothing", async (t) => {
  const { agent } = await played(t);
  const before = await agent.events();
  for (const [to, code] of [[{ event: before.length }, "no-such-event"], [{ event: 1e6 }, "no-such-event"], ["0000none", "entry-not-found"], [{ event: -1 }, "invalid-argument"]]) {
    assert.equal(await refused(agent, to), code, JSON.stringify(to));
  }
  assert.deepEqual(await agent.events(), before);
  assert.equal(await text(agent, "a.txt"), "one\n");
});

test("back while a tool runs, while a response streams and while a decision is waited for: the run is ended first", async (t) => {
  const slow = { id: "s", name: "bash", arguments: { command: "sleep 30" } };
  const server = await t.model([
    answer({ calls: [slow] }), answer({ text: "A long answer. ".repeat(60), wait: 30 }), answer({ calls: [write("w2", "b.txt", "b")] }), answer({ text: "done" }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.startPrompt("one");
  await until("the tool runs", async () => (await eventOf(agent, "tool_execution_start")) >= 0);
  await rewind(agent, { event: 0 });
  assert.equal((await agent.state()).status, "paused");
  await run(agent);
  await until("text", async () => (await agent.events()).some((event) => event.type === "message_update"));
  await rewind(agent, { event: 0 });
  await agent.do((element) => element.setPolicy({ mode: "ask" }));
  await run(agent);
  await agent.status("waiting");
  const at = await eventOf(agent, "tool_execution_start");
  await rewind(agent, { event: at });
  await agent.do((element) => element.setPolicy({}));
  await run(agent);
  await agent.status("idle");
  assert.equal(await text(agent, "b.txt"), "b");
  assert.deepEqual((await agent.story()).map((entry) => Object.keys(entry)[0]), ["user", "model", "result", "model"]);
});

test("a branch that was left can be gone back to, with its files", async (t) => {
  const server = await t.model([answer({ calls: [write("w", "a.txt", "one\n")] }), answer({ text: "first" }), answer({ calls: [write("v", "a.txt", "two\n")] }), answer({ text: "second" }), answer({ text: "third" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("write");
  const all = await entries(agent);
  const user = all.find((entry) => entry.message?.role === "user");
  const left = all.at(-1);
  await rewind(agent, user.id);
  assert.equal(await text(agent, "a.txt"), "file-not-found");
  assert.deepEqual((await agent.story()).length, 1);
  await agent.do((element) => element.continue());
  assert.equal(await text(agent, "a.txt"), "two\n");
  await rewind(agent, left.id);
  // Once more to where it is: the same again.
  const story = await agent.story();
  const screen = await seen(agent);
  const went = await rewind(agent, left.id);
  assert.deepEqual(await agent.story(), story);
  await until("the same screen", async () => (await seen(agent)).join() === screen.join());
  assert.equal(went.filesRestored, true);
  assert.equal(await text(agent, "a.txt"), "one\n");
  assert.deepEqual((await agent.story()).map((entry) => entry.model).filter((text) => text !== undefined), ["", "first"]);
  await agent.prompt("and now?");
  const roles = server.requests.at(-1).body.messages.map((message) => message.role);
  assert.deepEqual(roles, ["system", "user", "assistant", "tool", "assistant", "user"]);
});
