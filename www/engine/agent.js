// The loop with a memory: an agent keeps the transcript, queues what comes in while it works, and tells its listeners.

import { createAgentState, reduce } from "./agent_state.js";
import { runAgentLoop, runAgentLoopContinue } from "./loop.js";
import { MessageQueue } from "./queue.js";
import { getDefaultStreamFn } from "./stream_fn.js";
import { getCurrentSystemMessage } from "./transcript.js";
import { isThenable } from "./waits.js";

const MODEL_ROLES = new Set(["system", "user", "assistant", "toolResult"]);

/** The messages a model knows; those of an application's own roles stay here. */
const convertToLlm = (messages) => messages.filter(({ role }) => MODEL_ROLES.has(role));

/** Options that are handed on as they are, at the time of each run. */
const HANDED_ON = [
  "sessionId",
  "onPayload",
  "onResponse",
  "onProviderStreamEvent",
  "transport",
  "thinkingBudgets",
  "maxRetryDelayMs",
  "identity",
  "toolExecution",
  "beforeToolCall",
  "afterToolCall",
  "finishTurn",
  "prepareRequest",
  "convertToLlm",
  "transformContext",
  "getApiKey",
];

const userMessages = (input, images) => {
  if (Array.isArray(input)) return input;
  if (typeof input !== "string") return [input];
  return [{ role: "user", content: [{ type: "text", text: input }, ...(images ?? [])], timestamp: Date.now() }];
};

export class Agent {
  #state;
  #listeners = new Set();
  #steering;
  #followUps;
  #run;

  constructor(options = {}) {
    this.#state = createAgentState(options.initialState);
    for (const option of HANDED_ON) this[option] = options[option];
    this.convertToLlm ??= convertToLlm;
    this.transport ??= "auto";
    this.toolExecution ??= "parallel";
    this.abortGraceMs = options.abortGraceMs;
    this.streamFunction = options.streamFn ?? getDefaultStreamFn();
    this.prepareNextTurn = options.prepareNextTurn;
    this.prepareNextTurnWithContext = options.prepareNextTurnWithContext;
    this.#steering = new MessageQueue(options.steeringMode);
    this.#followUps = new MessageQueue(options.followUpMode);
  }

  get state() {
    return this.#state;
  }

  get steeringMode() {
    return this.#steering.mode;
  }

  set steeringMode(mode) {
    this.#steering.mode = mode;
  }

  get followUpMode() {
    return this.#followUps.mode;
  }

  set followUpMode(mode) {
    this.#followUps.mode = mode;
  }

  get signal() {
    return this.#run?.controller.signal;
  }

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  steer(message) {
    this.#steering.add(message);
  }

  followUp(message) {
    this.#followUps.add(message);
  }

  clearSteeringQueue() {
    this.#steering.clear();
  }

  clearFollowUpQueue() {
    this.#followUps.clear();
  }

  clearAllQueues() {
    this.clearSteeringQueue();
    this.clearFollowUpQueue();
  }

  hasQueuedMessages() {
    return !this.#steering.isEmpty || !this.#followUps.isEmpty;
  }

