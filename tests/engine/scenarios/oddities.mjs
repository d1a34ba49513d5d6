// What pi takes amiss and the engine does not, each with the reason and both outcomes.

const round = [["working", { call: "a" }], "two"];
const never = [["never"]];
const abortSoon = [["start", "prompt", "go"], ["wait", 2], ["abort"], ["join"]];
const schema = { type: "object", properties: { p: { type: "string" }, n: { type: "number" } } };
const HANG = "an abort ends every run, whatever does not react; pi waits for ever";

const INTERRUPTED = "Interrupted by the user. The tool may have partly run.";
/** The request that follows an aborted batch, and what comes of it. */
const PHANTOM = '{"aborted":true}';
const ABORTED = "message_start assistant aborted 0";
const END = 'left ["Request was aborted",false,"(none)",[]]';
const hangs = (name, more, told) => ({
  name: `${name} never answers`,
  agent: { abortGraceMs: 1 },
  brief: true,
  tools: { a: {} },
  responses: round,
  does: abortSoon,
  differs: { because: HANG, told },
  ...more,
});

const returned = (name, value, ...told) => ({
  name: `a tool returns ${name}`,
  brief: true,
  tools: { a: { does: [["return", value]] } },
  responses: round,
  ...(told.length > 0 ? { differs: { because: "content that is no list of blocks fails every later request", told } } : {}),
});

const noList = (hook) => ({ because: "it is said in so many words", told: [`hook ${hook}`, `${hook} must give an array of messages`] });

export default [
  hangs("a tool", { tools: { a: { does: never } } }, [`message_end #3 {"role":"toolResult","toolCallId":"a","toolName":"a","content":[{"type":"text","text":"${INTERRUPTED}"}]`, PHANTOM, ABORTED, END]),
  hangs("a before hook", { hooks: { beforeToolCall: { every: never } } }, ["Operation aborted", PHANTOM, ABORTED, END]),
  hangs("an after hook", { hooks: { afterToolCall: { every: never } } }, ['"text":"a done"}],"details":{"of":"a done"},"usage":"(none)","isError":false', PHANTOM, ABORTED, END]),
  hangs("finishTurn", { hooks: { finishTurn: { every: never } } }, ["message_end #3", "hook finishTurn", PHANTOM, ABORTED, "hook finishTurn", END]),
  hangs("prepareNextTurn", { hooks: { prepareNextTurn: { every: never } } }, ["hook prepareNextTurn", PHANTOM, ABORTED, END]),
  hangs("prepareRequest", { hooks: { prepareRequest: { every: never } } }, ["hook prepareRequest", ABORTED, END]),
  hangs("transformContext", { hooks: { transformContext: { every: never } } }, ["hook transformContext", ABORTED, END]),
  hangs("convertToLlm", { hooks: { convertToLlm: { every: never } } }, ["hook convertToLlm", ABORTED, END]),
  hangs("getApiKey", { hooks: { getApiKey: { every: never } } }, ["hook getApiKey", ABORTED, END]),
  hangs("a stream", { responses: [{ events: [] }] }, ["request", ABORTED, END]),
  hangs("a stream that has begun", { responses: [{ events: ["start"] }] }, ["request", "message_start assistant pending 1", '"content":[{"type":"text","text":""}]', END]),
  returned("a text", "text"),
  returned("content that is a text", { content: "plain" }, '"toolName":"a","content":[{"type":"text","text":"plain"}]', "turn_start", '"text":"two"', "agent_end"),
  returned("content that is a number", { content: 7 }, '"toolName":"a","content":[]', "turn_start", '"text":"two"', "agent_end"),
  returned("content that is an object", { content: {} }, '"toolName":"a","content":[]', "turn_start", '"text":"two"', "agent_end"),
  returned("a number", 7),
  returned("true", true),
  returned("a list", [1]),
  {
    name: "arguments that are no number",
    tools: { a: { parameters: schema, does: [["return", "(args)"]] } },
    responses: [[{ call: "a", args: { n: NaN } }], [{ call: "a", id: "2", args: { n: Infinity } }], "done"],
    brief: true,
    differs: {
      because: "what is no JSON is refused before the schema is asked, by its place",
      told: ["n: expected a JSON value, got NaN", "n: expected a JSON value, got Infinity", '"text":"done"', "agent_end"],
    },
  },
  {
    name: "an update after the call has settled",
    tools: { a: { does: [["return", { text: "a" }]] } },
    responses: round,
    brief: true,
    when: [{ event: "tool_execution_end", do: [["log", "settled"]] }],
  },
  ...["beforeToolCall", "afterToolCall", "finishTurn", "prepareRequest", "prepareNextTurn"].map((hook) => ({
    name: `${hook} gives nonsense`,
    tools: { a: {} },
    responses: [["working", { call: "a" }, { call: "a", id: "2" }], "two", "three", "four", "five", "six", "seven"],
    brief: true,
    hooks: { [hook]: [0, "", "x", 7, true, []].map((value) => [["return", value]]) },
  })),
  { name: "messages of prepareNextTurn that are no list", tools: { a: {} }, responses: round, brief: true, hooks: { prepareNextTurn: [[["return", { messages: 5 }]]] }, differs: noList("prepareNextTurn") },
  { name: "messages of prepareNextTurn that are a text", tools: { a: {} }, responses: round, brief: true, hooks: { prepareNextTurn: [[["return", { messages: "xy" }]]] }, differs: noList("prepareNextTurn") },
  { name: "steering that is no list", entry: "loop", responses: round, brief: true, hooks: { getSteeringMessages: [[["return", 5]]] }, differs: noList("getSteeringMessages") },
];
