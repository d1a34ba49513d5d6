// Plays a scenario, which is data (see README.md), on an agent library and gives what it told, as lines to compare.

import { blockOf, isObject, messagesOf, responseOf } from "./short.mjs";
import { Trace } from "./trace.mjs";

/** A response that is not simply played. */
const isSpecial = ({ events, throws, gives, generator }) => Boolean(events || throws || gives || generator);

/** What comes of the steps of a tool, a hook, a listener, or of the scenario itself. */
class Scene {
  #latches = new Map();
  #counts = new Map();
  #running = [];

  constructor(lib, scenario) {
    this.lib = lib;
    this.scenario = scenario;
    this.trace = new Trace(scenario);
    this.tools = Object.fromEntries(Object.entries(scenario.tools ?? {}).map(([name, spec]) => [name, this.#tool(name, spec)]));
    this.scripted = lib.createScripted();
    this.responses = (scenario.responses ?? []).slice();
    this.scripted.setResponses(this.responses.filter((one) => !isSpecial(one)).map(responseOf));
  }

  named(names) {
    return names.map((name) => this.tools[name]);
  }

  #latch(name) {
    if (!this.#latches.has(name)) {
      const latch = {};
      latch.promise = new Promise((open) => (latch.open = open));
      this.#latches.set(name, latch);
    }
    return this.#latches.get(name);
  }

  /** Does steps one after the other; without a promise where none of them takes time. */
  do(steps = [], about = {}) {
    for (let at = 0; at < steps.length; at += 1) {
      const [verb, ...args] = steps[at];
      if (verb === "return") return this.#value(args[0], about);
      if (verb === "throw") throw new Error(args[0]);
      if (verb === "throw value") throw args[0];
      if (verb === "throw what is no text") throw Object.create(null);
      const done = this.#step(verb, args, about);
      if (typeof done?.then === "function") return done.then(() => this.do(steps.slice(at + 1), about));
    }
    return undefined;
  }

  #step(verb, [first, second], about) {
    const { agent } = this;
    switch (verb) {
      case "wait":
        return new Promise((go) => setTimeout(go, first));
      case "ticks":
        return (async () => {
          for (let at = 0; at < first; at += 1) await undefined;
        })();
      case "never":
        return new Promise(() => {});
      case "open":
        return this.#latch(first).open();
      case "until":
        return this.#latch(first).promise;
      case "update":
        return void about.onUpdate(this.#value(first, about));
      case "args":
        return void Object.assign(about.args, structuredClone(first));
      case "drop tool":
        return void about.context.tools.splice(about.context.tools.findIndex(({ name }) => name === first), 1);
      case "add tool":
        return void about.context.tools.push(this.tools[first]);
      case "push message":
        return void about.context.messages.push(...messagesOf(first));
      case "steer":
      case "followUp":
        if (!agent) return void this.queues[verb].push(...messagesOf(first));
        return messagesOf(first).forEach((message) => agent[verb](message));
      case "abort":
        return void (agent ?? this.controller).abort();
      case "tools":
        agent.state.tools = this.named(first);
        return undefined;
      case "messages":
        agent.state.messages = first.map((one) => (one.blocks ? responseOf(one) : messagesOf(one)[0]));
        return undefined;
      case "set":
        agent[first] = second;
        return undefined;
      case "set state":
        agent.state[first] = second;
        return undefined;
      case "log":
        return this.trace.say("note", first);
      case "see":
        return this.trace.say(`agent.${first}`, agent[first]);
      case "see state":
        return this.trace.say(`state.${first}`, first === "pendingToolCalls" ? [...agent.state[first]] : agent.state[first]);
      case "tell":
        return void this.#guarded(() => this.trace.say(first, agent[first]()));
      case "start":
        this.#running.push(this.#agentRun(first, second));
        return undefined;
      case "join":
        return Promise.all(this.#running.splice(0));
      case "prompt":
      case "continue":
        return this.#agentRun(verb, first);
      default:
        throw new TypeError(`no such step: ${verb}`);
    }
  }

  #agentRun(verb, input) {
    const given = verb === "prompt" ? [typeof input === "string" ? input : messagesOf(input)] : [];
    return this.#guarded(() => this.agent[verb](...given));
  }

  /** What it throws is told, not thrown. */
  #guarded(body) {
    const told = (error) => this.trace.say("threw", error instanceof Error ? `${error.name}: ${error.message}` : error);
    try {
      const done = body();
      return typeof done?.then === "function" ? done.then(() => {}, told) : done;
    } catch (error) {
      return told(error);
    }
  }

  #value(value, about) {
    if (value === "(args)") return { content: [{ type: "text", text: JSON.stringify(about.args) }], details: {} };
    if (value === "(same)") return about.same;
    if (!isObject(value)) return value;
    const { text, context, messages, more, ...rest } = value;
    const made = structuredClone(rest);
    if (text !== undefined) Object.assign(made, { content: [{ type: "text", text }], details: { of: text } }, structuredClone(rest));
    if (messages !== undefined) made.messages = Array.isArray(messages) ? messagesOf(messages) : messages;
    if (context !== undefined) {
      const live = about.context;
      made.context = { messages: live.messages.slice(-(context.last ?? 1000)), tools: context.tools ? this.named(context.tools) : live.tools };
    }
    return made;
  }

