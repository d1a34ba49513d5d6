// What hooks, tools, schemas, arguments and streams may do wrong, and what comes of it.

import { test } from "node:test";

import { assert, calls, engine, engineModule, pause, result, results, says, scriptedAgent, textOf, tool, user } from "./support.mjs";

const never = () => new Promise(() => {});
const boom = async () => {
  throw new Error("boom");
};

/** The results of a run in which tool "a" is called once with these arguments. */
const callOnce = async (a, args = {}, options = {}) => {
  const played = scriptedAgent([calls(["a", args]), says("done")], { tools: [a], ...options });
  await played.agent.prompt("go");
  return { ...played, results: results(played.agent.state.messages), last: played.agent.state.messages.at(-1) };
};

test("hooks of a call that throw become its result", async () => {
  for (const hook of ["beforeToolCall", "afterToolCall"]) {
    const { results: made, last } = await callOnce(tool("a"), {}, { [hook]: boom });
    assert.deepEqual([hook, made, textOf(last)], [hook, [["a", "boom", true]], "done"]);
  }
  const shim = () => {
    throw new Error("bent");
  };
  assert.deepEqual((await callOnce(tool("a", undefined, { prepareArguments: shim }))).results, [["a", "bent", true]]);
});

test("hooks of the run that throw close it with a message that says so", async () => {
  const hooks = ["transformContext", "convertToLlm", "getApiKey", "prepareRequest", "finishTurn", "prepareNextTurn"];
  for (const hook of hooks) {
    const { last } = await callOnce(tool("a"), {}, { [hook]: boom });
    assert.deepEqual([hook, last.stopReason, last.errorMessage], [hook, "error", "boom"]);
  }
});

test("the loop rejects with the very error a hook has thrown", async () => {
  const error = new Error("mine");
  const config = {
    model: {},
    convertToLlm: () => {
      throw error;
    },
  };
  const run = engine.runAgentLoop([user("go")], { messages: [] }, config, () => {}, undefined, () => {});
  assert.equal(await run.catch((caught) => caught), error);
  const stream = engine.agentLoop([user("go")], { messages: [] }, config, undefined, () => {});
  assert.equal(await stream.result().catch((caught) => caught), error);
  const types = [];
  const read = async () => {
    for await (const { type } of stream) types.push(type);
  };
  assert.equal(await read().catch((caught) => caught), error);
  assert.deepEqual(types, ["agent_start", "turn_start", "message_start", "message_end"]);
});

test("nonsense of a hook is no answer", async () => {
  for (const nonsense of [null, 0, "", "x", 7, true, {}, []]) {
    const answer = async () => nonsense;
    const hooks = { beforeToolCall: answer, afterToolCall: answer, finishTurn: answer, prepareRequest: answer };
    const { results: made, last } = await callOnce(tool("a"), {}, { ...hooks, prepareNextTurn: answer });
    assert.deepEqual([nonsense, made, textOf(last)], [nonsense, [["a", "a done", false]], "done"]);
  }
});

test("messages that are no list close the run", async () => {
  const { last } = await callOnce(tool("a"), {}, { prepareNextTurn: async () => ({ messages: "x" }) });
  assert.equal(last.errorMessage, "prepareNextTurn must give an array of messages");
});

test("an abort ends a run whose hook never answers", async () => {
  const hooks = ["beforeToolCall", "afterToolCall", "finishTurn", "prepareNextTurn"];
  hooks.push("transformContext", "convertToLlm", "getApiKey", "prepareRequest");
  for (const hook of hooks) {
    const played = scriptedAgent([calls(["a"]), says("x")], { tools: [tool("a")], abortGraceMs: 1, [hook]: never });
    const running = played.agent.prompt("go");
    await pause(20);
    played.agent.abort();
    await running;
    const { messages } = played.agent.state;
    assert.deepEqual([hook, messages.at(-1).stopReason, played.events.at(-1).type], [hook, "aborted", "agent_end"]);
    const asked = messages.flatMap(({ role, content }) => (role === "assistant" ? content : [])).filter(({ id }) => id);
    assert.equal(results(messages).length, asked.length, hook);
  }
});

test("an abort ends a run whose tool, stream or stream function never answers", async () => {
  const hung = async (responses, options) => {
    const played = scriptedAgent(responses, { abortGraceMs: 1, ...options });
    const running = played.agent.prompt("go");
    await pause(10);
    played.agent.abort();
    await running;
    return played.agent.state.messages;
  };
  const messages = await hung([calls(["a"]), says("x")], { tools: [tool("a", never)] });
  assert.deepEqual(results(messages), [["a", "Interrupted by the user. The tool may have partly run.", true]]);
  assert.equal(messages.at(-1).stopReason, "aborted");

  const silent = await hung([], { streamFn: never });
  assert.deepEqual([silent.at(-1).content, silent.at(-1).errorMessage], [[], "Request was aborted"]);

  const streamFn = () => {
    const stream = engine.createAssistantMessageEventStream();
    const partial = { ...says("begun"), stopReason: "pending" };
    stream.push({ type: "start", partial });
    return stream;
  };
  const begun = (await hung([], { streamFn })).at(-1);
  assert.deepEqual([textOf(begun), begun.stopReason, begun.errorMessage], ["begun", "aborted", "Request was aborted"]);
});

