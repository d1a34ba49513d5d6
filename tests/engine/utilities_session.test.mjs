// Sessions as files and trees.

import { test } from "node:test";

import { assert, engine } from "./support.mjs";

const { Session } = engine;

const HEADER = { type: "session", version: 3, id: "s-1", timestamp: "2026-11-30T15:00:00.000Z", cwd: "/w" };
const newSession = () => Session.parse(JSON.stringify(HEADER));
const user = (content) => ({ role: "user", content, timestamp: 1 });
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
const roles = ({ messages }) => messages.map(({ role }) => role);

test("a session is a chain of entries that keeps the objects it was given", () => {
  const session = newSession();
  assert.deepEqual(session.header, HEADER);
  assert.deepEqual([session.entries, session.leaf, session.tree], [[], null, []]);
  const asked = { ...user("hi"), unknown: { a: 1 } };
  const ids = [
    session.appendModelChange("openai", "m"),
    session.appendThinkingLevelChange("high"),
    session.appendMessage(asked),
    session.appendMessage(assistant([text("yes")], { provider: "p", model: "n" })),
    session.appendCustomEntry("mine", { x: 1 }),
    session.appendSessionInfo(" a\nname "),
    session.appendUsage("kind", "openai", "m", usage).id,
  ];
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}$/);
  assert.deepEqual(session.entries.map(({ id }) => id), ids);
  assert.deepEqual(session.entries.map(({ parentId }) => parentId), [null, ...ids.slice(0, -1)]);
  assert.equal(session.leaf, ids.at(-1));
  assert.equal(session.name, "a name");

  const context = session.buildContext();
  assert.equal(context.messages[0], asked);
  assert.deepEqual([roles(context), context.thinkingLevel, context.model], [
    ["user", "assistant"],
    "high",
    { provider: "p", modelId: "n" },
  ]);
  assert.deepEqual(session.buildContext(ids[1]), {
    messages: [],
    thinkingLevel: "high",
    model: { provider: "openai", modelId: "m" },
  });

  const again = Session.parse(session.toJsonl());
  assert.deepEqual(again.entries, session.entries);
  assert.equal(again.toJsonl(), session.toJsonl());
  assert.equal(again.leaf, session.leaf);
});

test("compaction, edits and summaries are folded as the appendix says", () => {
  const session = newSession();
  session.appendModelChange("openai", "m");
  session.appendThinkingLevelChange("off");
  session.appendMessage({ role: "system", content: "be brief", timestamp: 0 });
  session.appendMessage(user("1"));
  const answered = session.appendMessage(assistant([text("long")]));
  session.appendLabelChange(answered, "here");
  const second = session.appendMessage(user("2"));
  session.appendContextEdit(answered, { content: "short" });
  const compaction = session.appendCompaction("sum", second, 100);
  session.appendSessionInfo("n");
  session.appendMessage(user("3"));
  assert.deepEqual(roles(session.buildContext()), ["system", "compactionSummary", "user", "user"]);
  const entry = session.getEntry(compaction);
  assert.equal(entry.systemMessage.timestamp, Date.parse(entry.timestamp));
  assert.equal(entry.systemMessage.content, "be brief");

  const left = session.leaf;
  const summary = session.branchWithSummary(answered, "went there");
  assert.equal(session.getEntry(summary).fromId, left);
  const context = session.buildContext();
  assert.deepEqual(roles(context), ["system", "user", "assistant", "branchSummary"]);
  assert.deepEqual(context.messages[2].content, [text("long")]);

  session.branch(second);
  session.appendContextEdit(answered, { content: "short" });
  assert.deepEqual(session.buildContext().messages[2].content, [text("short")]);
  session.appendContextEdit(answered, null);
  assert.deepEqual(roles(session.buildContext()), ["system", "user", "user"]);
  const none = session.appendCompaction("all", null, 5);
  assert.equal(session.getEntry(none).firstKeptEntryId, none);
  assert.deepEqual(roles(session.buildContext()), ["system", "compactionSummary"]);
});

