// What fails in a way that has no words, at a time when others wait, or after the last event was told.

const throwing = { does: [["throw what is no text"]] };
const later = { does: [["ticks", 3], ["throw what is no text"]] };
const slow = { does: [["wait", 2], ["return", { text: "slow" }]] };
const both = [[{ call: "a" }, { call: "b" }], "two"];
const stream = (name, more) => ({ name, responses: [{ generator: ["start", "text_delta", "done"], final: "whole", ...more }, "two"] });

export default [
  { name: "a tool throws what cannot become text", tools: { a: throwing }, responses: [[{ call: "a" }], "two"] },
  { name: "a tool throws what cannot become text, later", tools: { a: later }, responses: [[{ call: "a" }], "two"] },
  { name: "a tool throws what cannot become text without a promise", tools: { a: { sync: true, ...throwing } }, responses: [[{ call: "a" }], "two"] },
  { name: "of two tools the second throws what cannot become text", tools: { a: {}, b: later }, responses: both },
  { name: "one after the other, the first throws what cannot become text", agent: { toolExecution: "sequential" }, tools: { a: throwing, b: slow }, responses: both },
  { name: "the loop: a tool throws what cannot become text", entry: "loop", tools: { a: throwing }, responses: [[{ call: "a" }], "two"] },
  ...["beforeToolCall", "afterToolCall"].flatMap((hook) => [
    { name: `${hook} throws what cannot become text`, tools: { a: {} }, hooks: { [hook]: { every: throwing.does } }, responses: [[{ call: "a" }], "two"] },
    { name: `${hook} throws what cannot become text, later`, tools: { a: {} }, hooks: { [hook]: { every: later.does } }, responses: [[{ call: "a" }], "two"] },
    { name: `a call alone: ${hook} throws what cannot become text`, entry: "call", tools: { a: {} }, hooks: { [hook]: { every: later.does } }, calls: [{ call: "a" }] },
  ]),
  { name: "a shim throws what cannot become text", tools: { a: { shim: throwing.does } }, responses: [[{ call: "a" }], "two"] },
  { name: "a call alone: the tool throws what cannot become text", entry: "call", tools: { a: later }, calls: [{ call: "a" }] },
  { name: "prepareRequest throws what cannot become text", hooks: { prepareRequest: { every: later.does } }, responses: ["one"] },

  { name: "calls whose names are no text", tools: { a: {} }, responses: [[{ call: 5, id: "1" }, { call: true, id: "2" }, { call: { a: 1 }, id: "3" }, { type: "toolCall", id: "4", arguments: {} }], "two"] },

  stream("a stream of its own cleans up before the turn ends", { cleanup: [["wait", 5], ["log", "cleaned up"]] }),
  stream("a stream of its own cannot clean up", { cleanup: [["throw", "still dirty"]] }),
  stream("a stream of its own cannot clean up in the end", { cleanup: [["wait", 2], ["throw", "still dirty"]] }),
  stream("a stream of its own ends without a last event", { generator: ["start", "text_delta"], cleanup: [["log", "cleaned up"]] }),
  stream("a stream of its own with calls cleans up first", { final: { blocks: [{ call: "a" }] }, cleanup: [["wait", 2], ["log", "cleaned up"]] }),

  { name: "a response without a list of blocks", responses: [{ events: ["done"], final: { blocks: [], content: null } }, "two"] },
  { name: "a response without a list of blocks, after a start", responses: [{ events: ["start", "done"], final: { blocks: [], content: null } }, "two"] },
  { name: "a response with a block that is none", responses: [{ events: ["done"], final: { blocks: [], content: [null] } }, "two"] },
  { name: "a failed response without a list of blocks", responses: [{ events: ["error"], final: { blocks: [], stop: "error", error: "down", content: null } }, "two"] },
  ...[{}, [], 5, "x", true].map((value) => ({ name: `a stream function gives no stream: ${JSON.stringify(value)}`, responses: [{ gives: { value } }, "two"] })),
  { name: "a loop without a stream function", entry: "loop", streamFn: null, responses: ["one"] },
  { name: "a loop that continues without a stream function", entry: "loop-continue", context: { messages: ["q"] }, streamFn: null, responses: ["one"] },
];
