// The calls of one response: shim, validation, hooks and execution, each when the run asks for it.

import { findTool, validateToolArguments } from "./validate.js";
import { isThenable, OVER } from "./waits.js";

/** What there is to wait for when nothing was told on the way. */
const NOTHING_TOLD = Promise.resolve();

/** Throws for what cannot become text: that ends the run, as in pi. */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** The result of a call that failed outside its tool. */
export const errorResult = (text) => ({ content: [{ type: "text", text }], details: {} });

/** What goes into the message, whatever a tool has given as content. */
const contentOf = (content) => {
  if (Array.isArray(content)) return content;
  return typeof content === "string" ? [{ type: "text", text: content }] : [];
};

/** A hook's replacements over a result: whole fields. Structured content that described replaced content goes with it. */
const replaced = (result, after) => {
  const structuredContent = after.structuredContent ?? (after.content ? undefined : result.structuredContent);
  const whole = {
    ...result,
    content: after.content ?? result.content,
    details: after.details ?? result.details,
    usage: after.usage ?? result.usage,
    terminate: after.terminate ?? result.terminate,
  };
  if (structuredContent === undefined) delete whole.structuredContent;
  else whole.structuredContent = structuredContent;
  return whole;
};

/** One call and what has come of it so far. */
class Call {
  tool;
  args;
  result;
  isError = true;
  durationMs;
  /** The text of the error result, where it is known here and not to the run. */
  refusal;
  /** It has its result: whatever else settles comes too late. */
  isOver = false;

  constructor(toolCall) {
    this.toolCall = toolCall;
  }
}

/**
 * The calls of a response, told apart by their place. `host` is `{config, context, tools, signal, waits, onUpdate,
 * onFailure}`: `onUpdate(toolCall, partialResult)` tells of progress, `onFailure(error)` ends the run.
 */
export class Calls {
  #run;
  #host;
  #assistantMessage;
  #calls;

  constructor(run, host, assistantMessage, toolCalls) {
    this.#run = run;
    this.#host = host;
    this.#assistantMessage = assistantMessage;
    this.#calls = toolCalls.map((toolCall) => new Call(toolCall));
  }

  /** The block of a call. */
  toolCall(at) {
    return this.#calls[at].toolCall;
  }

