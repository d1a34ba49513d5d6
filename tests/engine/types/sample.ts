// An agent in TypeScript, compiled and never run: what is typed is what the engine has, and what is wrong is refused.

import init, {
  Agent,
  agentLoop,
  createAssistantMessageEventStream,
  createScripted,
  fauxAssistantMessage,
  fauxToolCall,
  runAgentLoop,
  runToolCall,
  setDefaultStreamFn,
  validateToolArguments,
} from "vitrine-engine";
import type { AgentEvent, AgentLoopConfig, AgentMessage, AgentTool, AgentToolResult, StreamFn } from "vitrine-engine";

declare module "vitrine-engine" {
  interface CustomAgentMessages {
    note: { role: "note"; text: string; timestamp: number };
  }
}

await init();
await init(new URL("engine_bg.wasm", "https://example.org"));
const scripted = createScripted({ seed: 1, tokensPerSecond: 5, tokenSize: { min: 1, max: 2 } });

const add: AgentTool = {
  name: "add",
  label: "Add",
  description: "adds",
  parameters: { type: "object", properties: { a: { type: "number" } } },
  executionMode: "sequential",
  prepareArguments: (args) => args as object,
  execute: async (id, params, signal, onUpdate): Promise<AgentToolResult<{ n: number }>> => {
    signal?.throwIfAborted();
    onUpdate?.({ content: [{ type: "text", text: id }], details: { n: 0 } });
    return { content: [{ type: "text", text: String(params.a) }], details: { n: 1 }, terminate: true };
  },
};
// @ts-expect-error a tool has a way to run
const bad: AgentTool = { name: "bad", label: "", description: "", parameters: {} };

const agent = new Agent({
  streamFn: scripted.stream,
  initialState: { model: scripted.getModel(), systemPrompt: "be", tools: [add, bad], thinkingLevel: "high" },
  steeringMode: "all",
  // @ts-expect-error there is no such mode
  followUpMode: "some",
  convertToLlm: (messages) => messages.filter((one) => one.role !== "note"),
  beforeToolCall: async ({ toolCall, args }, signal) => (signal?.aborted || args === toolCall ? { block: true, reason: "no" } : undefined),
  afterToolCall: ({ result, isError }) => ({ content: result.content, isError: !isError }),
  finishTurn: ({ message, toolResults }) => (message.stopReason === "stop" && toolResults.length > 0 ? { action: "end" } : undefined),
  prepareNextTurnWithContext: async ({ newMessages }) => ({ messages: newMessages.slice(-1), thinkingLevel: "off" }),
  abortGraceMs: 10,
});
const leave = agent.subscribe(async (event: AgentEvent, signal) => {
  if (event.type === "message_end" && event.message.role === "toolResult") event.message.details satisfies unknown;
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") event.assistantMessageEvent.delta.trim();
  if (event.type === "tool_execution_end") event.durationMs?.toFixed();
  signal.aborted satisfies boolean;
});
leave();
await agent.prompt("text", [{ type: "image", data: "", mimeType: "image/png" }]);
await agent.prompt([{ role: "user", content: "x", timestamp: 1 }]);
agent.steer({ role: "note", text: "", timestamp: 1 });
// @ts-expect-error a message of nobody
agent.followUp({ role: "nobody" });
agent.state.tools = [add];
// @ts-expect-error what a run is at is told, not set
agent.state.isStreaming = true;
agent.state.pendingToolCalls.has("x") satisfies boolean;
agent.abort();
await agent.waitForIdle();
agent.reset();

const config: AgentLoopConfig = {
  model: scripted.getModel(),
  convertToLlm: (messages) => messages.filter((one) => one.role !== "note"),
  getApiKey: (provider) => provider,
  getSteeringMessages: () => [],
};
for await (const event of agentLoop([], { messages: [] }, config, new AbortController().signal, scripted.stream)) {
  if (event.type === "agent_end") event.messages satisfies AgentMessage[];
}
const made: AgentMessage[] = await runAgentLoop([], { messages: made_before() }, config, async () => {});
function made_before(): AgentMessage[] {
  return [];
}
made.length.toFixed();

const streamFn: StreamFn = async (model, context, options) => {
  options?.signal?.aborted;
  context.messages.length.toFixed();
  const stream = createAssistantMessageEventStream();
  stream.push({ type: "done", reason: "stop", message: fauxAssistantMessage(model.id) });
  return stream;
};
setDefaultStreamFn(streamFn);
scripted.setResponses([fauxAssistantMessage([fauxToolCall("add", { a: 1 })]), async (context, options, state) => fauxAssistantMessage(String(state.callCount))]);
validateToolArguments(add, fauxToolCall("add", {}));
const outcome = await runToolCall(fauxToolCall("add", {}), { tools: [add], assistantMessage: fauxAssistantMessage("x"), context: { messages: [] } });
outcome.result.content.length.toFixed();
outcome.isError satisfies boolean;
