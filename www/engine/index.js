// The engine: an agent's loop as a library. What it promises: index.d.ts.

export { init as default } from "./wasm.js";
export { Agent } from "./agent.js";
export { agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue, runToolCall } from "./loop.js";
export { DEFAULT_AGENT_IDENTITY } from "./response.js";
export { setDefaultStreamFn } from "./stream_fn.js";
export { AssistantMessageEventStream, createAssistantMessageEventStream, EventStream } from "./event_stream.js";
export { createScripted, fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } from "./scripted.js";
export { validateToolArguments } from "./validate.js";
export {
  createInitialSystemMessage,
  getCurrentSystemMessage,
  getCurrentSystemPrompt,
  getCurrentTools,
  getSystemMessageText,
  normalizeContext,
  toToolDeclaration,
} from "./transcript.js";
