// The attributes of <vitrine-agent>, each on a page elsewhere, as a host would write it.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const page = (attributes, before = "") => `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Docs</title>
<style>vitrine-agent { display: block; height: 600px }</style><script type="module" src="/some/path/embed/vitrine.js"></script>
<h1>Docs</h1>${before}<vitrine-agent ${attributes}><p id="words">static words</p></vitrine-agent></html>`;

/** Opens a page whose element has these attributes; waits until it is up, unless told not to. */
async function opened(t, attributes, { query = "", waits = true, profile } = {}) {
  t.server = await t.serve({ "/docs/page.html": page(attributes) });
  const tab = await t.tab(profile && (await t.profile(profile)));
  await tab.goto(`${t.server.origin}/docs/page.html${query}`);
  const agent = t.agentIn(tab);
  await until("the element to be defined", () => agent.do(() => Boolean(customElements.get("vitrine-agent"))));
  return waits ? agent.ready() : agent;
}

/** Which of these test ids a reader can see. */
const visible = (agent, ids) => agent.do((element, ids) => ids.filter((id) => [...element.shadowRoot.querySelectorAll(`[data-testid="${id}"]`)].some((node) => node.checkVisibility() && node.getBoundingClientRect().width > 0)), ids);
const composed = (agent) => agent.do((element) => element.shadowRoot.querySelector('textarea[data-testid="composer"]').value);
const surface = (agent) => agent.do((element) => {
  const found = element.shadowRoot.querySelector('[data-testid="transcript"]').closest(".surface");
  return { lang: found.lang, dark: getComputedStyle(found).backgroundColor.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 90) };
});

test('loading="click": static words and nothing loaded until the reader clicks', async (t) => {
  const agent = await opened(t, 'loading="click"', { waits: false });
  const loaded = () => agent.tab.addresses.filter((address) => /\.wasm|worker|page\.js/.test(address));
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.deepEqual(loaded(), []);
  assert.deepEqual(await agent.do((element) => [element.shadowRoot.querySelector("slot") !== null, element.querySelector("#words").checkVisibility()]), [true, true]);
  await agent.tab.click("#words");
  await agent.ready();
  assert.notDeepEqual(loaded(), []);
  assert.deepEqual(await visible(agent, ["composer"]), ["composer"]);
});

test('loading="click": a method starts it too', async (t) => {
  const agent = await opened(t, 'loading="click"', { waits: false });
  await agent.do((element) => element.files.writeText("a.txt", "by a method"));
  assert.equal(await agent.do((element) => element.files.readText("a.txt")), "by a method");
});

// What a mode shows, and what it takes from the page's address and keys: only the app owns those.
const MODES = [
  { mode: "app", shown: ["composer", "files", "loop", "model", "status", "step", "transcript"], prompt: "from the link", keyField: true, panelKeys: true },
  { mode: "embed", shown: ["composer", "files", "loop", "model", "status", "step", "transcript"], prompt: "", keyField: false, panelKeys: false },
  { mode: "", shown: ["composer", "files", "loop", "model", "status", "step", "transcript"], prompt: "", keyField: false, panelKeys: false },
  { mode: "chat", shown: ["composer", "model", "status", "transcript"], prompt: "", keyField: false, panelKeys: false },
];
for (const { mode, shown, prompt, keyField, panelKeys } of MODES) {
  test(mode ? `mode="${mode}"` : "no mode is embed", async (t) => {
    const agent = await opened(t, `loading="eager" ${mode && `mode="${mode}"`}`, { query: "?prompt=from%20the%20link", profile: { viewport: { width: 1300, height: 800 } } });
    // Some of it comes after the first screen.
    const ids = [...new Set(shown.concat("files", "loop", "step"))].sort();
    await until(`${shown} to be shown`, async () => (await visible(agent, ids)).join() === shown.join());
    assert.equal(await composed(agent), prompt);
    // It is a whole agent in each of them.
    assert.equal((await agent.prompt("hello")).stopReason, "stop");
    assert.deepEqual((await agent.texts("message-user")).map((text) => /hello/.test(text)), [true]);

    await agent.click("model");
    const fields = keyField ? "base-url,key" : "base-url";
    await until(`the sheet with ${fields}`, async () => (await visible(agent, ["base-url", "key"])).join() === fields);
    await agent.tab.press("Escape");

    // Alt and a digit bring a panel to the front, where only one has room.
    await agent.tab.page.setViewportSize({ width: 800, height: 800 });
    await until("one panel to be left", async () => (await visible(agent, ["files"])).length === 0);
    await agent.focus("composer");
    await agent.tab.press("Alt+3");
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.deepEqual(await visible(agent, ["files"]), panelKeys ? ["files"] : []);
  });
}

test("model and base-url name a server, which hears nothing before a prompt", async (t) => {
  const server = await t.model([answer({ text: "From the server of the attribute." })]);
  const agent = await opened(t, `loading="eager" model="openai-completions:vendor/loopback:7b" base-url="${server.url}"`);
  const { api, id, baseUrl } = (await agent.state()).model;
  assert.deepEqual({ api, id, baseUrl }, { api: "openai-completions", id: "vendor/loopback:7b", baseUrl: server.url });
  assert.match((await agent.texts("model")).join(), /vendor\/loopback:7b/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.deepEqual(agent.tab.addresses.filter((address) => address.startsWith(server.origin)), []);
  assert.equal((await agent.prompt("hello")).text, "From the server of the attribute.");
  assert.equal(server.requests[0].body.model, "vendor/loopback:7b");
});

test('model="scripted" needs no server, also where a base-url is named', async (t) => {
  const server = await t.model([]);
  const agent = await opened(t, `loading="eager" model="scripted" base-url="${server.url}"`);
  assert.equal((await agent.prompt("hello")).stopReason, "stop");
  assert.equal((await agent.state()).model.api, "scripted");
  assert.equal(server.requests.length, 0);
});

test("allow-keys lets a reader type a key into an embed, which goes to the server", async (t) => {
  const server = await t.model([answer({ text: "authorised" })]);
  const agent = await opened(t, "loading=eager allow-keys");
  await agent.click("model");
  for (const [id, text] of [["base-url", server.url], ["model-id", "loopback"], ["key", "sk-of-the-reader"]]) {
    await agent.focus(id);
    await agent.tab.type(text);
  }
  await agent.click("use-model");
  await until("the model to be used", async () => (await agent.state()).model.id === "loopback");
  assert.equal((await agent.prompt("hello")).text, "authorised");
  assert.equal(server.requests[0].headers.authorization, "Bearer sk-of-the-reader");
});

test("lang, theme and prompt, at the start and when they change", async (t) => {
  const agent = await opened(t, 'loading="eager" lang="zh" theme="dark" prompt="written by the host"');
  assert.equal(await composed(agent), "written by the host");
  assert.deepEqual(await surface(agent), { lang: "zh", dark: true });
  assert.match((await agent.texts("send")).join(), /发送/);
  await agent.do((element) => {
    element.setAttribute("lang", "en");
    element.setAttribute("theme", "light");
  });
  await agent.sees(/Send/, "send");
  assert.deepEqual(await surface(agent), { lang: "en", dark: false });
  assert.equal(await composed(agent), "written by the host", "a change of language took what was written");
});

test("workspace names where files are kept; elements with other names have others", async (t) => {
  const agent = await opened(t, 'loading="eager" workspace="docs"');
  await agent.do((element) => element.files.writeText("kept.txt", "kept"));
  await agent.tab.reload();
  await until("the element to be defined", () => agent.do(() => Boolean(customElements.get("vitrine-agent"))));
  await agent.ready();
  assert.equal(await agent.do((element) => element.files.readText("kept.txt")), "kept");
  // One after the other: a workspace has one writer.
  const lists = await agent.do(async (first) => {
    const lists = [];
    let last = first;
    for (const name of ["other", null, "docs"]) {
      last.remove();
      await new Promise((resolve) => setTimeout(resolve, 100));
      last = document.createElement("vitrine-agent");
      last.setAttribute("loading", "eager");
      if (name) last.setAttribute("workspace", name);
      document.body.append(last);
      await last.ready;
      lists.push((await last.files.list()).map((file) => file.path));
    }
    return lists;
  });
  assert.deepEqual(lists, [[], [], ["kept.txt"]]);
});
