// Branches of sessions, and what of them is asked: where they are cut, what has to be summed up.

const text = (count) => "x".repeat(count);
const usage = (totalTokens) => ({ input: 7, output: 3, cacheRead: 2, cacheWrite: 1, totalTokens });
const message = (role, content, more = {}) => ({ type: "message", message: { role, content, ...more, timestamp: 1 } });

const user = (content) => message("user", content);
const says = (content, more) => message("assistant", typeof content === "string" ? [{ type: "text", text: content }] : content, { stopReason: "stop", ...more });
const calls = (name, path) => says([{ type: "thinking", thinking: text(8) }, { type: "toolCall", id: "c", name, arguments: { path } }], { stopReason: "toolUse" });
const result = (content, more) => message("toolResult", [{ type: "text", text: content }], { toolCallId: "c", ...more });
const system = (content, more) => message("system", content, more);
const edit = (at, replacement) => ({ type: "context_edit", targetId: `e${at}`, replacement });
const compacted = (at, more) => ({ type: "compaction", summary: text(40), tokensBefore: 5, firstKeptEntryId: `e${at}`, ...more });
const label = { type: "label", targetId: "e0", label: "x" };

const turn = [user(text(40)), calls("read", "/a"), result(text(400)), calls("edit", "/b"), result(text(40)), says(text(80))];
const BRANCHES = {
  nothing: [],
  "one message": [user("hi")],
  "two turns": [...turn, ...turn],
  "two turns after a prompt": [system(text(100), { sections: { a: text(20), b: null }, toolsAdded: [{ name: "t", description: "", parameters: {} }] }), ...turn, ...turn],
  "labels between": [label, user(text(40)), label, says(text(40)), label, label, user(text(40)), says(text(40))],
  "what was counted": [user(text(40)), says(text(40), { usage: usage(900) }), user(text(40)), says(text(4), { usage: usage(0) }), user(text(400))],
  "what was counted for nothing": [user(text(40)), says(text(40), { usage: usage(900), stopReason: "error" }), user(text(40)), says(text(40), { usage: { ...usage(0), input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } })],
  "what was counted before an edit": [user(text(400)), says(text(40), { usage: usage(900) }), edit(0, { content: "short" }), user(text(40))],
  "results at the end": [...turn, user(text(4)), calls("write", "/c"), result(text(4000)), result(text(4000), { nestedCalls: { calls: [{ name: "read", arguments: { path: "/n" } }] } })],
  "a cut before": [...turn, ...turn, compacted(6, { details: { readFiles: ["/old"], modifiedFiles: ["/older"] }, systemMessage: { role: "system", content: "s", timestamp: 1 } }), ...turn],
  "a cut of a hook": [...turn, compacted(0, { details: { readFiles: ["/old"] }, fromHook: true }), ...turn],
  "two cuts": [...turn, compacted(3), ...turn, compacted(5), ...turn],
  "a cut that keeps nothing known": [...turn, compacted(99), ...turn],
  "a cut at the end": [...turn, compacted(3)],
  "other roles": [message("bashExecution", undefined, { command: text(40), output: text(400) }), { type: "custom_message", customType: "k", content: text(80), display: true }, { type: "branch_summary", summary: text(80), fromId: "z" }, { type: "branch_summary", summary: "", fromId: "z" }, says(text(80))],
  "edits of contents": [...turn, edit(2, { content: "shorter" }), edit(1, null), user([{ type: "text", text: text(40) }, { type: "image", data: "", mimeType: "image/png" }])],
  "answers that were taken out": [...turn, user(text(40)), says(text(4)), edit(7, null), says(text(4)), edit(9, null)],
  "answers that were taken out, and something said anew": [...turn, user(text(40)), says(text(4)), edit(7, null), edit(6, { content: "anew" })],
  "messages without contents": [user(null), says(text(40)), user(undefined), message("system", null), says(text(80))],
};

const withIds = (entries) =>
  entries.map((entry, at) => ({ id: `e${at}`, parentId: at > 0 ? `e${at - 1}` : null, timestamp: "2026-01-01T00:00:00.000Z", ...entry }));

const KEPT = [1, 20, 60, 150, 1_000_000];

/** What a library's functions come to, a text for each question. */
export const askCompaction = ({ estimateTokens, findCutPoint, prepareCompaction, shouldCompact }) => {
  const told = {};
  const write = (value) => JSON.stringify(value, (_, inner) => (inner instanceof Set ? [...inner] : inner)) ?? "nothing";
  for (const [name, branch] of Object.entries(BRANCHES)) {
    const path = withIds(branch);
    const written = path.flatMap((entry) => (entry.message?.content ? [estimateTokens(entry.message)] : []));
    told[`${name}: tokens`] = write(written);
    for (const keepRecentTokens of KEPT) {
      told[`${name}: kept ${keepRecentTokens}`] = write(prepareCompaction(path, { enabled: true, reserveTokens: 1, keepRecentTokens }));
      told[`${name}: cut at ${keepRecentTokens}`] = write(findCutPoint(path, 0, path.length, keepRecentTokens));
      told[`${name}: a part cut at ${keepRecentTokens}`] = write(findCutPoint(path, Math.min(2, path.length), Math.max(path.length - 1, 0), keepRecentTokens));
    }
  }
  const asked = [[89, true], [90, true], [91, true], [1000, false]];
  told["is it time"] = write(asked.map(([tokens, enabled]) => shouldCompact(tokens, 100, { enabled, reserveTokens: 10, keepRecentTokens: 1 })));
  return told;
};
