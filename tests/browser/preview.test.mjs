// A preview: what it shows, that it follows, and that nothing in it gets out.

import { createServer } from "node:http";

import { assert, test, until } from "./harness.mjs";

const write = (agent, path, text) => agent.do(({ files }, path, text) => files.writeText(path, text), path, text);
/** Opens the preview of a file that is in the tree. */
const preview = async (agent, path) => {
  await agent.tab.click(`[data-path="${path}"]`);
  await agent.click("mode-preview");
};
const lines = (agent) => agent.do((element) => [...element.shadowRoot.querySelectorAll('[data-testid="preview-console"] li')].map((line) => `${line.dataset.level}: ${line.textContent}`));
const says = async (agent, line) => {
  let heard = [];
  const come = until(`the console to say ${line}`, async () => (heard = await lines(agent)).includes(line));
  await come.catch((error) => assert.fail(`${error.message}; it says ${JSON.stringify(heard)}`));
};
/** The document inside of both frames, as only a test can reach it. */
const inside = async (agent, read) => {
  const outer = await (await agent.tab.page.locator('[data-testid="preview"]').elementHandle()).contentFrame();
  return outer.childFrames()[0]?.evaluate(read);
};

test("a page is shown with its style sheet, script and picture, follows its files and shows its console", async (t) => {
  const agent = await t.open();
  await write(agent, "site/style.css", "h1 { color: rgb(1, 2, 3); }");
  await write(agent, "site/app.js", "console.log('color', getComputedStyle(document.querySelector('h1')).color, { a: 1 });");
  await write(agent, "site/dot.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='7' height='5'/>");
  await write(agent, "site/index.html", "<!doctype html><link rel=stylesheet href=style.css><h1>Hi</h1><img src='dot.svg' onload='console.info(this.naturalWidth, document.compatMode)'><script src=app.js></script>");
  await preview(agent, "site/index.html");
  await says(agent, 'log: color rgb(1, 2, 3) {"a":1}');
  await says(agent, "info: 7 CSS1Compat");
  // Not only the page itself is followed, but what it is made of.
  await write(agent, "site/style.css", "h1 { color: rgb(4, 5, 6); }");
  await says(agent, 'log: color rgb(4, 5, 6) {"a":1}');
  assert.ok(!(await lines(agent)).some((line) => line.includes("1, 2, 3")), "the console is of the page on show");
  await write(agent, "site/app.js", "null.x; // it throws\n");
  await until("the error", async () => (await lines(agent)).some((line) => /^error: .*null.*\(\d+:\d+\)$/.test(line)));
  t.allow(/null|site|srcdoc/);
});

test("nothing in a preview reaches the network, the page around it, or storage", async (t) => {
  t.allow(/Content.Security.Policy|CSP|blocked|fetch|sandbox|Unsafe|SecurityError|insecure|Refused|violates|srcdoc|NetworkError|denied|frame/i);
  const asked = [];
  const elsewhere = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("");
  });
  await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  t.onClose(() => new Promise((resolve) => elsewhere.close(resolve)));
  const url = `http://127.0.0.1:${elsewhere.address().port}`;
  const agent = await t.open();
  await write(agent, "evil.html", `<!doctype html><meta http-equiv="refresh" content="1;url=${url}/refresh">
    <link rel=stylesheet href="${url}/css"><img src="${url}/img"><script src="${url}/script"></script><iframe src="${url}/frame"></iframe>
    <form action="${url}/form"><button>x</button></form><a href="${url}/link" target=_top>x</a>
    <script>
      const tried = [];
      const attempt = (name, act) => { try { const got = act(); tried.push(name + " " + (got ?? "none")); } catch (error) { tried.push(name + " " + error.name); } };
      attempt("parent", () => parent.document.title);
      attempt("top", () => top.document.title);
      attempt("up", () => parent.parent.document.title);
      attempt("storage", () => localStorage.length);
      attempt("cookie", () => document.cookie);
      attempt("leave", () => { top.location = "${url}/top"; });
      attempt("sideways", () => { parent.location = "${url}/parent"; });
      attempt("popup", () => window.open("${url}/popup"));
      fetch("${url}/fetch").catch(() => {});
      navigator.sendBeacon?.("${url}/beacon");
      try { new WebSocket("${url.replace("http", "ws")}/socket"); } catch {}
      document.querySelector("form").submit();
      document.querySelector("a").click();
      new Image().src = "${url}/image";
      setTimeout(() => { location = "${url}/self"; }, 50);
      console.log(tried.join(", "));
      // To the page itself, past the frame between: it listens to its own frame alone.
      parent.parent.postMessage(["log", "forged"], "*");
    </script>`);
  await preview(agent, "evil.html");
  const tried = (await until("the attempts", async () => (await lines(agent)).find((line) => line.startsWith("log: parent")))).slice(5).split(", ");
  assert.deepEqual(tried.filter((word) => !/(SecurityError|InvalidAccessError|none|undefined)$/.test(word)), []);
  assert.equal(tried.length, 8);
  // Longer than the refresh and the timer.
  await new Promise((resolve) => setTimeout(resolve, 1800));
  assert.deepEqual(asked, []);
  assert.ok((await lines(agent)).some((line) => line.startsWith("warn: blocked")), "what was stopped is said");
  assert.ok(!(await lines(agent)).some((line) => line.includes("forged")));
  assert.equal((await agent.tab.evaluate("location.href")).startsWith(t.server.site), true);
});

