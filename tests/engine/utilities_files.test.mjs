// Files in memory, and the tools over them.

import { test } from "node:test";

import { assert, engine, scriptedAgent, calls, says, results } from "./support.mjs";

const { createTools, MemoryWorkspace } = engine;
const bytes = (...list) => Uint8Array.from(list);

test("what is written is read, by absolute paths", async () => {
  const files = new MemoryWorkspace({ "/w/a.txt": "é\n", "/w/b": bytes(0, 255) });
  await files.write("/w/deep/er/c", bytes(1));
  await files.writeText("/w/a.txt", "\ufefftext");
  assert.equal(await files.readText("/w/a.txt"), "\ufefftext");
  assert.deepEqual(await files.read("/w/b"), bytes(0, 255));
  assert.deepEqual(await files.list("/w"), [
    { name: "a.txt", kind: "file", size: 7 },
    { name: "b", kind: "file", size: 2 },
    { name: "deep", kind: "folder", size: 0 },
  ]);
  await files.rename("/w/deep", "/moved");
  await files.mkdir("/empty");
  await files.remove("/w");
  assert.deepEqual((await files.list()).map(({ name }) => name), ["empty", "moved"]);
  assert.deepEqual(files.statSync("/moved/er/c"), { name: "c", kind: "file", size: 1 });
  files.writeSync("/x", new ArrayBuffer(3));
  assert.equal(files.readSync("/x").length, 3);
  files.free();
  assert.throws(() => files.readSync("/x"), Error);
});

test("what cannot be done is an error that names the path, and changes nothing", async () => {
  const files = new MemoryWorkspace({ "/a": "x", "/f/b": "y" });
  const failing = [
    () => files.readSync("/none"),
    () => files.readSync("/f"),
    () => files.listSync("/a"),
    () => files.statSync("/none"),
    () => files.writeTextSync("/a/under", "x"),
    () => files.writeTextSync("/f", "x"),
    () => files.removeSync("/none"),
    () => files.renameSync("/none", "/z"),
    () => files.renameSync("/f", "/f/g"),
    () => files.mkdirSync("/a"),
    () => files.readSync("/../etc"),
    () => files.readSync("/a\0"),
    () => files.readSync("a"),
    () => files.readSync(5),
    () => files.writeSync("/a", "text"),
    () => files.writeTextSync("/a", bytes(1)),
    () => files.writeTextSync(`/${"n".repeat(300)}`, ""),
  ];
  for (const fail of failing) assert.throws(fail, (error) => error instanceof Error, String(fail));
  assert.throws(() => files.readSync("/none"), /none/);
  await assert.rejects(files.read("/none"), /none/);
  assert.deepEqual(files.listSync("/").map(({ name }) => name), ["a", "f"]);
});

test("the tools there are show paths as pi does", async () => {
  const files = new MemoryWorkspace({ "/w/a.txt": "one\ntwo\n" });
  const tools = createTools(files, { cwd: "/w" });
  assert.deepEqual(tools.map(({ name, label }) => [name, label]), [
    ["read", "read"],
    ["edit", "edit"],
    ["write", "write"],
    ["ls", "ls"],
  ]);
  const [read, edit, write, ls] = tools;
  assert.deepEqual(await read.execute("1", { path: "a.txt", offset: "2" }), {
    content: [{ type: "text", text: "two\n" }],
    details: undefined,
    structuredContent: "two\n",
  });
  assert.deepEqual(await write.execute("2", { path: "sub/b", content: "x" }), {
    content: [{ type: "text", text: "Successfully wrote to sub/b" }],
    details: undefined,
  });
  assert.equal(files.readTextSync("/w/sub/b"), "x");
  assert.equal((await ls.execute("3", {})).content[0].text, "a.txt\nsub/");
  const { content, details } = await edit.execute("7", { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] });
  assert.deepEqual(content, [{ type: "text", text: "Successfully replaced 1 block(s) in a.txt." }]);
  assert.deepEqual([details.firstChangedLine, files.readTextSync("/w/a.txt")], [2, "one\n2\n"]);
  await assert.rejects(read.execute("4", { path: "no.txt" }), {
    message: "ENOENT: no such file or directory, access '/w/no.txt'",
  });
  await assert.rejects(read.execute("5", {}), /path/);
  await assert.rejects(write.execute("6", { path: "c", content: "x" }, AbortSignal.abort()), {
    message: "Operation aborted",
  });
  assert.deepEqual(files.listSync("/w").map(({ name }) => name), ["a.txt", "sub"]);
});

test("relative paths begin at the root unless it is said", async () => {
  const files = new MemoryWorkspace({ "/a": "x", "/b/c": "y" });
  const [read] = createTools(files, { names: ["read"] });
  assert.equal((await read.execute("1", { path: "b/c" })).content[0].text, "y");
  assert.equal((await read.execute("2", { path: "../a" })).content[0].text, "x");
});

test("letters that look alike name one file", async () => {
  const files = new MemoryWorkspace({ "/w/caf\u0065\u0301.txt": "x" });
  const [read] = createTools(files, { cwd: "/w", names: ["read"] });
  assert.match((await read.execute("1", { path: "caf\u00e9.txt" })).content[0].text, /^x/);
});

test("a name that no tool has is an error that lists those there are", () => {
  const files = new MemoryWorkspace();
  assert.deepEqual(createTools(files, { names: ["ls", "read"] }).map(({ name }) => name), ["read", "ls"]);
  assert.deepEqual(createTools(files, { names: [] }), []);
  for (const name of ["teleport", "Read", "__proto__"]) {
    assert.throws(
      () => createTools(files, { names: ["read", name] }),
      (error) => [name, "read", "write", "ls"].every((part) => error.message.includes(part)),
    );
  }
  assert.throws(() => createTools({}), Error);
});

test("an agent works with them", async () => {
  const files = new MemoryWorkspace();
  const tools = createTools(files, { cwd: "/w" });
  const script = [
    calls(["write", { path: "n.txt", content: "42" }, "1"]),
    calls(["read", { path: "n.txt" }, "2"], ["read", { path: "m.txt" }, "3"]),
    says("done"),
  ];
  const { agent } = scriptedAgent(script, { tools });
  await agent.prompt("go");
  assert.deepEqual(results(agent.state.messages), [
    ["write", "Successfully wrote to n.txt", false],
    ["read", "42", false],
    ["read", "ENOENT: no such file or directory, access '/w/m.txt'", true],
  ]);
});
