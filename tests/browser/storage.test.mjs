// A browser whose storage is not to be had, or only seems to be: files live in memory from the start, and the page says so.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { assert, test, until } from "./harness.mjs";

const cases = [
  {
    name: "a private window that refuses its storage (e11)",
    stub: 'navigator.storage.getDirectory = () => Promise.reject(new DOMException("not here", "SecurityError"));',
  },
  {
    name: "a storage that takes bytes and has none of them when it is opened again (e19)",
    stub: "FileSystemSyncAccessHandle.prototype.read = () => 0;",
  },
];

for (const { name, stub } of cases) {
  test(`${name}: files live in memory, and the reader is told before anything is lost`, async (t) => {
    const loader = await readFile(join(process.env.VITRINE_DIST, "worker_loader.js"), "utf8");
    t.server = await t.serve({ "/some/path/worker_loader.js": `${stub}\n${loader}` });
    const agent = await t.open();
    await until("the page to say that nothing is kept", async () => /will be lost|not kept|in memory/i.test(await agent.everything()));
    const { storage } = await agent.state();
    assert.deepEqual([storage.kind, storage.role], ["unavailable", "writer"]);
    await agent.do(({ files }) => files.writeText("a.txt", "for this visit"));
    assert.equal(await agent.do(({ files }) => files.readText("a.txt")), "for this visit");
    const zip = await agent.do(async ({ files }) => (await files.exportZip()).size);
    assert.ok(zip > 100, `an archive of ${zip} bytes`);
  });
}
