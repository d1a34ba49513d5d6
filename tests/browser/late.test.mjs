// The late part of the page: it comes after the first screen, moves nothing, and where it does not come the rest works.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const PART = "page_panels.wasm";
const unsplit = () => !existsSync(join(process.env.VITRINE_DIST ?? "", PART));
const count = (agent, selector) => agent.do((element, selector) => element.shadowRoot.querySelectorAll(selector).length, selector);
/** What is said where a part of the page is missing. */
const failed = (agent, where = ".files") =>
  agent.do((element, where) => [...element.shadowRoot.querySelectorAll(`${where} [data-testid="late-failed"]`)].map((found) => found.innerText), where);
const asked = (tab) => tab.addresses.filter((address) => address.includes(PART));

/** The site with the part behind `gate`, which gives what takes its place, or nothing for the part itself. */
const gated = async (t, gate) => {
  if (unsplit()) t.skip("the site is a debug build, which is in one piece");
  t.server = await t.serve({ [`/some/path/${PART}`]: gate });
};

test("the late part comes by itself, once, and is never in the way of the first screen", async (t) => {
  let open;
  const held = new Promise((resolve) => (open = resolve));
  await gated(t, () => held);
  const agent = await t.open();
  const wide = await agent.do(() => innerWidth >= 1100);
  // The workspace is open and the chat works, while the part is still on its way.
  assert.equal(await count(agent, ".files .stack"), 0);
  assert.equal(await count(agent, '[data-testid="composer"]'), 1);
  await until("the part to be asked for", () => asked(agent.tab).length === 1);

  const places = () => agent.do((element) => [...element.shadowRoot.querySelectorAll(".app > *, .files > .colhead > h2")].map((node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return [node.className || node.localName, x, y, width, height];
  }));
  await agent.focus("composer");
  const focused = () => agent.do((element) => element.shadowRoot.activeElement?.getAttribute("data-testid"));
  const [before, focus] = [await places(), await focused()];
  open();
  await until("the files column to be filled", () => count(agent, ".files .stack"));
  assert.deepEqual(await places(), before);
  assert.equal(await focused(), focus);
  if (wide) assert.ok(before.some(([name]) => name === "h2"), JSON.stringify(before));
  assert.equal(asked(agent.tab).length, 1);
});

test("a file that is dropped before the late part is there is added when it comes", async (t) => {
  let open;
  const held = new Promise((resolve) => (open = resolve));
  await gated(t, () => held);
  const agent = await t.open();
  // The browser would leave the page for a file that nobody takes.
  const taken = await agent.do((element) => ["dragover", "drop"].map((type) => {
    const data = new DataTransfer();
    data.items.add(new File(["dropped early"], "early.txt"));
    return !element.shadowRoot.querySelector(".files").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));
  }));
  assert.deepEqual(taken, [true, true]);
  assert.equal(await count(agent, ".files .stack"), 0);
  open();
  await until("the file to be written", async () => (await agent.do(({ files }) => files.list())).some(({ path }) => path === "early.txt"));
  assert.equal(await agent.do(({ files }) => files.readText("early.txt")), "dropped early");
});

const OTHER_BUILD = Buffer.concat([Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 10, 5]), Buffer.from("buildab12")]);
const WORDS = { en: [/could not be loaded/, /Try again/], zh: [/没有加载成功/, /再试一次/] };

for (const [what, stands, lang] of [
  ["is not there", null, "en"],
  ["is not there", null, "zh"],
  ["is no module", "<!doctype html>", "en"],
  ["is of another build", OTHER_BUILD, "zh"],
]) {
  test(`a late part that ${what} is said (${lang}), costs nothing else, and can be tried again`, async (t) => {
    t.allow(/./);
    let broken = true;
    await gated(t, () => (broken ? stands : undefined));
    const agent = await t.open({ query: `?lang=${lang}` });
    await until("the column to say so", async () => (await failed(agent)).length === 1);
    for (const pattern of WORDS[lang]) assert.match((await failed(agent)).join("\n"), pattern);

    const server = await t.model([answer({ text: "Without the files panel." })]);
    await agent.useModel(server);
    assert.equal((await agent.prompt("still there?")).text, "Without the files panel.");
    await agent.sees(/Without the files panel/);
    // A sheet says so, too, and closes.
    await agent.tab.press("Escape");
    await agent.do((element) => element.shadowRoot.querySelector(".surface").dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true, cancelable: true })));
    await until("the sheet to say so", async () => (await failed(agent, ".dialog")).length === 1);
    await agent.click("close");
    await until("the sheet to close", async () => (await count(agent, '[data-testid="sheet"]')) === 0);

    // Again, and in vain: it is still said.
    const before = asked(agent.tab).length;
    await agent.tab.click('.files [data-testid="late-again"]');
    await until("the part to be asked for again", () => asked(agent.tab).length > before);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await failed(agent)).length, 1);
    broken = false;
    await agent.tab.click('.files [data-testid="late-again"]');
    await until("the files column to be filled", () => count(agent, ".files .stack"));
    assert.deepEqual(await failed(agent, ".surface"), []);
    // The button that had the focus is gone; the focus is where it was.
    assert.equal(await agent.do((element) => element.shadowRoot.activeElement?.classList.contains("files")), true);
    await agent.do((element) => element.files.writeText("a.txt", "one"));
    await until("the file to be listed", () => agent.do((element) => element.shadowRoot.querySelector(".files").textContent.includes("a.txt")));
  });
}