  #nth(name) {
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    return count;
  }

  #tool(name, spec) {
    const tool = {
      name,
      label: name,
      description: spec.description ?? `does ${name}`,
      parameters: spec.parameters ?? { type: "object" },
      execute: (id, args, signal, onUpdate) => {
        this.trace.say(`execute ${name}`, [id, args, signal?.aborted]);
        return this.do(spec.does ?? [["return", { text: `${name} done` }]], { args, onUpdate });
      },
    };
    if (!spec.sync) {
      const { execute } = tool;
      tool.execute = async (...given) => execute(...given);
    }
    if (spec.shim) {
      tool.prepareArguments = (args) => {
        this.trace.say(`shim ${name}`, args);
        return this.do(spec.shim, { args, same: args });
      };
    }
    for (const key of ["executionMode", "constrainedSampling"]) if (key in spec) tool[key] = spec[key];
    return tool;
  }

  /** The hooks of the scenario, each telling what it is asked and doing the steps of its n-th call. */
  hooks() {
    const made = {};
    for (const [name, plan] of Object.entries(this.scenario.hooks ?? {})) {
      made[name] = (...given) => {
        const steps = Array.isArray(plan) ? plan[this.#nth(name)] : plan.every;
        this.trace.say(`hook ${name}`, this.#asked(name, given));
        const about = isObject(given[0]) ? { ...given[0], same: given[0].messages } : { context: { messages: given[0] }, same: given[0] };
        const answer = this.do(steps, about);
        // What must give messages gives those it got where the plan says nothing.
        return answer === undefined && (name === "transformContext" || name === "convertToLlm") ? given[0] : answer;
      };
    }
    return made;
  }

  #asked(name, [first, signal]) {
    const isAborted = signal instanceof AbortSignal ? signal.aborted : undefined;
    const shape = (messages) => messages.map(({ role }) => role).join(" ");
    switch (name) {
      case "beforeToolCall":
        return [first.toolCall.id, first.args, shape(first.context.messages), isAborted];
      case "afterToolCall":
        return [first.toolCall.id, first.args, first.result, first.isError, isAborted];
      case "finishTurn":
        return [first.message, first.toolResults, shape(first.context.messages), first.newMessages.length, isAborted];
      case "prepareNextTurn":
      case "prepareNextTurnWithContext":
        return first instanceof AbortSignal ? first.aborted : [first.message, first.toolResults, shape(first.context.messages), isAborted];
      case "prepareRequest":
        return [shape(first.context.messages), first.context.tools?.map((tool) => tool.name), first.model.id, first.thinkingLevel, isAborted];
      case "transformContext":
      case "convertToLlm":
        return [shape(first), isAborted];
      default:
        return first;
    }
  }

  /** The stream function: tells what it got, then plays the next response. */
  streamFn = (model, context, options) => {
    const messages = context.messages.map((message) => {
      if (this.trace.knows(message)) return message;
      const { role, content, toolsAdded, toolsRemoved } = message;
      const names = (tools) => tools?.map(({ name }) => name);
      return [role, content, ...(role === "system" ? [names(toolsAdded), names(toolsRemoved)] : [])];
    });
    const { reasoning, apiKey, mine, signal } = options;
    const told = { reasoning, apiKey, mine, aborted: signal?.aborted || undefined };
    for (const key of Object.keys(told)) if (told[key] === undefined) delete told[key];
    this.trace.say(`request ${model.id}`, [messages, told]);
    const next = this.responses.shift();
    if (next?.throws) throw new Error(next.throws);
    if (next?.gives) return next.gives.value;
    if (next?.generator) return this.#generator(next);
    if (!next?.events) return this.scripted.stream(model, context, options);
    const stream = this.lib.createStream();
    const partial = responseOf({ blocks: [""], stop: "pending" });
    const finals = { done: "message", error: "error" };
    const push = async () => {
      for (const event of next.events) {
        if (event === "wait") await new Promise((go) => setTimeout(go, 1));
        else if (event in finals) stream.push({ type: event, reason: "stop", [finals[event]]: responseOf(next.final) });
        else if (event === "end") stream.end(next.final ? responseOf(next.final) : undefined);
        else stream.push({ type: event, contentIndex: 0, delta: "d", partial });
        await undefined;
      }
    };
    push();
    return stream;
  };

  /** A stream that is not of the library's own making, and what it does in the end. */
  #generator({ generator, final, cleanup }) {
    const message = responseOf(final);
    const told = (type) => (type === "done" ? { type, reason: "stop", message } : { type, contentIndex: 0, delta: "d", partial: message });
    const scene = this;
    const stream = (async function* () {
      try {
        for (const event of generator) yield told(event);
      } finally {
        await scene.do(cleanup);
      }
    })();
    return Object.assign(stream, { result: async () => message });
  }

  /** Takes an event: tells it, then does what the scenario does at it. */
  hear = (event) => {
    this.trace.event(event, this.agent);
    const kind = event.toolName ? `${event.type} ${event.toolName}` : event.message ? `${event.type} ${event.message.role}` : event.type;
    const steps = [];
    for (const name of new Set([event.type, kind])) {
      const count = this.#nth(name);
      for (const one of this.scenario.when ?? []) if (one.event === name && (one.nth ?? 1) === count + 1) steps.push(...one.do);
    }
    return this.do(steps, {});
  };
}

