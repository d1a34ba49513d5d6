// What has changed and back again, moments that are kept, and which tools there are: through the public API.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

/** The code of the error that a member rejects with. */
const codeOf = (agent, member, ...values) => agent.do(async (element, [member, values]) => {
  const [owner, name] = member.includes(".") ? [element[member.split(".")[0]], member.split(".")[1]] : [element, member];
  return owner[name](...values).then(() => "none", (error) => error.code);
}, [member, values]);

const changes = async (agent) => (await agent.do(({ files }) => files.changes())).map(({ atMs, runId, ...change }) => ({ ...change, timed: atMs > 0, inRun: runId !== undefined }));
const tree = (agent) => agent.do(async ({ files }) => {
  const texts = {};
  for (const { path, kind } of await files.list()) if (kind === "file") texts[path] = await files.readText(path);
  return texts;
});

test("each change says who made it, a turn is taken back as one and can be had again, and a later change stands in the way", async (t) => {
  const agent = await t.open();
  await agent.do(({ files }) => files.writeText("a.txt", "one\ntwo\nthree\n"));
  const server = await t.model([
    answer({ calls: [
      { id: "e1", name: "edit", arguments: { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] } },
      { id: "w1", name: "write", arguments: { path: "b.txt", content: "new" } },
      { id: "s1", name: "bash", arguments: { command: "echo more >> b.txt && mv a.txt c.txt" } },
    ] }),
    answer({ text: "Done." }),
  ]);
  await agent.useModel(server);
  await agent.prompt("go");
  const list = await changes(agent);
  const change = (fields) => ({ paths: 1, undone: false, canUndo: true, timed: true, inRun: true, turn: 1, ...fields });
  const [user, ...ofTurn] = list;
  const { turn, ...byUser } = change({ id: 1, path: "a.txt", change: "written", by: "user", inRun: false });
  assert.deepEqual(user, byUser);
  assert.deepEqual(ofTurn.slice(0, 2), [
    change({ id: 2, path: "a.txt", change: "written", by: "tool", callId: "e1" }),
    change({ id: 3, path: "b.txt", change: "written", by: "tool", callId: "w1" }),
  ]);
  assert.ok(ofTurn.slice(2).every(({ by, callId }) => by === "shell" && callId === "s1"));
  assert.deepEqual(await tree(agent), { "b.txt": "newmore\n", "c.txt": "one\n2\nthree\n" });

  const [diff] = await agent.do(({ files }) => files.diffChange(2));
  assert.deepEqual(diff, { path: "a.txt", change: "changed", binary: false, bytesBefore: 14, bytesAfter: 12, patch: "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" });
  const details = (await agent.transcript()).find(({ toolName }) => toolName === "edit").details;
  assert.equal(diff.patch, details.patch);
  const side = (side) => agent.do(async ({ files }, side) => new TextDecoder().decode(await files.readVersion(2, side)), side);
  assert.deepEqual([await side("before"), await side("after")], ["one\ntwo\nthree\n", "one\n2\nthree\n"]);
  assert.equal(await codeOf(agent, "files.readVersion", 3, "before"), "file-not-found");

  assert.equal(await codeOf(agent, "files.undo", 2), "changed-since");
  const undone = await agent.do(({ files }, ids) => files.undo(ids), ofTurn.map(({ id }) => id));
  assert.deepEqual(await tree(agent), { "a.txt": "one\ntwo\nthree\n" });
  assert.deepEqual((await changes(agent)).map(({ undone }) => undone), [false, ...ofTurn.map(() => true), false]);
  assert.equal(await codeOf(agent, "files.undo", 2), "already-undone");
  await agent.do(({ files }, id) => files.undo(id), undone.id);
  assert.deepEqual(await tree(agent), { "b.txt": "newmore\n", "c.txt": "one\n2\nthree\n" });
  assert.equal(await codeOf(agent, "files.undo", 999), "change-not-found");
  assert.equal(await codeOf(agent, "files.diffChange", 999), "change-not-found");
});

