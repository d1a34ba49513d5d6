// The files panel as a reader has it: by keyboard and pointer, on what a person and a run change.

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";
import { serveFolder } from "./static_server.mjs";

const write = (agent, path, text) => agent.do(({ files }, path, text) => files.writeText(path, text), path, text);
const read = (agent, path) => agent.do(({ files }, path) => files.readText(path), path);
const paths = (agent) => agent.do((element) => [...element.shadowRoot.querySelectorAll("[role=treeitem]")].map((item) => item.dataset.path));
const shows = (agent, ...wanted) => until(`the tree to show ${wanted}`, async () => (await paths(agent)).join() === wanted.join());
const row = (agent, path) => agent.tab.click(`[data-path="${path}"]`);
const count = (agent, id) => agent.do((element, id) => element.shadowRoot.querySelectorAll(`[data-testid="${id}"]`).length, id);
const there = (agent, id) => until(`${id} to be there`, () => count(agent, id));
const gone = (agent, id) => until(`${id} to be gone`, async () => (await count(agent, id)) === 0);
/** What is in the editor, whichever it is. */
const edited = (agent) => agent.do((element) => {
  const root = element.shadowRoot;
  return root.querySelector(".pane textarea")?.value ?? [...root.querySelectorAll(".pane > .editbox:not(.compared) .cm-line")].map((line) => line.textContent).join("\n");
});
const keys = async (agent, ...pressed) => {
  for (const key of pressed) await agent.tab.press(key);
};

test("the tree by keyboard: moving, opening, new, another name, away and back", async (t) => {
  const agent = await t.open();
  for (const path of ["src/a.txt", "src/b.txt", "c.txt"]) await write(agent, path, path);
  await shows(agent, "src", "src/a.txt", "src/b.txt", "c.txt");
  const active = () => agent.do((element) => {
    const tree = element.shadowRoot.querySelector("[role=tree]");
    const item = element.shadowRoot.getElementById(tree.getAttribute("aria-activedescendant"));
    return item && ["data-path", "aria-level", "aria-posinset", "aria-setsize"].map((name) => item.getAttribute(name)).join(" ");
  });
  const is = (wanted) => until(`${wanted} to be active`, async () => (await active()) === wanted);
  await agent.focus("files");
  await keys(agent, "Home", "ArrowDown");
  await is("src/a.txt 2 1 2");
  await keys(agent, "End");
  await is("c.txt 1 2 2");
  await keys(agent, "s");
  await is("src 1 1 2");
  await keys(agent, "ArrowLeft");
  await shows(agent, "src", "c.txt");
  await keys(agent, "ArrowRight", "ArrowRight", "F2");
  await there(agent, "name");
  await agent.tab.type("first.txt");
  await keys(agent, "Enter");
  await shows(agent, "src", "src/b.txt", "src/first.txt", "c.txt");
  await is("src/first.txt 2 2 2");
  assert.equal(await read(agent, "src/first.txt"), "src/a.txt");

  // The same menu by key as by mouse.
  await keys(agent, "ArrowUp", "Shift+F10");
  await there(agent, "menu");
  await keys(agent, "Escape");
  await gone(agent, "menu");
  await keys(agent, "Delete");
  await shows(agent, "src", "src/first.txt", "c.txt");
  await agent.click("undo-remove");
  await shows(agent, "src", "src/b.txt", "src/first.txt", "c.txt");
  assert.equal(await read(agent, "src/b.txt"), "src/b.txt");

  await agent.focus("files");
  // The driver of Firefox has no such key.
  await keys(agent, "Home", t.engine === "chromium" ? "ContextMenu" : "Shift+F10");
  await agent.click("new-folder");
  await agent.tab.type("deep");
  await keys(agent, "Enter");
  await shows(agent, "src", "src/deep", "src/b.txt", "src/first.txt", "c.txt");
  await agent.click("files-menu");
  await agent.click("new-file");
  await agent.tab.type("made here.md");
  await keys(agent, "Enter");
  await until("the new file to be open", async () => (await agent.attributes("mode-edit", "aria-pressed"))[0] === "true");
  assert.equal(await read(agent, "made here.md"), "");
});

