// Reading a stream of events: in order, once each, to its end, whoever stops in between.

import { test } from "node:test";

import { assert, engine, engineModule, pause } from "./support.mjs";

const { EventStream } = await engineModule("event_stream.js");
const streamOf = (...events) => {
  const stream = new EventStream((event) => event === "end", () => "result");
  for (const event of events) stream.push(event);
  return stream;
};

test("one that stops reading leaves the rest to the next", async () => {
  const stream = streamOf(1, 2, 3, "end");
  for await (const event of stream) {
    assert.equal(event, 1);
    break;
  }
  const rest = [];
  for await (const event of stream) rest.push(event);
  assert.deepEqual([rest, await stream.result()], [[2, 3, "end"], "result"]);
});

test("a reader that has stopped, or come to the end, has nothing more", async () => {
  const over = { value: undefined, done: true };
  const stream = streamOf(1, 2);
  const reader = stream[Symbol.asyncIterator]();
  assert.equal(reader[Symbol.asyncIterator](), reader);
  assert.deepEqual(await reader.next(), { value: 1, done: false });
  assert.deepEqual(await reader.return("given"), { value: "given", done: true });
  assert.deepEqual(await reader.next(), over);
  const other = stream[Symbol.asyncIterator]();
  assert.deepEqual(await other.next(), { value: 2, done: false });
  const waiting = [other.next(), other.next(), other.next()];
  stream.push(3);
  stream.push("end");
  stream.end();
  assert.deepEqual(await Promise.all(waiting), [{ value: 3, done: false }, { value: "end", done: false }, over]);
  assert.deepEqual(await other.next(), over);
});

test("a failure comes after what was there, and once", async () => {
  const stream = streamOf(1);
  const error = new Error("broken");
  stream.fail(error);
  const reader = stream[Symbol.asyncIterator]();
  assert.deepEqual(await reader.next(), { value: 1, done: false });
  await assert.rejects(reader.next(), (thrown) => thrown === error);
  assert.deepEqual(await reader.next(), { value: undefined, done: true });
  const late = streamOf();
  const waiting = late[Symbol.asyncIterator]().next();
  late.fail(error);
  await assert.rejects(waiting, (thrown) => thrown === error);
});

test("events that come while one is looked at wait for their turn", async () => {
  const stream = engine.createAssistantMessageEventStream();
  const seen = [];
  const reading = (async () => {
    for await (const event of stream) {
      seen.push(event.n ?? event.type);
      await pause(1);
    }
  })();
  for (let n = 0; n < 5; n += 1) {
    stream.push({ type: "text_delta", n });
    if (n % 2) await pause(2);
  }
  stream.push({ type: "done", message: { timestamp: 0 } });
  stream.end();
  await reading;
  assert.deepEqual(seen, [0, 1, 2, 3, 4, "done"]);
});
