// Messages that come in while a run works: at each point, from each queue, in both modes.

const POINTS = [
  "agent_start",
  "turn_start",
  "message_start user",
  "message_end user",
  "message_start assistant",
  "message_end assistant",
  "tool_execution_start",
  "tool_execution_end",
  "message_start toolResult",
  "message_end toolResult",
  "turn_end",
  "agent_end",
];
const HOOKS = ["prepareRequest", "transformContext", "convertToLlm", "beforeToolCall", "afterToolCall", "finishTurn", "prepareNextTurnWithContext"];
const MODES = ["one-at-a-time", "all"];
const script = [["working", { call: "a" }], "two", "three", "four", "five"];
const tools = { a: {} };
const both = (verb) => [[verb, "1"], [verb, "2"]];

const scenarios = [
  ...["steer", "followUp"].flatMap((verb) =>
    MODES.flatMap((mode) => [
      ...POINTS.flatMap((event) =>
        [1, 2].map((nth) => ({
          name: `${verb} twice at ${event} number ${nth}, ${mode}`,
          agent: { steeringMode: mode, followUpMode: mode },
          tools,
          responses: script,
          when: [{ event, nth, do: both(verb) }],
        })),
      ),
      ...HOOKS.map((hook) => ({
        name: `${verb} twice in ${hook}, ${mode}`,
        agent: { steeringMode: mode, followUpMode: mode },
        tools,
        responses: script,
        hooks: { [hook]: [both(verb)] },
      })),
      {
        name: `${verb} twice before the prompt, ${mode}`,
        agent: { steeringMode: mode, followUpMode: mode },
        tools,
        responses: script,
        does: [...both(verb), ["prompt", "go"]],
      },
      {
        name: `${verb} twice right after prompting, ${mode}`,
        agent: { steeringMode: mode, followUpMode: mode },
        tools,
        responses: script,
        does: [["start", "prompt", "go"], ...both(verb), ["join"]],
      },
      {
        name: `${verb} twice before a low-level loop, ${mode}`,
        entry: "loop",
        mode,
        tools,
        queued: { [verb]: ["1", "2"] },
        responses: script,
      },
    ]),
  ),
  {
    name: "steering goes before follow-ups",
    tools,
    responses: script,
    does: [["followUp", "f1"], ["followUp", "f2"], ["steer", "s1"], ["steer", "s2"], ["prompt", "go"]],
  },
  {
    name: "preparing the next turn picks up steering only when the poll before gave none",
    tools,
    responses: script,
    when: [{ event: "turn_end", do: [["steer", "early"]] }],
    hooks: { prepareNextTurnWithContext: [[["steer", "late"]]] },
  },
  {
    name: "what is queued shows and can be cleared",
    responses: [],
    does: [
      ["tell", "hasQueuedMessages"],
      ["followUp", "f"],
      ["tell", "peekQueuedMessages"],
      ["steer", "s1"],
      ["steer", "s2"],
      ["tell", "peekQueuedMessages"],
      ["set", "steeringMode", "all"],
      ["see", "steeringMode"],
      ["see", "followUpMode"],
      ["tell", "peekQueuedMessages"],
      ["tell", "clearSteeringQueue"],
      ["tell", "peekQueuedMessages"],
      ["tell", "clearFollowUpQueue"],
      ["tell", "hasQueuedMessages"],
      ["steer", "s"],
      ["followUp", "f"],
      ["tell", "clearAllQueues"],
      ["tell", "hasQueuedMessages"],
    ],
  },
  { name: "a steering getter that gives nothing", entry: "loop", responses: ["one"], hooks: { getSteeringMessages: { every: [["return", null]] }, getFollowUpMessages: { every: [] } } },
];

export default scenarios.map((scenario) => ({ ...scenario, brief: true }));