test("ten thousand files are a few rows in the document", async (t) => {
  const agent = await t.open();
  await agent.do(async ({ files }) => {
    for (let index = 0; index < 10_000; index += 200)
      await Promise.all(Array.from({ length: 200 }, (_, n) => files.writeText(`big/f${String(index + n).padStart(5, "0")}.txt`, "x")));
  });
  await until("the tree to begin closed", async () => (await paths(agent)).join() === "big");
  await row(agent, "big");
  const size = () => agent.do((element) => element.shadowRoot.querySelectorAll("[role=treeitem]").length);
  await until("the folder to open", async () => (await size()) > 5);
  assert.ok((await size()) < 80, `${await size()} rows`);
  await agent.focus("files");
  await keys(agent, "End");
  await until("the last file", async () => (await paths(agent)).at(-1) === "big/f09999.txt");
  assert.deepEqual((await agent.attributes("file", "aria-setsize")).at(-1), "10000");
  assert.ok((await size()) < 80, `${await size()} rows`);
  // A key in a long list is one frame, not a listing.
  const took = await agent.do(async (element) => {
    const tree = element.shadowRoot.querySelector("[role=tree]");
    const begin = performance.now();
    for (let n = 0; n < 20; n += 1) {
      tree.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
      await new Promise(requestAnimationFrame);
    }
    return performance.now() - begin;
  });
  assert.ok(took < 4000, `20 steps took ${took} ms`);
});

/** The editor, and what takes its place where it could not be loaded. */
for (const [name, open] of [["the editor", (t) => t.open()], ["a plain field where there is no editor", openWithoutEditor]]) {
  test(`${name} saves, and never over a change that was not seen`, async (t) => {
    const agent = await open(t);
    await write(agent, "a.txt", "one\r\ntwo\r\n");
    await row(agent, "a.txt");
    await agent.click("mode-edit");
    await until("the text to be there", async () => (await edited(agent)).startsWith("one"));
    await until("the editor to have the focus", () => agent.do((element) => Boolean(element.shadowRoot.activeElement?.closest(".editbox"))));
    await keys(agent, "Control+Home");
    await agent.tab.type("mine ");
    await there(agent, "unsaved");
    await keys(agent, "Control+s");
    await gone(agent, "unsaved");
    // A plain field knows line feeds only; the editor keeps how lines end.
    assert.equal(await read(agent, "a.txt"), name === "the editor" ? "mine one\r\ntwo\r\n" : "mine one\ntwo\n");

    // Nothing of the reader's is open: what a tool writes is shown.
    await write(agent, "a.txt", "from a tool\n");
    await until("the change to be shown", async () => (await edited(agent)).startsWith("from a tool"));
    await keys(agent, "Control+Home");
    await agent.tab.type("mine, ");
    await write(agent, "a.txt", "theirs\n");
    await there(agent, "conflict");
    await keys(agent, "Control+s");
    assert.equal(await read(agent, "a.txt"), "theirs\n");
    await agent.click("compare");
    await until("both to be seen", async () => /theirs/.test((await agent.texts("comparison")).join()));
    // Going elsewhere loses nothing either.
    await agent.click("mode-read");
    assert.deepEqual(await agent.do((element) => element.shadowRoot.querySelector('[data-path="a.txt"] .st').textContent), "not saved");
    await agent.click("mode-edit");
    await there(agent, "conflict");
    await agent.click("keep-mine");
    await gone(agent, "conflict");
    assert.equal(await read(agent, "a.txt"), "mine, from a tool\n");

    await keys(agent, "Control+Home");
    await agent.tab.type("more ");
    await write(agent, "a.txt", "again\n");
    await there(agent, "conflict");
    await agent.click("take-theirs");
    await until("theirs to be shown", async () => (await edited(agent)).startsWith("again"));
    assert.equal(await read(agent, "a.txt"), "again\n");
    await agent.tab.type("x");
    await agent.do(({ files }) => files.remove("a.txt"));
    await there(agent, "conflict");
    await agent.click("keep-mine");
    await until("it to be back", async () => (await agent.do(({ files }) => files.list())).length === 1);
    assert.equal(await count(agent, "plain-editor"), name === "the editor" ? 0 : 1);
  });
}

/** The site without the one file that npm makes. */
async function openWithoutEditor(t) {
  t.allow(/editor\.js|Failed to load resource/);
  const folder = mkdtempSync(join(tmpdir(), "vitrine-"));
  cpSync(process.env.VITRINE_DIST, folder, { recursive: true, filter: (file) => !file.endsWith("editor.js") });
  const server = await serveFolder(folder, "/some/path/");
  t.onClose(() => server.close());
  t.onClose(async () => rmSync(folder, { recursive: true }));
  return t.open({ server });
}

