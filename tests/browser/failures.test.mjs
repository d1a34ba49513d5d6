// What a server, a model or a file can do wrong: the reader is told where they look, nothing hangs, the next prompt works.

import { createServer } from "node:net";

import { assert, test, until } from "./harness.mjs";
import { answer, status } from "./model_server.mjs";

const closedPort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

// What the server does instead of answering, and what the reader must be told.
const failures = [
  { name: "401 with a body", does: status(401, JSON.stringify({ error: { message: "Incorrect API key provided", type: "invalid_request_error", code: "invalid_api_key" } })), says: [/401/, /Incorrect API key provided/] },
  { name: "429 with a body", does: status(429, JSON.stringify({ error: { message: "Rate limit reached for requests", type: "requests" } }), { "retry-after": "0" }), says: [/429/, /Rate limit reached for requests/] },
  { name: "500 without JSON", does: status(500, "the model crashed", { "content-type": "text/plain" }), says: [/500/, /the model crashed/] },
  { name: "HTML instead of a stream", does: status(200, "<!doctype html><title>Log in</title><h1>Log in</h1>", { "content-type": "text/html" }), says: [/HTML|web page|Log in/i] },
  { name: "JSON instead of a stream", does: status(200, JSON.stringify({ error: { message: "model not loaded" } })), says: [/model not loaded/] },
  { name: "a stream cut off", does: (cutWhen) => answer({ text: "The first half is", cutAfter: 4, cutWhen }), says: [/The first half/, /finish|cut|ended|incomplete|closed|network|connection/i], kept: /The first half/ },
  { name: "an error inside the stream", does: { kind: "stream", wait: 2, events: [{ choices: [{ index: 0, delta: { role: "assistant", content: "Well, " } }] }, { error: { message: "out of memory on the device", type: "server_error" } }] }, says: [/out of memory on the device/] },
];

for (const { name, does, says, kept } of failures) {
  test(`failure: ${name}`, async (t) => {
    t.allow(/status of|Cross-Origin|ERR_INCOMPLETE/);
    const agent = await t.open();
    let broken = true;
    let hasArrived;
    const arrived = new Promise((resolve) => (hasArrived = resolve));
    const given = typeof does === "function" ? does(arrived) : does;
    const server = await t.model([() => (broken ? given : answer({ text: "Back to work." }))]);
    await agent.useModel(server);
    const asked = agent.prompt("try");
    if (kept) await agent.sees(kept);
    hasArrived();
    const result = await asked;
    assert.equal(result.stopReason, "error");
    assert.ok(result.errorMessage);
    for (const pattern of says) await agent.sees(pattern);
    const ended = (await agent.transcript()).at(-1);
    assert.equal(ended.role, "assistant");
    assert.equal(ended.stopReason, "error");
    if (kept) assert.match(ended.content.map((block) => block.text ?? "").join(""), kept);
    assert.equal((await agent.state()).status, "idle");
    broken = false;
    assert.equal((await agent.prompt("once more")).text, "Back to work.");
  });
}

test("failure: nobody listens there", async (t) => {
  t.allow(/./);
  const agent = await t.open();
  await agent.useModel({ url: `http://127.0.0.1:${await closedPort()}/v1` });
  const result = await agent.prompt("hello?");
  assert.equal(result.stopReason, "error");
  await agent.sees(/could not|cannot|refused|reach|fetch|offline|running|Network/i);
  assert.equal((await agent.story())[0].user, "hello?");
});

test("failure: the server does not allow this page (CORS)", async (t) => {
  t.allow(/./);
  const server = await t.model([answer({ text: "unreadable" })], { cors: false });
  const agent = await t.open();
  await agent.useModel(server);
  const result = await agent.prompt("hello?");
  assert.equal(result.stopReason, "error");
  await agent.sees(/CORS|origin|allow/i);
});

// What a model does wrong is answered to the model, and the run goes on.
const mistakes = [
  { name: "arguments that are no JSON", call: { name: "write", arguments: '{"path": "a.txt", "content": nothing}' }, says: /Received arguments:[^]*nothing/ },
  { name: "arguments that stop in the middle", call: { name: "write", arguments: '{"path": "a.txt", "content": "never ends' }, says: /not executed|Received arguments/ },
  { name: "arguments that do not fit the schema", call: { name: "write", arguments: { path: "a.txt" } }, says: /content/ },
  { name: "a tool there is not", call: { name: "launch_rocket", arguments: {} }, says: /Tool launch_rocket not found/ },
  { name: "a path outside the workspace", call: { name: "read", arguments: { path: "../../etc/passwd" } }, says: /etc\/passwd|outside|not found|no such/i },
  { name: "a file that is not there", call: { name: "read", arguments: { path: "nowhere.txt" } }, says: /nowhere\.txt/ },
];

