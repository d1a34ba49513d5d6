// A folder of the reader's own. The browser's private files stand in for the disk: their handles are of the same kind.

import { assert, test, until } from "./harness.mjs";

/** In the page: a folder on the "disk" with these files, and what is in it. */
const prepare = (agent, files) => agent.do(async (element, files) => {
  const root = await navigator.storage.getDirectory();
  const handle = await root.getDirectoryHandle("my project", { create: true });
  const into = async (path, make) => {
    const names = path.split("/");
    const name = names.pop();
    let folder = handle;
    for (const part of names) folder = await folder.getDirectoryHandle(part, { create: true });
    return make(folder, name);
  };
  window.disk = {
    handle,
    write: (path, text) => into(path, async (folder, name) => {
      const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await stream.write(text);
      await stream.close();
    }),
    remove: (path) => into(path, (folder, name) => folder.removeEntry(name)),
    list: async (folder = handle, at = "") => {
      const found = {};
      for await (const entry of folder.values())
        if (entry.kind === "file") found[at + entry.name] = await (await entry.getFile()).text();
        else Object.assign(found, await window.disk.list(entry, `${at}${entry.name}/`));
      return found;
    },
  };
  window.showDirectoryPicker = async () => handle;
  for (const [path, text] of Object.entries(files)) await window.disk.write(path, text);
}, files);

const disk = (agent) => agent.do(() => window.disk.list());
const workspace = (agent) => agent.do(async ({ files }) => {
  const found = {};
  const walk = async (path) => {
    for (const entry of await files.list(path))
      if (entry.kind === "file") found[entry.path] = await files.readText(entry.path);
      else await walk(entry.path);
  };
  await walk("");
  return found;
});
const told = ({ items, done, skipped, name }) => ({ name, done, skipped: skipped.map(({ path, code }) => `${path} ${code}`).sort(), items: items.map(({ path, here, there, way }) => `${path} ${way} ${here}/${there}`) });
const done = (more) => ({ written: 0, removed: 0, read: 0, held: [], ...more });

test("files: a folder is opened, what differs is told, and nothing goes anywhere that was not chosen", { engines: ["chromium"] }, async (t) => {
  const agent = await t.open();
  await prepare(agent, { "a.txt": "a", "src/b.txt": "b", "node_modules/x.js": "x", ".git/HEAD": "ref", "both.txt": "outside" });
  await agent.do(async ({ files }) => {
    await files.writeText("both.txt", "inside");
    await files.writeText("mine.txt", "mine");
  });
  const changes = await agent.do(({ files }) => files.changes());
  const opened = told(await agent.do(({ files }) => files.openFolder()));
  assert.deepEqual(opened, {
    name: "my project",
    done: done({ read: 2 }),
    skipped: [".git ignored", "node_modules ignored"],
    items: ["both.txt conflict added/added", "mine.txt out added/same"],
  });
  assert.deepEqual(await workspace(agent), { "a.txt": "a", "src/b.txt": "b", "both.txt": "inside", "mine.txt": "mine" });
  const more = (await agent.do(({ files }) => files.changes())).slice(changes.length);
  assert.ok(more.length > 0 && more.every(({ by }) => by === "import"), JSON.stringify(more));
  const before = await disk(agent);
  assert.equal(before["mine.txt"], undefined, "opening writes nothing");

  // Both go on being edited.
  await agent.do(async ({ files }) => {
    await files.writeText("src/b.txt", "b changed here");
    await files.remove("a.txt");
    await window.disk.write("new outside.txt", "new");
    await window.disk.write("node_modules/x.js", "changed");
  });
  const plan = told(await agent.do(({ files }) => files.folderPlan()));
  assert.deepEqual(plan.items, ["a.txt out removed/same", "both.txt conflict added/added", "mine.txt out added/same", "new outside.txt in same/added", "src/b.txt out changed/same"]);
  assert.deepEqual(told(await agent.do(({ files }) => files.syncFolder())).done, done(), "nothing is chosen");

  const saved = told(await agent.do(({ files }) => files.syncFolder({ save: true })));
  assert.deepEqual(saved, { name: "my project", done: done({ written: 2 }), skipped: [".git ignored", "node_modules ignored"], items: ["a.txt out removed/same", "both.txt conflict added/added", "new outside.txt in same/added"] });
  const rest = told(await agent.do(({ files }) => files.syncFolder({ remove: true, read: true, conflicts: { "both.txt": "theirs" } })));
  assert.deepEqual([rest.done, rest.items], [done({ removed: 1, read: 2 }), []]);
  const both = { "src/b.txt": "b changed here", "both.txt": "outside", "mine.txt": "mine", "new outside.txt": "new" };
  assert.deepEqual(await workspace(agent), both);
  assert.deepEqual(await disk(agent), { ...both, "node_modules/x.js": "changed", ".git/HEAD": "ref" });
});

