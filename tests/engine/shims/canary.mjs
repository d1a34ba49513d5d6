// One test of each outcome: the runner must see all three, or what it says of the others is worth nothing.

import { test } from "node:test";
import assert from "node:assert/strict";

test("fails", () => assert.deepEqual({ a: [1] }, { a: [2] }));
test("fails later", async () => {
  await undefined;
  assert.equal(1, 2);
});
test("passes", () => assert.deepEqual({ a: [1] }, { a: [1] }));
test("is skipped", { skip: "on purpose" }, () => assert.fail("it was run"));
