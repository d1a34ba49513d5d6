// A model server on loopback that speaks Chat Completions as real ones do: over real HTTP, with CORS, slowly, and cut where
// no decoder would like it: in the middle of a line, of an escape, of a character. What it answers is scripted, one answer a
// request. It keeps each request and checks it the way a strict server would.

import { createServer } from "node:http";

/** Numbers from a seed, so that a failing split can be seen again. */
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const pieces = (text, size) => Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));

/**
 * A streamed answer.
 * `calls`: `{id?, name, arguments}`; arguments as an object, or as a string that is sent as it stands, valid or not.
 * `cutAfter`, `stallAfter`: after so many SSE events the socket is closed, or nothing more is sent. A browser may drop what it
 * has not handed over when a connection breaks, so who asks for the first part lets it be cut by `cutWhen`, a promise.
 * `wait`: milliseconds between writes; 0 sends at full speed in large writes.
 */
export const answer = ({ text = "", thinking = "", calls = [], finish, wait = 4, size = 5, cutAfter, cutWhen, stallAfter } = {}) => {
  const chunk = (delta, finish_reason = null) => ({
    id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "loopback",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [chunk({ role: "assistant", content: "" })];
  for (const piece of pieces(thinking, size)) events.push(chunk({ reasoning_content: piece }));
  for (const piece of pieces(text, size)) events.push(chunk({ content: piece }));
  calls.forEach((call, index) => {
    const raw = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
    events.push(chunk({ tool_calls: [{ index, id: call.id ?? `call_${index}_${call.name}`, type: "function", function: { name: call.name, arguments: "" } }] }));
    for (const piece of pieces(raw, size)) events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
  });
  events.push(chunk({}, finish ?? (calls.length ? "tool_calls" : "stop")));
  events.push({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "loopback", choices: [], usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } });
  return { kind: "stream", events, wait, cutAfter, cutWhen, stallAfter };
};

/** An answer that is not a stream. */
export const status = (code, body, headers = {}) => ({ kind: "status", code, body, headers });

/** What a strict server would refuse in a request body; empty when there is nothing. */
export function faultsOf(body) {
  const faults = [];
  const fault = (text) => faults.push(text);
  if (body.stream !== true) fault("stream is not true");
  if (typeof body.model !== "string" || !body.model) fault("no model");
  if (!Array.isArray(body.messages) || body.messages.length === 0) return [...faults, "no messages"];
  const seen = new Set();
  let open = [];
  let previous;
  body.messages.forEach((message, at) => {
    const here = `messages[${at}]`;
    if (message.role !== "tool" && open.length) {
      fault(`${here}: ${message.role} before results of ${open.join(", ")}`);
      open = [];
    }
    switch (message.role) {
      case "system":
      case "developer":
        if (at !== 0) fault(`${here}: ${message.role} is not first`);
        if (!message.content?.length) fault(`${here}: empty`);
        break;
      case "user":
        if (!message.content?.length) fault(`${here}: empty user message`);
        break;
      case "assistant":
        if (previous === "assistant") fault(`${here}: two assistant messages in a row`);
        if (!message.content?.length && !message.tool_calls?.length) fault(`${here}: neither text nor calls`);
        for (const call of message.tool_calls ?? []) {
          if (!call.id || seen.has(call.id)) fault(`${here}: call id ${call.id} is missing or not unique`);
          seen.add(call.id);
          open.push(call.id);
          if (call.type !== "function" || !/^[a-zA-Z0-9_-]{1,64}$/.test(call.function?.name ?? "")) fault(`${here}: bad function ${call.function?.name}`);
          try {
            const args = JSON.parse(call.function.arguments);
            if (args === null || typeof args !== "object" || Array.isArray(args)) fault(`${here}: arguments are no object`);
          } catch {
            fault(`${here}: arguments are not JSON`);
          }
        }
        break;
      case "tool":
        if (!open.includes(message.tool_call_id)) fault(`${here}: result of ${message.tool_call_id}, which is not open`);
        open = open.filter((id) => id !== message.tool_call_id);
        if (typeof message.content !== "string" || !message.content) fault(`${here}: a result without text`);
        break;
      default:
        fault(`${here}: role ${message.role}`);
    }
    previous = message.role;
  });
  if (open.length) fault(`no results of ${open.join(", ")}`);
  if (previous === "assistant") fault("ends with an assistant message");
  for (const tool of body.tools ?? []) {
    if (tool.type !== "function" || !tool.function?.name || tool.function.parameters?.type !== "object") fault(`bad tool ${JSON.stringify(tool).slice(0, 80)}`);
  }
  return faults;
}

/**
 * Starts a server. `answers` are given in order, the last one again and again. `cors: false` leaves the headers out that
 * let another origin read the answer.
 */
export async function startModelServer(answers, { seed = 1, cors = true } = {}) {
  const requests = [];
  const waiting = [];
  const next = random(seed);
  const headersFor = (request) => cors
    ? { "access-control-allow-origin": request.headers.origin ?? "*", "access-control-allow-headers": "*, authorization, content-type", "access-control-allow-methods": "GET, POST, OPTIONS", "access-control-allow-private-network": "true" }
    : {};

  const stream = async (response, { events, wait, cutAfter, cutWhen, stallAfter }, record) => {
    const kept = events.slice(0, cutAfter ?? stallAfter ?? events.length);
    let text = kept.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const whole = cutAfter === undefined && stallAfter === undefined;
    // Comments and CRLF are allowed and must not matter.
    text = `: hello\r\n\r\n${text}${whole ? "data: [DONE]\n\n" : ""}`;
    const bytes = Buffer.from(text);
    let at = 0;
    while (at < bytes.length && !record.closed) {
      const size = wait === 0 ? 16384 : 1 + Math.floor(next() * 90);
      response.write(bytes.subarray(at, at + size));
      at += size;
      if (wait > 0) await pause(next() * wait);
      else await new Promise(setImmediate);
    }
    record.sentAll = at >= bytes.length;
    if (stallAfter !== undefined) return;
    await cutWhen;
    if (cutAfter !== undefined) response.socket?.destroySoon();
    else response.end();
  };

  const server = createServer((request, response) => {
    request.socket.setNoDelay(true);
    const cross = headersFor(request);
    if (request.method === "OPTIONS") {
      response.writeHead(204, cross).end();
      return;
    }
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
      if (request.url.endsWith("/models")) {
        response.writeHead(200, { ...cross, "content-type": "application/json" }).end(JSON.stringify({ object: "list", data: [{ id: "loopback", object: "model" }] }));
        return;
      }
      const raw = Buffer.concat(parts).toString();
      const record = { path: request.url, headers: request.headers, raw, closed: false, sentAll: false };
      try {
        record.body = JSON.parse(raw);
        record.faults = faultsOf(record.body);
      } catch (error) {
        record.faults = [`not JSON: ${error.message}`];
      }
      response.on("close", () => (record.closed = true));
      const given = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(record);
      waiting.splice(0).forEach((wake) => wake());
      const now = typeof given === "function" ? await given(record) : given;
      if (now.kind === "status") {
        response.writeHead(now.code, { ...cross, "content-type": "application/json", ...now.headers });
        response.end(typeof now.body === "string" || now.body === undefined ? now.body : JSON.stringify(now.body));
        return;
      }
      response.writeHead(200, { ...cross, "content-type": "text/event-stream", "cache-control": "no-cache" });
      response.flushHeaders();
      await stream(response, now, record);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    url: `${origin}/v1`,
    requests,
    /** Resolves once so many requests have come. */
    async received(n) {
      while (requests.length < n) await new Promise((resolve) => waiting.push(resolve));
    },
    /** Every fault of every request, with its number. */
    faults: () => requests.flatMap((request, index) => request.faults.map((fault) => `request ${index}: ${fault}`)),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