test("a tree has branches, labels and no more", () => {
  const session = newSession();
  const first = session.appendMessage(user("1"));
  const left = session.appendMessage(user("left"));
  session.branch(first);
  const right = session.appendMessage(user("right"));
  const label = session.appendLabelChange(left, "mark");
  session.resetLeaf();
  const root = session.appendMessage(user("anew"));
  const shape = ({ entry, children, ...more }) => [entry.id, children.map(shape), more];
  assert.deepEqual(session.tree.map(shape), [
    [first, [[left, [], { label: "mark" }], [right, [[label, [], {}]], {}]], {}],
    [root, [], {}],
  ]);
  assert.deepEqual(session.getBranch(right).map(({ id }) => id), [first, right]);
  assert.deepEqual(session.getChildren(first).map(({ id }) => id), [left, right]);
  session.appendLabelChange(left, "");
  assert.equal(session.getLabel(left), undefined);

  const at = (id, parentId, second) =>
    JSON.stringify({ type: "custom", id, parentId, timestamp: `2026-11-30T15:00:0${second}.000Z`, customType: "x" });
  const lines = [JSON.stringify(HEADER), at("a", null, 1), at("late", "a", 3), at("early", "a", 2)];
  const [{ children }] = Session.parse(lines.join("\n")).tree;
  assert.deepEqual(children.map(({ entry }) => entry.id), ["early", "late"]);
});

test("what is wrong is an error, and nothing was appended", () => {
  const session = newSession();
  const id = session.appendMessage(user("1"));
  const system = session.appendMessage({ role: "system", content: "s", timestamp: 0 });
  const before = session.toJsonl();
  const cyclic = {};
  cyclic.self = cyclic;
  const failing = [
    [() => session.branch("none"), "Entry none not found"],
    [() => session.branchWithSummary("none", "s"), "Entry none not found"],
    [() => session.appendLabelChange("none", "x"), "Entry none not found"],
    [() => session.appendContextEdit("none", null), "Entry none not found"],
    [() => session.buildContext("none"), "Entry none not found"],
    [() => session.appendContextEdit(system, null), `Entry ${system} does not contribute editable model content`],
    [() => session.appendContextEdit(id, {}), "Context edit replacement must be null or contain string/array content"],
  ];
  for (const [fail, message] of failing) assert.throws(fail, { message });
  assert.throws(() => session.appendCustomEntry("x", cyclic), TypeError);
  assert.throws(() => session.branchWithSummary(id, "s", 1n), TypeError);
  assert.deepEqual([session.toJsonl(), session.leaf], [before, system]);
  session.branch(id);
  session.appendMessage(user("2"));
  assert.throws(() => session.appendContextEdit(system, null), { message: `Entry ${system} is not on the active branch` });

  for (const wrong of ["", "{}", "no json", JSON.stringify({ type: "message", id: "1" })]) {
    assert.throws(() => Session.parse(wrong), /not a session/, wrong);
  }
  assert.throws(() => Session.parse(5), TypeError);
});

test("a damaged file gives what can be read, and hostile ones do no harm", () => {
  const line = (id, parentId, content) =>
    JSON.stringify({ type: "message", id, parentId, timestamp: HEADER.timestamp, message: user(content) });
  const file = [
    JSON.stringify(HEADER),
    line("a", null, "1"),
    "{broken",
    line("b", "a", null),
    '{"type":"unheard","id":"c","parentId":"b","n":12345678901234567890}',
    line("d", "d", "self"),
    line("e", "__proto__", "orphan"),
    '{"type":"message","id":"f","parentId":"e","message":{"role":"user","content":"\\ud800"',
  ].join("\n");
  const session = Session.parse(file);
  assert.deepEqual(session.entries.map(({ id }) => id), ["a", "b", "c", "d", "e"]);
  assert.match(session.toJsonl(), /12345678901234567890/);
  assert.deepEqual(session.buildContext("c").messages.map(({ content }) => content), ["1", []]);

  const large = newSession();
  large.appendMessage(user("x".repeat(10_000_000)));
  large.appendCustomEntry("deep", JSON.parse(`${"[".repeat(1000)}${"]".repeat(1000)}`));
  large.appendMessage({ ...user("half \ud800"), ["__proto__x"]: 1 });
  assert.equal(large.buildContext().messages.length, 2);
  assert.equal(Session.parse(large.toJsonl()).entries.length, 3);

  const long = newSession();
  for (let n = 0; n < 3000; n += 1) long.appendMessage(user(String(n)));
  assert.equal(long.buildContext().messages.length, 3000);
  assert.equal(long.tree.length, 1);
});
