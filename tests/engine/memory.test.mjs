// What a run leaves behind: nothing.

import { test } from "node:test";

import { assert, calls, engine, engineModule, result, says, tool, user } from "./support.mjs";

const glue = await engineModule("engine.js");
const { memory } = await glue.default();

/** One run of two turns with tools of its own; every third fails in a hook. */
const run = async (number) => {
  const scripted = engine.createScripted({ seed: number });
  scripted.setResponses([calls(["a", { p: "1" }]), says("x")]);
  const parameters = { type: "object", properties: { p: { type: "number" } } };
  const a = tool("a", async () => result("ok"), { description: `version ${number % 7}`, parameters });
  const config = { model: scripted.getModel(), convertToLlm: (messages) => messages };
  if (number % 3 === 0) {
    config.prepareNextTurn = () => {
      throw new Error("no");
    };
  }
  const { signal } = new AbortController();
  const context = { messages: [], tools: [a] };
  await engine.runAgentLoop([user("go")], context, config, () => {}, signal, scripted.stream).catch(() => {});
};

test("ten thousand runs end with the memory of a hundred", async () => {
  for (let number = 0; number < 100; number += 1) await run(number);
  const before = memory.buffer.byteLength;
  for (let number = 0; number < 10_000; number += 1) await run(number);
  assert.equal(memory.buffer.byteLength, before);
});
