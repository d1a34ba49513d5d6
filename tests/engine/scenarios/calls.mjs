// One call: how it is prepared, run and finished; the same alone (`runToolCall`).

const schema = { type: "object", properties: { p: { type: "string" }, n: { type: "number" } }, required: ["p"] };
const echo = [["return", "(args)"]];
const returns = (value) => [["return", value]];
const whole = { text: "whole", structuredContent: { s: 1 }, usage: { input: 1 }, own: 1 };
const EMPTY = [null, undefined, {}, { content: null }, { text: "x", details: null }, { text: "x", isError: true }, { text: "x", isError: "yes" }];

/** A call of "a" in a run and alone. */
const both = (name, spec, call = {}, more = {}) => [
  { name, tools: { a: spec }, responses: [[{ call: "a", ...call }], "done"], ...more },
  { name: `alone: ${name}`, entry: "call", tools: { a: spec }, calls: [{ call: "a", ...call }], ...more },
];

const AFTER = {
  nothing: undefined,
  null: null,
  "empty": {},
  content: { content: [{ type: "text", text: "new" }] },
  "content and structure": { content: [{ type: "text", text: "new" }], structuredContent: { t: 2 } },
  structure: { structuredContent: { t: 2 } },
  details: { details: 5 },
  "no details": { details: null },
  usage: { usage: { input: 9 } },
  terminate: { terminate: true },
  "no terminate": { terminate: false },
  "an error": { isError: true },
  "no error": { isError: false },
  "unknown fields": { other: 1 },
};

