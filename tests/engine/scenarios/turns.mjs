// What a turn is prepared with, how it ends, and what of it is sent.

const tools = { a: {}, b: {} };
const round = [["working", { call: "a" }], "two", "three"];
const turn = (name, hooks, more = {}) => ({ name, tools, responses: round, hooks, ...more });
const returns = (...values) => values.map((value) => [["return", value]]);
const answer = { blocks: [{ call: "a" }], stop: "error", error: "down" };
const next = (name, value) => turn(`next turn: ${name}`, { prepareNextTurnWithContext: returns(value) });

export default [
  next("messages go in before the request", { messages: ["put in"] }),
  next("another model and level", { model: { id: "other", provider: "p", api: "x" }, thinkingLevel: "high" }),
  next("no thinking", { thinkingLevel: "off" }),
  next("another context", { context: { last: 1 } }),
  next("fewer tools", { context: { tools: ["b"] } }),
  next("nothing", null),
  next("empty", {}),
  next("a system message", { messages: [{ role: "system", content: "also", sections: { a: "b" }, timestamp: 1 }] }),
  next("a system message that declares what is not there", {
    messages: [{ role: "system", content: "also", toolsAdded: [{ name: "ghost", description: "", parameters: {} }], timestamp: 1 }],
  }),
  turn("next turn: thinks on", { prepareNextTurnWithContext: returns({}) }, { agent: { thinkingLevel: "low" } }),
  turn("next turn: no more thinking", { prepareNextTurnWithContext: returns({ thinkingLevel: "off" }) }, { agent: { thinkingLevel: "low" } }),
  turn("next turn: the simple hook", { prepareNextTurn: returns({ messages: ["put in"] }) }),
  turn("next turn: the one with context goes first", { prepareNextTurn: returns({ messages: ["no"] }), prepareNextTurnWithContext: returns({ messages: ["yes"] }) }),
  turn("next turn: with steering", { prepareNextTurnWithContext: returns({ messages: ["put in"] }) }, { when: [{ event: "turn_end", do: [["steer", "s"]] }] }),
  turn("next turn: before a follow-up", { prepareNextTurnWithContext: [[], [["return", { messages: ["put in"] }]]] }, { does: [["followUp", "f"], ["prompt", "go"]] }),
  turn("next turn: a low-level loop", { prepareNextTurn: returns({ messages: ["put in"], thinkingLevel: "high" }) }, { entry: "loop" }),
  turn("request: another model and level from then on", { prepareRequest: returns({ model: { id: "other", provider: "p", api: "x" }, thinkingLevel: "high" }) }),
  turn("request: no thinking", { prepareRequest: returns({ thinkingLevel: "off" }, {}) }, { agent: { thinkingLevel: "low" } }),
  turn("request: another context", { prepareRequest: [[], [["return", { context: { last: 1, tools: ["b"] } }]]] }),
  turn("request: a tool is taken out by hand", { prepareRequest: [[["drop tool", "b"]]] }),
  turn("request: a message is put in by hand", { prepareRequest: [[["push message", "by hand"]]] }),
  turn("request: nothing", { prepareRequest: returns(null, undefined) }),
  turn("transform: what is sent once", { transformContext: [[["return", []]], [["return", "(same)"]]] }),
  turn("convert: what a model gets", { convertToLlm: { every: [["return", [{ role: "user", content: "converted" }]]] } }),
  turn("the key is asked for at every request", { getApiKey: returns("key", "") }),
  turn("a key that is not there falls back", { getApiKey: returns("", undefined) }, { entry: "loop", config: { apiKey: "fixed", reasoning: "low", mine: 7 } }),
  ...["end", "continue", "what"].flatMap((action) => [
    turn(`finish: ${action} after results`, { finishTurn: returns({ action }) }),
    turn(`finish: ${action} after a text`, { finishTurn: returns(undefined, { action }) }),
    turn(`finish: ${action} after a failed response`, { finishTurn: returns({ action }) }, { responses: [answer, "two"] }),
    turn(`finish: ${action} with steering queued`, { finishTurn: returns({ action }) }, { when: [{ event: "message_end assistant", do: [["steer", "s"]] }] }),
    turn(`finish: ${action} with a follow-up queued`, { finishTurn: returns(undefined, { action }) }, { does: [["followUp", "f"], ["prompt", "go"]] }),
    turn(`finish: ${action} after an abort`, { finishTurn: returns({ action }) }, { when: [{ event: "message_end assistant", do: [["abort"]] }] }),
  ]),
  turn("finish: always continue three times", { finishTurn: returns({ action: "continue" }, { action: "continue" }, { action: "continue" }) }, { responses: ["1", "2", "3", "4"] }),
  turn("finish: nothing", { finishTurn: returns(null) }),
  ...["stop", "length", "deferred", "toolUse", "error", "aborted"].flatMap((stop) => [
    { name: `a text with ${stop}`, tools, responses: [{ blocks: ["so"], stop }, "two"] },
    { name: `a call with ${stop}`, tools, responses: [{ blocks: ["so", { call: "a" }], stop, error: stop === "error" ? "down" : undefined }, "two"] },
    { name: `nothing with ${stop}`, tools, responses: [{ blocks: [], stop }, "two"] },
  ]),
  { name: "length with unknown and sequential calls", tools: { a: { executionMode: "sequential" } }, responses: [{ blocks: [{ call: "a" }, { call: "zz" }], stop: "length" }, "two"] },
  { name: "length and a follow-up", tools, responses: [{ blocks: [{ call: "a" }], stop: "length" }, "two", "three"], does: [["followUp", "f"], ["prompt", "go"]] },
  { name: "thinking and texts are told block by block", responses: [[{ think: "hm" }, "so", { think: "" }, ""]] },
  { name: "terminate and steering", tools: { a: { does: [["steer", "s"], ["return", { text: "a", terminate: true }]] } }, responses: round },
  { name: "terminate and finish continue", tools: { a: { does: [["return", { text: "a", terminate: true }]] } }, responses: round, hooks: { finishTurn: returns({ action: "continue" }) } },
  { name: "terminate of a blocked call", tools, responses: round, hooks: { beforeToolCall: returns({ block: true, terminate: true }) } },
  { name: "terminate is true or it is not", tools: { a: { does: [["return", { text: "a", terminate: 1 }]] } }, responses: round },
  ...["transformContext", "convertToLlm", "getApiKey", "prepareRequest", "finishTurn", "prepareNextTurn", "prepareNextTurnWithContext"].flatMap((hook) => [
    turn(`${hook} throws`, { [hook]: { every: [["throw", "no"]] } }),
    turn(`${hook} throws later`, { [hook]: { every: [["ticks", 3], ["throw", "no"]] } }),
    turn(`${hook} throws a text`, { [hook]: { every: [["throw value", "no"]] } }),
  ]),
  ...["transformContext", "convertToLlm", "prepareRequest", "finishTurn", "prepareNextTurn", "getSteeringMessages", "getFollowUpMessages"].map((hook) =>
    turn(`${hook} throws in a low-level loop`, { [hook]: { every: [["throw", "no"]] } }, { entry: "loop" }),
  ),
  ...["agent_start", "message_start user", "message_end assistant", "tool_execution_start", "tool_execution_end", "turn_end"].map((event) => ({
    name: `a listener throws at ${event}`,
    tools,
    responses: round,
    when: [{ event, do: [["throw", "deaf"]] }],
  })),
];
