// What is still there after a reload, and after a tab that died in the middle of a run.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

test("a reload keeps files and the session, and the session goes on", async (t) => {
  const server = await t.model([
    answer({ text: "Saved.", calls: [{ name: "write", arguments: { path: "kept/a.txt", content: "still here\n" } }] }),
    answer({ text: "It is written." }),
    answer({ text: "Yes, I remember." }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("Keep something.");
  const before = await agent.transcript();
  const [session] = await agent.do((element) => element.sessions.list());
  assert.match(session.name, /Keep something/);

  await agent.tab.reload();
  await agent.ready();
  assert.equal(await agent.do((element) => element.files.readText("kept/a.txt")), "still here\n");
  await agent.do((element, id) => element.sessions.open(id), session.id);
  assert.deepEqual(await agent.transcript(), before);
  await agent.sees(/It is written\./);
  assert.equal((await agent.attributes("tool-call", "data-call-id")).length, 1);

  await agent.useModel(server);
  await agent.prompt("Do you remember?");
  const sent = server.requests.at(-1).body.messages.filter((message) => message.role !== "system");
  assert.deepEqual(sent.map((message) => message.role), ["user", "assistant", "tool", "assistant", "user"]);
});

test("a tab that dies in the middle of a call leaves a session that goes on with every call answered", { engines: ["chromium"] }, async (t) => {
  const server = await t.model([
    answer({ text: "Two calls.", calls: [{ id: "k1", name: "write", arguments: { path: "one.txt", content: "1" } }, { id: "k2", name: "read", arguments: { path: "one.txt" } }] }),
    answer({ text: "Going on." }),
  ]);
  const profile = await t.profile();
  const first = await t.open({ profile });
  await first.useModel(server);
  await first.do((element) => element.files.writeText("before.txt", "written before"));
  await first.do((element) => void (element.debug.breakpoints = [{ event: "tool_execution_start" }]));
  await first.startPrompt("begin");
  await first.status("paused");
  // Not a close: the renderer is gone at once, with nothing told to the page.
  first.tab.page.goto("chrome://crash").catch(() => {});
  await first.tab.page.waitForEvent("crash");
  await first.tab.close();

  const second = await t.open({ profile });
  assert.equal(await second.do((element) => element.files.readText("before.txt")), "written before");
  const [session] = await second.do((element) => element.sessions.list());
  await second.do((element, id) => element.sessions.open(id), session.id);
  const story = await second.story();
  assert.equal(story[0].user, "begin");
  assert.deepEqual(story[1].calls.map(([name]) => name), ["write", "read"]);
  assert.deepEqual(story.slice(2).map((entry) => [entry.of, entry.isError]), [["write", true], ["read", true]]);

  await second.useModel(server);
  assert.equal((await second.prompt("go on")).text, "Going on.");
});

test("a page that is reloaded in the middle of an answer says so and asks once more", async (t) => {
  const server = await t.model([answer({ text: "This much had come when ", stallAfter: 5 }), answer({ text: "Here it is, whole." })]);
  const profile = await t.profile();
  const agent = await t.open({ profile });
  await agent.useModel(server);
  await agent.startPrompt("tell me");
  await agent.sees(/This much/);
  await agent.tab.reload();
  await agent.ready();
  const said = async () => (await agent.texts("unanswered")).join();
  await until("the page to say that the answer did not come", async () => (await said()).includes("The answer did not come"));
  await agent.tab.click('[data-testid="unanswered"] button');
  await agent.sees(/Here it is, whole\./);
  assert.equal(await said(), "");
  assert.deepEqual((await agent.story()).map((entry) => entry.user ?? entry.model), ["tell me", "Here it is, whole."]);
});

test("a second tab on the same workspace is told so and loses nothing", async (t) => {
  const profile = await t.profile();
  const first = await t.open({ profile });
  await first.do((element) => element.files.writeText("mine.txt", "of the first tab"));
  const second = await t.open({ profile });
  await until("the second tab to say that another writes", async () => /another tab|另一个标签页|其他标签页/i.test(await second.everything()));
  await second.do((element) => element.files.writeText("mine.txt", "of the second tab").catch(() => {}));
  assert.equal(await first.do((element) => element.files.readText("mine.txt")), "of the first tab");
  await first.tab.reload();
});

test("sessions are listed, opened, exported, and imported again with a torn last line", async (t) => {
  const server = await t.model([answer({ text: "First answer." }), answer({ text: "Second answer." }), answer({ text: "After the import." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("one");
  await agent.do((element) => element.sessions.create());
  assert.deepEqual(await agent.story(), []);
  assert.equal((await agent.do((element) => element.sessions.list())).length, 1, "an empty session was stored");
  await agent.prompt("two");
  const list = await agent.do((element) => element.sessions.list());
  assert.deepEqual(list.map((session) => session.name), ["two", "one"]);

  const jsonl = await agent.do((element, id) => element.sessions.export(id, "jsonl"), list[1].id);
  const lines = jsonl.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(lines[0].type, "session");
  assert.equal(lines[0].version, 3);
  assert.ok(lines.slice(1).every((entry, index) => entry.parentId === (index === 0 ? null : lines[index].id)), "entries are not a chain");

  const torn = `${jsonl.trimEnd()}\n{"type":"message","id":"deadbeef","parentId":"${lines.at(-1).id}","mess`;
  const info = await agent.do((element, text) => element.sessions.import(text), torn);
  assert.equal(info.current, true);
  assert.deepEqual(await agent.story(), [{ user: "one" }, { model: "First answer.", stop: "stop" }]);
  assert.equal((await agent.do((element) => element.sessions.list())).length, 3, "the import replaced a session");
  assert.equal((await agent.prompt("three")).text, "After the import.");
});

test("an aborted run counts as many requests after a reload as left the page", async (t) => {
  const calls = ["k1", "k2"].map((id) => ({ id, name: "write", arguments: { path: `${id}.txt`, content: id } }));
  const server = await t.model([answer({ calls }), answer({ text: "Understood." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => void (element.debug.breakpoints = [{ event: "tool_execution_start", nth: 2 }]));
  await agent.startPrompt("two calls");
  await agent.status("paused");
  await agent.do((element) => element.abort());
  await agent.finished();
  await agent.do((element) => void (element.debug.breakpoints = []));
  await agent.prompt("and now?");
  assert.equal(server.requests.length, 2);
  assert.equal((await agent.state()).requests, 2);

  await agent.tab.reload();
  await agent.ready();
  await until("the session to be open again", async () => (await agent.transcript()).length > 0);
  assert.equal((await agent.state()).requests, 2);
});
