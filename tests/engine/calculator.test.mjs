// The smallest demonstration of the loop, and its fingerprint: the same in Node, in each browser and in a worker.

import { test } from "node:test";

import { assert, engine } from "./support.mjs";

const { createScripted, fauxAssistantMessage, fauxText, fauxToolCall } = engine;

const PROMPT = "What is (17 + 4) * 2?";
const EXPRESSION = "(17 + 4) * 2";
/** What two turns of it come to. A change of an event, a field or a text of the loop changes it. */
const FINGERPRINT = "a621893d2980948861bc1ad9fa7604b3962c08ae467ae4d63a8b64def2e36884";

const calculate = {
  name: "calculate",
  label: "calculate",
  description: "Evaluates an expression of numbers, + - * / and parentheses.",
  parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
  execute: async (id, { expression }) => {
    assert.equal(expression, EXPRESSION);
    return { content: [{ type: "text", text: "42" }], details: { expression } };
  },
};

const play = async (id) => {
  const scripted = createScripted({ api: "scripted", provider: "scripted", models: [{ id: "calculator" }], seed: 2 });
  scripted.setResponses([
    fauxAssistantMessage([fauxText("I will calculate."), fauxToolCall("calculate", { expression: EXPRESSION }, { id })], { stopReason: "toolUse" }),
    fauxAssistantMessage("(17 + 4) * 2 is 42."),
  ]);
  const events = [];
  const context = { messages: [{ role: "system", content: "Answer with numbers. Calculate with the tool.", timestamp: 0 }], tools: [calculate] };
  const prompt = { role: "user", content: PROMPT, timestamp: Date.now() };
  await engine.runAgentLoop([prompt], context, { model: scripted.getModel(), convertToLlm: (messages) => messages }, (event) => {
    // The message of an update goes on growing; what it said is of the moment.
    events.push(JSON.parse(JSON.stringify(event)));
  }, undefined, scripted.stream);
  return events;
};

test("the calculator's two turns have one fingerprint, on every host and in every run", async () => {
  const events = await play("call_a");
  const ends = events.filter(({ type }) => type === "message_end").map(({ message }) => message.role);
  assert.deepEqual(ends, ["system", "user", "assistant", "toolResult", "assistant"]);
  assert.equal(engine.fingerprint(events), FINGERPRINT);
  assert.equal(engine.fingerprint(await play("call_of_another_name")), FINGERPRINT);
  const told = events.map((event) => (event.type === "tool_execution_end" ? { ...event, isError: true } : event));
  assert.notEqual(engine.fingerprint(told), FINGERPRINT);
});
