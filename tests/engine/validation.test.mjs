// From a call's arguments to a tool's: the table A.2 of the semantics, and arguments that are no JSON.

import { test } from "node:test";

import { assert, engine } from "./support.mjs";

const { validateToolArguments } = engine;
const item = { type: "object", properties: { o: { type: "string" } }, required: ["o"] };
const parameters = {
  type: "object",
  properties: {
    path: { type: "string" },
    offset: { type: "number" },
    n: { type: "integer" },
    b: { type: "boolean" },
    arr: { type: "array", items: item },
    e: { enum: ["a", "b"] },
    u: { type: ["string", "number"] },
  },
  required: ["path"],
};
const t = { name: "t", parameters };
const check = (args, more) => validateToolArguments(t, { type: "toolCall", id: "1", name: "t", arguments: args, ...more });
const lines = (args) => {
  try {
    check(args);
  } catch (error) {
    return error.message.split("\n\nReceived arguments:\n")[0].split("\n").slice(1);
  }
  return "valid";
};

test("arguments are coerced", () => {
  for (const [args, expected] of [
    [{ path: 5 }, { path: "5" }],
    [{ path: null }, { path: "null" }],
    [{ path: "a", offset: "12" }, { path: "a", offset: 12 }],
    [{ path: "a", offset: "" }, { path: "a", offset: 0 }],
    [{ path: "a", offset: null }, { path: "a" }],
    [{ path: "a", n: "3.7" }, { path: "a", n: 3 }],
    [{ path: "a", n: 3.7 }, { path: "a", n: 3 }],
    [{ path: "a", b: "TRUE" }, { path: "a", b: true }],
    [{ path: "a", arr: { o: "1" } }, { path: "a", arr: [{ o: "1" }] }],
    [{ path: "a", u: true }, { path: "a", u: "true" }],
    [{ path: "a", extra: 1 }, { path: "a", extra: 1 }],
  ]) {
    assert.deepEqual(check(args), expected, JSON.stringify(args));
  }
});

test("what does not fit says where and why", () => {
  for (const [args, ...expected] of [
    [{ path: "a", b: "yes" }, "b: expected boolean, got string"],
    [{ path: "a", arr: [{}] }, "arr.0.o: missing"],
    [{ path: "a", e: "c" }, 'e: expected one of ["a","b"]'],
    [{ path: ["x"] }, "path: expected string, got array"],
    [{ offset: "abc" }, "path: missing", "offset: expected number, got string"],
  ]) {
    assert.deepEqual(lines(args), expected.map((line) => `  - ${line}`));
  }
});

test("the whole error text is what the model reads", () => {
  assert.throws(() => check({ offset: "abc" }), {
    message:
      'Validation failed for tool "t":\n  - path: missing\n  - offset: expected number, got string\n\n' +
      'Received arguments:\n{\n  "offset": "abc"\n}',
  });
  assert.throws(() => check({}, { argumentsError: "cut off" }), {
    message: 'Invalid arguments for tool "t": cut off',
  });
});

test("arguments that are no JSON are refused, and none hangs or is changed in silence", () => {
  const cyclic = { path: "a" };
  cyclic.self = cyclic;
  let deep = {};
  for (let level = 0; level < 10_000; level += 1) deep = { deep };
  let shared = [];
  for (let level = 0; level < 60; level += 1) shared = [shared, shared];
  for (const [args, expected] of [
    [{ path: "a", offset: NaN }, "offset: expected a JSON value, got NaN"],
    [{ path: "a", arr: [{ o: Infinity }] }, "arr.0.o: expected a JSON value, got Infinity"],
    [{ path: "a", n: 1n }, "n: expected a JSON value, got bigint"],
    [{ path: "a", arr: [undefined] }, "arr.0: expected a JSON value, got undefined"],
    [{ path: "a", n: new Date(0) }, "n: expected a JSON value, got Date"],
    [undefined, "root: expected a JSON value, got undefined"],
    [cyclic, "root: nested deeper than 100 levels"],
    [{ path: "a", deep }, "root: nested deeper than 100 levels"],
    [{ path: "a", shared }, "root: more than 10000000 values"],
  ]) {
    assert.deepEqual(lines(args), [`  - ${expected}`]);
  }
  assert.throws(() => check({ path: () => 1 }), { name: "DataCloneError" });
  assert.deepEqual(check({ path: "a", n: undefined }), { path: "a" });
});

test("ten megabytes of arguments are checked", () => {
  const text = "x".repeat(10_000_000);
  assert.equal(check({ path: text }).path, text);
});

test("a schema is compiled once, however many tools bear it, and forgotten schemas are compiled again", () => {
  for (let at = 0; at < 600; at += 1) {
    const one = { name: "t", parameters: { type: "object", properties: { [`p${at % 300}`]: { type: "number" } } } };
    const args = { [`p${at % 300}`]: "1" };
    const got = validateToolArguments(one, { name: "t", arguments: args });
    assert.deepEqual(got, { [`p${at % 300}`]: 1 });
  }
});
