// Messages are handed over once; whatever becomes of them afterwards, a request says what they say when it is made.

import { test } from "node:test";

import { assert, engine, engineModule } from "./support.mjs";

const { buildRequest } = engine;
const model = { api: "openai-completions", id: "m", provider: "p", baseUrl: "http://h/v1", contextWindow: 0, maxTokens: 0 };

/** What is sent of messages that were never seen before: copies of these. */
const fresh = (messages) => JSON.parse(buildRequest(model, { messages: messages.map((message) => structuredClone(message)) }).body);
const sent = (messages) => JSON.parse(buildRequest(model, { messages }).body);

const history = () => [
  { role: "system", content: "s", toolsAdded: [{ name: "t", description: "d", parameters: { type: "object", properties: { a: {} } } }], timestamp: 0 },
  { role: "user", content: "question", timestamp: 1 },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", thinkingSignature: "reasoning" },
      { type: "text", text: "let me see" },
      { type: "toolCall", id: "c1", name: "t", arguments: { a: { b: [1, { c: "deep" }] }, z: 1 } },
    ],
    api: model.api,
    provider: "p",
    model: "m",
    stopReason: "toolUse",
    timestamp: 2,
  },
  { role: "toolResult", toolCallId: "c1", toolName: "t", content: [{ type: "text", text: "out" }, { type: "image", data: "QQ==", mimeType: "image/png" }], isError: false, timestamp: 3 },
  { role: "user", content: [{ type: "text", text: "and" }, { type: "text", text: "more" }], timestamp: 4 },
];

const CHANGES = {
  "a text": (m) => (m[1].content = "another"),
  "a text to blocks": (m) => (m[1].content = [{ type: "text", text: "question" }]),
  "content to nothing": (m) => (m[1].content = null),
  "a block's text": (m) => (m[2].content[1].text = "other"),
  "a block's text by half": (m) => (m[2].content[1].text += "!"),
  "a block more": (m) => m[4].content.push({ type: "text", text: "x" }),
  "a block less": (m) => m[4].content.pop(),
  "blocks in another order": (m) => m[4].content.reverse(),
  "a block of another type": (m) => (m[2].content[1] = { type: "thinking", thinking: "let me see", thinkingSignature: "reasoning" }),
  "a type in place": (m) => (m[2].content[1].type = "unknown"),
  "a thought": (m) => (m[2].content[0].thinking = "so"),
  "a signature": (m) => (m[2].content[0].thinkingSignature = "reasoning_content"),
  "an argument far down": (m) => (m[2].content[2].arguments.a.b[1].c = "deeper"),
  "an item of an argument": (m) => m[2].content[2].arguments.a.b.push(2),
  "an argument more": (m) => (m[2].content[2].arguments.n = null),
  "an argument less": (m) => delete m[2].content[2].arguments.z,
  "an argument's type": (m) => (m[2].content[2].arguments.z = "1"),
  "an argument's name": (m) => {
    delete m[2].content[2].arguments.z;
    m[2].content[2].arguments.y = 1;
  },
  "arguments in another order": (m) => (m[2].content[2].arguments = { z: 1, a: m[2].content[2].arguments.a }),
  "a list to an object": (m) => (m[2].content[2].arguments.a.b = { 0: 1, 1: { c: "deep" } }),
  "a call's name": (m) => (m[2].content[2].name = "u"),
  "a call's id": (m) => (m[2].content[2].id = "c2"),
  "who answered": (m) => (m[2].model = "m0"),
  "whose it is": (m) => (m[2].provider = "q"),
  "an answer that failed": (m) => (m[2].stopReason = "error"),
  "a result's text": (m) => (m[3].content[0].text = "none"),
  "a result's image": (m) => (m[3].content[1].data = "Qg=="),
  "a result's kind of image": (m) => (m[3].content[1].mimeType = "image/gif"),
  "a result's call": (m) => (m[3].toolCallId = "c9"),
  "a role": (m) => (m[1].role = "custom"),
  "the prompt": (m) => (m[0].content = "t"),
  "a section": (m) => (m[0].sections = { rules: "r" }),
  "a tool's description": (m) => (m[0].toolsAdded[0].description = "e"),
  "a tool's parameters": (m) => (m[0].toolsAdded[0].parameters.properties.a.type = "string"),
  "a tool less": (m) => m[0].toolsAdded.pop(),
  "a message less": (m) => m.splice(1, 1),
  "messages in another order": (m) => m.push(m.splice(1, 1)[0]),
  "one message twice": (m) => m.push(m[1]),
};

test("a message that is changed after it was sent is sent as it is now", () => {
  for (const [what, change] of Object.entries(CHANGES)) {
    const messages = history();
    const before = sent(messages);
    assert.deepEqual(before, fresh(messages));
    change(messages);
    const wanted = fresh(messages);
    assert.notDeepEqual(wanted, before, `${what} makes no difference`);
    assert.deepEqual(sent(messages), wanted, what);
    assert.deepEqual(sent(messages), wanted, `${what}, once more`);
  }
});