export default [
  ...both("as told", { parameters: schema, does: echo }, { args: { p: "x" } }),
  ...both("coerced, the transcript's own untouched", { parameters: schema, does: echo }, { args: { n: "12", p: 5, extra: [1] } }),
  ...both("invalid", { parameters: schema }, { args: { n: "x" } }),
  ...both("arguments that were no object", { parameters: schema }, { error: "cut off" }),
  ...both("a shim", { parameters: schema, shim: returns({ p: "shimmed" }), does: echo }, { args: { old: 1 } }),
  ...both("a shim that changes nothing", { parameters: schema, shim: returns("(same)"), does: echo }, { args: { p: "x" } }),
  ...both("a shim before arguments that were no object", { parameters: schema, shim: returns({ p: "x" }) }, { error: "cut off" }),
  ...both("a shim that gives what is invalid", { parameters: schema, shim: returns({ n: 1 }) }),
  ...both("a shim that throws", { parameters: schema, shim: [["throw", "bent"]] }),
  ...both("a shim that throws a text", { parameters: schema, shim: [["throw value", "bent"]] }),
  ...both("unknown", {}, { call: "zz" }),
  ...both("the name of another case", {}, { call: "A" }),
  ...both("throws", { does: [["throw", "bad"]] }),
  ...both("throws a text", { does: [["throw value", "bad"]] }),
  ...both("throws nothing", { does: [["throw value", null]] }),
  ...both("throws without a promise", { sync: true, does: [["throw", "bad"]] }),
  ...both("returns without a promise", { sync: true }),
  ...both("updates, then throws", { does: [["update", { text: "1" }], ["throw", "bad"]] }),
  ...both("updates of any kind", { does: [["update", { text: "1" }], ["update", null], ["update", 5], ["return", { text: "2" }]] }),
  ...both("a whole result", { does: returns(whole) }),
  ...EMPTY.flatMap((value, at) => both(`returns oddity ${at}`, { does: returns(value) }, {}, { platform: value === null || value === undefined })),
  ...Object.entries(AFTER).flatMap(([name, value]) => [
    ...both(`after hook: ${name}`, { does: returns(whole) }, {}, { hooks: { afterToolCall: { every: returns(value) } } }),
    ...both(`after hook of a failure: ${name}`, { does: [["throw", "bad"]] }, {}, { hooks: { afterToolCall: { every: returns(value) } } }),
  ]),
  ...both("after hook throws", {}, {}, { hooks: { afterToolCall: { every: [["throw", "after"]] } } }),
  ...both("after hook takes its time", {}, {}, { hooks: { afterToolCall: { every: [["ticks", 5], ["return", { details: 5 }]] } } }),
  ...both("after hook is not asked of what was refused", { parameters: schema }, {}, { hooks: { afterToolCall: { every: [["throw", "no"]] } } }),
  ...both("before hook changes arguments", { parameters: schema, does: echo }, { args: { p: "x" } }, { hooks: { beforeToolCall: { every: [["args", { p: 7, added: true }]] } } }),
  ...[{ block: true }, { block: true, reason: "no" }, { block: true, reason: "" }, { block: true, reason: "no", terminate: true }, { block: true, terminate: false }, { block: false, reason: "no" }, { reason: "no" }, null, "x"].flatMap(
    (value) => both(`before hook: ${JSON.stringify(value)}`, {}, {}, { hooks: { beforeToolCall: { every: returns(value) }, afterToolCall: { every: [] } } }),
  ),
  ...both("before hook throws", {}, {}, { hooks: { beforeToolCall: { every: [["throw", "before"]] } } }),
  ...both("before hook throws a text", {}, {}, { hooks: { beforeToolCall: { every: [["throw value", "before"]] } } }),
  ...both("before hook is not asked of what is invalid", { parameters: schema }, {}, { hooks: { beforeToolCall: { every: [["throw", "no"]] } } }),
  { name: "alone: aborted", entry: "call", aborted: true, tools: { a: {} }, calls: [{ call: "a" }, { call: "zz" }], hooks: { beforeToolCall: { every: [] } } },
  { name: "alone: aborted by the before hook", entry: "call", tools: { a: {} }, calls: [{ call: "a" }], hooks: { beforeToolCall: { every: [["abort"], ["return", { block: true }]] } } },
  {
    name: "hooks of a batch run before any of it is run",
    tools: { a: {}, b: {} },
    responses: [[{ call: "a" }, { call: "b" }], "done"],
    hooks: { beforeToolCall: { every: [["ticks", 4]] }, afterToolCall: { every: [["ticks", 4]] } },
  },
  {
    name: "calls of one id",
    tools: { a: {} },
    responses: [[{ call: "a", id: "same" }, { call: "a", id: "same" }], "done"],
  },
  {
    name: "a refused call in a parallel batch ends at once",
    tools: { a: { does: [["update", { text: "1" }], ["return", { text: "a" }]] } },
    responses: [[{ call: "zz" }, { call: "a" }, { call: "zz", id: "z2" }], "done"],
  },
  {
    name: "calls that settle at the same time: those that told updates last",
    tools: { a: { does: [["update", { text: "1" }], ["return", { text: "a" }]] }, b: {}, c: { does: [["throw", "c"]] } },
    responses: [[{ call: "a" }, { call: "b" }, { call: "c" }], "done"],
  },
  {
    name: "calls that settle at the same time: a throw without a promise is first",
    tools: { a: { sync: true }, b: { sync: true, does: [["throw", "b"]] }, c: {} },
    responses: [[{ call: "a" }, { call: "b" }, { call: "c" }], "done"],
  },
  {
    name: "calls that settle at the same time: with an after hook",
    tools: { a: { does: [["update", { text: "1" }], ["return", { text: "a" }]] }, b: {}, c: { does: [["ticks", 1], ["return", { text: "c" }]] } },
    responses: [[{ call: "a" }, { call: "b" }, { call: "c" }], "done"],
    hooks: { afterToolCall: { every: [["ticks", 1]] } },
  },
  {
    name: "a batch that ends in reverse",
    tools: { a: { does: [["until", "b"], ["return", { text: "a" }]] }, b: { does: [["until", "c"], ["open", "b"], ["return", { text: "b" }]] }, c: { does: [["open", "c"], ["return", { text: "c" }]] } },
    responses: [[{ call: "a" }, { call: "b" }, { call: "c" }], "done"],
  },
  {
    name: "a sequential tool that is not called changes nothing",
    tools: { a: { does: [["until", "b"], ["return", { text: "a" }]] }, b: { does: [["open", "b"], ["return", { text: "b" }]] }, s: { executionMode: "sequential" } },
    responses: [[{ call: "a" }, { call: "b" }], "done"],
  },
  {
    name: "terminate by an after hook for all but one",
    tools: { a: {}, b: {} },
    responses: [[{ call: "a" }, { call: "b" }], "done"],
    hooks: { afterToolCall: [[["return", { terminate: true }]], []] },
  },
];
