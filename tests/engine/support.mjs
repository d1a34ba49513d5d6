// What the engine's tests share: the built package, a script, and a trace of what was told.

import assert from "node:assert/strict";

/** Whether this is Node: the same tests run in browsers, where the engine is served beside them. */
export const isNode = typeof process === "object";
if (isNode && !process.env.VITRINE_ENGINE) throw new Error("VITRINE_ENGINE must name the folder of the built engine");
const folder = isNode ? `file://${process.env.VITRINE_ENGINE}/` : new URL("../engine/", import.meta.url);

/** A module of the built package by its file's name. */
export const engineModule = (name) => import(new URL(name, folder).href);

/** A JSON file of this folder. */
export const readJson = async (path) => {
  const url = new URL(path, import.meta.url);
  if (!isNode) return (await fetch(url)).json();
  // A name in a variable is none that a browser would have to find.
  const files = "node:fs/promises";
  return JSON.parse(await (await import(files)).readFile(url, "utf8"));
};

export const engine = await engineModule("index.js");
await engine.default();

const { createScripted, fauxAssistantMessage, fauxText, fauxToolCall } = engine;

export { assert };

/** A response in short: a text, or a list of a text, a stop reason and calls `[name, arguments, id]`. */
export const says = (text, options) => fauxAssistantMessage(text, options);
export const calls = (...list) => {
  const blocks = list.map(([name, args = {}, id = name]) => fauxToolCall(name, args, { id }));
  return fauxAssistantMessage([fauxText("working"), ...blocks], { stopReason: "toolUse" });
};

export const textOf = ({ content }) => (typeof content === "string" ? content : (content[0]?.text ?? ""));

export const tool = (name, execute, more = {}) => ({
  name,
  label: name,
  description: `does ${name}`,
  parameters: { type: "object" },
  execute: execute ?? (async () => ({ content: [{ type: "text", text: `${name} done` }], details: {} })),
  ...more,
});

export const result = (text, more = {}) => ({ content: [{ type: "text", text }], details: {}, ...more });

/** One event in a word or two, as the appendix of the semantics writes them; updates of messages are left out. */
const word = (event) => {
  switch (event.type) {
    case "message_start": {
      const { role } = event.message;
      return role === "user" ? `m:user(${textOf(event.message)})` : `m:${role}`;
    }
    case "message_end":
    case "message_update":
      return undefined;
    case "tool_execution_start":
      return `start ${event.toolName}`;
    case "tool_execution_update":
      return `update ${event.toolName}`;
    case "tool_execution_end":
      return `end ${event.toolName}`;
    default:
      return event.type;
  }
};

/** An agent with a script, and everything it told. */
export const scriptedAgent = (responses, { tools = [], ...options } = {}) => {
  const scripted = createScripted({ seed: 1 });
  scripted.setResponses(responses);
  const agent = new engine.Agent({
    streamFn: scripted.stream,
    ...options,
    initialState: { model: scripted.getModel(), tools, ...options.initialState },
  });
  const events = [];
  agent.subscribe((event) => void events.push(event));
  const trace = () =>
    events
      .map(word)
      .filter((one) => one !== undefined)
      .join(" · ");
  return { agent, scripted, events, trace };
};

export const user = (text) => ({ role: "user", content: text, timestamp: 1 });

/** The messages of tool results, in short. */
export const results = (messages) =>
  messages.filter(({ role }) => role === "toolResult").map((message) => [message.toolName, textOf(message), message.isError]);

export const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));