test("pictures, tables and Markdown have previews, and SVG is a picture", async (t) => {
  const agent = await t.open();
  await write(agent, "a.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><script>parent.postMessage(['log', 'svg ran'], '*')</script></svg>");
  await write(agent, "t.csv", 'name,n\n"a, b",1\n<img src=x onerror=console.log(1)>,2\n');
  await write(agent, "r.md", "# Title\n\nText with `code`.\n\n<script>alert(1)</script>\n");
  await preview(agent, "a.svg");
  await until("the picture", () => inside(agent, () => document.querySelector("img")?.naturalWidth === 9).catch(() => false));
  await preview(agent, "t.csv");
  await until("the table", () => inside(agent, () => [...document.querySelectorAll("td")].map((cell) => cell.textContent).join("|") === "a, b|1|<img src=x onerror=console.log(1)>|2").catch(() => false));
  assert.deepEqual(await lines(agent), []);
  await preview(agent, "r.md");
  await until("the document", async () => /^Title\s+Text with code\./.test((await agent.texts("markdown-preview")).join()));
  assert.equal(await agent.do((element) => element.shadowRoot.querySelectorAll(".rendered :is(script, iframe)").length), 0);
  await write(agent, "r.md", "Other *words*");
  await until("it to follow", async () => (await agent.texts("markdown-preview")).join().includes("Other words"));
});

// Firefox runs a sandboxed frame of the same site in the page's own process: there the browser itself offers to stop a script.
test("an endless loop in a preview is stopped, and the page goes on", { engines: ["chromium"] }, async (t) => {
  const agent = await t.open();
  await write(agent, "loop.html", "<script>console.log('in'); setTimeout(() => { for (;;) {} }, 50)</script>");
  await preview(agent, "loop.html");
  await says(agent, "log: in");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await agent.do(async (element) => (await element.files.list()).length), 1);
  await agent.click("stop-preview");
  assert.equal(await agent.do((element) => element.shadowRoot.querySelectorAll("iframe").length), 0);
  await write(agent, "loop.html", "<script>console.log('again')</script>");
  await says(agent, "log: again");
});

test("editor and preview work in an element on someone else's page, which has no policy of its own", async (t) => {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Docs</title>
    <script type="module" src="/some/path/embed/vitrine.js"></script><vitrine-agent loading="eager" style="width: 1200px"></vitrine-agent>`;
  let leaked = 0;
  t.server = await t.serve({ "/docs/page.html": page, "/leak": () => `<p>${++leaked}` });
  const tab = await t.tab();
  await tab.goto(`${t.server.origin}/docs/page.html`);
  const agent = t.agentIn(tab);
  await until("the element to be defined", () => agent.do(() => Boolean(customElements.get("vitrine-agent"))));
  await agent.ready();
  await write(agent, "a.html", "<script>console.log('from elsewhere')</script>");
  await preview(agent, "a.html");
  await says(agent, "log: from elsewhere");
  // Here only the frame between keeps a document from being sent to an address.
  await write(agent, "a.html", "<script>console.log('leaving'); location = '/leak'</script>");
  await says(agent, "log: leaving");
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.equal(leaked, 0);
  t.allow(/frame|CSP|Content.Security.Policy|violates/i);
  await agent.click("mode-edit");
  await until("the editor", () => agent.do((element) => Boolean(element.shadowRoot.querySelector(".cm-content"))));
});
