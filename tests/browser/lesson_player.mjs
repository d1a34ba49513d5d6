// Plays a lesson as its author did: the acts of its `solution`, each a call of the public API.

import { until } from "./harness.mjs";

/** A text of a lesson in one language. */
const inLanguage = (value, lang) => {
  if (Array.isArray(value)) return value.map((item) => inLanguage(item, lang));
  if (value === null || typeof value !== "object") return value;
  const keys = Object.keys(value);
  if (keys.length > 0 && keys.every((key) => key === "en" || key === "zh")) return inLanguage(value[lang] ?? value[keys[0]], lang);
  return Object.fromEntries(keys.map((key) => [key, inLanguage(value[key], lang)]));
};

/** Until the run stands still: over, held, or waiting for a person. */
const rest = (agent) => until("the run to stand still", async () => (await agent.state()).status !== "running");

/** Starts the open lesson, until it stands still for the first time. */
const begin = async (agent) => {
  await agent.start((element) => element.play({ fresh: true }));
  await until("the lesson to be played", async () => (await agent.do((element) => element.lesson?.played)) === true);
  await rest(agent);
};

/** The id of the last call that the model asked for. */
const lastCall = (element) =>
  element.events.filter(({ type, message }) => type === "message_end" && message.role === "assistant")
    .flatMap(({ message }) => message.content.filter((block) => block.type === "toolCall")).at(-1)?.id;

const ACTS = {
  answer: (agent, { step, option }) => agent.do(({ lessons }, step, option) => lessons.answer(step, option), step, option),
  hint: (agent, { step }) => agent.do(({ lessons }, step) => lessons.hint(step), step),
  step: (agent) => agent.do(({ debug }) => debug.step()),
  stepTurn: (agent) => agent.do(({ debug }) => debug.stepTurn()),
  resume: (agent) => agent.do(({ debug }) => debug.run()),
  pause: (agent) => agent.do(({ debug }) => debug.pause()),
  fault: (agent, { fault }) => agent.do(({ debug }, fault) => debug.fault(fault), fault),
  steer: (agent, { text }) => agent.do((element, text) => element.steer(text), text),
  followUp: (agent, { text }) => agent.do((element, text) => element.followUp(text), text),
  abort: (agent) => agent.do((element) => element.abort()),
  policy: (agent, { policy }) => agent.do((element, policy) => element.setPolicy(policy), policy),
  tools: (agent, { names }) => agent.do((element, names) => element.setTools(names), names),
  file: (agent, { path, text }) => agent.do(({ files }, path, text) => files.writeText(path, text), path, text),
  prompt: (agent, { text }) => agent.startPrompt(text),
  wait: (agent) => agent.status("idle"),
  edit: (agent, { args, result, system }) =>
    agent.do(
      (element, lastCall, args, result, system) => {
        const callId = new Function(`return ${lastCall}`)()(element);
        return element.debug.edit(system !== null ? { system } : args !== null ? { callId, args } : { callId, result });
      },
      lastCall.toString(), args ?? null, result ?? null, system ?? null,
    ),
  async decide(agent, { decision, reason, args }) {
    await agent.status("waiting");
    const callId = await agent.do((element, lastCall) => new Function(`return ${lastCall}`)()(element), lastCall.toString());
    await agent.do((element, decision) => element.decide(decision), { callId, decision, ...(reason ? { reason } : {}), ...(args ? { args } : {}) });
  },
  async rewind(agent, { event, nth = 1 }) {
    const events = await agent.events();
    let left = nth;
    const at = events.findIndex(({ type }) => type === event && --left === 0);
    if (at < 0) throw new Error(`there is no ${nth}. ${event} to go back to`);
    await agent.do(({ debug }, at) => debug.rewind({ event: at }), at);
    await agent.status("paused");
  },
};

/** Plays the whole solution of a lesson, opened by name, address or as itself. Gives the lesson as it stands then. */
export async function playSolution(agent, source, lesson, lang) {
  await agent.do((element, source) => element.openLesson(source), source);
  for (const act of inLanguage(lesson.solution, lang)) {
    if (act.do === "play") await begin(agent);
    else if (!ACTS[act.do]) throw new Error(`the player knows no act "${act.do}"`);
    else await ACTS[act.do](agent, act);
    await rest(agent);
  }
  return standing(agent);
}

/** Plays it without doing anything but let the run go on. */
export async function playThrough(agent, source) {
  await agent.do((element, source) => element.openLesson(source), source);
  await begin(agent);
  for (let holds = 0; holds < 100; holds += 1) {
    await rest(agent);
    const { status } = await agent.state();
    if (status === "idle") return standing(agent);
    if (status === "paused") await ACTS.resume(agent);
    else await ACTS.decide(agent, { decision: "deny" });
  }
  throw new Error("the run was held a hundred times");
}

/** The lesson as the learner sees it, once it has taken in that the session has settled. */
const standing = async (agent) => {
  await agent.status("idle");
  return agent.do((element) => element.lesson);
};