const playAgent = async (scene) => {
  const { lib, scenario } = scene;
  const { systemPrompt, thinkingLevel, messages, tools, ...options } = scenario.agent ?? {};
  scene.agent = new lib.Agent({
    streamFn: scene.streamFn,
    ...scene.hooks(),
    ...options,
    initialState: {
      model: { ...scene.scripted.getModel(), api: "x" },
      systemPrompt,
      thinkingLevel,
      tools: tools ? scene.named(tools) : Object.values(scene.tools),
      messages: messages && messagesOf(messages),
    },
  });
  scene.agent.subscribe(scene.hear);
  await scene.do(scenario.does ?? [["prompt", "go"]]);
  const { state } = scene.agent;
  scene.trace.say("messages", state.messages);
  scene.trace.say("left", [state.errorMessage, state.isStreaming, state.streamingMessage, scene.agent.peekQueuedMessages()]);
};

const drained = (queue, mode) => () => queue.splice(0, mode === "all" ? queue.length : 1);

const playLoop = async (scene, kind) => {
  const { lib, scenario } = scene;
  scene.controller = new AbortController();
  scene.queues = { steer: [], followUp: [] };
  for (const [name, queued] of Object.entries(scenario.queued ?? {})) scene.queues[name].push(...messagesOf(queued));
  const { tools, messages = [] } = scenario.context ?? {};
  const context = { messages: messages.map((one) => (one.blocks ? responseOf(one) : messagesOf(one)[0])) };
  context.tools = tools ? scene.named(tools) : Object.values(scene.tools);
  const config = {
    model: { ...scene.scripted.getModel(), api: "x" },
    convertToLlm: (list) => list,
    getSteeringMessages: drained(scene.queues.steer, scenario.mode),
    getFollowUpMessages: drained(scene.queues.followUp, scenario.mode),
    ...scenario.config,
    ...scene.hooks(),
  };
  const prompts = messagesOf(scenario.prompts ?? ["go"]);
  const how = [scene.controller.signal, scenario.streamFn === null ? undefined : scene.streamFn];
  let run;
  try {
    if (kind === "loop") run = lib.runAgentLoop(prompts, context, config, scene.hear, ...how);
    if (kind === "loop-continue") run = lib.runAgentLoopContinue(context, config, scene.hear, ...how);
    if (kind.startsWith("stream")) {
      const stream = kind === "stream" ? lib.agentLoop(prompts, context, config, ...how) : lib.agentLoopContinue(context, config, ...how);
      run = (async () => {
        // Told when all is over: how far a reader is behind the run is nobody's promise.
        const events = [];
        for await (const event of stream) events.push(event);
        events.forEach(scene.hear);
        return stream.result();
      })();
    }
    scene.trace.say("made", await run);
  } catch (error) {
    scene.trace.say(run ? "rejected" : "threw", error instanceof Error ? `${error.name}: ${error.message}` : error);
  }
  scene.trace.say("context", context.messages);
};

const playCall = async (scene) => {
  const { lib, scenario } = scene;
  const options = {
    tools: Object.values(scene.tools),
    assistantMessage: responseOf("x"),
    context: { messages: [], tools: Object.values(scene.tools) },
    onUpdate: (update) => scene.trace.say("update", update),
    ...scene.hooks(),
  };
  scene.controller = new AbortController();
  options.signal = scene.controller.signal;
  if (scenario.aborted) scene.controller.abort();
  for (const call of scenario.calls) {
    const told = lib.runToolCall(blockOf(call), options);
    await told.then(
      (outcome) => scene.trace.say("outcome", outcome),
      (error) => scene.trace.say("rejected", `${error.name}: ${error.message}`),
    );
  }
};

/** The lines that a scenario gives on a library. */
export const play = async (lib, scenario) => {
  const scene = new Scene(lib, scenario);
  const kind = scenario.entry ?? "agent";
  if (kind === "agent") await playAgent(scene);
  else if (kind === "call") await playCall(scene);
  else await playLoop(scene, kind);
  return scene.trace.lines;
};

/** What a tool with these parameters gets for arguments, or what the model reads. */
export const judge = (validate, parameters, args) => {
  try {
    const got = validate({ name: "t", parameters: structuredClone(parameters) }, { type: "toolCall", id: "1", name: "t", arguments: structuredClone(args) });
    return `gets ${JSON.stringify(got)}`;
  } catch (error) {
    return error.message;
  }
};
