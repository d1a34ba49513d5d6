// The event traces of the semantics' appendix A.1, payloads and all.

const A = { a: {} };
const SLOW_FAST = {
  a: { does: [["update", { text: "a so far" }], ["until", "b"], ["return", { text: "a" }]] },
  b: { does: [["update", { text: "b so far" }], ["open", "b"], ["return", { text: "b" }]] },
};
const queueing = [["steer", "s1"], ["steer", "s2"], ["followUp", "f1"], ["return", { text: "ok" }]];
const four = [{ call: "a" }, "1", "2", "3"];

export default [
  { name: "1: a plain text", responses: ["hello"] },
  { name: "2: a tool round trip", tools: A, responses: [["working", { call: "a", args: { x: 1 } }], "done"] },
  { name: "3: steering and a follow-up, one at a time", tools: { a: { does: queueing } }, responses: four },
  { name: "4: steering all at once", agent: { steeringMode: "all" }, tools: { a: { does: queueing } }, responses: four },
  ...[[true, true], [true, false], [false, true], [undefined, undefined]].map(([a, b]) => ({
    name: `5, 6: results that terminate: ${a}, ${b}`,
    tools: { a: { does: [["return", { text: "a", terminate: a }]] }, b: { does: [["return", { text: "b", terminate: b }]] } },
    responses: [[{ call: "a" }, { call: "b" }], "on"],
  })),
  {
    name: "7: all terminate and a follow-up is queued",
    tools: { a: { does: [["return", { text: "a", terminate: true }]] } },
    responses: [{ call: "a" }, "on"],
    does: [["followUp", "f"], ["prompt", "go"]],
  },
  {
    name: "8: finishTurn ends after a batch",
    tools: A,
    responses: [{ call: "a" }, "unheard"],
    hooks: { finishTurn: [[["return", { action: "end" }]]] },
    does: [["followUp", "f"], ["prompt", "go"]],
  },
  { name: "9: finishTurn continues once", responses: ["one", "two"], hooks: { finishTurn: [[["return", { action: "continue" }]]] } },
  { name: "10: calls of a response that stopped", tools: A, responses: [{ blocks: [{ call: "a" }], stop: "stop" }, "done"] },
  { name: "11: a failed response", tools: A, responses: [{ blocks: ["so", { call: "a" }], stop: "error", error: "down" }] },
  { name: "12: a response that was cut off", tools: A, responses: [{ blocks: [{ call: "a" }, { call: "b" }], stop: "length" }, "done"] },
  { name: "13: a stream function that throws", responses: [{ throws: "boom" }] },
  { name: "14: an empty script", responses: [] },
  { name: "15: parallel, slow, fast and unknown", tools: SLOW_FAST, responses: [[{ call: "a" }, { call: "b" }, { call: "c" }], "done"] },
  {
    name: "16: one sequential tool",
    tools: { a: { executionMode: "sequential", does: [["update", { text: "1" }], ["ticks", 3], ["return", { text: "a" }]] }, b: SLOW_FAST.b },
    responses: [[{ call: "a" }, { call: "b" }], "done"],
  },
  {
    name: "17: an abort from the first call's update",
    agent: { toolExecution: "sequential" },
    tools: { a: SLOW_FAST.b, b: SLOW_FAST.b },
    responses: [[{ call: "a" }, { call: "b" }], "never"],
    when: [{ event: "tool_execution_update", do: [["abort"]] }],
  },
  {
    name: "18: tools replaced between two prompts",
    agent: { tools: ["old"], systemPrompt: "be" },
    tools: { old: {}, new: {} },
    responses: ["one", "two"],
    does: [["prompt", "go"], ["tools", ["new"]], ["prompt", "again"]],
  },
];
