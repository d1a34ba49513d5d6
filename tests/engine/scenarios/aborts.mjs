// Aborts, at each stage, with calls in a row and side by side.

const tools = {
  a: { does: [["update", { text: "a so far" }], ["ticks", 2], ["return", { text: "a" }]] },
  b: { does: [["update", { text: "b so far" }], ["ticks", 2], ["return", { text: "b" }]] },
  c: { does: [["ticks", 9], ["throw", "c gave up"]] },
};
const script = [[{ call: "a" }, { call: "b" }, { call: "c" }, { call: "unknown" }], "two"];
const EVENTS = [
  ["agent_start", 1],
  ["turn_start", 1],
  ["message_start user", 1],
  ["message_end user", 1],
  ["message_end assistant", 1],
  ["tool_execution_start a", 1],
  ["tool_execution_start b", 1],
  ["tool_execution_start c", 1],
  ["tool_execution_update a", 1],
  ["tool_execution_update b", 1],
  ["tool_execution_end a", 1],
  ["tool_execution_end c", 1],
  ["tool_execution_end unknown", 1],
  ["message_start toolResult", 1],
  ["message_end toolResult", 2],
  ["turn_end", 1],
  ["turn_start", 2],
  ["agent_end", 1],
];
const HOOKS = ["beforeToolCall", "afterToolCall", "finishTurn", "prepareNextTurnWithContext", "prepareRequest", "transformContext", "convertToLlm", "getApiKey"];
const MODES = ["parallel", "sequential"];

const scenarios = [
  ...MODES.flatMap((toolExecution) => [
    ...EVENTS.map(([event, nth]) => ({
      name: `abort at ${event} number ${nth}, ${toolExecution}`,
      agent: { toolExecution },
      tools,
      responses: script,
      when: [{ event, nth, do: [["abort"]] }],
    })),
    ...HOOKS.map((hook) => ({
      name: `abort in ${hook}, ${toolExecution}`,
      agent: { toolExecution },
      tools,
      responses: script,
      hooks: { [hook]: [[["abort"]]] },
    })),
    {
      name: `abort in the second call's before hook, ${toolExecution}`,
      agent: { toolExecution },
      tools,
      responses: script,
      hooks: { beforeToolCall: [[], [["abort"]]] },
    },
    {
      name: `abort and block, ${toolExecution}`,
      agent: { toolExecution },
      tools,
      responses: script,
      hooks: { beforeToolCall: [[["abort"], ["return", { block: true, reason: "too late" }]]] },
    },
    {
      name: `abort inside a tool, which goes on, ${toolExecution}`,
      agent: { toolExecution },
      tools: { a: { does: [["abort"], ["ticks", 3], ["return", { text: "all the same" }]] }, b: {} },
      responses: [[{ call: "a" }, { call: "b" }], "two"],
      hooks: { afterToolCall: { every: [] } },
    },
    {
      name: `abort inside a tool, which throws, ${toolExecution}`,
      agent: { toolExecution },
      tools: { a: { does: [["abort"], ["throw", "stopped"]] }, b: {} },
      responses: [[{ call: "a" }, { call: "b" }], "two"],
    },
    {
      name: `abort with messages queued, ${toolExecution}`,
      agent: { toolExecution },
      tools,
      responses: script,
      when: [{ event: "tool_execution_start", do: [["steer", "s"], ["followUp", "f"], ["abort"]] }],
    },
    {
      name: `abort during a batch of a response that was cut off, ${toolExecution}`,
      agent: { toolExecution },
      tools,
      responses: [{ blocks: [{ call: "a" }, { call: "b" }], stop: "length" }, "two"],
      when: [{ event: "tool_execution_start", do: [["abort"]] }],
    },
  ]),
  { name: "abort right after prompting", responses: ["one"], does: [["start", "prompt", "go"], ["abort"], ["join"]] },
  { name: "abort, then another prompt", responses: ["one", "two"], when: [{ event: "message_end user", do: [["abort"]] }], does: [["prompt", "go"], ["prompt", "again"]] },
  { name: "abort with steering, then continue", tools, responses: [...script, "three", "four"], when: [{ event: "tool_execution_start", do: [["steer", "s"], ["abort"]] }], does: [["prompt", "go"], ["continue"], ["continue"]] },
  { name: "low-level: abort during a tool", entry: "loop", tools: { a: { does: [["abort"], ["return", { text: "a" }]] } }, responses: [[{ call: "a" }], "two"] },
  { name: "low-level: abort at the end of a turn", entry: "loop", tools: { a: {} }, responses: [[{ call: "a" }], "two"], when: [{ event: "turn_end", do: [["abort"]] }] },
];

export default scenarios.map((scenario) => ({ ...scenario, brief: true }));