  peekQueuedMessages() {
    return (this.#steering.isEmpty ? this.#followUps : this.#steering).peek();
  }

  abort() {
    this.#run?.controller.abort();
  }

  async waitForIdle() {
    await this.#run?.idle;
  }

  reset() {
    if (this.#run) throw new Error("Agent is already processing. Wait for completion before resetting.");
    const state = this.#state;
    const baseline = getCurrentSystemMessage(state.messages);
    state.messages = baseline ? [baseline] : [];
    this.#settleState();
    state.errorMessage = undefined;
    this.clearAllQueues();
  }

  async prompt(input, images) {
    if (this.#run) {
      throw new Error(
        "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
      );
    }
    await this.#runPrompts(userMessages(input, images));
  }

  async continue() {
    if (this.#run) throw new Error("Agent is already processing. Wait for completion before continuing.");
    const { messages } = this.#state;
    if (messages.every(({ role }) => role === "system")) throw new Error("No messages to continue from");
    if (messages.at(-1).role !== "assistant") {
      await this.#live((signal, emit) =>
        runAgentLoopContinue(this.#context(), this.#config(), emit, signal, this.streamFunction),
      );
      return;
    }
    const steering = this.#steering.drain();
    // This batch was a drain of its own: the run's first poll must not take another.
    if (steering.length > 0) return this.#runPrompts(steering, { skipsFirstPoll: true });
    const followUps = this.#followUps.drain();
    if (followUps.length > 0) return this.#runPrompts(followUps);
    throw new Error("Cannot continue from message role: assistant");
  }

  #runPrompts(messages, options) {
    return this.#live((signal, emit) =>
      runAgentLoop(messages, this.#context(), this.#config(options), emit, signal, this.streamFunction),
    );
  }

  #context() {
    return { messages: this.#state.messages.slice(), tools: this.#state.tools.slice() };
  }

  #config({ skipsFirstPoll = false } = {}) {
    const { model, thinkingLevel } = this.#state;
    const config = { model, reasoning: thinkingLevel === "off" ? undefined : thinkingLevel };
    for (const option of HANDED_ON) config[option] = this[option];
    if (this.abortGraceMs !== undefined) config.abortGraceMs = this.abortGraceMs;
    const prepares = this.prepareNextTurnWithContext || this.prepareNextTurn;
    config.prepareNextTurn = prepares ? (turn) => this.#prepareNextTurn(turn) : undefined;
    config.getSteeringMessages = () => {
      if (!skipsFirstPoll) return this.#steering.drain();
      skipsFirstPoll = false;
      return [];
    };
    config.getFollowUpMessages = () => this.#followUps.drain();
    return config;
  }

  #prepareNextTurn(turn) {
    if (this.prepareNextTurnWithContext) return this.prepareNextTurnWithContext(turn, this.signal);
    return this.prepareNextTurn?.(this.signal);
  }

  /** A run's life, from busy to idle, whatever happens in between. */
  async #live(start) {
    const controller = new AbortController();
    let becomeIdle;
    const idle = new Promise((resolve) => {
      becomeIdle = resolve;
    });
    this.#run = { controller, idle };
    const state = this.#state;
    state.isStreaming = true;
    state.streamingMessage = undefined;
    state.errorMessage = undefined;
    try {
      await start(controller.signal, (event) => this.#tell(event));
    } catch (error) {
      await this.#close(error, controller.signal.aborted);
    } finally {
      this.#settleState();
      becomeIdle();
      this.#run = undefined;
    }
  }

  #settleState() {
    this.#state.isStreaming = false;
    this.#state.streamingMessage = undefined;
    this.#state.pendingToolCalls = new Set();
  }

  /** What a run fails with that no response says becomes one that does. */
  async #close(error, isAborted) {
    const { model } = this.#state;
    const message = {
      role: "assistant",
      content: [{ type: "text", text: "" }],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: isAborted ? "aborted" : "error",
      errorMessage: error instanceof Error ? error.message : String(error),
      timestamp: Date.now(),
    };
    await this.#tell({ type: "message_start", message });
    await this.#tell({ type: "message_end", message });
    await this.#tell({ type: "turn_end", message, toolResults: [] });
    await this.#tell({ type: "agent_end", messages: [message] });
  }

  /** Takes an event in, then tells the listeners, each after the last has let go. Gives a promise only if one of them did. */
  #tell(event) {
    reduce(this.#state, event);
    const signal = this.#run?.controller.signal;
    // A tool's update after its run, which nobody should hear.
    if (!signal) throw new Error("Agent listener invoked outside active run");
    const listeners = this.#listeners.values();
    try {
      for (const listener of listeners) {
        const told = listener(event, signal);
        if (isThenable(told)) return this.#tellRest(told, listeners, event, signal);
      }
    } catch (error) {
      // Not thrown: a tool whose update a listener fails on is not to blame.
      return Promise.reject(error);
    }
    return undefined;
  }

  async #tellRest(told, listeners, event, signal) {
    await told;
    for (const listener of listeners) await listener(event, signal);
  }
}
