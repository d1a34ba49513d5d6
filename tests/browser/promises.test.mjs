// What vitrine.d.ts promises where things go wrong: a method always settles, and says why.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

/** "resolved", the code of a refusal, or that there was no end; as source text, to run in the page. */
const OUTCOME = `(promise) => Promise.race([
  promise.then(() => "resolved", (error) => error.code ?? error.name),
  new Promise((resolve) => setTimeout(() => resolve("never settles"), 3000)),
])`;

test("a call made right before close() rejects, and the state is at rest", async (t) => {
  const server = await t.model([answer({ text: "slow ".repeat(200), wait: 20 })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => void element.prompt("talk").catch(() => {}));
  const outcome = await agent.do(`async (element) => { const pending = element.files.list(); element.close(); return (${OUTCOME})(pending); }`);
  assert.equal(outcome, "closed");
  assert.equal(await agent.do((element) => element.state.status), "idle");
});

test("after a failed start every method rejects with the reason", async (t) => {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>D</title><script type="module" src="/some/path/vitrine.js"></script><vitrine-agent loading="eager" model="nope:x">words</vitrine-agent></html>`;
  t.server = await t.serve({ "/docs/page.html": html });
  const tab = await t.tab();
  await tab.goto(`${t.server.origin}/docs/page.html`);
  const agent = t.agentIn(tab);
  await agent.do((element) => customElements.whenDefined("vitrine-agent").then(() => element.ready).catch(() => {}));
  assert.equal(await agent.do(`(element) => (${OUTCOME})(element.files.list())`), "invalid-model");
});

test("an image of a prompt is in the transcript and in the request", async (t) => {
  const server = await t.model([answer({ text: "seen" })]);
  const agent = await t.open();
  await agent.useModel(server);
  const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
  await agent.do((element, image) => element.prompt([{ type: "text", text: "what?" }, image]), image);
  const user = (await agent.transcript()).find((message) => message.role === "user");
  assert.deepEqual(user.content, [{ type: "text", text: "what?" }, image]);
  const sent = server.requests[0].body.messages.find((message) => message.role === "user");
  assert.deepEqual(sent.content, [{ type: "text", text: "what?" }, { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }]);
});

test("an image of a prompt is on screen, live and after a reload; one that no browser shows is named", async (t) => {
  // 2 by 1 pixels.
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4zwAE/wEHAAH/4iOeWQAAAABJRU5ErkJggg==";
  const images = [{ type: "image", data, mimeType: "image/png" }, { type: "image", data, mimeType: "image/svg+xml\u202e" }];
  const server = await t.model([answer({ text: "seen" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element, images) => element.prompt([{ type: "text", text: "what are these?" }, ...images]), images);
  const shown = () => agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid="message-user"] [data-testid="image"]')].map((node) =>
    node.localName === "img" ? [node.alt, node.src, node.complete, node.naturalWidth, node.naturalHeight] : node.textContent));
  const expected = [["image/png", `data:image/png;base64,${data}`, true, 2, 1], "image/svg+xml⟨U+202E⟩"];
  for (const _ of ["live", "after a reload"]) {
    await agent.sees(/what are these\?/, "message-user");
    await until("the image to be drawn", async () => JSON.stringify(await shown()) === JSON.stringify(expected)).catch(() => {});
    assert.deepEqual(await shown(), expected);
    await agent.tab.reload();
    await agent.ready();
  }
});

test("a bad argument is a rejection with a code, and changes nothing", async (t) => {
  const agent = await t.open();
  await agent.do((element) => element.files.writeText("kept.txt", "kept"));
  const calls = [
    "element.prompt(5)", "element.prompt([{ type: 'audio' }])", "element.files.write('kept.txt', 7)", "element.files.write('kept.txt', null)",
    "element.files.writeText('kept.txt')", "element.sessions.import(null)",
  ];
  for (const call of calls) assert.equal(await agent.do(`(element) => (${OUTCOME})((() => ${call})())`), "invalid-argument", call);
  assert.equal(await agent.do((element) => element.files.readText("kept.txt")), "kept");
  for (const [call, code] of [["element.steer(' ')", "empty-prompt"], ["element.sessions.remove('nosuch')", "session-not-found"],
    ["element.setModel({ api: 'openai-completions', id: 'm', baseUrl: 'http://localhost:1/v1?x=1' })", "invalid-model"],
    ["element.setModel({ api: 'openai-completions', id: 'm', baseUrl: 'http://user:pass@localhost:1/v1' })", "invalid-model"]])
    assert.equal(await agent.do(`(element) => (${OUTCOME})(${call})`), code, call);
});

test("vitrine-file names the call that changed the file", async (t) => {
  const server = await t.model([answer({ calls: [{ id: "k1", name: "write", arguments: { path: "a", content: "a" } }] }), answer({ text: "ok" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => {
    window.files = [];
    element.addEventListener("vitrine-file", (event) => window.files.push(event.detail));
  });
  await agent.prompt("go");
  await agent.do((element) => element.files.writeText("b", "by hand"));
  const told = await agent.do(() => window.files);
  // The numbers are those of the list of changes.
  const ids = (await agent.do(({ files }) => files.changes())).map((change) => change.id);
  assert.deepEqual(told, [{ path: "a", change: "written", callId: "k1", id: ids[0] }, { path: "b", change: "written", id: ids[1] }]);
});

test("state is an AgentState from the first moment", async (t) => {
  const agent = await t.open();
  const [before, after] = await agent.do((element) => [new (customElements.get("vitrine-agent"))().state, element.state].map((state) => Object.keys(state).sort()));
  assert.deepEqual(before, after);
});

test("a reload in the middle of a write finds the workspace again, and the session that was open", async (t) => {
  const server = await t.model([answer({ text: "Hello there." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("Say hello.");
  await agent.do((element) => {
    for (let n = 0; n < 8; n += 1) element.files.write(`big${n}.bin`, new Uint8Array(4e6).fill(n)).catch(() => {});
    return new Promise((resolve) => setTimeout(resolve, 20));
  });
  await agent.tab.reload();
  await agent.ready();
  await agent.sees(/Hello there\./);
  const [session] = await agent.do((element) => element.sessions.list());
  assert.equal(session.current, true);
  assert.equal((await agent.state()).model.id, "loopback");
  const sizes = (await agent.do((element) => element.files.list())).map((file) => file.size);
  assert.ok(sizes.every((size) => size === 4e6), `torn: ${sizes}`);
  // It is the kept workspace, not one in memory.
  await agent.do((element) => element.files.writeText("after.txt", "kept"));
  await agent.tab.reload();
  await agent.ready();
  assert.equal(await agent.do((element) => element.files.readText("after.txt")), "kept");
});

test("queued messages can be taken back, and a connection can be tested, by the API too", async (t) => {
  const server = await t.model([answer({ text: "slow ".repeat(60), wait: 10 }), answer({ text: "end" })]);
  const agent = await t.open();
  await agent.useModel(server);
  const taken = await agent.do(async (element) => {
    const streams = new Promise((resolve) => element.addEventListener("vitrine-event", (event) => {
      if (event.detail.type === "message_update") resolve();
    }));
    const run = element.prompt("talk");
    await streams;
    await element.steer("one");
    await element.followUp("two");
    const taken = await element.clearQueue();
    await run;
    return taken;
  });
  assert.deepEqual(taken, { steering: ["one"], followUp: ["two"] });
  assert.equal(server.requests.length, 1);
  const report = await agent.do((element, baseUrl) => element.testConnection({ api: "openai-completions", id: "", baseUrl }), server.url);
  assert.deepEqual([report.ok, report.verdict], [true, "ok"]);
});