test("files: what changes between the comparison and the writing is not written over", { engines: ["chromium"] }, async (t) => {
  const agent = await t.open();
  await prepare(agent, { "a.txt": "a", "b.txt": "b", "c.txt": "c" });
  const held = await agent.do(async ({ files }) => {
    await files.openFolder();
    for (const name of ["a.txt", "b.txt", "c.txt"]) await files.writeText(name, `${name} from here`);
    await window.disk.write("d.txt", "d");
    await files.folderPlan();
    await window.disk.write("a.txt", "a from outside");
    await files.writeText("b.txt", "b once more");
    await files.writeText("d.txt", "d from here");
    const { done } = await files.syncFolder({ save: true, read: true });
    return done;
  });
  assert.deepEqual({ ...held, held: held.held.map(({ path, code }) => `${path} ${code}`) }, done({ written: 1, held: ["a.txt changed-meanwhile", "b.txt changed-meanwhile", "d.txt changed-meanwhile"] }));
  assert.deepEqual(await disk(agent), { "a.txt": "a from outside", "b.txt": "b", "c.txt": "c.txt from here", "d.txt": "d" });
  assert.deepEqual(await workspace(agent), { "a.txt": "a.txt from here", "b.txt": "b once more", "c.txt": "c.txt from here", "d.txt": "d from here" });
  const plan = told(await agent.do(({ files }) => files.folderPlan()));
  assert.deepEqual(plan.items, ["a.txt conflict changed/changed", "b.txt out changed/same", "d.txt conflict added/added"]);
});

test("files: what is no folder, and what is asked before one is open, is refused", async (t) => {
  const agent = await t.open();
  const code = (body) => agent.do(async (element, body) => {
    try {
      await new Function("files", `return files.${body}`)(element.files);
      return "done";
    } catch ({ code }) {
      return code;
    }
  }, body);
  assert.deepEqual([await code("folderPlan()"), await code("syncFolder({ save: true })"), await code("openFolder(new Uint8Array(3))")], ["no-folder", "no-folder", "invalid-argument"]);
});

test("where folders cannot be picked there is no button, and the API says so", { engines: ["firefox"] }, async (t) => {
  const agent = await t.open();
  assert.deepEqual(await agent.texts("folder"), []);
  const refused = await agent.do(({ files }) => files.openFolder().catch(({ code, help }) => ({ code, help })));
  assert.deepEqual(refused, { code: "not-supported", help: "use a zip, or a browser with the File System Access API" });
});

test("the sheet shows what would go to the folder before it goes, and what changed outside is noticed on the way back", { engines: ["chromium"] }, async (t) => {
  const agent = await t.open();
  await prepare(agent, { "a.txt": "a", "both.txt": "outside" });
  await agent.do(({ files }) => files.writeText("both.txt", "inside"));
  await agent.sees(/^Open a folder$/, "folder");
  await agent.click("folder");
  // There is something to decide, so the sheet opens by itself.
  await agent.sees(/Changed on both sides/, "folder-plan");
  assert.deepEqual(await agent.attributes("folder-row", "data-path"), ["both.txt"]);
  await agent.do((element) => {
    const select = element.shadowRoot.querySelector("[data-testid=folder-choice]");
    select.value = "mine";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await agent.click("folder-save");
  await agent.sees(/1 written and 0 removed there, 0 read in/, "folder-done");
  await agent.sees(/are the same/, "folder-plan");
  assert.deepEqual(await disk(agent), { "a.txt": "a", "both.txt": "inside" });

  await agent.click("close");
  await agent.sees(/^my project: same$/, "folder");
  await agent.do(async ({ files }) => {
    await files.writeText("mine.txt", "mine");
    await files.remove("a.txt");
    await window.disk.write("outside.txt", "new");
    window.dispatchEvent(new Event("focus"));
  });
  await agent.sees(/^my project: 3 differ$/, "folder");
  await agent.click("folder");
  await agent.sees(/Changed outside/, "folder-plan");
  await agent.click("folder-save");
  await agent.sees(/1 written and 0 removed there/, "folder-done");
  assert.deepEqual(await disk(agent), { "a.txt": "a", "both.txt": "inside", "mine.txt": "mine", "outside.txt": "new" });
  await agent.click("folder-remove");
  await agent.click("folder-save");
  await agent.sees(/0 written and 1 removed there/, "folder-done");
  await agent.click("folder-read");
  await agent.sees(/0 written and 0 removed there, 1 read in/, "folder-done");
  const both = { "both.txt": "inside", "mine.txt": "mine", "outside.txt": "new" };
  assert.deepEqual([await disk(agent), await workspace(agent)], [both, both]);
  await agent.do((element) => element.setAttribute("lang", "zh"));
  await until("the sheet in Chinese", async () => (await agent.everything()).includes("文件夹和工作区是一样的"));
});