test("what a run changed is marked, shown line by line, and taken back one by one or as a turn", async (t) => {
  const agent = await t.open();
  await write(agent, "a.txt", "one\ntwo\nthree\n");
  await write(agent, "r.txt", "only read");
  const server = await t.model([
    answer({ calls: [
      { id: "r", name: "read", arguments: { path: "r.txt" } },
      { id: "e", name: "edit", arguments: { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] } },
      { id: "w", name: "write", arguments: { path: "b.txt", content: "new\n" } },
    ] }),
    answer({ text: "Done." }),
  ]);
  await agent.useModel(server);
  await agent.prompt("go");
  const marks = () => agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid="file"]')].map((item) => `${item.dataset.path} ${item.querySelector(".st").textContent}`));
  await until("the marks", async () => (await marks()).join() === "a.txt written,b.txt written,r.txt read");

  await agent.click("tab-changes");
  const groups = () => agent.texts("change-group");
  await until("two groups", async () => (await groups()).length === 2);
  const [turn, mine] = await groups();
  assert.match(turn, /^turn 1[^]*b\.txt[^]*a\.txt/);
  assert.match(mine, /^you[^]*r\.txt[^]*a\.txt/);
  await agent.click("undo-turn");
  await until("the turn to be undone", async () => (await agent.do(({ files }) => files.list())).length === 2);
  assert.equal(await read(agent, "a.txt"), "one\ntwo\nthree\n");
  await agent.do(async ({ files }) => files.undo((await files.changes()).at(-1).id));
  assert.equal(await read(agent, "b.txt"), "new\n");
  await agent.tab.click('[data-testid="change-group"]:has-text("turn 1") [title="a.txt"]');
  await until("the difference", async () => /-two\n\+2/.test((await agent.texts("diff")).join()));
  await agent.click("whole-file");
  await until("all of the file", () => agent.do((element) => {
    const root = element.shadowRoot.querySelector('[data-testid="whole-diff"]');
    return root?.querySelector(".cm-deletedChunk")?.textContent.includes("two") && root.querySelector(".cm-changedLine")?.textContent === "2";
  }));
  await agent.click("undo-this");
  await until("the edit to be undone", async () => (await read(agent, "a.txt")) === "one\ntwo\nthree\n");
  assert.equal(await read(agent, "b.txt"), "new\n");

  // What stands in the way of going back is said, and nothing is half done.
  await write(agent, "b.txt", "mine now\n");
  await agent.tab.click('[data-testid="change-group"]:has-text("turn 1") .change:has([title="b.txt"]) [data-testid="undo"]');
  await until("it to be said", async () => (await agent.attributes("problem", "data-code")).includes("changed-since"));
  assert.equal(await read(agent, "b.txt"), "mine now\n");
  await agent.click("reset-start");
  await agent.click("restore-sure");
  await until("the start", async () => (await agent.do(({ files }) => files.list())).length === 0);
  await agent.do(async ({ files }) => files.undo((await files.changes()).at(-1).id));
  assert.equal(await read(agent, "b.txt"), "mine now\n");
});

test("snapshots are kept, compared and gone back to", async (t) => {
  const agent = await t.open();
  await write(agent, "a.txt", "one\n");
  await agent.click("tab-changes");
  await agent.focus("snapshot-name");
  await agent.tab.type("before");
  await agent.click("keep");
  const options = () => agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid="snapshot-from"] option')].map((option) => option.textContent.split(" · ")[0]));
  await until("it in the list", async () => (await options()).join() === "the start,before");
  await write(agent, "a.txt", "two\n");
  await agent.do((element) => {
    const from = element.shadowRoot.querySelector('[data-testid="snapshot-from"]');
    from.value = [...from.options].at(-1).value;
  });
  await agent.click("compare-snapshots");
  await until("what is different", async () => /-one\n\+two/.test((await agent.texts("diff")).join()));
  await agent.click("restore");
  await agent.click("bar-close");
  assert.equal(await read(agent, "a.txt"), "two\n");
  await agent.click("restore");
  await agent.click("restore-sure");
  await until("it to be as it was", async () => (await read(agent, "a.txt")) === "one\n");
});

test("tools are switched, and the next request tells the model", async (t) => {
  const agent = await t.open();
  const server = await t.model([answer({ text: "ok" })]);
  await agent.useModel(server);
  await agent.click("model");
  const on = async () => (await agent.state()).tools.filter((tool) => tool.on).map((tool) => tool.name).sort();
  const before = await on();
  assert.ok(before.includes("bash") && !before.includes("grep"));
  await agent.tab.click('[data-testid="tool-switch"]:has-text("bash")');
  await agent.tab.click('[data-testid="tool-switch"]:has-text("grep")');
  const after = before.filter((name) => name !== "bash").concat("grep").sort();
  await until("the switches", async () => (await on()).join() === after.join());
  await keys(agent, "Escape");
  await agent.prompt("hello");
  assert.deepEqual(server.requests[0].body.tools.map((tool) => tool.function.name).sort(), after);
});
