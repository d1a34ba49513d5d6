// WebKitGTK has no OPFS: everything works, in memory, and the reader is told so.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

test("without OPFS files live in memory, and the page says so", { engines: ["webkit"] }, async (t) => {
  const agent = await t.open();
  assert.equal(await agent.do(() => typeof navigator.storage?.getDirectory), "undefined", "this browser has OPFS after all");
  await until("the page to say that nothing is kept", async () => /memory|not be kept|内存/i.test(await agent.everything()));
  await agent.do((element) => element.files.writeText("a.txt", "in memory"));
  const server = await t.model([answer({ text: "Reading.", calls: [{ name: "read", arguments: { path: "a.txt" } }] }), answer({ text: "It says: in memory." })]);
  await agent.useModel(server);
  assert.equal((await agent.prompt("read a.txt")).text, "It says: in memory.");
  assert.match((await agent.story())[2].result, /in memory/);
});

test("the first run plays", { engines: ["webkit"] }, async (t) => {
  const agent = await t.open();
  await agent.start((element) => element.play());
  await agent.status("paused");
  await agent.do((element) => element.debug.run());
  assert.equal((await agent.finished()).value.stopReason, "stop");
});
