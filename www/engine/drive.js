// The driver: asks the run what comes next and does it. Every message, tool, hook, result and signal stays the object it is.

import { Calls } from "./calls.js";
import { callEndEvent, messageEvent } from "./events.js";
import { abortedMessage, request, Response } from "./response.js";
import { getDefaultStreamFn } from "./stream_fn.js";
import { Declarations, nameText } from "./tools.js";
import { isThenable, OVER, Waits } from "./waits.js";
import { wasm } from "./wasm.js";

const { Next } = wasm;

const isBad = ({ stopReason }) => stopReason === "error" || stopReason === "aborted";

/** A list that a hook has given: nothing counts as empty. */
const listOf = (value, hook) => {
  if (!value) return [];
  if (!Array.isArray(value)) throw new TypeError(`${hook} must give an array of messages`);
  return value;
};

/** One run, from its first event to its last. */
export class Driver {
  #run = new wasm.LoopRun();
  #waits;
  #declarations = new Declarations();
  #emit;
  #signal;
  #streamFn;
  #config;
  #context;
  #newMessages = [];
  #failure;

  /** Messages that wait to go in, by handle; the run says which of them, and when. */
  #given = [undefined];
  #givenCount = 0;
  #declared;
  #sent;

  #response;
  #answer;
  #calls;
  #result;
  #toolResults = [];
  #turn;
  #late;

