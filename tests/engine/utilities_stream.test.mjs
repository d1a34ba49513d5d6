// A response from a server: what is sent, what comes of the answer, and of an answer that is none.

import { test } from "node:test";

import { assert, engine, engineModule, pause, scriptedAgent, user } from "./support.mjs";

const { buildRequest, stream } = engine;

const model = {
  api: "openai-completions",
  id: "m",
  provider: "openai",
  baseUrl: "https://api.openai.com/v1",
  contextWindow: 128_000,
  maxTokens: 1000,
  cost: { input: 3, output: 7, cacheRead: 1, cacheWrite: 2 },
};
const tool = { name: "t", description: "d", parameters: { type: "object" } };
const system = { role: "system", content: "s", toolsAdded: [tool], timestamp: 0 };
const context = { messages: [system, user("u")] };
const KEY = "sk-1234567890";

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: "r", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const call = (text, more) => chunk({ tool_calls: [{ index: 0, ...more, function: { name: more && "t", arguments: text } }] });
const OPENED = { id: "c1", type: "function" };
const USAGE = `data: ${JSON.stringify({
  choices: [],
  usage: { prompt_tokens: 100, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 30 } },
})}\n\n`;
const DONE = "data: [DONE]\n\n";
const HELLO = `${chunk({ content: "Hel" })}${chunk({ content: "lo" })}${chunk({}, "stop")}${USAGE}${DONE}`;

const encoder = new TextEncoder();
/** A body in pieces; one that `stays` open never ends. */
const body = (text, { size = 1 << 20, stays = false } = {}) => {
  const bytes = encoder.encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      } else if (stays) return new Promise(() => {});
      else controller.close();
      return undefined;
    },
  });
};
/** A server that gives these answers in turn, and what it was sent. */
const server = (...answers) => {
  const sent = [];
  const fetch = async (url, init) => {
    sent.push({ url, ...init });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    return typeof answer === "function" ? answer(init) : answer;
  };
  return { fetch, sent };
};
const says = (text, options) => () => new Response(body(text, options), { status: 200 });
const refuses = (status, text = "", headers = {}) => () => new Response(text, { status, headers });

/** Every event in a word, with what it says, and the final message. */
const play = async (answer, options = {}) => {
  const { fetch, sent } = server(...[answer].flat());
  const events = [];
  const response = stream(model, context, { apiKey: KEY, fetch, ...options });
  for await (const event of response) events.push([event.type, event.delta ?? event.content ?? event.reason ?? ""].join(" ").trim());
  return { events, sent, message: await response.result() };
};

test("a text is told piece by piece and comes to a message", async () => {
  for (const size of [1, 7, 1 << 20]) {
    const { events, message } = await play(says(HELLO, { size }));
    assert.deepEqual(events, ["start", "text_start", "text_delta Hel", "text_delta lo", "text_end Hello", "done stop"]);
    const { timestamp, durationMs, ...rest } = message;
    assert.deepEqual(rest, {
      role: "assistant",
      content: [{ type: "text", text: "Hello" }],
      api: "openai-completions",
      provider: "openai",
      model: "m",
      responseId: "r",
      rawStopReason: "stop",
      usage: {
        input: 70,
        output: 50,
        cacheRead: 30,
        cacheWrite: 0,
        reasoning: 0,
        totalTokens: 150,
        cost: {
          input: (3 / 1e6) * 70,
          output: (7 / 1e6) * 50,
          cacheRead: (1 / 1e6) * 30,
          cacheWrite: 0,
          total: (3 / 1e6) * 70 + (7 / 1e6) * 50 + (1 / 1e6) * 30,
          totalFromProvider: false,
        },
      },
      stopReason: "stop",
    });
    assert.ok(Number.isInteger(timestamp) && Number.isInteger(durationMs));
  }
});

