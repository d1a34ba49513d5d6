// Histories for another model.

import { test } from "node:test";

import { assert, engine, user as userOf } from "./support.mjs";

const { transformMessages } = engine;

const user = (content) => ({ ...userOf(""), content });
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
const assistant = (content, more) => ({
  role: "assistant",
  content,
  api: "openai-completions",
  provider: "openai",
  model: "m",
  usage,
  stopReason: "stop",
  timestamp: 1,
  ...more,
});
const text = (value) => ({ type: "text", text: value });
const call = (id, more) => ({ type: "toolCall", id, name: "t", arguments: {}, ...more });
const result = (toolCallId) => ({
  role: "toolResult",
  toolCallId,
  toolName: "t",
  content: [text("r")],
  isError: false,
  timestamp: 1,
});

test("every call is answered, and what failed is left out", () => {
  const missing = (id) => ({ role: "toolResult", toolCallId: id, toolName: "t", content: [text("No result provided")], isError: true });
  const system = { role: "system", content: "s", timestamp: 1 };
  const [one, both] = [assistant([call("1")]), assistant([call("1"), call("2")])];
  const model = { api: "openai-completions", provider: "openai", id: "m", input: ["text", "image"] };
  const cases = [
    [[user("a"), both, result("1"), user("b")], [user("a"), both, result("1"), missing("2"), user("b")]],
    [[one], [one, missing("1")]],
    [[one, system, result("1")], [one, result("1"), system]],
    [[one, system], [one, missing("1"), system]],
    [[assistant([call("1")], { stopReason: "aborted" }), result("1")], [result("1")]],
    [[assistant([], { stopReason: "error" }), user("a")], [user("a")]],
    [[{ ...user(null) }], [user([])]],
  ];
  for (const [messages, expected] of cases) {
    const given = structuredClone(messages);
    const got = transformMessages(messages, model).map((message) => {
      const { timestamp, ...rest } = message;
      return rest.isError ? rest : message;
    });
    assert.deepEqual(got, expected);
    assert.deepEqual(messages, given, "the history is not changed");
  }
  const asked = user("a");
  assert.equal(transformMessages([asked], model)[0], asked);
});

test("another model gets neither thoughts nor signatures, and ids it can read", () => {
  const model = { api: "openai-completions", provider: "openai", id: "m", baseUrl: "https://api.openai.com/v1", input: ["text"] };
  const blocks = [
    { type: "thinking", thinking: "t" },
    { type: "thinking", thinking: "", thinkingSignature: "s" },
    { type: "thinking", thinking: " " },
    { type: "text", text: "x", textSignature: "q" },
    call("a|b+/=", { thoughtSignature: "z" }),
  ];
  const foreign = assistant(blocks, { model: "other" });
  const [answer, answered] = transformMessages([foreign, result("a|b+/=")], model);
  assert.deepEqual(answer.content, [text("x"), call("a_b___")]);
  assert.equal(answered.toolCallId, "a_b___");
  const [own] = transformMessages([assistant(blocks), result("a|b+/=")], model);
  assert.deepEqual(own.content, [blocks[0], blocks[1], blocks[3], blocks[4]]);
  const signed = assistant([call("plain", { thoughtSignature: "z" })], { model: "other" });
  assert.deepEqual(transformMessages([signed, result("plain")], model)[0].content, [call("plain")]);
  const [byRule] = transformMessages([foreign], model, () => "mine");
  assert.equal(byRule.content[1].id, "mine");

  const image = { type: "image", data: "AA==", mimeType: "image/png" };
  const seen = transformMessages([user([image, image, text("a"), image]), { ...result("9"), content: [image] }], model);
  const omitted = "image omitted: model does not support images)";
  assert.deepEqual(seen.map(({ content }) => content.map((block) => block.text)), [
    [`(${omitted}`, "a", `(${omitted}`],
    [`(tool ${omitted}`],
  ]);
});
