// Plays the scenarios of `wire.mjs` on a stream function: what was sent, what was told, and what it came to, as lines.

const MODEL = {
  api: "openai-completions",
  id: "m",
  provider: "local",
  baseUrl: "http://localhost:1/v1",
  reasoning: false,
  input: ["text"],
  contextWindow: 1_000_000,
  maxTokens: 100_000,
  cost: { input: 3, output: 7, cacheRead: 1, cacheWrite: 2 },
};
const TOOL = { name: "t", description: "d", parameters: { type: "object", properties: { a: { type: "number" } } } };
const MESSAGES = [
  { role: "system", content: "s", toolsAdded: [TOOL], timestamp: 0 },
  { role: "user", content: "u", timestamp: 1 },
];
/** Headers that pi's client sends for reasons of its own are not compared. */
const HEADERS = ["authorization", "http-referer", "session_id", "x-billing-invoke-origin", "x-client-request-id", "x-opencode-client"];
HEADERS.push("x-openrouter-categories", "x-openrouter-title", "x-session-affinity", "x-session-id");

const sorted = (value) => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
};
const line = (value) => JSON.stringify(sorted(value));

const errorOf = (texts, code) => {
  const [text, ...causes] = texts;
  const error = new TypeError(text, causes.length > 0 ? { cause: errorOf(causes, code) } : undefined);
  if (causes.length === 0 && code !== undefined) error.code = code;
  return error;
};

const body = ({ sse, breaks, isCut }) => {
  const encoder = new TextEncoder();
  const chunks = sse.map((item) => item.chunk ?? { id: "r", model: "m", choices: [{ index: 0, delta: item, finish_reason: null }] });
  const texts = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  if (!breaks && !isCut) texts.push("data: [DONE]\n\n");
  return new ReadableStream({
    pull(controller) {
      if (texts.length > 0) controller.enqueue(encoder.encode(texts.shift()));
      else if (breaks) controller.error(errorOf(breaks));
      else controller.close();
    },
  });
};

const answerTo = (answer, signal) => {
  if (answer.isSilent) return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  if (answer.throws) throw errorOf(answer.throws, answer.code);
  if (answer.sse) return new Response(body(answer), { status: 200, headers: { "content-type": "text/event-stream" } });
  return new Response(answer.body, { status: answer.status, headers: answer.headers });
};

const told = ({ type, contentIndex, delta, content, toolCall, reason }) =>
  [type, ...[contentIndex, delta, content, toolCall, reason].filter((value) => value !== undefined).map(line)].join(" ");

/** What is the same in every request. */
const USUAL = ["messages", "model", "stream", "stream_options", "tools"];

/** The lines that `stream` gives for a scenario. */
export const playWire = async (stream, { model, messages = MESSAGES, options, answers, isSentOnly, sees }) => {
  const lines = [];
  let count = 0;
  const fetch = async (_, init) => {
    const headers = new Headers(init.headers);
    const named = HEADERS.filter((name) => headers.has(name)).map((name) => [name, headers.get(name)]);
    lines.push(`sent ${line(Object.fromEntries(named))}`);
    for (const [field, value] of Object.entries(sorted(JSON.parse(init.body)))) {
      if (!isSentOnly || !USUAL.includes(field)) lines.push(`  ${field} ${line(value)}`);
    }
    const answer = answers[Math.min(count, answers.length - 1)];
    count += 1;
    return answerTo(answer, init.signal);
  };
  const seen = [];
  const hooks = sees ? { onProviderStreamEvent: (event) => void seen.push(`server's ${line(event)}`) } : {};
  const response = stream({ ...MODEL, ...model }, { messages }, { apiKey: "k", fetch, ...hooks, ...options });
  if (isSentOnly) {
    await response.result();
    return lines;
  }
  for await (const event of response) lines.push(told(event));
  const { timestamp, durationMs, ...message } = await response.result();
  for (const [field, value] of Object.entries(sorted(message))) lines.push(`${field} ${line(value)}`);
  return [...lines, ...seen];
};
