// What takes the place of Node's assertions in browsers judges as they do.

import assert from "node:assert/strict";
import { test } from "node:test";

import shim from "./shims/assert.mjs";

const cyclic = () => {
  const one = { a: 1 };
  one.self = one;
  return one;
};
class Mine extends Error {}
const throwing = (error) => () => {
  throw error;
};
const symbol = Symbol("s");

/** What is asked, of what, and whether it holds. */
const ROWS = [
  ["equal", [1, 1], true],
  ["equal", [1, "1"], false],
  ["equal", [NaN, NaN], true],
  ["equal", [0, -0], false],
  ["equal", [{}, {}], false],
  ["notEqual", [1, 2], true],
  ["notEqual", [1, 1], false],
  ["ok", [1], true],
  ["ok", [0], false],
  ["deepEqual", [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }], true],
  ["deepEqual", [{ a: 1, b: 2 }, { b: 2, a: 1 }], true],
  ["deepEqual", [{ a: [1] }, { a: [2] }], false],
  ["deepEqual", [{ a: undefined }, {}], false],
  ["deepEqual", [{}, { a: undefined }], false],
  ["deepEqual", [[1, 2], [1]], false],
  ["deepEqual", [[1], { 0: 1 }], false],
  ["deepEqual", [[, 1], [undefined, 1]], false],
  ["deepEqual", [{ a: 1 }, Object.assign(Object.create(null), { a: 1 })], false],
  ["deepEqual", [{ [symbol]: 1 }, { [symbol]: 1 }], true],
  ["deepEqual", [{ [symbol]: 1 }, { [symbol]: 2 }], false],
  ["deepEqual", [new Set([1, 2]), new Set([2, 1])], true],
  ["deepEqual", [new Set([{ a: 1 }]), new Set([{ a: 1 }])], true],
  ["deepEqual", [new Set([1]), new Set([2])], false],
  ["deepEqual", [new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])], true],
  ["deepEqual", [new Map([[1, 2]]), new Map([[1, 3]])], false],
  ["deepEqual", [new Date(1), new Date(1)], true],
  ["deepEqual", [new Date(1), new Date(2)], false],
  ["deepEqual", [new Error("a"), new Error("a")], true],
  ["deepEqual", [new Error("a"), new Error("b")], false],
  ["deepEqual", [new Error("a"), new Mine("a")], false],
  ["deepEqual", [new Uint8Array([1, 2]), new Uint8Array([1, 2])], true],
  ["deepEqual", [new Uint8Array([1, 2]), new Uint8Array([1, 3])], false],
  ["deepEqual", [1n, 1n], true],
  ["deepEqual", [null, undefined], false],
  ["deepEqual", ["a", "a"], true],
  ["deepEqual", [cyclic(), cyclic()], true],
  ["deepEqual", [NaN, NaN], true],
  ["deepEqual", [0, -0], false],
  ["notDeepEqual", [{ a: 1 }, { a: 2 }], true],
  ["notDeepEqual", [{ a: 1 }, { a: 1 }], false],
  ["match", ["abc", /b/], true],
  ["match", ["abc", /x/], false],
  ["match", [5, /5/], false],
  ["doesNotMatch", ["abc", /x/], true],
  ["doesNotMatch", ["abc", /b/], false],
  ["fail", [], false],
  ["throws", [throwing(new Error("a"))], true],
  ["throws", [() => 1], false],
  ["throws", [throwing(new Error("a")), { message: "a" }], true],
  ["throws", [throwing(new Error("a")), { message: "b" }], false],
  ["throws", [throwing(new Error("abc")), { message: /b/, name: "Error" }], true],
  ["throws", [throwing(new Error("abc")), { message: /b/, name: "TypeError" }], false],
  ["throws", [throwing(new Error("abc")), /b/], true],
  ["throws", [throwing(new Error("abc")), /^b/], false],
  ["throws", [throwing(new Mine("a")), Mine], true],
  ["throws", [throwing(new Error("a")), Mine], false],
  ["throws", [throwing(new Error("a")), (error) => error.message === "a"], true],
  ["throws", [throwing(new Error("a")), (error) => error.message === "b"], false],
  ["rejects", [Promise.reject(new Error("a")), { message: "a" }], true],
  ["rejects", [Promise.reject(new Error("a")), { message: "b" }], false],
  ["rejects", [Promise.resolve(1), { message: "b" }], false],
  ["rejects", [async () => throwing(new Error("a"))(), { message: "a" }], true],
];

// A promise that a row rejects with must not count as unhandled before its turn.
for (const [, args] of ROWS) if (args[0] instanceof Promise) args[0].catch(() => {});

const holds = async (judge, name, args) => {
  try {
    await judge[name](...args);
    return true;
  } catch {
    return false;
  }
};

test("every assertion holds where Node's does and nowhere else", async () => {
  for (const [at, [name, args, expected]] of ROWS.entries()) {
    for (const judge of [assert, shim]) {
      const is = await holds(judge, name, args);
      if (is !== expected) throw new Error(`row ${at}: ${name} ${is ? "holds" : "fails"} in ${judge === shim ? "the shim" : "Node"}`);
    }
  }
});
