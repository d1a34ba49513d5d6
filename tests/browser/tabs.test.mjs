// Several tabs on one workspace: one writes, the others read and follow it, and any of them may take over.

import { launch } from "./engines.mjs";
import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const role = async (agent) => (await agent.state()).storage.role;
const becomes = (agent, wanted) => until(`a tab that is ${wanted}`, async () => (await role(agent)) === wanted);
const read = (agent, path) => agent.do((element, path) => element.files.readText(path).catch((error) => error.code), path);
const write = (agent, path, text) => agent.do((element, path, text) => element.files.writeText(path, text).then(() => "written", (error) => error.code), path, text);

test("a second tab opens as a reader, follows the first, and takes over", async (t) => {
  const server = await t.model([answer({ text: "First answer." }), answer({ text: "Second answer." }), answer({ text: "Third, from the other tab." })]);
  const profile = await t.profile();
  const first = await t.open({ profile });
  await first.useModel(server);
  await write(first, "a.txt", "one");
  await first.prompt("hello");

  const began = Date.now();
  const second = await t.open({ profile });
  const took = Date.now() - began;
  assert.ok(took < 2500, `it took ${took} ms to open`);
  assert.deepEqual([await role(first), await role(second)], ["writer", "reader"]);
  assert.equal((await second.state()).storage.kind, "browser");
  assert.equal(await read(second, "a.txt"), "one");
  assert.deepEqual(await second.do((element) => element.files.list().then((list) => list.map((file) => file.path))), ["a.txt"]);
  await second.sees(/First answer\./);

  // It follows: files, and the session on screen.
  await second.do((element) => {
    window.told = [];
    element.addEventListener("vitrine-file", (event) => window.told.push(event.detail.path));
  });
  await write(first, "b.txt", "two");
  await until("the change to be told", () => second.do(() => window.told.includes("b.txt")));
  assert.equal(await read(second, "b.txt"), "two");
  await first.prompt("again");
  await second.sees(/Second answer\./);
  await until("both to have the same messages", async () => JSON.stringify(await first.transcript()) === JSON.stringify(await second.transcript()));
  assert.deepEqual((await second.do((element) => element.sessions.list())).map((session) => [session.name, session.current]), [["hello", true]]);

  // It refuses what would change something, and says what to do.
  assert.equal(await write(second, "a.txt", "of the reader"), "read-only");
  for (const call of ["prompt", "continue", "create", "import", "remove"]) {
    const refused = await second.do((element, call) => {
      const session = call in element.sessions;
      return (session ? element.sessions[call]("x") : element[call]("x")).then(() => "done", (error) => [error.code, error.help]);
    }, call);
    assert.equal(refused[0], "read-only", `${call} was not refused`);
    assert.match(refused[1], /take over/i);
  }
  assert.match((await second.texts("storage-notice")).join(), /Read only|只读/);
  assert.deepEqual(await second.do((element) => ["composer", "send"].map((id) => element.shadowRoot.querySelector(`[data-testid="${id}"]`).disabled)), [true, true]);

  await second.do((element) => element.setTools([...element.state.tools.filter((tool) => tool.on).map((tool) => tool.name), "grep"]));

  // Taking over: the first steps down and follows.
  await second.click("take-over");
  await becomes(second, "writer");
  await becomes(first, "reader");
  assert.equal(await write(second, "c.txt", "three"), "written");
  assert.equal(await write(first, "c.txt", "of the reader"), "read-only");
  await until("the first to follow", async () => (await read(first, "c.txt")) === "three");
  assert.equal((await second.state()).tools.find((tool) => tool.name === "grep").on, true);
  await second.useModel(server);
  assert.equal((await second.prompt("and now?")).text, "Third, from the other tab.");
  await first.sees(/Third, from the other tab\./);
  assert.deepEqual((await first.story()).map((entry) => entry.user ?? entry.model), (await second.story()).map((entry) => entry.user ?? entry.model));
  assert.match((await first.texts("storage-notice")).join(), /Read only|只读/);
  assert.deepEqual(await second.texts("storage-notice"), []);
});

test("a tab that is asked for the workspace ends its run and loses nothing of it", async (t) => {
  const server = await t.model([answer({ text: "Going to write.", calls: [{ id: "k1", name: "write", arguments: { path: "k.txt", content: "k" } }] }), answer({ text: "This much had come when ", stallAfter: 5 })]);
  const profile = await t.profile();
  const first = await t.open({ profile });
  await first.useModel(server);
  await first.startPrompt("write, then talk");
  await first.sees(/This much/);
  const second = await t.open({ profile });
  const session = (await first.do((element) => element.sessions.list()))[0].id;
  await second.do((element) => element.takeOver());
  assert.equal((await first.finished()).value.aborted, true);
  await becomes(first, "reader");
  assert.equal((await first.state()).status, "idle");
  await second.do((element, id) => element.sessions.open(id), session);
  assert.equal(await read(second, "k.txt"), "k");
  const story = await second.story();
  assert.deepEqual(story.slice(0, 3).map((entry) => entry.user ?? entry.model ?? entry.of), ["write, then talk", "Going to write.", "write"]);
  assert.equal(story.at(-1).stop, "aborted");
});

