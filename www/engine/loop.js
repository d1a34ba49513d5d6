// The loop as functions: with prompts or from where the context stands, as a stream or with an awaited sink; and one call
// alone.

import { Calls } from "./calls.js";
import { Driver } from "./drive.js";
import { EventStream } from "./event_stream.js";
import { nameText, withoutDuplicates } from "./tools.js";
import { checkSchemas } from "./validate.js";
import { isThenable, Waits } from "./waits.js";
import { wasm } from "./wasm.js";

/** There must be something for the model to answer. */
const assertCanContinue = (context) => {
  const messages = context.messages;
  if (messages.length === 0) throw new Error("Cannot continue: no messages in context");
  if (messages.at(-1).role === "assistant") throw new Error("Cannot continue from message role: assistant");
};

/** Runs the loop with new messages and gives every message it makes, prompts first. `emit` is awaited at every event. */
export const runAgentLoop = async (prompts, context, config, emit, signal, streamFn) => {
  const own = { ...context, messages: [...context.messages] };
  const driver = new Driver({ context: own, config, emit, signal, streamFn });
  return driver.go(prompts);
};

/** The same from the context as it is; its messages go into the context's own array. */
export const runAgentLoopContinue = async (context, config, emit, signal, streamFn) => {
  assertCanContinue(context);
  const own = { ...context };
  const driver = new Driver({ context: own, config, emit, signal, streamFn });
  return driver.go();
};

/** A run whose events wait for their reader. What makes it fail, reading and `result()` reject with. */
const streamed = (run) => {
  const stream = new EventStream(
    (event) => event.type === "agent_end",
    (event) => event.messages,
  );
  // With a promise at each event: whoever reads keeps up with the run, and may still abort it.
  run(async (event) => stream.push(event)).then(
    (messages) => stream.end(messages),
    (error) => stream.fail(error),
  );
  return stream;
};

/** `runAgentLoop` as a stream of its events. Throws for a tool whose schema does not compile. */
export const agentLoop = (prompts, context, config, signal, streamFn) => {
  checkSchemas(withoutDuplicates(context.tools ?? []));
  return streamed((emit) => runAgentLoop(prompts, context, config, emit, signal, streamFn));
};

/** `runAgentLoopContinue` as a stream of its events. Throws, too, when there is nothing to continue from. */
export const agentLoopContinue = (context, config, signal, streamFn) => {
  assertCanContinue(context);
  checkSchemas(withoutDuplicates(context.tools ?? []));
  return streamed((emit) => runAgentLoopContinue(context, config, emit, signal, streamFn));
};

/**
 * Runs one call as a call of a response would be run: shim, validation, hooks, execution. No events and no messages, and
 * it does not reject for what tools and hooks do.
 */
export const runToolCall = async (toolCall, options) => {
  const { tools, assistantMessage, context, signal, onUpdate, abortGraceMs } = options;
  const { Next, LoopRun } = wasm;
  const exists = tools.some(({ name }) => name === toolCall.name);
  const run = LoopRun.forCall(nameText(toolCall.name), exists);
  const waits = new Waits(signal, abortGraceMs, { abort: () => run.abort(), giveUp: () => run.graceOver() });
  let failure;
  const host = {
    config: options,
    context,
    tools,
    signal,
    waits,
    onUpdate: (_, partialResult) => onUpdate?.(partialResult),
    onFailure: (error) => {
      failure ??= { error };
      waits.wake();
    },
  };
  const calls = new Calls(run, host, assistantMessage, [toolCall]);
  try {
    waits.check();
    for (;;) {
      if (failure) throw failure.error;
      waits.look();
      const next = run.poll();
      if (next === Next.Wait) await waits.untilWoken();
      else if (next === Next.Prepare) calls.prepare(0);
      else if (next === Next.Execute) calls.execute(0);
      else if (next === Next.AfterTool) calls.finalize(0);
      else if (next === Next.BeforeTool) {
        const asked = calls.admit(0);
        if (isThenable(asked)) await asked;
      } else if (next === Next.CallEnd || next === Next.CallRefused) {
        const { result, isError, durationMs } = calls.end(0, next === Next.CallRefused);
        return durationMs === undefined ? { toolCall, result, isError } : { toolCall, result, isError, durationMs };
      }
    }
  } finally {
    waits.close();
    calls.close();
    run.free();
  }
};