  /** Looks the tool up, runs its shim and validates. */
  prepare(at) {
    const call = this.#calls[at];
    const { toolCall } = call;
    try {
      const tool = findTool(this.#host.tools, toolCall.name);
      // The tools may have been changed since the run was told of them.
      if (!tool) throw new Error(`Tool ${toolCall.name} not found`);
      const prepared = tool.prepareArguments ? tool.prepareArguments(toolCall.arguments) : toolCall.arguments;
      const isSame = prepared === toolCall.arguments;
      call.args = validateToolArguments(tool, isSame ? toolCall : { ...toolCall, arguments: prepared });
      call.tool = tool;
      this.#run.prepared(at);
    } catch (error) {
      call.refusal = messageOf(error);
      this.#run.prepareFailed(at);
    }
  }

  /** Asks the before hook. Gives a promise when it has to be waited for. */
  admit(at) {
    const { config } = this.#host;
    if (!config.beforeToolCall) return this.#run.admitted(at);
    return this.#askBefore(at, this.#calls[at]);
  }

  async #askBefore(at, call) {
    const { config, context, signal, waits } = this.#host;
    const { toolCall, args } = call;
    try {
      let answer = config.beforeToolCall({ assistantMessage: this.#assistantMessage, toolCall, args, context }, signal);
      if (isThenable(answer)) answer = await waits.for(answer);
      if (answer === OVER) return;
      waits.look();
      if (answer?.block) {
        if (answer.reason && !signal?.aborted) call.refusal = String(answer.reason);
        this.#run.blocked(at, answer.terminate === true);
      } else this.#run.admitted(at);
    } catch (error) {
      call.refusal = messageOf(error);
      this.#run.admissionFailed(at);
    }
  }

  /** Starts the tool. That it has settled is told to the run later, always: a tool of no promise is no exception. */
  execute(at) {
    const call = this.#calls[at];
    const updates = [];
    const startedAt = performance.now();
    let isRunning = true;
    const onUpdate = (partialResult) => {
      if (!isRunning || call.isOver) return;
      const told = this.#host.onUpdate(call.toolCall, partialResult);
      updates.push(told);
      // It is waited for below; until then it must not count as unhandled.
      if (isThenable(told)) told.then(undefined, () => {});
    };
    // Of calls that settle at the same time, those that told nothing on the way are over first, and those of tools that
    // throw without a promise before those of tools that return without one.
    const settle = (take) => (value) => {
      isRunning = false;
      if (call.isOver) return;
      call.durationMs = Math.round(performance.now() - startedAt);
      const told = updates.length === 0 ? NOTHING_TOLD : Promise.all(updates);
      told.then(() => call.isOver || take(at, call, value), this.#host.onFailure);
    };
    const succeed = settle(this.#succeeded);
    const fail = settle(this.#failed);
    try {
      // Called so in pi, which a model reads where there is no such function.
      const prepared = call;
      const running = prepared.tool.execute(call.toolCall.id, call.args, this.#host.signal, onUpdate);
      // A promise of ours settles once, whatever a tool has made its own of.
      Promise.resolve(running).then(succeed, fail);
    } catch (error) {
      fail(error);
    }
  }

  #succeeded = (at, call, result) => {
    let isError;
    let terminate;
    try {
      isError = result.isError === true;
      terminate = result.terminate === true;
    } catch (error) {
      return this.#failed(at, call, error);
    }
    call.result = result;
    call.isError = isError;
    this.#tell(() => this.#run.executed(at, isError, terminate));
  };

  #failed = (at, call, error) => {
    this.#tell(() => {
      call.result = errorResult(messageOf(error));
      call.isError = true;
      this.#run.threw(at);
    });
  };

  /** Asks the after hook; the run is told at once or later. */
  finalize(at) {
    const call = this.#calls[at];
    const { config, context, signal } = this.#host;
    if (!config.afterToolCall) return this.#finalized(at, call);
    const { toolCall, args, result, isError } = call;
    const fail = (error) => {
      if (call.isOver) return;
      this.#tell(() => {
        call.result = errorResult(messageOf(error));
        call.isError = true;
        this.#run.finalizeFailed(at);
      });
    };
    const take = (after) => {
      if (call.isOver) return;
      try {
        if (after) {
          call.result = replaced(result, after);
          call.isError = after.isError ?? isError;
        }
        this.#tell(() => this.#finalized(at, call));
      } catch (error) {
        fail(error);
      }
    };
    try {
      const about = { assistantMessage: this.#assistantMessage, toolCall, args, result, isError, context };
      const answer = config.afterToolCall(about, signal);
      if (isThenable(answer)) Promise.resolve(answer).then(take, fail);
      else take(answer);
    } catch (error) {
      fail(error);
    }
  }

  #finalized(at, call) {
    this.#run.finalized(at, call.isError === true, call.result?.terminate === true);
  }

  /** From a callback: the driver may wait for this, and what fails on the way is the driver's. */
  #tell(tell) {
    try {
      tell();
    } catch (error) {
      this.#host.onFailure(error);
    }
    this.#host.waits.wake();
  }

  /** The call is over: its outcome, which from here on stays as it is. */
  end(at, isRefused) {
    const call = this.#calls[at];
    call.isOver = true;
    if (isRefused) {
      call.result = errorResult(call.refusal ?? this.#run.refusal());
      if (this.#run.refusalTerminates()) call.result.terminate = true;
      call.isError = true;
      call.durationMs = undefined;
    }
    return call;
  }

  /** Its tool result message. */
  message(at) {
    const { toolCall, result, isError, durationMs } = this.#calls[at];
    const message = {
      role: "toolResult",
      toolCallId: toolCall.id,
      toolName: toolCall.name,
      content: contentOf(result?.content),
      details: result?.details,
      usage: result?.usage,
      isError,
    };
    if (durationMs !== undefined) message.durationMs = durationMs;
    message.timestamp = Date.now();
    return message;
  }

  /** The run is over: whatever settles now is nobody's business. */
  close() {
    for (const call of this.#calls) call.isOver = true;
  }
}
