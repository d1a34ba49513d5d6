// What a server of the api `openai-completions` answers, and what comes of it: `{name, model, options, messages, answers}`.
// An answer is `{isSilent}`, `{sse: [chunks]}`, `{status, body, headers}`, `{throws: [messages of an error and its causes]}`, or `{sse,
// breaks: message}` for a body that breaks off. Chunks are deltas; what else a chunk has is `{chunk}`. Where the engine does not
// do as pi does, `differs` says why, with `[how pi's line begins, ours]`; a line that ours does not have has none.

const text = (content) => ({ content });
const ends = (reason, delta = {}) => ({ chunk: { choices: [{ index: 0, delta, finish_reason: reason }] } });
const call = (args, more = {}, index = 0) => {
  const { name, ...rest } = more;
  return { tool_calls: [{ index, ...rest, function: name === undefined ? { arguments: args } : { name, arguments: args } }] };
};
const usage = (more) => ({ chunk: { choices: [], usage: { prompt_tokens: 100, completion_tokens: 50, ...more } } });
const says = (...sse) => [{ sse }];
const refuses = (status, body = "", headers = {}) => [{ status, body: typeof body === "string" ? body : JSON.stringify(body), headers }];
const fails = (error) => ({ error });
const HELLO = says(text("Hello"), ends("stop"));
const IMAGE = { type: "image", data: "aGk=", mimeType: "image/png" };
const BY_MODEL = {
  api: "openai-completions",
  provider: "local",
  model: "m",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
};

/** A block that a failure cut off has not ended; pi ends it all the same. */
const NO_END = { differs: { because: "what a failure cut off has not ended", lines: [['text_end 0 "x"']] } };

