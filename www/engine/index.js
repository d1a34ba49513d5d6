// The engine: an agent's loop as a library. What it promises: index.d.ts.

export { init as default } from "./wasm.js";
export { Agent } from "./agent.js";
export { agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue, runToolCall } from "./loop.js";
export { DEFAULT_AGENT_IDENTITY, mergeClientIdentity } from "./identity.js";
export { setDefaultStreamFn } from "./stream_fn.js";
export { AssistantMessageEventStream, createAssistantMessageEventStream, EventStream } from "./event_stream.js";
export { createScripted, fauxAssistantMessage, fauxText, fauxThinking, fauxToolCall } from "./scripted.js";
export { validateToolArguments, validateToolCall } from "./validate.js";
export { StringEnum } from "./string_enum.js";
export { uuidv7 } from "./ids.js";
export { calculateCost } from "./usage.js";
export {
  contentText,
  createInitialSystemMessage,
  getCurrentSystemMessage,
  getCurrentSystemPrompt,
  getCurrentTools,
  getSystemMessageText,
  normalizeContext,
  toToolDeclaration,
} from "./transcript.js";
export { stream } from "./stream.js";
export { buildRequest } from "./http_request.js";
export { transformMessages } from "./transform.js";
export { isContextOverflow, isRecoverableLength, isRetryableAssistantError, isRetryableError } from "./judge.js";
export {
  formatSize,
  parseStreamingJson,
  parseToolCallArguments,
  repairJson,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./text.js";
export { renderMarkdown } from "./markdown.js";
export { MemoryWorkspace } from "./files.js";
export { createTools } from "./file_tools.js";
export { Session } from "./session.js";
export { estimateTokens, findCutPoint, prepareCompaction, shouldCompact } from "./compaction.js";
export { sseParser } from "./sse.js";
export { canonicalize, fingerprint } from "./prints.js";
