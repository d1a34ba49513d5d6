// What the page's reader of events makes of a run of which nothing is told twice: `crates/agent/tests/feed.rs` holds the
// other reader to the same two files.

import { readFile } from "node:fs/promises";
import { test } from "node:test";
import assert from "node:assert/strict";

const file = (path) => new URL(`../../${path}`, import.meta.url);
const { EventReader } = await import(file("www/event_reader.js"));

const whole = JSON.parse(await readFile(file("crates/lesson/tests/demo/calculator.events.json"), "utf8"));
const told = (await readFile(file("crates/agent/tests/feed/calculator.jsonl"), "utf8")).trim().split("\n");

test("events are whole again, twice over", () => {
  const reader = new EventReader();
  for (let run = 0; run < 2; run += 1) {
    assert.deepEqual(told.map((line) => reader.read(JSON.parse(line))), whole);
  }
});

test("events that carry one message share it", () => {
  const reader = new EventReader();
  const events = told.map((line) => reader.read(JSON.parse(line)));
  const ends = events.filter((event) => event.type === "message_end").map((event) => event.message);
  const { messages } = events.at(-1);
  assert.equal(messages.length, ends.length);
  for (const [place, message] of messages.entries()) assert.equal(message, ends[place]);
});

test("usage is that of the update before, and none in the next run", () => {
  const reader = new EventReader();
  const update = (usage) => reader.read({ type: "message_update", assistantMessageEvent: {}, ...(usage && { usage }) }).usage;
  assert.equal(update().totalTokens, 0);
  assert.deepEqual([update({ totalTokens: 7 }), update()], [{ totalTokens: 7 }, { totalTokens: 7 }]);
  reader.read({ type: "agent_start" });
  assert.equal(update().totalTokens, 0);
});
