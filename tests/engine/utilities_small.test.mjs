// What is small and asked for by code that was written for pi.

import { test } from "node:test";

import { assert, engine, tool } from "./support.mjs";

test("a call is validated by the tool of a list that it asks for", () => {
  const parameters = { type: "object", properties: { n: { type: "number" } } };
  const tools = [tool("a"), tool("b", undefined, { parameters })];
  assert.deepEqual(engine.validateToolCall(tools, { name: "b", arguments: { n: "1" } }), { n: 1 });
  assert.throws(() => engine.validateToolCall(tools, { name: "c", arguments: {} }), { message: 'Tool "c" not found' });
});

test("the texts of a content are joined", () => {
  const content = [{ type: "text", text: "a" }, { type: "image", data: "", mimeType: "image/png" }, { type: "text", text: "b" }];
  assert.deepEqual(
    [engine.contentText("whole"), engine.contentText(content), engine.contentText(content, "-"), engine.contentText([])],
    ["whole", "a\nb", "a-b", ""],
  );
});

test("an enum of texts is a schema that validates", () => {
  const kind = engine.StringEnum(["x", "y"], { description: "which", default: "x" });
  assert.deepEqual(kind, { type: "string", enum: ["x", "y"], description: "which", default: "x" });
  assert.deepEqual(engine.StringEnum(["x"]), { type: "string", enum: ["x"] });
  const check = (v) => engine.validateToolArguments({ name: "t", parameters: { type: "object", properties: { v: kind } } }, { name: "t", arguments: { v } });
  assert.deepEqual(check("y"), { v: "y" });
  assert.throws(() => check("z"), /expected one of \["x","y"\]/);
});

test("ids sort by their time, and those of one time by their order", () => {
  const ids = Array.from({ length: 2000 }, () => engine.uuidv7());
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([...new Set(ids)].sort(), ids);
  const timeOf = (id) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  for (const time of [0, 1, 1_700_000_000_123, 2 ** 48 - 1]) assert.equal(timeOf(engine.uuidv7(time)), time);
  assert.ok(Math.abs(timeOf(engine.uuidv7()) - Date.now()) < 60_000);
  for (const wrong of [-1, 1.5, NaN, 2 ** 48, "5"]) {
    assert.throws(() => engine.uuidv7(wrong), { name: "RangeError", message: "UUIDv7 timestamp must be an integer between 0 and 281474976710655" });
  }
});

test("what a usage costs is put to it", () => {
  const cost = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 4, tiers: [{ inputTokensAbove: 2_000_000, input: 10, output: 20, cacheRead: 5, cacheWrite: 40 }] };
  const usage = (input) => ({ input, output: 1_000_000, cacheRead: 1_000_000, cacheWrite: 500_000, cacheWrite1h: 250_000, totalTokens: 0, cost: {} });
  const low = usage(500_000);
  assert.equal(engine.calculateCost({ cost }, low), low.cost);
  assert.deepEqual(low.cost, { input: 0.5, output: 2, cacheRead: 0.5, cacheWrite: 1.5, total: 4.5, totalFromProvider: false });
  assert.equal(engine.calculateCost({ cost }, usage(1_000_000)).total, 10 + 20 + 5 + 15);
});

test("whether to ask again goes by pi's name, too", () => {
  const failed = (errorMessage) => ({ stopReason: "error", errorMessage });
  for (const [message, expected] of [["overloaded", true], ["invalid api key", false], ["429 rate limit", true], ["insufficient_quota", false]]) {
    assert.deepEqual([message, engine.isRetryableAssistantError(failed(message))], [message, expected]);
    assert.equal(engine.isRetryableError(failed(message)), expected);
  }
});