test("moments are kept over a reload, differ file by file, and can be gone back to", async (t) => {
  const agent = await t.open();
  const first = await agent.do(async ({ files }) => {
    await files.writeText("a.txt", "1\n");
    await files.writeText("gone.txt", "same\n");
    const first = await files.snapshot("before");
    await files.writeText("a.txt", "2\n");
    await files.rename("gone.txt", "kept.txt");
    await files.write("bytes", new Uint8Array([0, 1]));
    return first;
  });
  await agent.tab.reload();
  await agent.ready();
  const found = await agent.do(async ({ files }, id) => ({ list: await files.snapshots(), diff: await files.diff(id) }), first.id);
  assert.equal(first.name, "before");
  assert.deepEqual(found.list.map(({ id }) => id), [first.id, "start"]);
  assert.deepEqual(found.diff, [
    { path: "a.txt", change: "changed", binary: false, patch: "--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-1\n+2\n", bytesBefore: 2, bytesAfter: 2 },
    { path: "bytes", change: "added", binary: true, bytesAfter: 2 },
    { path: "kept.txt", from: "gone.txt", change: "renamed", binary: false, bytesBefore: 5, bytesAfter: 5 },
  ]);
  await agent.do(({ files }, id) => files.restore(id), first.id);
  assert.deepEqual(await tree(agent), { "a.txt": "1\n", "gone.txt": "same\n" });
  const [restored] = await changes(agent);
  assert.deepEqual([restored.change, restored.by, restored.path], ["restored", "user", ""]);
  await agent.do(({ files }, id) => files.undo([id]), restored.id);
  assert.equal((await tree(agent))["kept.txt"], "same\n");
  await agent.do(({ files }) => files.restore("start"));
  assert.equal((await tree(agent))["kept.txt"], "same\n");
  assert.equal(await codeOf(agent, "files.restore", "none"), "snapshot-gone");
});

test("the tools that are on are those the model is told of, and an unknown name switches nothing", async (t) => {
  const agent = await t.open();
  const tools = () => agent.do((element) => element.state.tools.filter(({ on }) => on).map(({ name }) => name));
  assert.deepEqual(await agent.do((element) => element.state.tools), [
    ["read", true], ["bash", true], ["edit", true], ["write", true], ["grep", false], ["find", false], ["ls", true],
  ].map(([name, on]) => ({ name, on })));
  const server = await t.model([answer({ text: "a" }), answer({ calls: [{ id: "g", name: "bash", arguments: { command: "true" } }] }), answer({ text: "b" })]);
  await agent.useModel(server);
  await agent.prompt("one");
  await agent.do((element) => element.setTools(["grep", "read"]));
  assert.deepEqual(await tools(), ["read", "grep"]);
  assert.equal(await codeOf(agent, "setTools", ["read", "none"]), "unknown-tool");
  assert.deepEqual(await tools(), ["read", "grep"]);
  await agent.prompt("two");
  const asked = server.requests.map(({ body }) => body.tools.map(({ function: { name } }) => name).sort());
  assert.deepEqual(asked, [["bash", "edit", "ls", "read", "write"], ["grep", "read"], ["grep", "read"]]);
  const refused = (await agent.transcript()).find(({ role }) => role === "toolResult");
  assert.deepEqual([refused.isError, refused.content[0].text], [true, "Tool bash not found"]);
});

