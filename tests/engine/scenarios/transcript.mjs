// What system messages add up to: `[function, ...arguments]`.

const tool = (name, more = {}) => ({ name, label: "shown", description: `does ${name}`, parameters: { type: "object" }, ...more });
const system = (content, more = {}) => ({ role: "system", content, timestamp: 3, ...more });
const text = (...parts) => parts.map((part) => ({ type: "text", text: part }));

const TIMELESS = { role: "system", content: "no time" };

const TRANSCRIPTS = [
  [],
  [{ role: "user", content: "x", timestamp: 1 }],
  [system("be kind")],
  [system("")],
  [system("be kind"), { role: "user", content: "x", timestamp: 1 }, system("and brief", { timestamp: 9 })],
  [system(text("be", "kind")), system([]), system(text("and brief"))],
  [system("a", { sections: { x: "1", y: "2" } }), system("", { sections: { x: null, z: "3" } }), system("b", { sections: { y: "4", x: "5" } })],
  [system("a", { sections: { x: null } })],
  [system("a", { sections: { x: "" } })],
  [system("", { toolsAdded: [tool("a"), tool("b")] }), system("", { toolsRemoved: [{ name: "a" }], toolsAdded: [tool("c")] })],
  [system("", { toolsAdded: [tool("a"), tool("b")] }), system("", { toolsRemoved: [{ name: "a" }], toolsAdded: [tool("a", { description: "anew" })] })],
  [system("", { toolsAdded: [tool("a"), tool("b")] }), system("", { toolsAdded: [tool("a", { description: "anew" })] })],
  [system("", { toolsAdded: [tool("a")] }), system("", { toolsRemoved: [{ name: "a" }, { name: "ghost" }] })],
  [TIMELESS],
  [TIMELESS, system("later")],
];

export default [
  ...["getCurrentSystemMessage", "getCurrentSystemPrompt", "getCurrentTools"].flatMap((name) => TRANSCRIPTS.map((list) => [name, list])),
  ...TRANSCRIPTS.flat()
    .filter(({ role }) => role === "system")
    .map((message) => ["getSystemMessageText", message]),
  ...[[], [undefined, undefined], ["", []], ["be kind"], ["", [tool("a")]], ["be kind", [tool("a"), tool("b")]], ["be kind", []]].map((args) => ["createInitialSystemMessage", ...args]),
  ["normalizeContext", { messages: [] }],
  ["normalizeContext", { systemPrompt: "be", messages: [{ role: "user", content: "x", timestamp: 1 }] }],
  ["normalizeContext", { systemPrompt: "be", tools: [tool("a")], messages: [system("there already")] }],
  ["normalizeContext", { systemPrompt: "", tools: [], messages: [system("there already")] }],
  ["toToolDeclaration", tool("a")],
  ["toToolDeclaration", tool("a", { parameters: { b: 1, a: { z: null, y: [1] } }, constrainedSampling: false, executionMode: "sequential" })],
  ["toToolDeclaration", tool("a", { constrainedSampling: { type: "json_schema", strict: "prefer" } })],
];

/** Where the engine differs on purpose: a prompt counts, pi forgets one that has no time. `[function, arguments, ours]`. */
export const DIFFERS = [
  ["getCurrentSystemMessage", [[TIMELESS]], { role: "system", content: "no time", timestamp: 0 }],
  ["getCurrentSystemPrompt", [[TIMELESS]], "no time"],
];