test("a reader becomes the writer when the writer's tab is closed, or its worker killed", async (t) => {
  const profile = await t.profile();
  const first = await t.open({ profile });
  await write(first, "a.txt", "kept");
  const second = await t.open({ profile });
  const third = await t.open({ profile });
  assert.deepEqual([await role(second), await role(third)], ["reader", "reader"]);
  await first.tab.close();
  await until("one of the readers to write", async () => [await role(second), await role(third)].includes("writer"));
  const [writer, reader] = (await role(second)) === "writer" ? [second, third] : [third, second];
  assert.equal(await write(writer, "b.txt", "of the next"), "written");
  await until("the other to read it", async () => (await read(reader, "b.txt")) === "of the next");
  assert.equal(await read(reader, "a.txt"), "kept");
  // The element's own worker, ended without a word.
  await writer.do((element) => element.close());
  await becomes(reader, "writer");
  assert.equal(await read(reader, "b.txt"), "of the next");
  assert.equal(await write(reader, "c.txt", "of the last"), "written");
});

test("a tab that nobody sees does not take the workspace before it is seen again", async (t) => {
  const profile = await t.profile();
  const first = await t.open({ profile });
  const second = await t.open({ profile });
  const see = (hidden) => second.do((_, hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  await see(true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await first.tab.reload();
  await first.ready();
  assert.deepEqual([await role(first), await role(second)], ["writer", "reader"]);
  await first.tab.close();
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(await role(second), "reader");
  await see(false);
  await becomes(second, "writer");
});

test("a writer whose lock is stolen writes nothing more, and reads", async (t) => {
  const profile = await t.profile();
  const server = await t.serve({ "/thief.html": '<!doctype html><link rel="icon" href="data:,">' });
  const first = await t.open({ profile, server });
  await write(first, "a.txt", "before");
  // Another page of the origin that has the lock, and says nothing on the channel.
  const thief = await t.tab(profile);
  await thief.goto(`${server.origin}/thief.html`);
  await thief.evaluate(`new Promise((held) => navigator.locks.request("vitrine/default", { steal: true }, () => (held(), new Promise((free) => (window.free = free)))).catch(() => {}))`);
  await becomes(first, "reader");
  assert.notEqual(await write(first, "a.txt", "after"), "written");
  await until("the files to be closed", () => thief.evaluate(`(async () => {
    let folder = await navigator.storage.getDirectory();
    for (const name of ["vitrine", "default", "files"]) folder = await folder.getDirectoryHandle(name);
    for await (const [name] of folder) {
      const file = await folder.getFileHandle(name);
      const worker = new Worker(URL.createObjectURL(new Blob(["onmessage = async ({ data }) => { try { (await data.createSyncAccessHandle()).close(); postMessage(true) } catch { postMessage(false) } }"])));
      const free = await new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); worker.postMessage(file); });
      worker.terminate();
      if (!free) return false;
    }
    return true;
  })()`));
  // Nobody answers the one that asks: it takes the lock back.
  const began = Date.now();
  await first.do((element) => element.takeOver());
  assert.ok(Date.now() - began > 1500, "it did not ask first");
  await becomes(first, "writer");
  assert.equal(await read(first, "a.txt"), "before");
  assert.equal(await write(first, "a.txt", "again"), "written");
});

test("of tabs that take over from each other at once one writes, and no acknowledged write is lost", async (t) => {
  const profile = await t.profile();
  const tabs = [await t.open({ profile }), await t.open({ profile }), await t.open({ profile })];
  // Each writes all the time, whatever its role, and notes what was acknowledged.
  for (const [index, tab] of tabs.entries()) {
    await tab.do((element, index) => {
      window.kept = [];
      window.codes = new Set();
      window.writing = (async () => {
        for (let count = 0; !window.enough; count++) {
          const name = `t${index}-${count}.txt`;
          await element.files.writeText(name, name).then(() => window.kept.push(name), (error) => window.codes.add(error.code));
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
      })();
    }, index);
  }
  for (let round = 0; round < 6; round++) {
    await tabs[round % 3].do((element) => element.takeOver().catch(() => {}));
    await until("some writes", () => tabs[round % 3].do((_, round) => window.kept.length > 5 * Math.floor(round / 3), round));
  }
  await Promise.all(tabs.map((tab) => tab.do((element) => element.takeOver().catch(() => {}))));
  for (const tab of tabs) await tab.do(() => { window.enough = true; return window.writing; });
  await until("one writer", async () => (await Promise.all(tabs.map(role))).filter((role) => role === "writer").length === 1);
  const kept = (await Promise.all(tabs.map((tab) => tab.do(() => window.kept)))).flat();
  const codes = [...new Set((await Promise.all(tabs.map((tab) => tab.do(() => [...window.codes])))).flat())];
  const writer = tabs[(await Promise.all(tabs.map(role))).indexOf("writer")];
  const there = new Set((await writer.do((element) => element.files.list())).map((file) => file.path));
  assert.deepEqual(kept.filter((name) => !there.has(name)), []);
  assert.ok(kept.length > 12, `only ${kept.length} writes`);
  assert.deepEqual(codes.filter((code) => !["read-only", "storage"].includes(code)), []);
});

test("a throw-away workspace is shared with nobody", async (t) => {
  const host = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="/some/path/vitrine.js"></script><vitrine-agent loading="eager"></vitrine-agent>';
  t.server = await t.serve({ "/two.html": host });
  const profile = await t.profile();
  const tabs = await Promise.all([0, 1].map(async () => {
    const tab = await t.tab(profile);
    await tab.goto(`${t.server.origin}/two.html`);
    return t.agentIn(tab).ready();
  }));
  for (const agent of tabs) {
    assert.equal(await write(agent, "a.txt", "mine"), "written");
    await agent.do((element) => element.takeOver());
    assert.deepEqual((await agent.state()).storage, { kind: "memory", role: "writer", droppedBytes: 0 });
  }
});

// Firefox under WebDriver puts no page by; there the page is loaded anew.
test("a page that was put by (bfcache) holds nothing, and comes back as the writer if it can", { engines: ["chromium"] }, async (t) => {
  const browser = await launch("chromium", { keepsPages: true });
  t.onClose(() => browser.close());
  const profile = await browser.profile();
  const server = await t.serve({ "/away.html": '<!doctype html><link rel="icon" href="data:,">away' });
  // Comes back to a page that was not loaded again, so there is no load to wait for.
  const back = async (agent) => {
    await agent.tab.page.goBack({ waitUntil: "commit" });
    await until("the page to be back", () => agent.tab.evaluate("location.pathname.endsWith('/some/path/')"));
    await agent.ready();
    assert.equal(await agent.tab.evaluate("window.mark"), "not loaded again");
  };
  const model = await t.model([answer({ text: "Kept in a session." })]);
  const first = await t.open({ profile, server });
  await first.tab.evaluate("void (window.mark = 'not loaded again')");
  await first.useModel(model);
  await first.prompt("hello");
  await write(first, "a.txt", "of the first");
  await first.tab.goto(`${server.origin}/away.html`);
  await back(first);
  await becomes(first, "writer");
  await first.sees(/Kept in a session\./);
  assert.equal(await write(first, "a.txt", "again"), "written");

  await first.tab.goto(`${server.origin}/away.html`);
  const second = await t.open({ profile, server });
  assert.equal(await role(second), "writer");
  assert.equal(await write(second, "b.txt", "of the second"), "written");
  await back(first);
  assert.equal(await role(first), "reader");
  assert.deepEqual([await read(first, "a.txt"), await read(first, "b.txt")], ["again", "of the second"]);
});

test("a storage that is cleared while it is open is noticed, and what is on screen is stored again", { engines: ["chromium"] }, async (t) => {
  const server = await t.model([answer({ text: "An answer to keep." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await write(agent, "docs/a.txt", "kept in memory");
  await agent.do((element) => element.files.mkdir("empty"));
  await agent.prompt("hello");
  await agent.do((element) => {
    window.problems = [];
    element.addEventListener("vitrine-error", (event) => window.problems.push(event.detail.code));
  });
  // As a person does who clears the site's data. The browser goes on taking what is written to files that are gone.
  const devtools = await agent.tab.page.context().newCDPSession(agent.tab.page);
  await devtools.send("Storage.clearDataForOrigin", { origin: t.server.origin, storageTypes: "all" });
  await write(agent, "b.txt", "after");
  await until("the page to say so", () => agent.do(() => window.problems.includes("storage-reopened")));
  await until("another write to be taken", async () => (await write(agent, "b.txt", "after")) === "written");
  assert.match((await agent.texts("problem")).join(), /stored again/);

  await agent.tab.reload();
  await agent.ready();
  assert.deepEqual(await agent.do((element) => element.files.list().then((list) => list.map((file) => file.path).sort())), ["b.txt", "docs", "empty"]);
  assert.deepEqual([await read(agent, "docs/a.txt"), await read(agent, "b.txt")], ["kept in memory", "after"]);
  await agent.do((element) => element.sessions.list().then(([session]) => element.sessions.open(session.id)));
  assert.deepEqual((await agent.story()).map((entry) => entry.user ?? entry.model), ["hello", "An answer to keep."]);
});

test("a person's first prompt asks the browser once to keep the files, and the answer is shown", async (t) => {
  const server = await t.model([answer({ text: "One." }), answer({ text: "Two." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do(() => {
    window.asked = 0;
    navigator.storage.persist = async () => (window.asked++, false);
  });
  assert.doesNotMatch((await agent.texts("status")).join(), /while it has room|空间不足/);
  for (const text of ["first", "second"]) {
    await agent.focus("composer");
    await agent.tab.type(text);
    await agent.tab.press("Enter");
    await agent.status("idle");
    await agent.sees(text === "first" ? /One\./ : /Two\./);
  }
  assert.equal(await agent.do(() => window.asked), 1);
  assert.match((await agent.texts("status")).join(), /while it has room|空间不足/);
});
