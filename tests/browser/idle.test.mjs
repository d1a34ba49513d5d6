// An idle page costs nothing: no timer, no frame, no script, no animation, in the page and in its worker.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";
import { trace } from "./trace.mjs";

/** What a page that wakes up is recorded doing, by the name Chromium gives it. */
const WAKES = [
  "TimerInstall", "TimerFire", "RequestAnimationFrame", "FireAnimationFrame", "RequestIdleCallback", "FireIdleCallback",
  "FunctionCall", "EvaluateScript", "EventDispatch", "SchedulePostMessage", "HandlePostMessage",
  "BeginMainThreadFrame", "UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit", "BeginFrame", "DrawFrame",
];
const RECORDED = ["devtools.timeline", "disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame", "toplevel"];

/** Where tasks come from that Chromium gives itself: it stores compiled wasm, tidies its heap, and writes the record. */
const ITS_OWN = /v8|gin|trace|memory/;

const SETTLED_MS = 3500;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What is in a record between two times, each once; every task of the worker is named by the source that posted it. */
const wakesOf = ({ events, threads }, from, to) => {
  const named = events.filter((event) => event.ts > from && event.ts < to).map((event) => {
    const thread = threads[event.tid];
    const source = thread === "DedicatedWorker thread" && event.name === "ThreadControllerImpl::RunTask" ? event.args.src_file : undefined;
    if (source !== undefined && !ITS_OWN.test(source)) return `${thread}: a task of ${source}`;
    return WAKES.includes(event.name) ? `${thread}: ${event.name}` : "";
  });
  return [...new Set(named)].filter(Boolean).sort();
};

/** Three seconds of rest; the start and the end of the record are the test's own. */
async function wakesAtRest(agent) {
  // Long enough for what the live region still had to say.
  await pause(SETTLED_MS);
  const recording = await trace(agent.tab, RECORDED);
  await pause(3200);
  const record = await recording.stop();
  return wakesOf(record, record.began + 100_000, record.began + 3_100_000);
}

const movingOf = (agent) => agent.do((element) => element.shadowRoot.getAnimations().map((animation) => animation.animationName ?? animation.constructor.name));

test("a paused run wakes for nothing, with a call that is held as it runs", { engines: ["chromium"] }, async (t) => {
  const calls = ["one", "two"].map((id) => ({ id, name: "write", arguments: { path: `${id}.txt`, content: id } }));
  const server = await t.model([answer({ text: "Two.", calls })]);
  const agent = await t.open();
  await agent.useModel(server);
  // The first call has run; the second has started and not ended.
  await agent.do((element) => void (element.debug.breakpoints = [{ event: "tool_execution_end" }]));
  await agent.startPrompt("go");
  await agent.status("paused");
  await until("the second to be shown as running", async () => (await agent.attributes("tool-call", "data-state")).includes("executing"));
  assert.deepEqual(await wakesAtRest(agent), []);
  assert.deepEqual(await movingOf(agent), []);
});

test("an idle page wakes for nothing, neither before a run nor after", { engines: ["chromium"] }, async (t) => {
  const agent = await t.open();
  const atRest = () => wakesAtRest(agent);
  const moving = () => movingOf(agent);

  assert.deepEqual(await atRest(), []);
  assert.deepEqual(await moving(), []);

  // The record would show it: a run does all of these things.
  const recording = await trace(agent.tab, RECORDED);
  await agent.prompt("anything");
  await pause(300);
  const wakes = wakesOf(await recording.stop(), 0, Infinity);
  const expected = [
    ...["FireAnimationFrame", "RequestAnimationFrame", "FunctionCall", "HandlePostMessage", "Layout", "Paint"].map((name) => `CrRendererMain: ${name}`),
    ...["TimerInstall", "TimerFire", "FunctionCall", "SchedulePostMessage"].map((name) => `DedicatedWorker thread: ${name}`),
  ];
  assert.deepEqual(expected.filter((wake) => !wakes.includes(wake)), [], `only ${wakes.join(", ")}`);
  assert.ok(wakes.some((wake) => wake.startsWith("DedicatedWorker thread: a task of")), `only ${wakes.join(", ")}`);

  assert.deepEqual(await atRest(), []);
  assert.deepEqual(await moving(), []);
});
