// Where a history is cut, and what of it is summed up: as pi 1.6 does (recorded, see README.md).

import { test } from "node:test";

import { assert, engine, readJson } from "./support.mjs";
import { askCompaction } from "./scenarios/compaction.mjs";

const { estimateTokens, findCutPoint, prepareCompaction, shouldCompact, Session } = engine;

test("branches are cut and prepared as pi does it", async () => {
  const facts = await readJson("pi-1.6/compaction.json");
  assert.deepEqual(askCompaction({ estimateTokens, findCutPoint, prepareCompaction, shouldCompact }), facts);
});

test("what is prepared of a session is what its compaction leaves out", () => {
  const session = Session.parse('{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}');
  const asked = ["one", "two", "three"].map((content) => ({ role: "user", content: content.repeat(40), timestamp: 1 }));
  for (const message of asked) session.appendMessage(message);
  const prepared = prepareCompaction(session.getBranch(), { enabled: true, reserveTokens: 1, keepRecentTokens: 40 });
  assert.deepEqual(prepared.messagesToSummarize.map((message) => asked.indexOf(message)), [0, 1]);
  session.appendCompaction("summary", prepared.firstKeptEntryId, prepared.tokensBefore);
  const roles = session.buildContext().messages.map(({ role }) => role);
  assert.deepEqual(roles, ["compactionSummary", "user"]);
  assert.equal(session.buildContext().messages[1], asked[2]);
  assert.equal(prepareCompaction(session.getBranch(), prepared.settings), undefined);
});

test("a role that nobody knows has no tokens", () => {
  for (const role of ["note", "constructor", "toString"]) assert.equal(estimateTokens({ role, content: "abcd" }), 0);
});
