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
