// To whom a request goes, in whose name, and how long it may take.

import { test } from "node:test";

import { assert, engine, pause, user } from "./support.mjs";

const { buildRequest, stream } = engine;

const model = { api: "openai-completions", id: "m", provider: "p", baseUrl: "https://host.example/v1" };
const context = { messages: [user("u")] };
const KEY = "sk-1234567890";
const PIECES = [{ delta: { content: "Hello" } }, { delta: {}, finish_reason: "stop" }].map(
  (choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`,
);
PIECES.push("data: [DONE]\n\n");

/** An answer whose pieces come so many milliseconds apart. */
const answers = (milliseconds = 0) => {
  const pieces = PIECES.map((piece) => new TextEncoder().encode(piece));
  const pull = async (controller) => {
    if (milliseconds > 0) await pause(milliseconds);
    if (pieces.length > 0) controller.enqueue(pieces.shift());
    else controller.close();
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status: 200 });
};

/** The events, the message and what was sent. */
const play = async (answer, options = {}, asked = model) => {
  const sent = [];
  const fetch = async (url, init) => {
    sent.push({ url, ...init });
    return answer(init);
  };
  const response = stream(asked, context, { apiKey: KEY, fetch, ...options });
  const events = [];
  for await (const event of response) events.push(event.type);
  return { events, sent, message: await response.result() };
};

test("a time for the answer is none for what it says, and one that comes too late is ended", async () => {
  const slow = () => answers(30);
  assert.equal((await play(slow, { timeoutMs: 60 })).message.stopReason, "stop");
  const late = async (init) => {
    await pause(30);
    late.wasEnded = init.signal.aborted;
    return slow();
  };
  const { events, message, sent } = await play(late, { timeoutMs: 10 });
  assert.deepEqual([events, message.errorMessage, sent.length], [["error"], "Request timed out.", 1]);
  await pause(40);
  assert.equal(late.wasEnded, true);
  for (const timeoutMs of [0, -1, NaN, undefined, null]) {
    assert.equal((await play(() => answers(), { timeoutMs })).message.stopReason, "stop");
  }
});

test("whoever sees the server's events and never answers is no reason to wait after an abort", async () => {
  const controller = new AbortController();
  const playing = play(() => answers(), { signal: controller.signal, onProviderStreamEvent: () => new Promise(() => {}) });
  await pause(10);
  controller.abort();
  const { message } = await playing;
  assert.deepEqual([message.stopReason, message.errorMessage], ["aborted", "Request was aborted"]);
});

test("a key goes to no address but an absolute one", async () => {
  for (const baseUrl of ["", "/v1", "v1", "not a url", "//host/v1", "http:///v1", "file:///v1", "javascript:alert(1)", undefined, null, 5]) {
    const message = `The base URL must be an absolute address (http or https), not ${JSON.stringify(baseUrl ?? null)}`;
    assert.throws(() => buildRequest({ ...model, baseUrl }, context, { apiKey: KEY }), { message });
    const refused = await play(() => answers(), {}, { ...model, baseUrl });
    assert.deepEqual([refused.message.stopReason, refused.message.errorMessage, refused.sent.length], ["error", message, 0]);
  }
  for (const baseUrl of ["http://localhost:11434/v1", " https://host.example/v1/ ", "HTTPS://[::1]:8080"]) {
    assert.match(buildRequest({ ...model, baseUrl }, context).url, /^https?:.*[^/]\/chat\/completions$/i);
  }
});

test("identities are merged field by field", () => {
  const { mergeClientIdentity: merge } = engine;
  assert.equal(merge(), undefined);
  assert.equal(merge(undefined, undefined), undefined);
  const [one, two] = [{ version: "1", attribution: { name: "a", url: "u" } }, { version: undefined, attribution: null, userAgent: "short" }];
  assert.deepEqual(merge(one, undefined, two), { version: "1", attribution: null, userAgent: "short" });
  assert.deepEqual(one, { version: "1", attribution: { name: "a", url: "u" } });
});