test("prices of a tier hold for the whole request, and what is kept an hour costs double", async () => {
  const { price } = await engineModule("usage.js");
  const prices = {
    input: 1,
    output: 1,
    cacheRead: 1,
    cacheWrite: 1,
    tiers: [
      { inputTokensAbove: 200, input: 3, output: 3, cacheRead: 3, cacheWrite: 3 },
      { inputTokensAbove: 100, input: 2, output: 2, cacheRead: 2, cacheWrite: 2 },
    ],
  };
  const cost = (input, more) =>
    price({ input, output: 1_000_000, cacheRead: 0, cacheWrite: 0, ...more }, prices).cost;
  assert.deepEqual([100, 101, 201].map((input) => cost(input).output), [1, 2, 3]);
  assert.equal(cost(0, { cacheWrite: 80, cacheWrite1h: 30 }).cacheWrite, (1 / 1e6) * 50 + (2 / 1e6) * 30);
});

test("thinking comes first, and a call's arguments are live", async () => {
  const text = [
    chunk({ reasoning_content: "hm" }),
    chunk({ content: "A" }),
    call('{"path":"a', OPENED),
    call(".txt"),
    call('","n":1}'),
    chunk({}, "tool_calls"),
    DONE,
  ].map((piece) => encoder.encode(piece));
  let waiting;
  const pieces = new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => (waiting = resolve));
      if (text.length > 0) controller.enqueue(text.shift());
      else controller.close();
    },
  });
  const response = stream(model, context, { fetch: async () => new Response(pieces) });
  const seen = [];
  let partial;
  const reading = (async () => {
    for await (const event of response) {
      if (event.partial) {
        partial ??= event.partial;
        assert.equal(event.partial, partial, "there is one partial message");
      }
      if (event.type === "toolcall_delta") seen.push(structuredClone(event.partial.content[2].arguments));
    }
  })();
  let isOver = false;
  reading.finally(() => (isOver = true));
  while (!isOver) {
    await pause();
    waiting?.();
  }
  await reading;
  assert.deepEqual(seen, [{ path: "a" }, { path: "a.txt" }, { path: "a.txt", n: 1 }]);
  assert.deepEqual((await response.result()).content, [
    { type: "thinking", thinking: "hm", thinkingSignature: "reasoning_content" },
    { type: "text", text: "A" },
    { type: "toolCall", id: "c1", name: "t", arguments: { path: "a.txt", n: 1 } },
  ]);
});

