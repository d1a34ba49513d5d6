// pi 1.6, as an app in a page would bundle it.
export { runAgentLoop } from "@earendil-works/pi-agent-core";
export { createAssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";
export { ToolCallArgumentsStream } from "@earendil-works/pi-ai/utils/streaming-json";
export { stream } from "@earendil-works/pi-ai/api/openai-completions";