test("changes in any order, taken back and made again, are all seen", () => {
  let seed = 7;
  const below = (limit) => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) % limit;
  const texts = ["x", "y", "é", ""];
  const messages = history();
  for (let round = 0; round < 2000; round += 1) {
    const message = messages[below(messages.length)];
    const block = Array.isArray(message.content) ? message.content[below(message.content.length)] : undefined;
    const text = texts[below(texts.length)];
    switch (below(6)) {
      case 0:
        if (messages.length < 12) messages.splice(below(messages.length + 1), 0, { role: "user", content: text, timestamp: 1 });
        break;
      case 1:
        if (messages.length > 4) messages.splice(below(messages.length), 1);
        break;
      case 2:
        if (block?.type === "text") block.text = text;
        break;
      case 3:
        if (block?.type === "toolCall") block.arguments.a.b[1].c = text;
        break;
      case 4:
        if (message.role === "user") message.content = below(2) ? text : [{ type: "text", text }];
        break;
      default:
        if (message.role === "assistant") message.stopReason = below(2) ? "stop" : "aborted";
    }
    assert.deepEqual(sent(messages), fresh(messages), `round ${round}`);
  }
});

test("what is more than plain data is asked anew each time", () => {
  let count = 0;
  class Message {
    role = "user";
    get content() {
      count += 1;
      return `asked ${count}`;
    }
  }
  const counted = { type: "text", get text() { return `read ${(count += 1)}`; } };
  const written = { type: "text", text: "x", toJSON: () => ({ type: "text", text: `written ${(count += 1)}` }) };
  for (const message of [new Message(), { role: "user", content: [counted] }, { role: "user", content: [written] }]) {
    const [first, second] = [sent([message]), sent([message])];
    assert.notDeepEqual(first, second);
  }
  // One that changes another while it is written.
  const other = { role: "user", content: [{ type: "text", text: "before" }] };
  const meddler = { role: "user", content: [{ type: "text", text: "m", toJSON() { other.content[0].text = "after"; return { type: "text", text: "m" }; } }] };
  sent([meddler, other]);
  other.content[0].text = "before";
  assert.equal(sent([other]).messages[0].content[0].text, "before");
});

test("messages nested without end, and in circles, are refused and leave nothing behind", () => {
  const circle = { type: "toolCall", id: "c", name: "t", arguments: {} };
  circle.arguments.a = { one: circle, two: circle };
  const assistant = { role: "assistant", content: [circle], stopReason: "toolUse", timestamp: 1 };
  assert.throws(() => sent([assistant]), TypeError);
  assert.throws(() => sent([{ role: "user", content: 5 }]), /messages: /);
  assert.throws(() => sent([undefined]), /messages: /);
  for (const none of [undefined, null, 5, "text", {}, { length: 2 }]) {
    assert.throws(() => buildRequest(model, { messages: none }), TypeError, String(none));
  }
  assert.deepEqual(sent(history()), fresh(history()));
  let deep = {};
  for (let level = 0; level < 100; level += 1) deep = { deep };
  circle.arguments = deep;
  assert.deepEqual(sent([assistant]), fresh([assistant]));
});

test("messages outlive the instance they were handed to", async () => {
  const { wasm } = await engineModule("wasm.js");
  const messages = history();
  const before = sent(messages);
  assert.throws(() => wasm.provokePanic("gone"), /gone/);
  assert.deepEqual(sent(messages), before);
  messages[1].content = "anew";
  assert.deepEqual(sent(messages), fresh(messages));
});

test("only what is new is handed over", async () => {
  const { withNumbers } = await engineModule("kept_messages.js");
  const numbers = (messages) => withNumbers(messages, (list) => [...list]);
  const messages = history();
  const first = numbers(messages);
  assert.equal(new Set(first).size, messages.length);
  assert.deepEqual(numbers(messages), first);
  messages[1].timestamp = 99;
  messages[3].details = { any: "thing" };
  assert.deepEqual(numbers(messages), first, "what no request is made of may change");
  messages.push({ role: "user", content: "new", timestamp: 5 });
  assert.deepEqual(numbers(messages).slice(0, -1), first);
  messages[1].content = "changed";
  const changed = numbers(messages);
  assert.deepEqual(changed.filter((_, at) => at !== 1).slice(0, 4), first.filter((_, at) => at !== 1));
  const { wasm } = await engineModule("wasm.js");
  const { keepMessages } = wasm;
  wasm.keepMessages = () => assert.fail("what has changed is kept as it is now");
  try {
    assert.deepEqual(numbers(messages), changed);
  } finally {
    wasm.keepMessages = keepMessages;
  }
});