const answers = [
  ["a text", says(text("Hel"), text("lo"), ends("stop"), usage({ prompt_tokens_details: { cached_tokens: 30 } }))],
  ["a text that ends in its last piece", says(text("Hel"), ends("stop", text("lo")))],
  ["a text at its limit", says(text("Hel"), ends("length"))],
  ["reasons to stop of one kind", says(text("Hel"), ends("end"))],
  ["reasoning that is counted", says({ reasoning_content: "hm" }, text("so"), ends("stop"), usage({ completion_tokens_details: { reasoning_tokens: 20 } }))],
  ["reasoning in another field", says({ reasoning: "hm" }, { reasoning: "m" }, text("so"), ends("stop"))],
  ["reasoning and text in one piece", says({ reasoning_text: "hm", content: "so" }, ends("stop"))],
  ["reasoning in details", says(
    { reasoning: "h", reasoning_details: [{ type: "reasoning.text", text: "h", format: "f", index: 0 }] },
    { reasoning: "m", reasoning_details: [{ type: "reasoning.text", text: "m", signature: "sig", id: "i" }] },
    { reasoning_details: [{ type: "reasoning.encrypted", data: "x" }, { type: "reasoning.encrypted", data: "y" }] },
    text("so"),
    { reasoning_details: [{ type: "reasoning.summary", summary: "a" }, { type: "reasoning.summary", summary: "b", id: null }] },
    ends("stop"),
  )],
  ["details alone", says({ reasoning_details: [{ type: "reasoning.encrypted", data: "x", id: "e1" }] }, text("so"), ends("stop"))],
  ["details that are none", says({ reasoning_details: "x" }, { reasoning_details: [5, { type: "reasoning.text" }, { type: "other", text: "x" }, { type: "reasoning.text", text: "x", index: "0" }] }, text("so"), ends("stop"))],
  ["details given back", HELLO, {
    messages: [
      { role: "user", content: "u", timestamp: 1 },
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "hm", thinkingSignature: '[{"type":"reasoning.text","text":"hm"}]' }, { type: "text", text: "so" }],
        api: "openai-completions",
        provider: "local",
        model: "m",
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
        stopReason: "stop",
        timestamp: 2,
      },
      { role: "user", content: "and", timestamp: 3 },
    ],
  }],
  ["a call that opens without arguments", says(call("", { id: "c1", type: "function", name: "t" }), call('{"a":'), call("1}"), ends("tool_calls"))],
  ["a call whose arguments come with its name", says(call('{"a":', { id: "c1", name: "t" }), call("1}"), ends("tool_calls"))],
  ["a call with pieces that say nothing", says(call("", { id: "c1", name: "t" }), call(""), call("{}"), call(""), ends("tool_calls"))],
  ["a call without arguments", says(call("", { id: "c1", name: "t" }), ends("tool_calls"))],
  ["two calls after a text", says(text("x"), call("", { id: "c1", name: "t" }), call('{"a":1}'), call("", { id: "c2", name: "t" }, 1), call('{"a":2}', {}, 1), ends("tool_calls"))],
  ["a call that ends for the old reason", says(call("{}", { id: "c1", name: "t" }), ends("function_call"))],
  ["another model that answers", says({ chunk: { id: "r2", model: "m-2024", choices: [{ index: 0, delta: text("x") }] } }, ends("stop"))],
  ["a reason to stop that is a refusal", says(text("x"), ends("content_filter")), NO_END],
  ["a reason to stop that is a failure", says(text("x"), ends("network_error")), NO_END],
  ["a reason to stop that nobody knows", says(text("x"), ends("weather")), NO_END],
  ["no reason to stop and no end", [{ sse: [text("x")], isCut: true }], NO_END],
  ["no reason to stop", says(text("x")), {
    differs: {
      because: "the server's mark for the end is one",
      lines: [['error "error"', 'done "stop"'], ["errorMessage"], ['stopReason "error"', 'stopReason "stop"']],
    },
  }],
  ["images for a model that reads none", HELLO, {
    messages: [
      { role: "user", content: [{ type: "text", text: "look" }, IMAGE, IMAGE], timestamp: 1 },
      { role: "assistant", content: [{ type: "toolCall", id: "c1", name: "t", arguments: {} }, { type: "toolCall", id: "c2", name: "t", arguments: {} }], ...BY_MODEL, stopReason: "toolUse", timestamp: 2 },
      { role: "toolResult", toolCallId: "c1", toolName: "t", content: [{ type: "text", text: "a" }, IMAGE], isError: false, timestamp: 3 },
      { role: "toolResult", toolCallId: "c2", toolName: "t", content: [IMAGE], isError: false, timestamp: 4 },
      { role: "user", content: [IMAGE], timestamp: 5 },
    ],
  }],
  ["the server's own events", says(text("x"), ends("stop"), usage()), { sees: true }],
  ["the server's own events, and whoever sees them fails", says(text("x"), ends("stop")), { options: { onProviderStreamEvent: () => { throw new Error("blind"); } } }],
  ["the server's own events, and whoever sees them fails later", says(text("x"), ends("stop")), { options: { onProviderStreamEvent: async () => { throw new Error("blind"); } } }],
  ["another payload", HELLO, { options: { onPayload: async (payload) => ({ ...payload, more: [1] }) } }],
  ["a failure in the stream", says(text("x"), { chunk: fails({ message: "boom" }) })],
  ["a failure in the stream with a code", says(text("x"), { chunk: fails({ message: "boom", code: "server_error" }) }), {
    differs: { because: "the code says what kind of failure it is to whoever has only the text", lines: [['errorMessage "boom"', 'errorMessage "server_error: boom"']] },
  }],
];

