// 100 KB at full speed: the page stays quick, and its cost does not grow with the message.

import { assert, test } from "./harness.mjs";
import { answer } from "./model_server.mjs";
import { trace } from "./trace.mjs";

const PARAGRAPH = "A paragraph with **bold**, `code` and a [link](https://example.org), as an answer has them. ".repeat(4);
const LONG = Array.from({ length: 280 }, (_, n) => `${n + 1}. ${PARAGRAPH}`).join("\n\n").slice(0, 100_000);

/** What the page's own thread did in each of its tasks: the milliseconds it had the processor, and what else it recorded. */
const tasksOf = ({ events, main }) => events.filter((event) => event.tid === main && event.name === "RunTask" && event.ph === "X").map((task) => ({
  ms: (task.tdur ?? task.dur) / 1000,
  names: events.filter((event) => event.tid === main && event.ts >= task.ts && event.ts < task.ts + task.dur).map((event) => event.name),
}));

/** The value of `body` and the page's tasks during it. What else the machine does at that time is not the page's doing. */
async function recorded(agent, body) {
  const recording = await trace(agent.tab, ["disabled-by-default-devtools.timeline", "devtools.timeline"]);
  const value = await body();
  return [tasksOf(await recording.stop()), value];
}

test("no task of the page exceeds 50 ms while 100 KB stream in", { engines: ["chromium"] }, async (t) => {
  const server = await t.model([answer({ text: LONG, wait: 0, size: 24 })]);
  const agent = await t.open();
  await agent.useModel(server);
  const longest = (tasks) => tasks.reduce((longest, task) => (task.ms > longest.ms ? task : longest));

  const [tasks, result] = await recorded(agent, () => agent.prompt("at length"));
  assert.equal(result.text, LONG);
  // The record holds the work: what the worker told, and the frames that drew it.
  const seen = (name) => tasks.filter((task) => task.names.includes(name)).length;
  assert.ok(seen("HandlePostMessage") >= 3 && seen("FireAnimationFrame") >= 2 && seen("Layout") >= 2, JSON.stringify(tasks.map((task) => new Set(task.names).size)));
  const { ms, names } = longest(tasks);
  assert.ok(ms <= 50, `a task took ${ms.toFixed(1)} ms: ${[...new Set(names)].join(", ")}`);

  // And it would show a task that is too long.
  const [held] = await recorded(agent, () => agent.do(() => {
    const end = performance.now() + 400;
    while (performance.now() < end);
  }));
  assert.ok(longest(held).ms > 50, `a task that held the processor for 400 ms was seen as ${longest(held).ms} ms`);
});

test("what a page does for an answer grows as the answer does, no faster", { engines: ["chromium"] }, async (t) => {
  // The first is for the browser's own compiling and does not count.
  const lengths = [40_000, 40_000, 160_000];
  const text = Array.from({ length: 450 }, (_, n) => `${n + 1}. ${PARAGRAPH}`).join("\n\n");
  const server = await t.model(lengths.map((length) => answer({ text: text.slice(0, length), wait: 0, size: 24 })));
  const agent = await t.open();
  await agent.useModel(server);
  const ms = [];
  for (const length of lengths) {
    await agent.do((element) => element.sessions.create());
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [tasks, result] = await recorded(agent, async () => {
      const result = await agent.prompt("at length");
      await new Promise((resolve) => setTimeout(resolve, 300));
      return result;
    });
    assert.equal(result.text.length, length);
    ms.push(tasks.reduce((sum, task) => sum + task.ms, 0));
  }
  // Four times the text: four times the work when it is linear, sixteen when each delta costs the whole message.
  assert.ok(ms[2] / ms[1] < 5, `milliseconds of work for ${lengths.join(", ")} bytes: ${ms.map(Math.round).join(", ")}`);
});