  /** `context` is the run's own object from here on. Without a stream function it is the default one. */
  constructor({ context, config, emit, signal, streamFn }) {
    this.#context = context;
    this.#config = config;
    this.#emit = emit;
    this.#signal = signal;
    this.#streamFn = streamFn;
    this.#waits = new Waits(signal, config.abortGraceMs, {
      abort: () => this.#run.abort(),
      giveUp: () => this.#run.graceOver(),
    });
  }

  /** Begins with prompts, or, without them, from the context as it is, and goes to the end. Gives the new messages. */
  async go(prompts) {
    const run = this.#run;
    try {
      this.#declarations.stageTools(run, this.#context.tools);
      let known = this.#declarations.stageContext(run, this.#context.messages);
      if (prompts) this.#stage(prompts);
      else {
        // It stands for all that declares nothing; that the model may be asked has been made sure of.
        run.stageMessage(0);
        known += 1;
      }
      run.begin(known, !prompts, this.#config.toolExecution === "sequential");
      await this.#loop();
      return this.#newMessages;
    } finally {
      this.#waits.close();
      this.#response?.abandon();
      this.#calls?.close();
      run.free();
    }
  }

  async #loop() {
    const run = this.#run;
    this.#waits.check();
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      this.#waits.look();
      const next = run.poll();
      if (next === Next.Done) return;
      if (next === Next.Wait) {
        await this.#waits.untilWoken();
        continue;
      }
      const event = this.#event(next);
      if (event !== undefined) {
        const told = this.#emit(event);
        if (isThenable(told)) await told;
        // The caller's next lines belong before the first poll: they may queue something, or abort.
        else if (next === Next.AgentStart) await undefined;
        const closing = this.#afterEvent(next);
        if (closing !== undefined) await closing;
        continue;
      }
      const doing = this.#question(next);
      if (isThenable(doing)) await doing;
    }
  }

  /** The event that comes next; nothing for a question. */
  #event(next) {
    switch (next) {
      case Next.AgentStart:
        return { type: "agent_start" };
      case Next.TurnStart:
        return { type: "turn_start" };
      case Next.GivenStart:
      case Next.GivenEnd:
        return messageEvent(next === Next.GivenStart, this.#given[this.#run.index()]);
      case Next.DeclarationStart:
        this.#declared = this.#declarations.message(this.#run, this.#given[this.#run.index()]);
        return messageEvent(true, this.#declared);
      case Next.DeclarationEnd:
        return messageEvent(false, this.#declared);
      case Next.AnswerStart:
        return { type: "message_start", message: { ...(this.#answer ?? this.#response.partial) } };
      case Next.AnswerEnd:
        return { type: "message_end", message: this.#answer };
      case Next.ResultStart:
        this.#result = this.#calls.message(this.#run.index());
        return messageEvent(true, this.#result);
      case Next.ResultEnd:
        return messageEvent(false, this.#result);
      case Next.CallStart: {
        const { id, name, arguments: args } = this.#calls.toolCall(this.#run.index());
        return { type: "tool_execution_start", toolCallId: id, toolName: name, args };
      }
      case Next.CallEnd:
      case Next.CallRefused:
        return callEndEvent(this.#calls.end(this.#run.index(), next === Next.CallRefused));
      case Next.TurnEnd: {
        const { message, toolResults } = this.#turn;
        return { type: "turn_end", message, toolResults };
      }
      case Next.AgentEnd:
        return { type: "agent_end", messages: this.#newMessages };
      default:
        return undefined;
    }
  }

  /** What an event leaves behind, once everyone has been told. Gives a promise where that takes time. */
  #afterEvent(next) {
    switch (next) {
      case Next.GivenEnd: {
        const handle = this.#run.index();
        this.#enter(this.#given[handle]);
        this.#forget(handle);
        break;
      }
      case Next.DeclarationEnd:
        this.#enter(this.#declared);
        this.#forget(this.#run.index());
        this.#declared = undefined;
        break;
      case Next.AnswerEnd:
        this.#newMessages.push(this.#answer);
        this.#toolResults = [];
        return this.#closeResponse();
      case Next.ResultEnd:
        this.#toolResults.push(this.#result);
        break;
      case Next.TurnEnd:
        this.#throwLate();
        break;
      default:
    }
    return undefined;
  }

  /** The stream of the response cleans up before the run goes on. */
  #closeResponse() {
    const closing = this.#response?.close();
    if (closing === undefined) return this.#throwLate();
    return closing.then(() => this.#throwLate());
  }

  /** What went wrong with an answer comes out after the events that tell of it, as in pi. */
  #throwLate() {
    if (this.#late) throw this.#late.error;
  }

  /** Reads what may throw; if it does, the run fails after the next event. */
  #read(body, otherwise) {
    try {
      return body();
    } catch (error) {
      this.#late = { error };
      return otherwise;
    }
  }

  #enter(message) {
    this.#context.messages.push(message);
    this.#declarations.sawMessage(message);
    this.#newMessages.push(message);
  }

  #forget(handle) {
    if (handle === 0) return;
    this.#given[handle] = undefined;
    this.#givenCount -= 1;
    if (this.#givenCount === 0) this.#given.length = 1;
  }

  #stage(messages) {
    for (const message of messages) {
      const handle = this.#given.push(message) - 1;
      this.#givenCount += 1;
      if (message.role === "system") this.#declarations.stageSystem(this.#run, handle, message);
      else this.#run.stageMessage(handle);
    }
  }

  /** Does what the run asks for. Gives a promise where it takes time. */
  #question(next) {
    const run = this.#run;
    const config = this.#config;
    switch (next) {
      case Next.Prepare:
        return this.#calls.prepare(run.index());
      case Next.BeforeTool:
        return this.#calls.admit(run.index());
      case Next.Execute:
        return this.#calls.execute(run.index());
      case Next.AfterTool:
        return this.#calls.finalize(run.index());
      case Next.PollSteering:
        this.#streamFn ??= getDefaultStreamFn();
        return this.#ask(config.getSteeringMessages?.(), (messages) => {
          this.#stage(listOf(messages, "getSteeringMessages"));
          run.steering();
        });
      case Next.PollFollowUps:
        return this.#ask(config.getFollowUpMessages?.(), (messages) => {
          this.#stage(listOf(messages, "getFollowUpMessages"));
          run.followUps();
        });
      case Next.PrepareNextTurn:
        return this.#ask(config.prepareNextTurn?.(this.#turn), (update) => {
          this.#change(update);
          this.#stage(listOf(update?.messages, "prepareNextTurn"));
          run.nextTurn();
        });
      case Next.PrepareRequest:
        return this.#ask(config.prepareRequest?.(this.#requestState(), this.#signal), (update) => {
          this.#change(update);
          run.request();
        });
      case Next.TransformContext:
        return this.#ask(config.transformContext?.(this.#context.messages, this.#signal), (messages) => {
          if (config.transformContext) this.#sent = { messages };
          run.context();
        });
      case Next.CallModel:
        return this.#callModel();
      case Next.FinishTurn:
        for (const result of this.#toolResults) this.#enter(result);
        this.#turn = {
          message: this.#answer,
          toolResults: this.#toolResults,
          context: this.#context,
          newMessages: this.#newMessages,
        };
        return this.#ask(config.finishTurn?.(this.#turn, this.#signal), (decision) => {
          const action = isBad(this.#answer) ? undefined : this.#read(() => decision?.action);
          run.finishTurn(typeof action === "string" ? action : "");
        });
      default:
        throw new Error(`engine: internal error: nothing is known of output ${next}`);
    }
  }

  /** Hands on what a hook gave, now or when it is there; not at all when the wait was given up. */
  #ask(value, take) {
    if (!isThenable(value)) return take(value);
    return this.#waits.for(value).then((settled) => (settled === OVER ? undefined : take(settled)));
  }

  #requestState() {
    const { model, reasoning } = this.#config;
    return { context: this.#context, model, thinkingLevel: reasoning ?? "off" };
  }

  /** What a hook replaces for this and later requests; and what anyone has changed in the context by hand. */
  #change(update) {
    if (update) {
      const { context, model, thinkingLevel } = update;
      this.#context = context ?? this.#context;
      const reasoning = thinkingLevel === undefined ? this.#config.reasoning : thinkingLevel;
      this.#config = {
        ...this.#config,
        model: model ?? this.#config.model,
        reasoning: reasoning === "off" ? undefined : reasoning,
      };
    }
    const { tools, messages } = this.#context;
    if (this.#declarations.haveToolsChanged(tools)) {
      this.#declarations.stageTools(this.#run, tools);
      this.#run.replaceTools();
    }
    if (this.#declarations.hasContextChanged(messages)) {
      this.#declarations.stageContext(this.#run, messages);
      this.#run.replaceContext();
    }
  }

  async #callModel() {
    const messages = this.#sent ? this.#sent.messages : this.#context.messages;
    this.#sent = undefined;
    this.#answer = undefined;
    this.#response = undefined;
    const [config, signal, waits] = [this.#config, this.#signal, this.#waits];
    const stream = await request({ config, signal, waits, streamFunction: this.#streamFn }, messages);
    if (stream === OVER) return this.#giveUp();
    const response = new Response(stream, this.#waits);
    this.#response = response;
    for (;;) {
      let event = response.next();
      if (isThenable(event)) event = await event;
      if (event === OVER) return this.#giveUp();
      if (event.type === "end") break;
      const told = this.#emit(event.type === "start" ? this.#start() : this.#update(event));
      if (isThenable(told)) await told;
    }
    const message = await response.result();
    if (message === OVER) return this.#giveUp();
    this.#take(message);
  }

  #start() {
    this.#run.started();
    this.#context.messages.push(this.#response.partial);
    this.#declarations.sawMessage(this.#response.partial);
    return this.#event(this.#run.poll());
  }

  #update(event) {
    const { messages } = this.#context;
    const { partial } = this.#response;
    messages[messages.length - 1] = partial;
    return { type: "message_update", assistantMessageEvent: event, message: { ...partial } };
  }

  /** The response is whole. */
  #take(given) {
    const message = this.#settle(given);
    const { stopReason } = message;
    const toolCalls = isBad(message) ? [] : this.#read(() => message.content.filter((block) => block.type === "toolCall"), []);
    for (const { name } of toolCalls) this.#run.stageCall(nameText(name));
    this.#run.answer(typeof stopReason === "string" ? stopReason : "");
    if (toolCalls.length > 0) this.#calls = new Calls(this.#run, this.#callHost(), message, toolCalls);
  }

  /** The run has ended the response as aborted. */
  #giveUp() {
    this.#settle(abortedMessage(this.#config.model, this.#response?.partial));
    this.#response?.abandon();
  }

  #settle(given) {
    const message = Object.assign(given, { thinkingLevel: this.#config.reasoning ?? "off" });
    const { messages } = this.#context;
    if (this.#response?.partial !== undefined) messages[messages.length - 1] = message;
    else {
      messages.push(message);
      this.#declarations.sawMessage(message);
    }
    this.#answer = message;
    return message;
  }

  #callHost() {
    return {
      config: this.#config,
      context: this.#context,
      tools: this.#context.tools,
      signal: this.#signal,
      waits: this.#waits,
      onUpdate: ({ id, name, arguments: args }, partialResult) =>
        this.#emit({ type: "tool_execution_update", toolCallId: id, toolName: name, args, partialResult }),
      onFailure: (error) => {
        this.#failure ??= { error };
        this.#waits.wake();
      },
    };
  }
}