const failures = [
  ["a refusal in an object", refuses(401, fails({ message: "bad key", type: "auth", code: null }))],
  ["a refusal without a message", refuses(400, fails({ code: "wrong" }))],
  ["a refusal of an odd message", refuses(400, fails({ message: { deep: 1 } }))],
  ["a refusal in a word", refuses(400, fails("wrong"))],
  ["a refusal in a list", refuses(400, fails(["wrong"]))],
  ["a refusal that is empty", refuses(400, fails({}))],
  ["a refusal in plain text", refuses(429, "slow")],
  ["a refusal that says nothing", refuses(500)],
  ["a refusal that is null", refuses(500, "null")],
  ["a long refusal", refuses(500, fails({ message: "x".repeat(5000) }))],
  ["a refusal of a server behind the server", refuses(502, fails({ message: "Provider returned error", metadata: { raw: "the raw words", provider_name: "p" } }))],
  ["a prompt that is too long", refuses(400, fails({ message: "This model's maximum context length is 10 tokens", code: "context_length_exceeded" }))],
  ["too large a body", refuses(413)],
  ["a refusal that names no error", refuses(400, { detail: "no such model" })],
  ["a refusal that is the error", refuses(400, { message: "no such model", code: 3 })],
  ["a refusal in a number", refuses(400, "5")],
  ["a refusal in a web page", refuses(403, "<html><body>Forbidden</body></html>"), {
    differs: {
      because: "a page of HTML tells a person nothing",
      lines: [["errorMessage", 'errorMessage "403: The server answered with a web page, not a model stream. Check the base URL: it usually ends in /v1."']],
    },
  }],
  ["a refusal in a web page that tells more", refuses(403, "<html><body>Rate limit reached</body></html>")],
  ["no connection", [{ throws: ["fetch failed", "connect ECONNREFUSED 127.0.0.1:1"] }]],
  ["no connection, in a word", [{ throws: ["Failed to fetch"] }]],
  ["no connection, with a code", [{ throws: ["fetch failed", "no way"], code: "ENOWAY" }]],
  ["a connection that breaks", [{ sse: [text("x")], breaks: ["terminated", "other side closed"] }]],
  ["a connection that breaks in WebKit", [{ sse: [text("x")], breaks: ["Load failed"] }]],
  ["a connection that breaks in Chromium", [{ sse: [text("x")], breaks: ["network error"] }]],
  ["a connection that breaks in Gecko", [{ sse: [text("x")], breaks: ["Error in input stream"] }], {
    differs: {
      because: "it may be tried again, whatever a browser calls it",
      lines: [["errorMessage", 'errorMessage "Connection error.: Error in input stream"']],
    },
  }],
  ["an answer of nothing", [{ status: 200, body: "", headers: { "content-type": "text/event-stream" } }]],
  ["an answer that is no stream", [{ status: 200, body: '{"error":{"message":"no"}}', headers: { "content-type": "application/json" } }], {
    differs: { because: "the server has said what is wrong", lines: [["errorMessage", 'errorMessage "no"']] },
  }],
  ["a server that does not answer", [{ isSilent: true }], {
    options: { timeoutMs: 10 },
    differs: { because: "that the request was ended then is no cause", lines: [["errorMessage", 'errorMessage "Request timed out."']] },
  }],
  ["a server that does not answer at first", [{ isSilent: true }, ...HELLO], { options: { timeoutMs: 10, maxRetries: 1 } }],
  ["a payload that cannot be made", HELLO, { options: { onPayload: async () => { throw new Error("no payload"); } } }],
  ["no payload", HELLO, {
    options: { onPayload: () => null },
    differs: { because: "it says what is wrong", lines: [["errorMessage", 'errorMessage "onPayload must give a payload or nothing"']] },
  }],
  ["a wait that is too long", refuses(503, fails({ message: "busy" }), { "retry-after": "100" }), { options: { maxRetries: 1 } }],
];

const MAP = { off: "nothing", minimal: null, low: "little", high: "much", xhigh: "more" };
const TEMPLATE = { on: { $var: "thinking.enabled" }, tokens: { $var: "thinking.budget" }, level: { $var: "thinking.effort" }, fixed: 1 };
const FORMATS = ["openai", "openrouter", "deepseek", "zai", "together", "ant-ling", "qwen", "qwen-chat-template", "string-thinking", "chat-template", "baseten"];
const LEVELS = [undefined, "off", "minimal", "low", "medium", "high", "xhigh", "max"];

