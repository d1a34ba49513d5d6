// `node:assert/strict` where there is no Node, as far as the tests here use it. That it judges as Node's does is tested in
// Node (`assert_shim.test.mjs`).

export class AssertionError extends Error {
  constructor(message) {
    super(message);
    this.name = "AssertionError";
  }
}

const show = (value) => {
  const seen = new Set();
  const text = JSON.stringify(value, (key, inner) => {
    if (typeof inner === "bigint") return `${inner}n`;
    if (typeof inner === "function" || typeof inner === "symbol" || inner === undefined) return String(inner);
    if (typeof inner === "number" && !Number.isFinite(inner)) return String(inner);
    if (inner instanceof Error) return `${inner.name}: ${inner.message}`;
    if (inner !== null && typeof inner === "object") {
      if (seen.has(inner)) return "(seen)";
      seen.add(inner);
    }
    return inner;
  });
  return text !== undefined && text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
};

const demand = (holds, message, fallback) => {
  if (holds) return;
  if (message instanceof Error) throw message;
  throw new AssertionError(message ?? fallback());
};

const keysOf = (value) => [
  ...Object.keys(value),
  ...Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)),
];

const sameMembers = (a, b, isSame) => {
  const left = [...b];
  return [...a].every((one) => {
    const at = left.findIndex((other) => isSame(one, other));
    if (at < 0) return false;
    left.splice(at, 1);
    return true;
  });
};

const same = (a, b, pairs) => {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (pairs.some(([left, right]) => left === a && right === b)) return true;
  const inner = (left, right) => same(left, right, [...pairs, [a, b]]);
  if (a instanceof Date && a.getTime() !== b.getTime()) return false;
  if (a instanceof RegExp && String(a) !== String(b)) return false;
  if (a instanceof Error && (a.name !== b.name || a.message !== b.message)) return false;
  if (a instanceof Set && (a.size !== b.size || !sameMembers(a, b, inner))) return false;
  if (a instanceof Map && (a.size !== b.size || !sameMembers(a.entries(), b.entries(), inner))) return false;
  if (Array.isArray(a) && a.length !== b.length) return false;
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length) return false;
  return keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && inner(a[key], b[key]));
};

/** Whether what was thrown is what was expected: a class, a pattern, a check, or fields that must be so. */
const judge = (thrown, expected, message) => {
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    demand(expected.test(String(thrown)), message, () => `${String(thrown)} does not match ${expected}`);
  } else if (typeof expected === "function") {
    const isClass = expected.prototype !== undefined && thrown instanceof expected;
    if (isClass) return;
    const isErrorClass = expected === Error || expected.prototype instanceof Error;
    demand(!isErrorClass && expected(thrown) === true, message, () => `${String(thrown)} is not as expected`);
  } else {
    for (const key of new Set([...Object.keys(expected), ...(expected instanceof Error ? ["name", "message"] : [])])) {
      const [is, wanted] = [thrown?.[key], expected[key]];
      const holds = wanted instanceof RegExp && typeof is === "string" ? wanted.test(is) : same(is, wanted, []);
      demand(holds, message, () => `${key} of what was thrown is ${show(is)}, expected ${show(wanted) ?? wanted}`);
    }
  }
};

const split = (expected, message) => (typeof expected === "string" ? [undefined, expected] : [expected, message]);

const assert = (value, message) => demand(value, message, () => `${show(value)} is not truthy`);

export default Object.assign(assert, {
  AssertionError,
  ok: assert,
  equal: (is, wanted, message) => demand(Object.is(is, wanted), message, () => `is       ${show(is)}\nexpected ${show(wanted)}`),
  notEqual: (is, other, message) => demand(!Object.is(is, other), message, () => `both are ${show(is)}`),
  deepEqual: (is, wanted, message) =>
    demand(same(is, wanted, []), message, () => `is       ${show(is)}\nexpected ${show(wanted)}`),
  notDeepEqual: (is, other, message) => demand(!same(is, other, []), message, () => `both are ${show(is)}`),
  match: (text, pattern, message) =>
    demand(typeof text === "string" && pattern.test(text), message, () => `${show(text)} does not match ${pattern}`),
  doesNotMatch: (text, pattern, message) =>
    demand(typeof text === "string" && !pattern.test(text), message, () => `${show(text)} matches ${pattern}`),
  fail: (message) => demand(false, message, () => "failed"),
  throws: (body, ...rest) => {
    const [expected, message] = split(...rest);
    try {
      body();
    } catch (error) {
      judge(error, expected, message);
      return;
    }
    demand(false, message, () => "nothing was thrown");
  },
  doesNotThrow: (body) => void body(),
  rejects: async (promise, ...rest) => {
    const [expected, message] = split(...rest);
    try {
      await (typeof promise === "function" ? promise() : promise);
    } catch (error) {
      judge(error, expected, message);
      return;
    }
    demand(false, message, () => "nothing was thrown");
  },
  doesNotReject: async (promise) => void (await (typeof promise === "function" ? promise() : promise)),
});

const { ok, equal, notEqual, deepEqual, notDeepEqual, match, doesNotMatch, fail, throws, rejects } = assert;
export { ok, equal, notEqual, deepEqual, notDeepEqual, match, doesNotMatch, fail, throws, rejects };
