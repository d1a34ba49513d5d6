// Handed cases that show only in a browser: what a driver, a screen or a clipboard does with them.

import { createServer } from "node:http";

import { assert, test, until } from "./harness.mjs";
import { answer, status } from "./model_server.mjs";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** A server whose bytes and silences the test writes itself: `body(write)` decides, and the connection stays open after it. */
async function openEnded(t, body) {
  const seen = { posts: 0, closed: false };
  const server = createServer(async (request, response) => {
    const cross = { "access-control-allow-origin": "*", "access-control-allow-headers": "*, authorization, content-type" };
    if (request.method === "OPTIONS") return void response.writeHead(204, cross).end();
    seen.posts += 1;
    response.on("close", () => (seen.closed = true));
    request.resume();
    response.writeHead(200, { ...cross, "content-type": "text/event-stream" });
    response.flushHeaders();
    await body((text) => response.write(text));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onClose(async () => void server.closeAllConnections() ?? server.close());
  return Object.assign(seen, { url: `http://127.0.0.1:${server.address().port}/v1` });
}

test("the end mark ends the turn though the connection stays open, and the body is cancelled (a14)", async (t) => {
  const server = await openEnded(t, (write) => write(chunk({ content: "done" }) + chunk({}, "stop") + "data: [DONE]\n\n"));
  const agent = await t.open();
  await agent.useModel(server);
  const begin = Date.now();
  const result = await agent.prompt("go");
  assert.deepEqual([result.text, result.stopReason], ["done", "stop"]);
  assert.ok(Date.now() - begin < 3000, `the turn took ${Date.now() - begin} ms`);
  await until("the server to see the connection closed", () => server.closed);
});

test("comments are life, silence is a stall that keeps the text (a24)", async (t) => {
  const server = await openEnded(t, async (write) => {
    write(chunk({ content: "Thin" }));
    for (let n = 0; n < 8; n += 1) {
      await pause(250);
      write(": still here\n\n");
    }
  });
  const agent = await t.open();
  await agent.useModel(server, { compat: { idleTimeoutMs: 1000 } });
  const begin = Date.now();
  const result = await agent.prompt("go");
  const took = Date.now() - begin;
  assert.equal(result.stopReason, "error");
  assert.match(result.errorMessage, /^Stream stalled/);
  assert.ok(took >= 2900 && took < 8000, `comments for 2 s, then 1 s of silence took ${took} ms`);
  assert.deepEqual(await agent.story(), [{ user: "go" }, { model: "Thin", stop: "error" }]);
  await agent.sees(/Thin/, "message-assistant");
  await agent.sees(/Stream stalled/);
  await until("the server to see the connection closed", () => server.closed);
  assert.equal(server.posts, 1, "the request was sent again");
});

test("Stop ends a silent stream at once (a24)", async (t) => {
  const server = await openEnded(t, (write) => write(chunk({ content: "Thin" })));
  const agent = await t.open();
  await agent.useModel(server);
  await agent.startPrompt("go");
  await agent.sees(/Thin/, "message-assistant");
  const begin = Date.now();
  await agent.click("stop");
  const { value } = await agent.finished();
  assert.deepEqual([value.stopReason, value.aborted], ["aborted", true]);
  assert.ok(Date.now() - begin < 2000, `Stop took ${Date.now() - begin} ms`);
  await until("the server to see the connection closed", () => server.closed);
});

test("thinking alone is an empty answer, said on screen with a way to try again, and not sent back (c17)", async (t) => {
  let empty = true;
  const server = await t.model([() => (empty ? answer({ thinking: "I should list files" }) : answer({ text: "Three files." }))]);
  const agent = await t.open();
  await agent.useModel(server);
  const result = await agent.prompt("what is there?");
  assert.equal(result.stopReason, "error");
  await agent.sees(/Empty answer/i);
  empty = false;
  await agent.do((element) => {
    const buttons = [...element.shadowRoot.querySelectorAll('[data-testid="transcript"] button')];
    buttons.find((button) => /^(Try again|重试)$/.test(button.textContent.trim())).click();
  });
  await agent.sees(/Three files\./);
  assert.doesNotMatch(server.requests.at(-1).raw, /I should list files/);
});

test("an abort is in the session before the next message, and survives a tab that goes at once (c01)", async (t) => {
  const calls = ["k1", "k2", "k3"].map((id) => ({ id, name: "write", arguments: { path: `${id}.txt`, content: id } }));
  const server = await t.model([answer({ calls }), answer({ text: "Understood." })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => void (element.debug.breakpoints = [{ event: "tool_execution_start", nth: 2 }]));
  await agent.startPrompt("three calls");
  await agent.status("paused");
  await agent.do((element) => element.abort());
  await agent.tab.reload();
  await agent.ready();
  const [session] = await agent.do((element) => element.sessions.list());
  await agent.do((element, id) => element.sessions.open(id), session.id);
  const stored = (await agent.transcript()).filter((message) => message.role === "toolResult");
  assert.deepEqual(stored.map((result) => result.toolCallId), ["k1", "k2", "k3"]);
  assert.ok(stored.slice(1).every((result) => result.isError));
  await agent.useModel(server);
  await agent.prompt("and now?");
  const results = server.requests[1].body.messages.filter((message) => message.role === "tool");
  assert.deepEqual(results.map((result) => [result.tool_call_id, result.content]), stored.map((result) => [result.toolCallId, result.content[0].text]));
});

test("an imported session with an orphan call goes on, repaired the same way each time (c02)", async (t) => {
  const server = await t.model([answer({ text: "one" }), answer({ text: "two" })]);
  const agent = await t.open();
  const messages = [
    { role: "user", content: "q", timestamp: 1 },
    { role: "assistant", content: [{ type: "toolCall", id: "k1", name: "bash", arguments: {} }], api: "openai-completions", provider: "p", model: "m", stopReason: "toolUse", timestamp: 2 },
    { role: "user", content: "hello?", timestamp: 3 },
    { role: "assistant", content: [{ type: "text", text: "hi" }], api: "openai-completions", provider: "p", model: "m", stopReason: "stop", timestamp: 4 },
    { role: "toolResult", toolCallId: "k9", toolName: "bash", content: [{ type: "text", text: "of no call" }], isError: false, timestamp: 5 },
  ];
  const lines = [{ type: "session", version: 3, id: "00000000-0000-4000-8000-000000000001", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" }];
  messages.forEach((message, at) => lines.push({ type: "message", id: `0000000${at + 1}`, parentId: at ? `0000000${at}` : null, timestamp: "2026-01-01T00:00:00.000Z", message }));
  await agent.do((element, text) => element.sessions.import(text), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await agent.useModel(server);
  await agent.prompt("go on");
  await agent.prompt("and on");
  const [first, second] = server.requests.map((request) => request.body.messages.filter((message) => message.role !== "system"));
  assert.deepEqual(first.slice(0, 5).map((message) => [message.role, message.tool_call_id]), [
    ["user", undefined], ["assistant", undefined], ["tool", "k1"], ["user", undefined], ["assistant", undefined],
  ]);
  assert.deepEqual(second.slice(0, first.length), first);
});

test("HTML in error texts, session titles and file names is text (f02)", async (t) => {
  t.allow(/status of/);
  const evil = "<img src=x onerror=alert(1)><iframe srcdoc='x'></iframe>";
  const server = await t.model([status(500, evil, { "content-type": "text/plain" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element, name) => element.files.writeText(`${name.replaceAll("/", "")}.md`, `${name}\n\n[go](javascript:alert(1))`), evil);
  await agent.prompt(evil);
  await agent.sees(/<img src=x onerror=alert\(1\)>/);
  await until("the file in the list", async () => (await agent.texts("file")).some((text) => text.includes("<img")));
  await agent.do((element) => element.shadowRoot.querySelector('[data-testid="file"]').click());
  await until("the file on screen", async () => (await agent.texts("file-view")).some((text) => text.includes("javascript:")));
  await agent.do((element) => element.shadowRoot.querySelector('[data-testid="sessions"]').click());
  await until("the session's title", async () => (await agent.texts("session-list")).some((text) => text.includes("<img")));
  const found = await agent.do((element) => [...element.shadowRoot.querySelectorAll("img, iframe, script, object, embed, [onerror], [onload], a[href^='javascript' i]")].map((node) => node.outerHTML));
  assert.deepEqual(found, []);
});

test("a stream is two announcements, an error is said at once in the alert region (f08)", async (t) => {
  t.allow(/status of/);
  const server = await t.model([answer({ text: "word ".repeat(40), size: 5, wait: 2 }), status(500, "the model crashed", { "content-type": "text/plain" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => {
    window.heard = [];
    for (const region of element.shadowRoot.querySelectorAll('[role="status"], [role="alert"]')) {
      new MutationObserver(() => region.textContent.trim() && window.heard.push(`${region.getAttribute("role")}: ${region.textContent.trim()}`)).observe(region, { childList: true, characterData: true, subtree: true });
    }
  });
  const heard = () => agent.do(() => window.heard.filter((text, at, all) => text !== all[at - 1]));
  await agent.prompt("talk");
  await until("the end to be announced", async () => (await heard()).length >= 2);
  assert.deepEqual(await heard(), ["status: Generating", "status: Response complete, 40 words"]);
  await agent.prompt("again");
  await until("the error to be announced", async () => (await heard()).some((text) => text.startsWith("alert: ")));
  assert.match((await heard()).find((text) => text.startsWith("alert: ")), /the model crashed/);
  assert.equal(await agent.do((element) => element.shadowRoot.querySelector('[data-testid="transcript"]').closest("[aria-live]:not([aria-live='off'])")), null);
});

test("five megabytes of tool output: a closed card mounts none of it, an open one its ends (f10)", async (t) => {
  const agent = await t.open();
  const show = async (kind) => {
    await agent.do(async (element, kind) => {
      const text = kind === "line" ? "x".repeat(5_000_000) : "25 characters of a line.\n".repeat(200_000);
      const messages = [
        { role: "user", content: kind, timestamp: 1 },
        { role: "assistant", content: [{ type: "toolCall", id: "k1", name: "bash", arguments: {} }], api: "openai-completions", provider: "p", model: "m", stopReason: "toolUse", timestamp: 2 },
        { role: "toolResult", toolCallId: "k1", toolName: "bash", content: [{ type: "text", text }], isError: false, timestamp: 3, durationMs: 1 },
        { role: "assistant", content: [{ type: "text", text: "That was long." }], api: "openai-completions", provider: "p", model: "m", stopReason: "stop", timestamp: 4 },
      ];
      const lines = [{ type: "session", version: 3, id: crypto.randomUUID(), timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" }];
      messages.forEach((message, at) => lines.push({ type: "message", id: `0000000${at + 1}`, parentId: at ? `0000000${at}` : null, timestamp: "2026-01-01T00:00:00.000Z", message }));
      await element.sessions.import(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    }, kind);
    await agent.sees(/That was long\./);
  };
  const drawn = () => agent.do((element) => {
    const card = element.shadowRoot.querySelector('[data-testid="tool-call"]');
    const pre = [...card.querySelectorAll("pre")].map((node) => node.textContent);
    return { bytes: card.textContent.length, longest: Math.max(0, ...pre.flatMap((text) => text.split("\n").map((line) => line.length))) };
  });
  for (const kind of ["line", "lines"]) {
    await show(kind);
    assert.ok((await drawn()).bytes < 1000, `the closed card of ${kind} holds ${(await drawn()).bytes} characters`);
    await agent.do((element) => element.shadowRoot.querySelector('[data-testid="tool-call"] button.open').click());
    await until("the card to open", async () => (await drawn()).bytes > 1000);
    const open = await drawn();
    assert.ok(open.bytes < 40_000 && open.longest <= 1000, `${kind}: ${JSON.stringify(open)}`);
    const card = (await agent.texts("tool-call")).join("");
    assert.match(card, /⋯ [^\n]*\d MB/, "what is left out is not said");
    const buttons = await agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid="tool-call"] button')].map((button) => button.textContent.trim()));
    assert.ok(buttons.some((text) => /download|下载/i.test(text)), `no download among ${JSON.stringify(buttons)}`);
  }
  await agent.tab.reload();
  const begin = Date.now();
  await agent.ready();
  const [session] = await agent.do((element) => element.sessions.list());
  await agent.do((element, id) => element.sessions.open(id), session.id);
  await agent.sees(/That was long\./);
  assert.ok(Date.now() - begin < 10_000, `the reload took ${Date.now() - begin} ms`);
  assert.ok((await drawn()).bytes < 1000);
});

const CODE = "#include <map>\nstd::map<int,int> m;\n";
for (const secure of [true, false]) {
  test(`copy gives the source of a code block, ${secure ? "with" : "without"} navigator.clipboard (f11)`, { engines: ["chromium"] }, async (t) => {
    const server = await t.model([answer({ text: `Here:\n\n\`\`\`cpp\n${CODE}\`\`\`\n` })]);
    const agent = await t.open({ profile: await t.profile({ permissions: ["clipboard-read", "clipboard-write"] }) });
    await agent.useModel(server);
    await agent.prompt("code");
    await agent.do((_, secure) => {
      window.clipboardOfTheTest = navigator.clipboard;
      if (!secure) Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true });
    }, secure);
    await agent.tab.click("figure.codeblock button");
    await until("the button to say that it copied", async () => /Copied/.test(await agent.do((element) => element.shadowRoot.querySelector("figure.codeblock button").textContent)));
    assert.equal(await agent.do(() => window.clipboardOfTheTest.readText()), CODE);
  });
}

test("a browser that refuses to copy is told on the button (f11)", async (t) => {
  const server = await t.model([answer({ text: `\`\`\`cpp\n${CODE}\`\`\`\n` })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("code");
  await agent.do(() => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new DOMException("no", "NotAllowedError")) }, configurable: true });
    document.execCommand = () => false;
  });
  await agent.tab.click("figure.codeblock button");
  await until("the button to say so", async () => /refused/.test(await agent.do((element) => element.shadowRoot.querySelector("figure.codeblock button").textContent)));
});

test("a refused page is given the exact fix, in the answer and by the connection test, and nothing storms (g10)", async (t) => {
  t.allow(/./);
  const server = await t.model([answer({ text: "unreadable" })], { cors: false });
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("hello?");
  const origin = await agent.do(() => location.origin);
  const told = (await agent.transcript()).at(-1).errorMessage;
  assert.ok(told.includes(`OLLAMA_ORIGINS=${origin}`), told);
  await agent.sees(new RegExp(`OLLAMA_ORIGINS=${origin}`));
  await pause(1500);
  assert.ok(server.requests.length <= 1, `${server.requests.length} requests`);

  await agent.click("model");
  await agent.tab.page.locator('[data-testid="base-url"]').fill(server.url);
  await agent.click("test-connection");
  await until("the report", async () => (await agent.attributes("connection", "data-verdict")).length === 1);
  const report = (await agent.texts("connection")).join("");
  assert.ok(report.includes("OLLAMA_ORIGINS") && report.includes(origin), report);
});

test("under the strictest policy that has 'wasm-unsafe-eval' everything works (g09)", async (t) => {
  const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src data:">`;
  const html = `<!doctype html><html lang="en"><meta charset="utf-8">${policy}<link rel="icon" href="data:,"><title>Docs</title><script type="module" src="/some/path/vitrine.js"></script><vitrine-agent loading="eager">static words</vitrine-agent></html>`;
  t.server = await t.serve({ "/docs/page.html": html });
  const tab = await t.tab();
  await tab.goto(`${t.server.origin}/docs/page.html`);
  const agent = await t.agentIn(tab).ready();
  await agent.start((element) => element.play());
  await agent.status("paused");
  await agent.do((element) => element.debug.run());
  assert.equal((await agent.finished()).value.stopReason, "stop");
});
