// Functions of a text and of a message: arguments, repair, truncation, sizes, failures, server-sent events, prints.

import { test } from "node:test";

import { assert, engine } from "./support.mjs";

const MEGABYTE = 1024 * 1024;
const depth = (levels) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

test("JSON that is cut off says what it says so far", () => {
  const cases = [
    ["", {}],
    [" \n", {}],
    ['{"a":"he', { a: "he" }],
    ['{"a":tr', { a: true }],
    ['{"a":nul', { a: null }],
    ['{"a":1e', { a: 1 }],
    ['{"a":-', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":[1,2', { a: [1, 2] }],
    ['{"a":{"b":"c\\', { a: { b: "c" } }],
    ['{"a":"x\\u00', { a: "x" }],
    ['{"a":"\\d', { a: "\\d" }],
    ['{"a":1,}', { a: 1 }],
    ['{"a":1 "b":2', { a: 1, b: 2 }],
    ['{"a":1} and more', { a: 1 }],
    ["[1,[2", [1, [2]]],
    ['"tex', "tex"],
    ["no json", {}],
    [undefined, {}],
  ];
  for (const [text, value] of cases) assert.deepEqual(engine.parseStreamingJson(text), value, text);
});

test("final arguments are whole or refused, never completed", () => {
  const refused = (reason, text) => ({ arguments: {}, argumentsError: `${reason}\n\nReceived arguments:\n${text}` });
  const cases = [
    ["", { arguments: {} }],
    ["  ", { arguments: {} }],
    [undefined, { arguments: {} }],
    ['{"a":1}', { arguments: { a: 1 } }],
    ['{"a":"x\ny"}', { arguments: { a: "x\ny" } }],
    ['{"a":"\\d"}', { arguments: { a: "\\d" } }],
    ['{"a":"\\u12"}', { arguments: { a: "\\u12" } }],
    ['{"a":"\\ud800"}', { arguments: { a: "\ud800" } }],
    ["[1]", refused("Tool arguments must be a JSON object", "[1]")],
    ["5", refused("Tool arguments must be a JSON object", "5")],
    ["null", refused("Tool arguments must be a JSON object", "null")],
  ];
  for (const [text, expected] of cases) assert.deepEqual(engine.parseToolCallArguments(text), expected, text);

  const cut = engine.parseToolCallArguments('{"a":1');
  assert.deepEqual(cut.arguments, {});
  assert.match(cut.argumentsError, /\n\nReceived arguments:\n\{"a":1$/);
});

test("hostile arguments come through", () => {
  const large = JSON.stringify({ a: "x\n".repeat(5 * MEGABYTE) });
  assert.deepEqual(engine.parseToolCallArguments(large), { arguments: JSON.parse(large) });
  assert.equal(engine.parseStreamingJson(large.slice(0, -2)).a.length, 10 * MEGABYTE);

  const deep = engine.parseToolCallArguments(depth(10_000));
  assert.equal(deep.argumentsError, undefined);
  assert.equal(Object.keys(engine.parseStreamingJson(depth(10_000).slice(0, -1))).length, 1);

  for (const parse of [(text) => engine.parseToolCallArguments(`${text}}`).arguments, engine.parseStreamingJson]) {
    const value = parse('{"__proto__":{"polluted":true}');
    assert.deepEqual(Object.keys(value), ["__proto__"]);
    assert.equal(value.polluted, undefined);
    assert.equal({}.polluted, undefined);
  }
});

test("repair mends strings and nothing else", () => {
  const cases = [
    ['{"a":"x\ny\t\u0001"}', '{"a":"x\\ny\\t\\u0001"}'],
    ['{"a":"\\d\\usepackage\\u00e9\\n"}', '{"a":"\\\\d\\\\usepackage\\u00e9\\n"}'],
    ['{\n"a":1', '{\n"a":1'],
    ['"ends with \\', '"ends with \\\\'],
    ['\\"in\n', '\\"in\\n'],
    ['"\ud800"', '"\ud800"'],
    ["", ""],
  ];
  for (const [text, expected] of cases) assert.equal(engine.repairJson(text), expected);
  assert.throws(() => engine.repairJson(undefined), TypeError);
});

test("truncation keeps whole lines within both limits", () => {
  const head = (text, options) => {
    const { content, truncatedBy, totalLines, firstLineExceedsLimit } = engine.truncateHead(text, options);
    return [content, truncatedBy, totalLines, firstLineExceedsLimit];
  };
  const tail = (text, options) => {
    const { content, truncatedBy, outputLines, lastLinePartial } = engine.truncateTail(text, options);
    return [content, truncatedBy, outputLines, lastLinePartial];
  };
  assert.deepEqual(head("a\nb\nc\n", { maxLines: 2 }), ["a\nb", "lines", 3, false]);
  assert.deepEqual(head("aaaa\nbb", { maxBytes: 4 }), ["aaaa", "bytes", 2, false]);
  assert.deepEqual(head("aaaaa", { maxBytes: 4 }), ["", "bytes", 1, true]);
  assert.deepEqual(head("", {}), ["", null, 0, false]);
  assert.deepEqual(head("a\n"), ["a\n", null, 1, false]);
  assert.deepEqual(tail("a\nb\nc\n", { maxLines: 2 }), ["b\nc", "lines", 2, false]);
  assert.deepEqual(tail("aé€", { maxBytes: 4 }), ["€", "bytes", 1, true]);
  assert.deepEqual(tail("x\nyyyyy", { maxBytes: 4 }), ["yyyy", "bytes", 1, true]);
  // Half a character stays half a character.
  assert.deepEqual(head("\ud800\nb", { maxLines: 1 }), ["\ud800", "lines", 2, false]);
  assert.deepEqual(tail("a\n\ud800", { maxLines: 1 }), ["\ud800", "lines", 1, false]);

  assert.deepEqual(engine.truncateHead("a\nb", { maxLines: 1 }), {
    content: "a",
    truncated: true,
    truncatedBy: "lines",
    totalLines: 2,
    totalBytes: 3,
    outputLines: 1,
    outputBytes: 1,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines: 1,
    maxBytes: 51200,
  });
  const large = "line\n".repeat(2 * MEGABYTE);
  assert.equal(engine.truncateHead(large).outputLines, 2000);
  assert.equal(engine.truncateTail(large).totalLines, 2 * MEGABYTE);
  assert.throws(() => engine.truncateHead(null), TypeError);
});

test("a long line is cut between characters, and sizes have one decimal", () => {
  const line = (text, max) => Object.values(engine.truncateLine(text, max));
  assert.deepEqual(line("x".repeat(500)), ["x".repeat(500), false]);
  assert.deepEqual(line("x".repeat(501)), [`${"x".repeat(500)}... [truncated]`, true]);
  assert.deepEqual(line("ab😀c", 3), ["ab... [truncated]", true]);
  assert.deepEqual(line("😀bc", 3), ["😀b... [truncated]", true]);
  assert.deepEqual(line("", 0), ["", false]);

  const sizes = [0, 1023, 1024, 1280, 51200, 1048576, 4718592, 5e9].map(engine.formatSize);
  assert.deepEqual(sizes, ["0B", "1023B", "1.0KB", "1.3KB", "50.0KB", "1.0MB", "4.5MB", "4768.4MB"]);
});

test("a failure is judged by its text, and silence by its numbers", () => {
  const failed = (errorMessage, more) => ({ stopReason: "error", errorMessage, provider: "openai", ...more });
  const overflows = [
    ["prompt is too long: 213462 tokens > 200000 maximum", true],
    ["OpenAI API error (413): too large", true],
    ["rate limit: too many tokens", false],
    ["overloaded", false],
    ["400 status code (no body)", false],
  ];
  for (const [text, expected] of overflows) assert.equal(engine.isContextOverflow(failed(text)), expected, text);
  assert.equal(engine.isContextOverflow(failed("400 status code (no body)", { provider: "cerebras" })), true);
  assert.equal(engine.isContextOverflow({ ...failed("prompt is too long"), stopReason: "aborted" }), false);

  const used = (stopReason, input, output, cacheRead = 0) => ({ stopReason, usage: { input, output, cacheRead } });
  const silent = [
    [used("stop", 90, 5, 11), 100, true],
    [used("stop", 90, 5, 10), 100, false],
    [used("stop", 900, 5), undefined, false],
    [used("length", 99, 0), 100, true],
    [used("length", 98, 0), 100, false],
    [used("length", 99, 1), 100, false],
  ];
  for (const [message, window, expected] of silent) {
    assert.equal(engine.isContextOverflow(message, window), expected, JSON.stringify(message));
  }

  const retries = [
    ["overloaded", true],
    ["503 Service Unavailable", true],
    ["fetch failed", true],
    ["Failed to fetch", true],
    ["Load failed", true],
    ["invalid api key", false],
    ["429 insufficient_quota", false],
    ["item 5000 is wrong", false],
  ];
  for (const [text, expected] of retries) assert.equal(engine.isRetryableError(failed(text)), expected, text);
  assert.equal(engine.isRetryableError({ stopReason: "aborted", errorMessage: "overloaded" }), false);
  assert.equal(engine.isRetryableError({ stopReason: "error" }), false);

  assert.equal(engine.isRecoverableLength(used("length", 1, 99), 100), true);
  assert.equal(engine.isRecoverableLength(used("length", 1, 100), 100), false);
  assert.equal(engine.isRecoverableLength(used("stop", 1, 99), 100), false);
  assert.equal(engine.isRecoverableLength(used("length", 1, 0), 0), false);
});

test("server-sent events are the same however the bytes are cut", () => {
  const text = "event: a\r\ndata: 1\r\ndata: é\r\n\r\n: comment\n\ndata: 2\n\nid: 9\ndata: 3";
  const expected = [{ event: "a", data: "1\né" }, { data: "2" }, { data: "3" }];
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const events = [];
    const parser = engine.sseParser({ onEvent: (event) => events.push(event) });
    for (let at = 0; at < bytes.length; at += size) parser.feed(bytes.subarray(at, at + size));
    parser.end();
    parser.end();
    parser.feed(bytes);
    assert.deepEqual(events, expected, `pieces of ${size}`);
  }
});

test("an event without an end is refused, and told", () => {
  const piece = new Uint8Array(8 * MEGABYTE).fill(97);
  const feed = (handlers) => {
    const parser = engine.sseParser({ onEvent: () => assert.fail("there is no event"), ...handlers });
    parser.feed(new TextEncoder().encode("data: "));
    for (let n = 0; n < 10; n += 1) parser.feed(piece);
    parser.end();
  };
  const errors = [];
  feed({ onError: (error) => errors.push(error) });
  assert.equal(errors.length, 1);
  assert.ok(errors[0] instanceof Error);
  assert.throws(() => feed({}), Error);
});

test("a run has one form and one print, wherever and whenever it ran", () => {
  const run = (id, durationMs) => [
    { type: "tool_execution_start", toolCallId: id, toolName: "t", args: { b: 1, a: 2 } },
    { isError: false, durationMs, toolCallId: id, type: "tool_execution_end" },
  ];
  const form =
    '[{"args":{"a":2,"b":1},"toolCallId":"call-1","toolName":"t","type":"tool_execution_start"},' +
    '{"isError":false,"toolCallId":"call-1","type":"tool_execution_end"}]';
  assert.equal(engine.canonicalize(run("x", 5)), form);
  assert.equal(engine.canonicalize(run("other", 6)), form);
  // SHA-256 of `[]`.
  assert.equal(engine.fingerprint([]), "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
  assert.equal(engine.fingerprint(run("x", 5)), engine.fingerprint(new Set(run("y", 1))));

  const files = { "/b/c": "text", "/a": new Uint8Array([1]) };
  const workspace = new engine.MemoryWorkspace(files);
  const prints = [files, new Map(Object.entries(files).reverse()), workspace].map((each) => engine.fingerprint([], each));
  assert.equal(new Set(prints).size, 1);
  const others = [undefined, {}, { "/b/c": "text" }, { ...files, "/a": "other" }].map((each) => engine.fingerprint([], each));
  assert.equal(new Set([...prints, ...others]).size, 5);

  assert.throws(() => engine.canonicalize([{ text: "\ud800" }]), /surrogate/);
  const cyclic = {};
  cyclic.self = cyclic;
  assert.throws(() => engine.fingerprint([cyclic]), TypeError);
  assert.throws(() => engine.canonicalize(undefined), TypeError);
});
