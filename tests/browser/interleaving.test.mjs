// Whatever is done to a run and in whatever order, the session is whole afterwards: steps, pauses, edits, faults, decisions, going
// back, steering and stopping, at random but the same for each seed.

import { assert, test, until } from "./harness.mjs";

/** Numbers that look random and are the same each time (mulberry32). */
const randomOf = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
};

const call = (name, args) => ({ name, arguments: args });
const LESSON = {
  id: "random", title: "Random", prompt: "Go.", files: { "a.txt": "a\n", "b.txt": "b\n", "c.txt": null },
  model: {
    seed: 3,
    turns: [
      { text: "Two at once.", calls: [call("read", { path: "a.txt" }), call("read", { path: "b.txt" })], stop: "toolUse" },
      { text: "Now a change.", calls: [call("write", { path: "c.txt", content: "c\n" })], stop: "toolUse" },
      { text: "And a look at it, and at what is not there.", calls: [call("read", { path: "c.txt" }), call("read", { path: "d.txt" }), call("nobody", {})], stop: "toolUse" },
      { text: "That is all." }, { text: "Yes?" }, { text: "Yes." },
    ],
  },
  goal: { text: "It has run.", check: [{ text: "It has settled", seen: { event: "settled" } }] },
};

const ACTS = {
  step: ({ debug }) => debug.step(),
  turn: ({ debug }) => debug.stepTurn(),
  answer: ({ debug }) => debug.stepToAnswer(),
  run: ({ debug }) => debug.run(),
  pause: ({ debug }) => debug.pause(),
  abort: (element) => element.abort(),
  steer: (element) => element.steer("And quickly."),
  follow: (element) => element.followUp("One more thing."),
  fault: ({ debug }, n) => debug.fault({ kind: ["block", "throw", "unknown-tool", "length", "drop-result", "reverse-order", "late-update"][n % 7] }),
  policy: (element, n) => element.setPolicy({ mode: ["auto", "ask", "edits", "read-only"][n % 4] }),
  args: (element) => element.debug.edit({ callId: window.lastCall(element), args: { path: "b.txt" } }),
  result: (element) => element.debug.edit({ callId: window.lastCall(element), result: "by hand" }),
  system: ({ debug }) => debug.edit({ system: "Another prompt." }),
  decide: (element, n) => element.decide({ callId: window.lastCall(element), decision: n % 2 ? "allow" : "deny" }),
  back: (element, n) => element.debug.rewind({ event: n % Math.max(1, element.events.length) }),
  continue: (element) => void element.continue().catch(() => {}),
};

/** What is wrong with a transcript: a call without its one result, or a result without its call. */
const faults = (messages) => {
  const wrong = [];
  let open = new Set();
  for (const message of messages) {
    if (message.role === "toolResult") {
      if (!open.delete(message.toolCallId)) wrong.push(`a result of ${message.toolCallId} that nobody waits for`);
      continue;
    }
    for (const id of open) wrong.push(`no result of ${id} before a ${message.role} message`);
    open = new Set(message.role === "assistant" ? message.content.filter(({ type }) => type === "toolCall").map(({ id }) => id) : []);
  }
  return [...wrong, ...[...open].map((id) => `no result of ${id} at the end`)];
};

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
  test(`whatever is done in whatever order leaves a whole session (seed ${seed})`, { limit: 120_000 }, async (t) => {
    const random = randomOf(seed);
    const agent = await t.open();
    await agent.do(() => {
      window.lastCall = (element) => element.transcript.filter(({ role }) => role === "assistant").flatMap(({ content }) => content.filter(({ type }) => type === "toolCall")).at(-1)?.id ?? "none";
    });
    await agent.do((element, lesson) => element.openLesson(lesson), LESSON);
    await agent.start((element) => element.play({ fresh: true }));
    const done = [];
    for (let n = 0; n < 30; n += 1) {
      const names = Object.keys(ACTS);
      const [name, argument] = [names[Math.floor(random() * names.length)], Math.floor(random() * 1000)];
      const outcome = await agent.do(`async (element, name, n) => {
        const refused = new Promise((resolve) => setTimeout(resolve, 4000, "slow"));
        return Promise.race([Promise.resolve((${ACTS[name]})(element, n)).then(() => "done", ({ code }) => code ?? "error"), refused]);
      }`, name, argument);
      done.push(`${name} ${argument}: ${outcome}`);
      assert.notEqual(outcome, "error", `an error without a code: ${done.join(", ")}`);
      assert.notEqual(outcome, "internal", done.join(", "));
    }
    await agent.do((element) => element.setPolicy({ mode: "auto" }));
    await agent.do((element) => element.abort());
    await agent.status("idle");
    const story = done.join(", ");
    const transcript = await agent.transcript();
    assert.deepEqual(faults(transcript), [], story);
    // What is stored is what is on screen, and another reader can open it.
    const [before, after] = await agent.do(async (element) => {
      const { id } = (await element.sessions.list()).find(({ current }) => current);
      const text = await element.sessions.export(id);
      const before = element.transcript;
      await element.sessions.create();
      await element.sessions.import(text.replaceAll(id, "0199aaaa-0000-7000-8000-000000000001"));
      return [before, element.transcript];
    });
    const said = (messages) => messages.filter(({ role }) => role !== "system").map(({ role, content, toolCallId }) => ({ role, content, toolCallId }));
    assert.deepEqual(said(after), said(before), story);
    // And the agent still works.
    await until("an answer", async () => (await agent.prompt("Hello?")).stopReason === "stop");
  });
}