test("what settles after it was given up changes nothing", async () => {
  let settle;
  const late = new Promise((resolve) => {
    settle = resolve;
  });
  const played = scriptedAgent([calls(["a"]), says("x")], { tools: [tool("a", () => late)], abortGraceMs: 1 });
  const running = played.agent.prompt("go");
  await pause(5);
  played.agent.abort();
  await running;
  const before = JSON.stringify(played.events);
  settle(result("late"));
  await pause(5);
  assert.equal(JSON.stringify(played.events), before);
});

test("an update after the tool has settled is not told", async () => {
  let update;
  const a = tool("a", async (id, args, signal, onUpdate) => {
    update = onUpdate;
    return result("ok");
  });
  const played = await callOnce(a);
  update(result("late"));
  assert.ok(!played.trace().includes("update"));
});

test("a tool may return anything", async () => {
  const cyclic = {};
  cyclic.self = cyclic;
  const rows = [
    [null, undefined, true],
    [undefined, undefined, true],
    ["text", "", false],
    [{}, "", false],
    [{ content: "plain" }, "plain", false],
    [{ content: 7 }, "", false],
    [result("kept", { details: cyclic }), "kept", false],
    [result("kept", { details: () => 1 }), "kept", false],
    [result("failed", { isError: true }), "failed", true],
  ];
  for (const [returned, text, isError] of rows) {
    for (const execute of [() => returned, async () => returned]) {
      const { results: made, last } = await callOnce(tool("a", execute));
      assert.equal(made[0][2], isError);
      if (text !== undefined) assert.equal(made[0][1], text);
      assert.equal(textOf(last), "done");
    }
  }
});

test("a tool may throw anything, at once or later", async () => {
  for (const [thrown, text] of [
    [new Error("bad"), "bad"],
    ["bad", "bad"],
    [7, "7"],
    [undefined, "undefined"],
  ]) {
    const now = () => {
      throw thrown;
    };
    for (const execute of [now, async () => now()]) {
      assert.deepEqual((await callOnce(tool("a", execute))).results, [["a", text, true]]);
    }
  }
});

test("a schema that does not compile is an error that names its tool", () => {
  const bad = tool("bad", undefined, { parameters: { type: "nonsense" } });
  const message = /^Tool "bad": /;
  const streamFn = () => {};
  const config = { model: {}, convertToLlm: (messages) => messages };
  assert.throws(() => new engine.Agent({ streamFn, initialState: { tools: [bad] } }), { message });
  const agent = new engine.Agent({ streamFn, initialState: { tools: [tool("good")] } });
  assert.throws(() => (agent.state.tools = [bad]), { message });
  assert.deepEqual(
    agent.state.tools.map(({ name }) => name),
    ["good"],
  );
  assert.throws(() => engine.agentLoop([user("x")], { messages: [], tools: [bad] }, config, undefined, streamFn), {
    message,
  });
  assert.throws(() => engine.agentLoopContinue({ messages: [user("x")], tools: [bad] }, config, undefined, streamFn), {
    message,
  });
  return assert.rejects(
    engine.runAgentLoop([user("x")], { messages: [], tools: [bad] }, config, () => {}, undefined, streamFn),
    { message },
  );
});

test("a schema with keywords of the wrong kind is a tool's like any other", async () => {
  const parameters = { type: "object", title: 5, description: null, $defs: null, required: null, properties: { a: { type: "string", required: true } } };
  const sloppy = await callOnce(tool("a", undefined, { parameters }), { a: 5 });
  assert.deepEqual(sloppy.results, [["a", "a done", false]]);
  const empty = await callOnce(tool("a", undefined, { parameters: { type: "object", properties: null } }));
  assert.deepEqual(empty.results, [["a", "a done", false]]);
});

test("of two tools with one name the first is declared and called", async () => {
  const first = tool("a", async () => result("first"), { description: "first" });
  const second = tool("a", async () => result("second"), { description: "second" });
  const scripted = engine.createScripted({ seed: 1 });
  scripted.setResponses([calls(["a"]), says("done")]);
  const context = { messages: [], tools: [first, second] };
  const config = { model: scripted.getModel(), convertToLlm: (messages) => messages };
  const messages = await engine.runAgentLoop([user("go")], context, config, () => {}, undefined, scripted.stream);
  assert.deepEqual(results(messages), [["a", "first", false]]);
  const systems = messages.filter(({ role }) => role === "system");
  assert.deepEqual(
    systems.map(({ toolsAdded }) => toolsAdded.map(({ description }) => description)),
    [["first"]],
  );
});

