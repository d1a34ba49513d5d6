// Someone else's page: one script tag, the element, and the public API.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const host = (body, head = "") => `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">${head}<title>Docs</title><h1>Docs</h1>${body}</html>`;

for (const kind of ["", ' type="module"']) {
  test(`one ${kind ? "module" : "classic"} script tag on a page elsewhere`, async (t) => {
    t.server = await t.serve({ "/docs/page.html": host(`<script${kind} src="/some/path/embed/vitrine.js"></script><vitrine-agent loading="eager">static words</vitrine-agent>`) });
    const tab = await t.tab();
    await tab.goto(`${t.server.origin}/docs/page.html`);
    const agent = t.agentIn(tab);
    await until("the element to be defined", () => agent.do(() => Boolean(customElements.get("vitrine-agent"))));
    await agent.ready();
    const server = await t.model([answer({ text: "From the docs.", calls: [{ name: "write", arguments: { path: "x", content: "y" } }] }), answer({ text: "Written." })]);
    await agent.useModel(server);
    assert.equal((await agent.prompt("hello")).text, "Written.");
    assert.equal(await agent.do((element) => element.files.readText("x")), "y");
    // A throw-away workspace leaves nothing.
    await tab.reload();
    await until("the element to be defined", () => agent.do(() => Boolean(customElements.get("vitrine-agent"))));
    await agent.ready();
    assert.deepEqual(await agent.do((element) => element.files.list()), []);
  });
}

test("a policy without wasm gets words, not a blank box (g09)", async (t) => {
  t.allow(/./);
  const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`;
  t.server = await t.serve({ "/docs/strict.html": host('<script type="module" src="/some/path/vitrine.js"></script><vitrine-agent loading="eager">the static transcript</vitrine-agent>', policy) });
  const tab = await t.tab();
  await tab.goto(`${t.server.origin}/docs/strict.html`);
  const agent = t.agentIn(tab);
  const code = await agent.do(async (element) => {
    await customElements.whenDefined("vitrine-agent");
    return element.ready.then(() => "started", (error) => error.code);
  });
  assert.equal(code, "csp");
  assert.match(await agent.do((element) => element.shadowRoot.textContent), /wasm-unsafe-eval/);
  assert.ok(await agent.do((element) => element.shadowRoot.querySelector("slot") !== null), "the static words are gone");
});

test("a lazy element costs nothing until it is near the viewport", async (t) => {
  t.server = await t.serve({ "/docs/long.html": host('<script type="module" src="/some/path/embed/vitrine.js"></script><div style="height:5000px"></div><vitrine-agent>static words</vitrine-agent>') });
  const tab = await t.tab();
  await tab.goto(`${t.server.origin}/docs/long.html`);
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.deepEqual(tab.addresses.filter((address) => /\.wasm|worker/.test(address)), []);
  const agent = t.agentIn(tab);
  await agent.do((element) => element.scrollIntoView());
  await agent.ready();
});

/** What the element says of itself, and which of the texts a reader can read. */
const account = (agent, texts) => agent.do((element, texts) => {
  const text = ({ content }) => (typeof content === "string" ? content : content.map((block) => block.text ?? "").join(""));
  const screen = element.shadowRoot.querySelector('[data-testid="transcript"]').textContent;
  return {
    said: element.transcript.filter(({ role }) => role !== "system").map(text),
    shown: texts.filter((text) => screen.includes(text)),
    events: element.events.length,
    status: element.state.status,
    model: element.state.model.id,
    requests: element.state.requests,
    breakpoints: element.debug.breakpoints,
  };
}, texts);

/** Away until it is closed, and back. */
const comeBack = (agent, how) => agent.do(async (element, how) => {
  if (how === "closed") element.close();
  element.remove();
  await new Promise((resolve) => setTimeout(resolve, 300));
  document.body.append(element);
  await element.ready;
}, how);

for (const how of ["removed", "closed"]) {
  for (const workspace of ["", "notes"]) {
    for (const running of [false, true]) {
      test(`an element that was ${how} ${running ? "in a run" : "idle"} ${workspace ? "with" : "without"} a workspace comes back as after a reload`, async (t) => {
        const attributes = `mode="chat" loading="eager"${workspace && ` workspace="${workspace}"`}`;
        t.server = await t.serve({ "/docs/page.html": host(`<script type="module" src="/some/path/vitrine.js"></script><vitrine-agent ${attributes}>static words</vitrine-agent>`) });
        const tab = await t.tab();
        await tab.goto(`${t.server.origin}/docs/page.html`);
        const agent = t.agentIn(tab);
        await agent.ready();
        const server = await t.model([answer({ text: "answer one" }), ...(running ? [answer({ text: "half of it", stallAfter: 2 })] : []), answer({ text: "answer last" })]);
        await agent.useModel(server);
        await agent.prompt("ask one");
        if (running) {
          await agent.startPrompt("ask two");
          await agent.status("running");
          await until("the second request", () => server.requests.length === 2);
        }
        await agent.do((element) => void (element.debug.breakpoints = [{ event: "agent_end" }]));
        const texts = ["ask one", "answer one", "ask two", "answer last"];
        await comeBack(agent, how);
        const back = await account(agent, texts);
        if (running) assert.equal((await agent.finished()).error.code, "closed");

        await tab.reload();
        await agent.ready();
        assert.deepEqual(back, await account(agent, texts));
        assert.deepEqual(back.said.filter(Boolean).filter((text) => texts.includes(text)), back.shown, "the screen shows another session");
        assert.equal(back.shown.includes("ask one"), Boolean(workspace));

        await comeBack(agent, how);
        await agent.useModel(server);
        await agent.prompt("ask last");
        const { said } = await account(agent, texts);
        assert.deepEqual(said, [...back.said, "ask last", "answer last"]);
        const sent = JSON.stringify(server.requests.at(-1).body.messages);
        assert.deepEqual(texts.filter((text) => sent.includes(text)), back.shown, "another session was sent");
      });
    }
  }
}

test("a call that waits for a start is refused when the element goes, and does not reach the next start", async (t) => {
  let deliver;
  const delivered = new Promise((resolve) => (deliver = resolve));
  t.server = await t.serve({
    "/docs/page.html": host('<script type="module" src="/some/path/vitrine.js"></script><vitrine-agent mode="chat">static words</vitrine-agent>'),
    "/some/path/worker.js": () => delivered,
  });
  const tab = await t.tab();
  await tab.goto(`${t.server.origin}/docs/page.html`);
  const agent = t.agentIn(tab);
  await agent.do(() => customElements.whenDefined("vitrine-agent").then(() => {}));
  await agent.start(async (element) => {
    const never = new Promise((resolve) => setTimeout(() => resolve("never settles"), 3000));
    const code = (promise) => Promise.race([promise.then(() => "done", (error) => error.code), never]);
    const asked = [code(element.ready), code(element.play()), code(element.files.writeText("x", "y"))];
    await new Promise((resolve) => setTimeout(resolve, 300));
    element.remove();
    const codes = await Promise.all(asked);
    document.body.append(element);
    return codes;
  });
  assert.deepEqual((await agent.finished()).value, ["closed", "closed", "closed"]);
  deliver();
  await agent.ready();
  assert.deepEqual(await agent.do((element) => element.files.list()), []);
  assert.deepEqual(await agent.transcript(), []);
});
