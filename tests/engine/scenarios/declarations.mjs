// What is declared of tools, by system messages of the transcript.

const tools = { a: {}, b: { constrainedSampling: { type: "json_schema", strict: "prefer" } }, c: { parameters: { type: "object", properties: { z: {}, y: { type: "null" } } } } };
const script = ["one", "two", "three"];
const then = (steps, more = {}) => ({ agent: { tools: ["a", "b"] }, tools, responses: script, does: [["prompt", "go"], ...steps, ["prompt", "again"]], ...more });
const system = (more) => ({ role: "system", content: "news", timestamp: 2, ...more });
const ghost = { name: "ghost", description: "", parameters: {} };

export default [
  { name: "a tool is added", ...then([["tools", ["a", "b", "c"]]]) },
  { name: "a tool is taken out", ...then([["tools", ["a"]]]) },
  { name: "all tools are taken out", ...then([["tools", []]]) },
  { name: "tools change places", ...then([["tools", ["b", "a"]]]) },
  { name: "a tool goes and comes back", ...then([["tools", ["b"]], ["prompt", "between"], ["tools", ["a", "b"]]]) },
  { name: "a system message among the prompts takes the change", ...then([["tools", ["a", "c"]], ["prompt", [system(), "x"]]]) },
  { name: "a system message that has no change stays as it is", ...then([["prompt", [system(), "x"]]]) },
  { name: "a system message that declares what is not there", ...then([["prompt", [system({ toolsAdded: [ghost], toolsRemoved: [{ name: "a" }] }), "x"]]]) },
  { name: "of two system messages the last takes the change", ...then([["tools", ["c"]], ["prompt", [system(), system({ content: "more" }), "x"]]]) },
  { name: "a change behind a user message", ...then([["tools", ["c"]], ["prompt", ["x", "y"]]]) },
  { name: "a change during a run counts for the next one", agent: { tools: ["a"] }, tools, responses: [[{ call: "a" }], [{ call: "b" }], "three", "four"], when: [{ event: "tool_execution_start", do: [["tools", ["b"]]] }], does: [["prompt", "go"], ["prompt", "again"]] },
  { name: "a tool put into the context by a hook", entry: "loop", context: { tools: ["a"] }, tools, responses: [[{ call: "a" }], [{ call: "b" }], "three"], hooks: { prepareNextTurn: [[["add tool", "b"]]] } },
  { name: "a tool taken out of the context by a hook", entry: "loop", context: { tools: ["a", "b"] }, tools, responses: [[{ call: "a" }], [{ call: "a", id: "a2" }], "three"], hooks: { prepareNextTurn: [[["drop tool", "a"]]] } },
  { name: "a tool taken out while its call is prepared", agent: { tools: ["a", "b"] }, tools, responses: [[{ call: "a" }, { call: "b" }], "two"], hooks: { beforeToolCall: [[["drop tool", "b"]]] } },
  { name: "a change with steering", agent: { tools: ["a"] }, tools, responses: [[{ call: "a" }], "two", "three"], hooks: { prepareNextTurnWithContext: [[["add tool", "c"], ["steer", "s"]]] } },
  { name: "low-level: declared in the context already", entry: "loop", context: { messages: [system({ toolsAdded: [{ name: "a", description: "does a", parameters: { type: "object" } }] })], tools: ["a"] }, tools, responses: script },
  { name: "low-level: declared otherwise in the context", entry: "loop", context: { messages: [system({ toolsAdded: [{ name: "a", description: "did a", parameters: { type: "object" } }] })], tools: ["a"] }, tools, responses: script },
  { name: "low-level: more declared than there is", entry: "loop", context: { messages: [system({ toolsAdded: [ghost] })], tools: [] }, responses: script },
  { name: "low-level: going on with undeclared tools and steering", entry: "loop-continue", context: { messages: ["q"], tools: ["a"] }, tools, queued: { steer: [system(), "s"] }, responses: script },
];
