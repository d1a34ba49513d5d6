// What an agent knows: its transcript, its tools, and what its run is at.

import { createInitialSystemMessage, getCurrentSystemPrompt, toToolDeclaration } from "./transcript.js";
import { withoutDuplicates } from "./tools.js";
import { checkSchemas } from "./validate.js";

const UNKNOWN_MODEL = {
  id: "unknown",
  name: "unknown",
  api: "unknown",
  provider: "unknown",
  baseUrl: "",
  reasoning: false,
  input: [],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
};

/** Takes its own copy of a list of tools. Throws for one whose schema does not compile, and names it. */
const taken = (tools) => {
  checkSchemas(withoutDuplicates(tools));
  return tools.slice();
};

export const createAgentState = ({ systemPrompt, model, thinkingLevel, tools = [], messages = [] } = {}) => {
  let ownTools = taken(tools ?? []);
  let ownMessages = (messages ?? []).slice();
  if (ownMessages[0]?.role !== "system") {
    const first = createInitialSystemMessage(systemPrompt, withoutDuplicates(ownTools).map(toToolDeclaration));
    if (first) ownMessages.unshift(first);
  }
  return {
    get systemPrompt() {
      return getCurrentSystemPrompt(ownMessages);
    },
    model: model ?? UNKNOWN_MODEL,
    thinkingLevel: thinkingLevel ?? "off",
    get tools() {
      return ownTools;
    },
    set tools(next) {
      ownTools = taken(next);
    },
    get messages() {
      return ownMessages;
    },
    set messages(next) {
      ownMessages = next.slice();
    },
    isStreaming: false,
    streamingMessage: undefined,
    pendingToolCalls: new Set(),
    errorMessage: undefined,
  };
};

/** What an event changes in it. Before anyone is told of the event. */
export const reduce = (state, event) => {
  switch (event.type) {
    case "message_start":
    case "message_update":
      state.streamingMessage = event.message;
      break;
    case "message_end":
      state.streamingMessage = undefined;
      state.messages.push(event.message);
      break;
    case "tool_execution_start":
      state.pendingToolCalls = new Set(state.pendingToolCalls).add(event.toolCallId);
      break;
    case "tool_execution_end": {
      const pending = new Set(state.pendingToolCalls);
      pending.delete(event.toolCallId);
      state.pendingToolCalls = pending;
      break;
    }
    case "turn_end":
      if (event.message.role === "assistant" && event.message.errorMessage) {
        state.errorMessage = event.message.errorMessage;
      }
      break;
    case "agent_end":
      state.streamingMessage = undefined;
      break;
    default:
  }
};