for (const { name, call, says } of mistakes) {
  test(`mistake: ${name}`, async (t) => {
    const server = await t.model([answer({ text: "Let me.", calls: [call] }), answer({ text: "I see." })]);
    const agent = await t.open();
    await agent.useModel(server);
    await agent.do((element) => element.files.writeText("safe.txt", "safe"));
    const result = await agent.prompt("do it");
    assert.equal(result.text, "I see.");
    const story = await agent.story();
    assert.deepEqual(Object.keys(story[2]), ["result", "of", "isError"]);
    assert.equal(story[2].isError, true);
    assert.match(story[2].result, says);
    const told = server.requests[1].body.messages.find((message) => message.role === "tool").content;
    assert.match(told, says);
    assert.deepEqual((await agent.do((element) => element.files.list())).map((file) => file.path), ["safe.txt"]);
  });
}

test("an answer cut by its length runs none of its calls", async (t) => {
  const server = await t.model([
    answer({ text: "Both.", calls: [{ id: "k1", name: "write", arguments: { path: "a.txt", content: "a" } }, { id: "k2", name: "write", arguments: '{"path": "b.txt", "con' }], finish: "length" }),
    answer({ text: "Shorter then." }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("both files");
  assert.deepEqual(await agent.do((element) => element.files.list()), []);
  const results = (await agent.transcript()).filter((message) => message.role === "toolResult");
  assert.deepEqual(results.map((result) => [result.toolCallId, result.isError, result.durationMs]), [["k1", true, undefined], ["k2", true, undefined]]);
});

test("a large file is written, listed and read in parts", async (t) => {
  const agent = await t.open();
  const size = await agent.do(async (element) => {
    const bytes = new Uint8Array(50 * 1024 * 1024).fill(97);
    for (let at = 0; at < bytes.length; at += 80) bytes[at] = 10;
    await element.files.write("large.bin", bytes);
    return (await element.files.read("large.bin")).byteLength;
  });
  assert.equal(size, 50 * 1024 * 1024);
  const server = await t.model([answer({ calls: [{ name: "read", arguments: { path: "large.bin" } }] }), answer({ text: "Large." })]);
  await agent.useModel(server);
  assert.equal((await agent.prompt("read it")).text, "Large.");
  assert.ok(server.requests[1].raw.length < 200_000, `${server.requests[1].raw.length} bytes went to the model`);
});

test("failures of the files API are errors with a code and a way out", async (t) => {
  const agent = await t.open();
  const errors = await agent.do(async (element) => {
    const failed = (promise) => promise.then(() => "no error", ({ name, code, message, help }) => ({ name, code, hasHelp: Boolean(help), message }));
    return { missing: await failed(element.files.read("no/such.txt")), outside: await failed(element.files.writeText("../../x", "x")), session: await failed(element.sessions.open("no-such-session")) };
  });
  for (const [which, error] of Object.entries(errors)) {
    assert.equal(error.name, "VitrineError", which);
    assert.match(error.code, /^[a-z]+(-[a-z]+)*$/, which);
    assert.ok(error.hasHelp, which);
  }
  assert.match(errors.missing.message, /no\/such\.txt/);
  assert.match(errors.outside.message, /\.\.\/\.\.\/x/);
});

test("what was saved outlives every failure", async (t) => {
  t.allow(/./);
  const server = await t.model([answer({ text: "ok" }), status(401, "{}"), answer({ text: "half", cutAfter: 2 })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => element.files.writeText("a.txt", "a"));
  await agent.prompt("one");
  await agent.prompt("two");
  await agent.prompt("three");
  await agent.tab.reload();
  await agent.ready();
  const [session] = await agent.do((element) => element.sessions.list());
  await agent.do((element, id) => element.sessions.open(id), session.id);
  const story = await agent.story();
  assert.deepEqual(story.filter((entry) => entry.user).map((entry) => entry.user), ["one", "two", "three"]);
  assert.equal(await agent.do((element) => element.files.readText("a.txt")), "a");
  await until("the old answer on screen", async () => /ok/.test((await agent.texts("transcript")).join()));
});