/** A stream of given events, one a microtask, that never ends by itself. */
const streamOf = (events, final) => () => {
  const stream = engine.createAssistantMessageEventStream();
  queueMicrotask(async () => {
    for (const event of events) {
      stream.push(event);
      await undefined;
    }
    if (final) stream.end(final);
  });
  return stream;
};

test("a stream may tell too much, in any order", async () => {
  const message = says("whole");
  const partial = { ...message, content: [], stopReason: "pending" };
  const events = [
    { type: "text_delta", contentIndex: 0, delta: "early", partial },
    { type: "start", partial },
    { type: "start", partial },
    { type: "no such thing", partial },
    { type: "text_delta", contentIndex: 9, delta: "x", partial },
    { type: "done", reason: "stop", message },
    { type: "text_delta", contentIndex: 0, delta: "late", partial },
    { type: "done", reason: "stop", message: says("twice") },
  ];
  const played = scriptedAgent([], { streamFn: streamOf(events) });
  await played.agent.prompt("go");
  const told = played.events.filter(({ type }) => type === "message_update").map((event) => event.assistantMessageEvent);
  assert.deepEqual(told, [events[4]]);
  assert.equal(played.trace(), "agent_start · turn_start · m:user(go) · m:assistant · turn_end · agent_end");
  assert.equal(played.agent.state.messages.at(-1), message);
});

test("a stream that ends without a last event is asked for its result", async () => {
  const message = says("whole");
  const played = scriptedAgent([], { streamFn: streamOf([], message) });
  await played.agent.prompt("go");
  assert.equal(played.agent.state.messages.at(-1), message);
});

test("any async iterable with a result is a stream, and it is told when nobody reads on", async () => {
  const message = says("whole");
  let isClosed = false;
  const stream = {
    async *[Symbol.asyncIterator]() {
      try {
        yield { type: "start", partial: { ...message, content: [] } };
        yield { type: "done", reason: "stop", message };
        yield { type: "start", partial: {} };
      } finally {
        isClosed = true;
      }
    },
    result: async () => message,
  };
  const played = scriptedAgent([], { streamFn: async () => stream });
  await played.agent.prompt("go");
  assert.deepEqual([played.agent.state.messages.at(-1) === message, isClosed], [true, true]);
});

test("no stream at all closes the run", async () => {
  for (const nothing of [undefined, null, 7, {}]) {
    const played = scriptedAgent([], { streamFn: () => nothing });
    await played.agent.prompt("go");
    assert.equal(played.agent.state.messages.at(-1).stopReason, "error");
  }
});

test("a listener that throws closes the run, and a tool it fails under is not to blame", async () => {
  const a = tool("a", async (id, args, signal, onUpdate) => {
    onUpdate(result("so far"));
    return result("ok");
  });
  const played = scriptedAgent([calls(["a"]), says("x")], { tools: [a] });
  let failures = 1;
  played.agent.subscribe(({ type }) => {
    if (type === "tool_execution_update" && failures-- > 0) throw new Error("deaf");
  });
  await played.agent.prompt("go");
  const last = played.agent.state.messages.at(-1);
  assert.deepEqual([last.stopReason, last.errorMessage, played.agent.state.isStreaming], ["error", "deaf", false]);
});

test("a panic is an error, the instance is made anew, and what was lost says so", async () => {
  const { wasm } = await engineModule("wasm.js");
  const { StreamingJson } = await engineModule("streaming_json.js");
  const old = new StreamingJson();
  old.push('{"a":');
  assert.throws(() => wasm.provokePanic("oh no"), { message: /^engine: internal error: [^]*oh no/ });
  old.push("1}");
  assert.throws(() => old.value, { message: /^engine: internal error: [^]*oh no/ });
  old.free();
  assert.deepEqual((await callOnce(tool("a"))).results, [["a", "a done", false]]);
});

test("a run that meets a panic rejects with it and the next run works", async () => {
  const { wasm } = await engineModule("wasm.js");
  const panics = async () => {
    try {
      wasm.provokePanic("in between");
    } catch {
      // The hook itself goes on; the run it belongs to is lost.
    }
  };
  const { last } = await callOnce(tool("a"), {}, { beforeToolCall: panics });
  assert.match(last.errorMessage, /^engine: internal error: [^]*in between/);
  assert.equal(textOf((await callOnce(tool("a"))).last), "done");
});