const requests = [
  ...FORMATS.flatMap((thinkingFormat) => {
    const compat = { thinkingFormat, chatTemplateKwargs: TEMPLATE, chatTemplateArgs: TEMPLATE };
    return LEVELS.flatMap((reasoning) =>
      [undefined, MAP, { off: null }].map((thinkingLevelMap, at) => ({
        name: `${thinkingFormat} at ${reasoning}, names ${at}`,
        model: { reasoning: true, compat, thinkingLevelMap },
        options: { reasoning },
      })),
    );
  }),
  { name: "no reasoning", model: { thinkingLevelMap: MAP }, options: { reasoning: "high" } },
  { name: "a server without efforts", model: { reasoning: true, compat: { supportsReasoningEffort: false } }, options: { reasoning: "high" } },
  { name: "a budget", model: { reasoning: true, compat: { supportsThinkingTokenBudget: true } }, options: { reasoning: "low" } },
  { name: "a budget of one's own", model: { reasoning: true, compat: { thinkingTokenBudgetField: "thinking_budget" } }, options: { reasoning: "max", maxTokens: 9000, thinkingBudgets: { high: 5000 } } },
  { name: "a budget that leaves an answer", model: { reasoning: true, compat: { supportsThinkingTokenBudget: true } }, options: { reasoning: "high", maxTokens: 2000 } },
  { name: "a budget without room", model: { reasoning: true, compat: { supportsThinkingTokenBudget: true } }, options: { reasoning: "high", maxTokens: 1000 } },
  { name: "calls that may stream", model: { provider: "zai", compat: { zaiToolStream: true } } },
  { name: "routing", model: { compat: { openRouterRouting: { only: ["a"] }, vercelGatewayRouting: { order: ["b"] }, vllmPriority: 3 } } },
  { name: "routing of nothing", model: { compat: { openRouterRouting: {}, vercelGatewayRouting: {} } } },
  { name: "a session", model: {}, options: { sessionId: "s".repeat(70) } },
  { name: "a session kept for long", model: {}, options: { sessionId: "s1", cacheRetention: "long" } },
  { name: "a session not kept", model: { baseUrl: "https://api.openai.com/v1" }, options: { sessionId: "s1", cacheRetention: "none" } },
  { name: "a session at OpenAI", model: { provider: "openai", baseUrl: "https://api.openai.com/v1" }, options: { sessionId: "s1" } },
  { name: "a session that always has a key", model: { compat: { promptCacheKeyMode: "enabled" } }, options: { sessionId: "s1" } },
  { name: "a session that never has a key", model: { baseUrl: "https://api.openai.com/v1", compat: { promptCacheKeyMode: "disabled" } }, options: { sessionId: "s1" } },
  { name: "a server that keeps nothing long", model: { provider: "together" }, options: { sessionId: "s1", cacheRetention: "long" } },
  { name: "headers of a session", model: { compat: { sendSessionAffinityHeaders: true } }, options: { sessionId: "s1" } },
  { name: "headers of a session, fewer", model: { compat: { sendSessionAffinityHeaders: true, sessionAffinityFormat: "openai-nosession" } }, options: { sessionId: "s1" } },
  { name: "headers of a session, one", model: { compat: { sendSessionAffinityHeaders: true, sessionAffinityFormat: "openrouter" } }, options: { sessionId: "s1" } },
  ...[
    { provider: "openrouter" },
    { baseUrl: "https://openrouter.ai/api/v1" },
    { provider: "nvidia" },
    { baseUrl: "https://integrate.api.nvidia.com/v1" },
    { provider: "opencode" },
    { baseUrl: "https://opencode.ai/zen/v1" },
    {},
  ].flatMap((model) =>
    [{ name: "me", url: "https://me.example", categories: ["a", "b"] }, { name: "me", url: "https://me.example" }, null].map((attribution, at) => ({
      name: `an identity at ${model.provider ?? model.baseUrl ?? "any"}, ${at}`,
      model,
      options: { identity: { attribution } },
    })),
  ),
  { name: "an identity under headers", model: { provider: "openrouter", headers: { "X-OpenRouter-Title": "model's" } }, options: { identity: { attribution: { name: "me", url: "https://me.example" } }, headers: { "http-referer": null } } },
  { name: "sampling of the model", model: { samplingParams: { top_p: 0.1, min_p: 0.2 } }, options: { temperature: 0.5 } },
  { name: "sampling of a level", model: { reasoning: true, samplingParams: { top_p: 0.1, top_k: 1 }, samplingParamsByThinkingLevel: { off: { top_p: 0.2 }, high: { top_p: 0.3 } } }, options: { reasoning: "xhigh" } },
  { name: "sampling of no level", model: { reasoning: true, samplingParamsByThinkingLevel: { off: { top_p: 0.2 } } } },
  { name: "sampling that is asked", model: { samplingParams: { top_p: 0.1 } }, options: { samplingParams: { top_p: 0.9, stream: true, store: true } } },
  { name: "a choice of tools", model: {}, options: { toolChoice: "required", temperature: 0, maxTokens: 7 } },
];

const scenario = ([name, answers, more]) => ({ name, answers, ...more });

export const WIRE = {
  answers: answers.map(scenario),
  failures: failures.map(scenario),
  requests: requests.map((request) => ({ answers: HELLO, isSentOnly: true, ...request })),
};
