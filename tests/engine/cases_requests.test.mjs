// The handed cases of group c that are about what is sent: histories are mended in every request, failures judged alike.

import { test } from "node:test";

import { assert, engine, says, textOf, user } from "./support.mjs";


const roles = (messages) => messages.map(({ role }) => role).join(" ");

const MODEL = { api: "openai-completions", provider: "local", id: "m", baseUrl: "http://localhost:8080/v1", input: ["text"], contextWindow: 1000, maxTokens: 100 };
const from = (content, more) => ({ ...says(""), content, api: MODEL.api, provider: MODEL.provider, model: MODEL.id, ...more });

test("c02: a call without a result gets one right after it, the same each time", () => {
  const { transformMessages } = engine;
  const orphan = from([{ type: "toolCall", id: "k1", name: "bash", arguments: {} }], { stopReason: "toolUse" });
  const history = [user("q"), orphan, user("hello?"), from([{ type: "text", text: "hi" }])];
  const made = [transformMessages(history, MODEL), transformMessages(structuredClone(history), MODEL)];
  for (const messages of made) {
    assert.equal(roles(messages), "user assistant toolResult user assistant");
    assert.equal(messages[2].toolCallId, "k1");
    assert.equal(messages[2].isError, true);
    assert.equal(textOf(messages[2]), "No result provided");
    messages[2].timestamp = 0;
  }
  assert.deepEqual(made[0], made[1]);
});

test("c06: a history that comes to nothing is still a request with a user message", () => {
  for (const messages of [[], [from([{ type: "thinking", thinking: "x" }])], [from([], { stopReason: "error", errorMessage: "down" })]]) {
    const body = JSON.parse(engine.buildRequest(MODEL, { messages }, { apiKey: "k" }).body);
    const users = body.messages.filter(({ role, content }) => role === "user" && content.length > 0);
    assert.equal(users.length, 1, JSON.stringify(messages));
  }
});

test("c08: too many requests are no overflow of the context, however they are worded", () => {
  const failed = (errorMessage) => ({ stopReason: "error", errorMessage, provider: "openai" });
  for (const text of ["429: too many tokens per day", "429", "429 status code (no body)", "OpenAI API error (429): too many tokens per day", "Rate limit reached: too many tokens"]) {
    assert.deepEqual([text, engine.isContextOverflow(failed(text), 1000), engine.isRetryableError(failed(text))], [text, false, true]);
  }
});

test("c11: each failure of an attempt is judged alike, and one that is the request's own ends it", () => {
  const failed = (errorMessage) => engine.isRetryableError({ stopReason: "error", errorMessage, provider: "openai" });
  assert.deepEqual(["overloaded", "overloaded", "400: invalid", "401: invalid api key"].map(failed), [true, true, false, false]);
});

test("c17: thoughts that nobody signed are not sent back", () => {
  const last = from([{ type: "thinking", thinking: "I should list files" }]);
  const kept = engine.transformMessages([user("go"), last, user("more")], MODEL);
  assert.ok(kept.every(({ content }) => content.length > 0));
  const { messages } = JSON.parse(engine.buildRequest(MODEL, { messages: [user("go"), last, user("more")] }, { apiKey: "k" }).body);
  assert.equal(JSON.stringify(messages).includes("I should"), false);
  assert.ok(messages.every(({ content }) => content.length > 0));
});

test("c18: what would make every later request fail is mended in each of them", () => {
  const broken = [
    user("q"),
    from([{ type: "text", text: "half \ud800" }, { type: "toolCall", id: "k1", name: "ls", arguments: {} }], { stopReason: "toolUse" }),
    from([], { stopReason: "error", errorMessage: "down" }),
    from([{ type: "text", text: "" }]),
    { role: "user", content: null, timestamp: 1 },
    user("what is going on?"),
  ];
  const body = (messages) => engine.buildRequest(MODEL, { messages }, { apiKey: "k" }).body;
  assert.equal(body(broken), body(structuredClone(broken)));
  const { messages } = JSON.parse(body(broken));
  assert.equal(roles(messages), "user assistant tool user");
  assert.equal(JSON.stringify(messages).includes("\\ud800"), false);
});
