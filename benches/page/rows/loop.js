// The loop: turns, what a wire carries, and arguments that stream in.

import { StreamingJson } from "../../engine/streaming_json.js";
import { answerChunks, argumentsText, fetchOf, pieces } from "./arguments.js";
import { compare, exponent } from "../measure.js";
import { MODEL, context, noop, runLoop } from "./stub.js";

/** Of short work that leaves garbage: many, since a collection falls on few of them. */
const SAMPLES = 25;

/** Ours is our wasm and the `engine` package, the peer pi. */
export function loopRows({ bench, engine, pi }) {
  const ours = { runAgentLoop: engine.runAgentLoop, createStream: engine.createAssistantMessageEventStream };
  const peer = { runAgentLoop: pi.runAgentLoop, createStream: pi.createAssistantMessageEventStream };

  const empty = new bench.TurnBench(0);
  const native = (turns, calls, from = empty) => {
    let length = 0;
    const isWhole = from.run(turns, calls, (text) => (length += text.length));
    if (!isWhole || length < turns * 200) throw new Error("the run did not come to its end");
  };

  const growth = async (sizes, work, repetitions = 7) => {
    const points = [];
    for (const size of sizes) points.push([size, (await compare({ ours: () => work(size) }, { repetitions })).ours.median]);
    return exponent(points);
  };

  return [
    {
      row: "1", name: "1,000 turns x 1 call, events delivered per frame", limit: 1 / 5,
      exponentLimit: 1.05,
      measure: () => compare({ ours: () => native(1000, 1), pi: () => runLoop(peer, { turns: 1000, calls: 1 }) }),
      growth: () => growth([300, 1000, 3000, 10_000], (turns) => native(turns, 1)),
    },
    {
      row: "1e", name: "the same through `engine`: JavaScript tool, hooks and sink on every event", limit: 1,
      exponentLimit: 1.05,
      measure: () =>
        compare({
          ours: () => runLoop(ours, { turns: 1000, calls: 1, hooks: true }),
          pi: () => runLoop(peer, { turns: 1000, calls: 1, hooks: true }),
        }),
      growth: () => growth([300, 1000, 3000], (turns) => runLoop(ours, { turns, calls: 1, hooks: true })),
    },
    {
      row: "2", name: "100 turns x 10 parallel calls", limit: 1 / 4,
      measure: () => compare({ ours: () => native(100, 10), pi: () => runLoop(peer, { turns: 100, calls: 10 }) }),
    },
    {
      row: "2e", name: "the same through `engine`", limit: 1,
      measure: () =>
        compare({
          ours: () => runLoop(ours, { turns: 100, calls: 10, hooks: true }),
          pi: () => runLoop(peer, { turns: 100, calls: 10, hooks: true }),
        }),
    },
    {
      row: "3", name: "100 turns with 10,000 messages before them / with none (pi: the same ratio)", limit: 1.2, between: ["full", "empty"],
      measure: async () => {
        const full = new bench.TurnBench(10_000);
        const { messages } = context(10_000, noop());
        return compare({
          full: () => native(100, 1, full),
          empty: () => native(100, 1),
          "pi, full": () => runLoop(peer, { turns: 100, calls: 1, messages }),
          "pi, empty": () => runLoop(peer, { turns: 100, calls: 1 }),
        });
      },
    },
    {
      row: "7", name: "a 1 MB argument in 20-character pieces over Chat Completions, with preview", limit: 1 / 4, exponentLimit: 1.05,
      measure: () => {
        const text = argumentsText("string", 1 << 20);
        const chunks = answerChunks(text);
        return compare({ ours: () => decode(bench, chunks, text), pi: () => decodeByPi(pi, chunks, text) }, { repetitions: 7 });
      },
      growth: () => {
        const of = (size) => {
          const text = argumentsText("string", size);
          return [answerChunks(text), text];
        };
        const made = new Map([1 << 17, 1 << 18, 1 << 19, 1 << 20].map((size) => [size, of(size)]));
        return growth([...made.keys()], (size) => decode(bench, ...made.get(size)));
      },
    },
    ...["objects", "string"].map((shape) => ({
      row: shape === "objects" ? "8" : "8s",
      name: `partial JSON alone, 1 MB of ${shape === "objects" ? "small objects" : "one string"}, a preview after each piece`,
      limit: 1 / 2, exponentLimit: 1.05,
      measure: () => {
        const text = argumentsText(shape, 1 << 20);
        const all = pieces(text);
        if (JSON.stringify(preview(all)) !== text) throw new Error("the preview is wrong");
        return compare({ ours: () => preview(all), pi: () => previewByPi(pi, all) }, { repetitions: SAMPLES });
      },
      growth: () => {
        const made = new Map([1 << 17, 1 << 18, 1 << 19, 1 << 20].map((size) => [size, argumentsText(shape, size)]));
        const cut = new Map([...made].map(([size, text]) => [size, pieces(text)]));
        return growth([...made.keys()], (size) => preview(cut.get(size)), SAMPLES);
      },
    })),
  ];
}

function decode(bench, chunks, text) {
  const stream = new bench.ArgumentStream();
  for (const chunk of chunks) stream.push(chunk);
  const length = stream.finish();
  const deltas = stream.deltas();
  stream.free();
  if (length !== text.length || deltas < text.length / 20) throw new Error(`${length} characters in ${deltas} pieces where ${text.length} were sent`);
}

async function decodeByPi(pi, chunks, text) {
  const model = { ...MODEL, api: "openai-completions", provider: "openai", baseUrl: "http://localhost:1/v1" };
  const messages = [{ role: "user", content: "go", timestamp: 0 }];
  const stream = pi.stream(model, { messages }, { apiKey: "key", fetch: fetchOf(chunks), maxRetries: 0 });
  let deltas = 0;
  for await (const event of stream) if (event.type === "toolcall_delta") deltas += 1;
  const result = await stream.result();
  const call = result.content.find((block) => block.type === "toolCall");
  if (!call || deltas < text.length / 20) throw new Error(`pi: ${result.errorMessage ?? "no call"} after ${deltas} pieces`);
}

/** What holds a call's arguments while `engine` streams them; a value that is not asked for would not be read. */
function preview(all) {
  const reader = new StreamingJson();
  let last;
  for (const piece of all) {
    reader.push(piece);
    last = reader.value;
  }
  reader.free();
  if (last?.path === undefined) throw new Error("the preview is wrong");
  return last;
}

function previewByPi(pi, all) {
  const stream = new pi.ToolCallArgumentsStream();
  let last;
  for (const piece of all) last = stream.append(piece);
  if (last?.path === undefined) throw new Error("pi: the preview is wrong");
}