test("arguments that are cut off are refused, and nobody may add to the message", async () => {
  const { events, message } = await play(says(`${call('{"a":1', OPENED)}${chunk({}, "tool_calls")}${DONE}`));
  assert.deepEqual(events, ["start", "toolcall_start", 'toolcall_delta {"a":1', "toolcall_end", "done length"]);
  const [block] = message.content;
  assert.deepEqual(block.arguments, {});
  assert.match(block.argumentsError, /Received arguments:\n\{"a":1$/);
  assert.deepEqual(Object.getOwnPropertyDescriptor(block, "arguments").writable, true);
});

test("an answer that is none is an error event in words, without the key", async () => {
  const cases = [
    [refuses(401, JSON.stringify({ error: { message: `bad key ${KEY}` } })), '401: {"message":"bad key [redacted]"}'],
    [refuses(500), "500 status code (no body)"],
    [refuses(429, "slow"), "429 slow"],
    [says(""), "Stream ended without finish_reason"],
    [says(chunk({ content: "x" })), "Stream ended without finish_reason"],
    [says(`${chunk({ content: "x" })}${chunk({}, "content_filter")}`), "Provider finish_reason: content_filter"],
    [says(`data: ${JSON.stringify({ error: { message: "boom" } })}\n\n`), "boom"],
    [() => Promise.reject(new TypeError("fetch failed", { cause: new Error("refused") })), "Connection error.: refused"],
    [() => Promise.reject(new Error(`no ${KEY}`)), "Connection error.: no [redacted]"],
    [() => ({ ok: true, status: 200, headers: new Headers(), body: null }), "Stream ended without finish_reason"],
    [() => undefined, undefined],
  ];
  for (const [answer, text] of cases) {
    const { events, message } = await play(answer);
    assert.equal(events.at(-1), "error error");
    assert.equal(message.stopReason, "error");
    if (text !== undefined) assert.equal(message.errorMessage, text);
    assert.ok(!JSON.stringify(message).includes(KEY));
  }
});

test("an abort ends it at once, before and in the midst of an answer", async () => {
  const aborted = await play(says(HELLO), { signal: AbortSignal.abort() });
  assert.deepEqual([aborted.events, aborted.sent.length], [["error aborted"], 0]);
  assert.equal(aborted.message.errorMessage, "Request was aborted");

  for (const answer of [() => new Promise(() => {}), says(call('{"a":"b', OPENED), { stays: true }), refuses(503)]) {
    const controller = new AbortController();
    const playing = play(answer, { signal: controller.signal, maxRetries: 5 });
    await pause(20);
    controller.abort();
    const { events, message, sent } = await playing;
    assert.equal(events.at(-1), "error aborted");
    assert.equal(message.errorMessage, "Request was aborted");
    assert.equal(sent[0].signal.aborted, true, "the request itself is ended");
    if (message.content.length > 0) assert.deepEqual(message.content[0].arguments, { a: "b" });
  }
});

test("silence ends it, and so does a server that does not close", async () => {
  for (const answer of [() => new Promise(() => {}), says(chunk({ content: "x" }), { stays: true })]) {
    const { message } = await play(answer, { idleTimeoutMs: 40 });
    assert.equal(message.stopReason, "error");
    assert.equal(message.errorMessage, "Stream stalled: no data for 40 ms, timed out");
  }
  const { message } = await play(says(`${chunk({ content: "x" })}${chunk({}, "stop")}`, { stays: true }));
  assert.equal(message.stopReason, "stop");
});

test("a request is sent again when that may help, as often as was said", async () => {
  const busy = refuses(503, "busy", { "retry-after-ms": "1" });
  const tries = [
    [[busy, busy, says(HELLO)], { maxRetries: 2 }, 3, undefined],
    [[busy, busy, says(HELLO)], { maxRetries: 1 }, 2, "503 busy"],
    [[busy, says(HELLO)], {}, 1, "503 busy"],
    [[refuses(400, "wrong"), says(HELLO)], { maxRetries: 2 }, 1, "400 wrong"],
    [[refuses(400, "x", { "x-should-retry": "true", "retry-after": "0" }), says(HELLO)], { maxRetries: 1 }, 2, undefined],
    [[refuses(503, "x", { "x-should-retry": "false" }), says(HELLO)], { maxRetries: 1 }, 1, "503 x"],
    [
      [refuses(503, "busy", { "retry-after": "100" }), says(HELLO)],
      { maxRetries: 1 },
      1,
      "Server requested 100s retry delay (max: 60s). 503 busy",
    ],
  ];
  for (const [answers, options, count, failure] of tries) {
    const { sent, message } = await play(answers, options);
    assert.deepEqual([sent.length, message.errorMessage], [count, failure]);
  }
});

test("a server that refuses a field by its name is asked once without it", async () => {
  const refusal = JSON.stringify({ error: { message: "Unsupported parameter: 'max_completion_tokens'" } });
  const { sent, message } = await play([refuses(400, refusal), says(HELLO)]);
  const limits = sent.map((request) => JSON.parse(request.body)).map((sent) => [sent.max_tokens, sent.max_completion_tokens]);
  assert.deepEqual([limits, message.stopReason], [[[undefined, 1000], [1000, undefined]], "stop"]);
  const refusesWhatItIsSent = ({ body: text }) => {
    const field = Object.keys(JSON.parse(text)).find((name) => name.startsWith("max_"));
    return new Response(`Unsupported parameter: '${field}'`, { status: 400 });
  };
  const again = await play(refusesWhatItIsSent);
  assert.deepEqual([again.sent.length, again.message.errorMessage], [2, "400 Unsupported parameter: 'max_tokens'"]);
});

test("the request is what buildRequest says, with what the options add", async () => {
  const options = {
    apiKey: KEY,
    maxTokens: 50,
    temperature: 0.5,
    headers: { "X-A": "1", Accept: null },
    samplingParams: { top_p: 1 },
    toolChoice: "auto",
  };
  const built = buildRequest(model, context, options);
  assert.deepEqual({ ...built, body: JSON.parse(built.body) }, {
    method: "POST",
    url: "https://api.openai.com/v1/chat/completions",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", "x-a": "1" },
    body: {
      model: "m",
      messages: [
        { role: "system", content: "s" },
        { role: "user", content: "u" },
      ],
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      max_completion_tokens: 50,
      tools: [{ type: "function", function: tool }],
      temperature: 0.5,
      top_p: 1,
      tool_choice: "auto",
    },
  });
  const { sent } = await play(says(HELLO), options);
  const [{ url, method, headers, body: text }] = sent;
  assert.deepEqual({ url, method, headers, body: text }, built);

  const level = (reasoning) => JSON.parse(buildRequest({ ...model, reasoning: true }, context, { reasoning }).body).reasoning_effort;
  assert.deepEqual(["high", "off", undefined].map(level), ["high", undefined, undefined]);

  const replaced = await play(says(HELLO), { onPayload: async (payload) => ({ ...payload, extra: 1 }) });
  assert.equal(JSON.parse(replaced.sent[0].body).extra, 1);
  const heard = [];
  await play(says(HELLO), { onResponse: ({ status }, { id }) => heard.push([status, id]) });
  assert.deepEqual(heard, [[200, "m"]]);
});

test("what cannot be sent is told, and half a character is left out", async () => {
  assert.throws(() => stream({ ...model, api: "smoke-signals" }, context), {
    message: "No API provider registered for api: smoke-signals",
  });
  assert.throws(() => buildRequest({ ...model, api: "smoke-signals" }, context), Error);
  const cyclic = {};
  cyclic.self = cyclic;
  const broken = [
    { messages: [{ role: "user", content: 5, timestamp: 1 }, cyclic] },
    { messages: [{ ...user("x"), n: 1n }] },
  ];
  for (const messages of broken) {
    const response = stream(model, messages, { fetch: () => assert.fail("nothing is sent") });
    assert.equal((await response.result()).stopReason, "error");
  }
  const sent = JSON.parse(buildRequest(model, { messages: [user("a\ud800b\\ud800c😀")] }).body);
  assert.equal(sent.messages[0].content, "ab\\ud800c😀");
  const large = buildRequest(model, { messages: [user("x".repeat(10_000_000))] });
  assert.equal(JSON.parse(large.body).messages[0].content.length, 10_000_000);
});

test("an agent streams through it", async () => {
  const script = server(
    says(`${call("{}", OPENED)}${chunk({}, "tool_calls")}${DONE}`),
    says(HELLO),
  );
  const done = { ...tool, label: "t", execute: async () => ({ content: [{ type: "text", text: "did" }], details: {} }) };
  const { agent } = scriptedAgent([], {
    tools: [done],
    initialState: { model },
    streamFn: (asked, given, options) => stream(asked, given, { ...options, fetch: script.fetch }),
  });
  agent.state.model = model;
  await agent.prompt("go");
  assert.deepEqual(agent.state.messages.map(({ role }) => role), ["system", "user", "assistant", "toolResult", "assistant"]);
  const roles = JSON.parse(script.sent[1].body).messages.map(({ role }) => role);
  assert.deepEqual(roles, ["user", "assistant", "tool"]);
});

test("arguments of a megabyte in small pieces come to the value they are", async () => {
  const value = { content: "line \"quoted\" \\ é\n".repeat(60_000) };
  const json = JSON.stringify(value);
  let text = call("", OPENED);
  for (let at = 0; at < json.length; at += 20) text += call(json.slice(at, at + 20));
  let deltas = "";
  const response = stream(model, context, { fetch: async () => new Response(body(text + chunk({}, "tool_calls") + DONE, { size: 16_384 })) });
  for await (const event of response) {
    if (event.type !== "toolcall_delta") continue;
    deltas += event.delta;
    assert.ok(event.partial.content[0].arguments.content.length <= value.content.length);
  }
  assert.equal(deltas, json);
  assert.deepEqual((await response.result()).content[0].arguments, value);
});
