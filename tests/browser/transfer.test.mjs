// What goes into the workspace and out of it: the module that does it, and an archive of the size of a real project.

import { assert, test } from "./harness.mjs";
import { answer } from "./model_server.mjs";
import { unzip, zip } from "./zip.mjs";

const MODULE = ["transfer.js", "transfer_bg.wasm"];

test("what reads archives is loaded with the first one, and then once", async (t) => {
  const asked = [];
  const log = (name) => [`/some/path/${name}`, () => void asked.push(name)];
  const agent = await t.open({ server: await t.serve(Object.fromEntries(MODULE.map(log))) });
  await agent.do(({ files }) => files.writeText("a.txt", "a"));
  assert.deepEqual(asked, []);
  const imported = await agent.do(async ({ files }) => files.importZip(await files.exportZip()));
  assert.deepEqual(imported, { files: 1, folders: 0, bytes: 1, skipped: [] });
  assert.deepEqual(asked, MODULE);
});

for (const missing of MODULE) {
  test(`without ${missing} an archive is refused with what to do, nothing else stops, and it may be tried again`, async (t) => {
    t.allow(/transfer|MIME|module script|[Ww]eb[Aa]ssembly/);
    let is_there = false;
    const page = () => (is_there ? undefined : "<p>no such file");
    const agent = await t.open({ server: await t.serve({ [`/some/path/${missing}`]: page }) });
    const tried = (what) => agent.do(async ({ files }, what) => {
      try {
        const done = await files[what](new Blob(["no archive"]));
        return done.constructor.name;
      } catch ({ code, help }) {
        return { code, help };
      }
    }, what);
    await agent.do(({ files }) => files.writeText("a.txt", "a"));
    const refused = { code: "module-missing", help: "look whether you are online and try again; transfer.js and transfer_bg.wasm belong beside worker.js" };
    assert.deepEqual([await tried("importZip"), await tried("exportZip")], [refused, refused]);
    assert.equal(await agent.do(({ files }) => files.readText("a.txt")), "a");
    is_there = true;
    assert.equal(await tried("exportZip"), "Blob");
    assert.equal((await tried("importZip")).code, "not-an-archive");
  });
}

test("ten thousand files come in as a zip, are searched and edited, and go out byte for byte", async (t) => {
  const files = new Map();
  for (let at = 0; at < 10_000; at += 1) {
    const path = `src/${at % 97}/part ${at % 13}/${at % 7 ? "file" : "文件"}_${at}.txt`;
    files.set(path, Buffer.from((at === 7_777 ? "the needle\n" : "") + `line of ${path}\n`.repeat(1 + (at % 9))));
  }
  const archive = zip([...files]);
  const agent = await t.open({ server: await t.serve({ "/some/path/archive.zip": archive }) });
  const imported = await agent.do(async (element) => {
    const blob = await (await fetch("archive.zip")).blob();
    const changes = [];
    element.addEventListener("vitrine-file", ({ detail }) => changes.push(detail.change));
    const begin = performance.now();
    const { files, skipped } = await element.files.importZip(blob);
    return { files, skipped, changes: changes.length, ms: performance.now() - begin };
  });
  const { ms, ...counted } = imported;
  console.log(`    ${t.engine}: 10,000 files, ${archive.length} bytes packed, unpacked and stored in ${Math.round(ms)} ms`);
  assert.deepEqual(counted, { files: 10_000, skipped: [], changes: 10_000 });

  const found = [...files.keys()].find((path) => files.get(path).includes("the needle"));
  const edit = { path: found, edits: [{ oldText: "the needle\n", newText: "found\n" }] };
  const server = await t.model([
    answer({ calls: [{ name: "bash", arguments: { command: "grep -rl needle src" } }] }),
    answer({ calls: [{ name: "edit", arguments: edit }] }),
    answer({ text: "done" }),
  ]);
  await agent.useModel(server);
  await agent.prompt("find and change it");
  const results = (await agent.story()).filter((said) => said.result).map(({ result, isError }) => [result.trim(), isError]);
  assert.deepEqual(results[0], [found, false]);
  assert.equal(results[1][1], false, results[1][0]);

  files.set(found, Buffer.from(files.get(found).toString().replace("the needle\n", "found\n")));
  const [removed, added] = [[...files.keys()][123], "added.bin"];
  files.delete(removed);
  files.set(added, Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * at) % 251)));
  const exported = await agent.do(async ({ files }, removed, added, bytes) => {
    await files.remove(removed);
    await files.write(added, new Uint8Array(bytes));
    const blob = await files.exportZip();
    return new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
      reader.readAsDataURL(blob);
    });
  }, removed, added, [...files.get(added)]);
  const again = unzip(Buffer.from(exported, "base64"));
  const is_folder = (path) => path.endsWith("/");
  assert.deepEqual([...again.keys()].filter((path) => !is_folder(path)).sort(), [...files.keys()].sort());
  for (const [path, content] of again) assert.ok(is_folder(path) || content.equals(files.get(path)), path);
});