test("an image of any size and kind is read in a size that a model takes", async (t) => {
  const agent = await t.open();
  const sizes = await agent.do(async ({ files }) => {
    const draw = async (width, height, type) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext("2d");
      context.fillStyle = "#c00";
      context.fillRect(0, 0, width / 2, height);
      const blob = await canvas.convertToBlob({ type });
      return blob.type === type ? blob : null;
    };
    await files.write("large.png", await draw(3000, 1500, "image/png"));
    await files.write("small.jpg", await draw(40, 30, "image/jpeg"));
    const webp = await draw(2500, 10, "image/webp");
    if (webp) await files.write("wide.webp", webp);
    // Two pixels, one over the other, 24 bits each.
    const bmp = new Uint8Array(62);
    const fields = new DataView(bmp.buffer);
    bmp.set([0x42, 0x4d]);
    for (const [at, value] of [[2, 62], [10, 54], [14, 40], [18, 1], [22, 2], [34, 8]]) fields.setUint32(at, value, true);
    fields.setUint16(26, 1, true);
    fields.setUint16(28, 24, true);
    await files.write("old.bmp", bmp);
    await files.write("broken.png", bmp.map((_, at) => [137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 16, 0, 0, 0, 16, 0][at] ?? 0));
    return { hasWebp: webp !== null };
  });
  const names = ["large.png", "small.jpg", "old.bmp", "broken.png", ...(sizes.hasWebp ? ["wide.webp"] : [])];
  const server = await t.model([answer({ calls: names.map((path, at) => ({ id: `r${at}`, name: "read", arguments: { path } })) }), answer({ text: "Seen." })]);
  await agent.useModel(server);
  await agent.prompt("look");
  const results = (await agent.transcript()).filter(({ role }) => role === "toolResult");
  const seen = await agent.do(async (_, results) => {
    const measure = async ({ data, mimeType }) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0))], { type: mimeType }));
      return [mimeType, bitmap.width, bitmap.height];
    };
    return Promise.all(results.map(async ({ content: [{ text }, image] }) => [text.split("\n"), image ? await measure(image) : null]));
  }, results.map(({ content }) => ({ content })));
  const scaled = (from, to, by) => `[Image: original ${from}, displayed at ${to}. Multiply coordinates by ${by} to map to original image.]`;
  assert.deepEqual(seen[0][0].slice(1), [scaled("3000x1500", "2000x1000", "1.50")]);
  assert.deepEqual(seen[0][1].slice(1), [2000, 1000]);
  assert.deepEqual(seen[1], [["Read image file [image/jpeg]"], ["image/jpeg", 40, 30]]);
  assert.match(seen[2][0][1], /^\[Image converted from image\/bmp to image\/(png|jpeg)\.\]$/);
  assert.deepEqual(seen[2][1].slice(1), [1, 2]);
  assert.deepEqual(seen[3], [["Read image file [image/png]", "[Image omitted: could not be decoded.]"], null]);
  if (sizes.hasWebp) assert.deepEqual([seen[4][0][1], seen[4][1].slice(1)], [scaled("2500x10", "2000x8", "1.25"), [2000, 8]]);
});

test("the attribute says which tools are on, and a lesson begins where its files lie", async (t) => {
  t.server = await t.serve({ "/docs/page.html": `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Docs</title><style>vitrine-agent { display: block; height: 600px }</style><script type="module" src="/some/path/embed/vitrine.js"></script><vitrine-agent loading="eager" tools="find, read"></vitrine-agent></html>` });
  const tab = await t.tab();
  await tab.goto(`${t.server.origin}/docs/page.html`);
  const agent = t.agentIn(tab);
  await agent.ready();
  assert.deepEqual(await agent.do((element) => element.state.tools.filter(({ on }) => on).map(({ name }) => name)), ["read", "find"]);

  await agent.start((element) => element.play());
  await until("the lesson to pause", () => agent.do((element) => element.state.status === "paused"));
  const laidOut = await tree(agent);
  assert.ok(Object.keys(laidOut).length > 0);
  assert.deepEqual((await changes(agent)).map(({ by, change }) => [by, change]), [["import", "written"]]);
  await agent.do(async ({ files }) => {
    await files.writeText("mine.txt", "mine");
    await files.remove((await files.list()).find(({ kind, path }) => kind === "file" && path !== "mine.txt").path);
    await files.restore("start");
  });
  assert.deepEqual(await tree(agent), laidOut);
  await agent.do((element) => element.abort());
});
