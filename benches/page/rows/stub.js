// A model that answers at once and a tool that does nothing, for loops that take JavaScript's.

const usage = () => ({
  input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

export const MODEL = {
  id: "bench", name: "bench", api: "bench", provider: "bench", baseUrl: "http://localhost:0", reasoning: false, input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1_000_000, maxTokens: 1_000_000,
};

/** The context of a run: `count` messages, questions and answers in turn. */
export function context(count, tool) {
  const messages = Array.from({ length: count }, (_, index) => {
    const text = `message ${index} of a conversation that has gone on for a while`;
    if (index % 2 === 0) return { role: "user", content: [{ type: "text", text }], timestamp: index };
    return { role: "assistant", content: [{ type: "text", text }], api: "bench", provider: "bench", model: "bench", usage: usage(), stopReason: "stop", timestamp: index };
  });
  return { messages, tools: [tool] };
}

export const noop = () => ({
  name: "noop", label: "noop", description: "Does nothing.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: async () => ({ content: [{ type: "text", text: "ok" }], details: undefined }),
});

/** Streams `turns` answers of `calls` calls each, then one without; the stream is the contender's own kind. */
export function streamOf(createStream, turns, calls) {
  let turnsLeft = turns;
  let made = 0;
  return () => {
    const stream = createStream();
    const message = { role: "assistant", content: [], api: "bench", provider: "bench", model: "bench", usage: usage(), stopReason: "pending", timestamp: Date.now() };
    stream.push({ type: "start", partial: message });
    const isLast = turnsLeft === 0;
    if (!isLast) {
      turnsLeft -= 1;
      for (let index = 0; index < calls; index += 1) {
        made += 1;
        const toolCall = { type: "toolCall", id: `call_${made}`, name: "noop", arguments: {} };
        message.content.push(toolCall);
        stream.push({ type: "toolcall_start", contentIndex: index, partial: message });
        stream.push({ type: "toolcall_delta", contentIndex: index, delta: '{"path":"src/greet.ts"}', partial: message });
        toolCall.arguments = { path: "src/greet.ts" };
        stream.push({ type: "toolcall_end", contentIndex: index, toolCall, partial: message });
      }
    }
    message.stopReason = isLast ? "stop" : "toolUse";
    stream.push({ type: "done", reason: message.stopReason, message });
    stream.end();
    return stream;
  };
}

/** One run of a JavaScript loop with a sink on every event; `hooks` adds one on every call and every request. */
export async function runLoop({ runAgentLoop, createStream }, { turns, calls, messages = [], hooks = false }) {
  let events = 0;
  const config = { model: MODEL, convertToLlm: (all) => all };
  if (hooks) {
    config.beforeToolCall = async () => undefined;
    config.afterToolCall = async () => undefined;
    config.transformContext = async (all) => all;
  }
  const prompt = { role: "user", content: [{ type: "text", text: "go" }], timestamp: 0 };
  const made = await runAgentLoop(
    [prompt], { messages, tools: [noop()] }, config, async () => void (events += 1), undefined, streamOf(createStream, turns, calls),
  );
  // A system message that declares the tool, the prompt, and a message a turn and a call, and the last answer.
  const expected = 2 + turns * (1 + calls) + 1;
  if (made.length !== expected) throw new Error(`${made.length} messages where ${expected} are right`);
  return events;
}
