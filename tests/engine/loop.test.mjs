// The loop's conformance traces, played by the scripted provider.

import assert from "node:assert/strict";
import { test } from "node:test";

const folder = process.env.VITRINE_ENGINE;
if (!folder) throw new Error("VITRINE_ENGINE must name the folder of the built engine");
const engine = await import(new URL("index.js", new URL(`file://${folder}/`)).href);
await engine.default();

test("a plain answer", async () => {
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([engine.fauxAssistantMessage("hello")]);
  const agent = new engine.Agent({ streamFn: scripted.stream, initialState: { model: scripted.getModel() } });
  const types = [];
  agent.subscribe(({ type }) => type === "message_update" || types.push(type));
  await agent.prompt("hi");
  assert.equal(
    types.join(" "),
    "agent_start turn_start message_start message_end message_start message_end turn_end agent_end",
  );
});
