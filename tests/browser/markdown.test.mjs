// A message's Markdown: its parser is a module that comes after the page, and may not come at all.

import { assert, test, until } from "./harness.mjs";
import { answer } from "./model_server.mjs";

const TEXT = `# Head

Some **bold** and *slanted* and ~~struck~~ \`code\`, [a link](https://example.org/x "title"), <b>raw</b> &copy;.

- one
- two
  1. deep
- [x] done

> quoted
> lines

| a | b |
|:-:|--:|
| 1 | \`2\` |

\`\`\`js
let x = 1;

x += "<i>";
\`\`\`

![picture](https://example.org/p.png) [no](javascript:alert(1))

---

end  
of it`;

/** What a reader sees of it: each element as `tag(content)`, some with its classes. */
const DRAWN = [
  "h3(Head)",
  "p(Some strong(bold) and em(slanted) and s(struck) code(code), a[https://example.org/x](a link), <b>raw</b> ©.)",
  "ul(li(one)li(twool(li(deep)))li.task(input done))",
  "blockquote(p(quoted lines))",
  "div.tablebox(table.data(thead(tr(th.c(a)th.r(b)))tbody(tr(td.c(1)td.r(code(2))))))",
  "figure.codeblock(div.bar(span.clip(js)span.sp()button.btn.quiet(Copy))pre(code(let x = 1;\n\nx += \"<i>\";\n)))",
  "p(button.picture(span.clip(Load image: picture)) [no](javascript:alert(1)))",
  "hr()",
  "p(endbr()of it)",
];

/** The outline of the last message's text. */
const outline = (agent) => agent.do((element) => {
  const draw = (node) => {
    if (node.nodeType === 3) return node.data;
    if (node.nodeType !== 1) return "";
    const classes = [...node.classList].map((name) => `.${name}`).join("");
    const name = node.localName + classes + (node.href ? `[${node.href}]` : "");
    if (node.localName === "input") return "input";
    return `${name}(${[...node.childNodes].map(draw).join("")})`;
  };
  return [...[...element.shadowRoot.querySelectorAll(".prose")].at(-1).children].map(draw);
});

/** What is drawn of the last message, and what of it is Markdown. */
const shown = (agent) => agent.do((element) => {
  const prose = [...element.shadowRoot.querySelectorAll(".prose")].at(-1);
  return { text: prose?.textContent, space: prose && getComputedStyle(prose.firstElementChild).whiteSpaceCollapse, marked: prose?.querySelectorAll("strong, li, h3").length };
});

/** A gate for a file of the site. */
const gate = () => {
  const held = {};
  held.open = new Promise((resolve) => (held.release = resolve));
  return held;
};

/** Waits for the whole message: the last block may still grow when it is there. */
const allDrawn = async (agent, what) => {
  const isWhole = async () => JSON.stringify(await outline(agent)) === JSON.stringify(DRAWN);
  // What is on screen instead says more than that the time was over.
  await until(`all of it: ${what}`, isWhole).catch(() => {});
  assert.deepEqual(await outline(agent), DRAWN, what);
};

test("every kind of block is drawn as it streams, and what is whole stays the node it was", async (t) => {
  const server = await t.model([answer({ text: TEXT, size: 5, wait: 2 }), answer({ text: TEXT, size: 4000 })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => {
    window.removed = [];
    const note = (nodes) => window.removed.push(...[...nodes].map((node) => node.localName).filter((name) => ["h3", "blockquote", "figure"].includes(name)));
    new MutationObserver((changes) => changes.forEach((change) => note(change.removedNodes))).observe(element.shadowRoot, { subtree: true, childList: true });
  });
  for (const round of ["streamed", "at once"]) {
    await agent.prompt(round);
    await allDrawn(agent, round);
  }
  // While it is typed, a heading or a quote may be drawn again; what stands before the open end is not.
  const removed = await agent.do(() => window.removed);
  assert.ok(!removed.includes("figure"), `${removed}`);
});

test("the parser is asked for once the page has started, and a message stands as it was written until it comes", async (t) => {
  const [page, parser] = [gate(), gate()];
  const asked = [];
  t.server = await t.serve({
    "/some/path/page_bg.wasm": () => page.open,
    "/some/path/worker_bg.wasm": () => void asked.push("worker"),
    "/some/path/markdown.js": () => (asked.push("parser"), parser.open),
  });
  const server = await t.model([answer({ text: TEXT, size: 7 }), answer({ text: "Now **drawn**." })]);
  const agent = await t.open({ waits: false });
  await until("the worker's module is asked for", () => asked.includes("worker"));
  assert.deepEqual(asked, ["worker"]);
  page.release();
  await agent.ready();
  await until("the parser is asked for", () => asked.includes("parser"));

  await agent.useModel(server);
  assert.equal((await agent.prompt("before it comes")).text, TEXT);
  await until("the text as it was written", async () => (await shown(agent)).text === TEXT);
  assert.deepEqual(await shown(agent), { text: TEXT, space: "preserve", marked: 0 });

  parser.release();
  await allDrawn(agent, "the same message as Markdown");
  await agent.prompt("after it came");
  await until("the next one", async () => (await outline(agent))[0] === "p(Now strong(drawn).)");
});

test("without the parser messages stand as they were written, and all else works", async (t) => {
  t.allow(/markdown\.js|MIME|module script/i);
  t.server = await t.serve({ "/some/path/markdown.js": () => "gone" });
  const long = `${"One line of **many**.\n".repeat(3000)}\n  last`;
  const server = await t.model([
    answer({ text: TEXT, calls: [{ name: "write", arguments: { path: "a.txt", content: "a" } }] }),
    answer({ text: long, size: 1000, wait: 0 }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element) => {
    window.told = [];
    element.addEventListener("vitrine-error", (event) => window.told.push(event.detail));
  });
  assert.equal((await agent.prompt("go")).text, long);
  await until("the long one", async () => (await shown(agent)).text === long);
  assert.deepEqual(await shown(agent), { text: long, space: "preserve", marked: 0 });
  assert.deepEqual(await agent.attributes("tool-call", "data-state"), ["recorded"]);
  assert.equal(await agent.do((element) => element.files.readText("a.txt")), "a");
  assert.deepEqual(await agent.do(() => window.told), []);
});

/** Counts the parser's streams from now on, and lets a test break one. */
const watchStreams = (agent) => agent.do(async () => {
  const find = () => performance.getEntriesByType("resource").find((entry) => /\/markdown_bg\.wasm/.test(entry.name) && entry.responseEnd > 0);
  while (!find()) await new Promise((resolve) => setTimeout(resolve, 20));
  const glue = performance.getEntriesByType("resource").find((entry) => /\/markdown\.js/.test(entry.name));
  const { Stream } = await import(glue.name);
  const { push, free } = Stream.prototype;
  const { __wrap: open } = Stream;
  window.streams = { used: new Set(), freed: new Set(), breaks: undefined };
  const trap = (where) => {
    if (window.streams.breaks === where) throw new WebAssembly.RuntimeError("unreachable");
  };
  // What the glue makes a stream with.
  Stream.__wrap = function (...pointer) {
    trap("open");
    return open.apply(this, pointer);
  };
  Stream.prototype.push = function (text) {
    window.streams.used.add(this);
    trap("push");
    return push.call(this, text);
  };
  Stream.prototype.free = function () {
    window.streams.freed.add(this);
    free.call(this);
  };
});
const streams = (agent) => agent.do(() => [window.streams.used.size, window.streams.freed.size]);

test("a stream is freed when its message is whole, and when it leaves the screen before that", async (t) => {
  const server = await t.model([answer({ text: TEXT, size: 9 }), answer({ text: TEXT.repeat(20), stallAfter: 12, size: 40 })]);
  const agent = await t.open();
  await agent.useModel(server);
  await watchStreams(agent);
  await agent.prompt("whole");
  await until("the first is freed", async () => (await streams(agent))[1] === 1);
  assert.deepEqual(await streams(agent), [1, 1]);

  await agent.startPrompt("stalled");
  await until("the second is in use", async () => (await streams(agent))[0] === 2);
  assert.deepEqual(await streams(agent), [2, 1]);
  await agent.do((element) => {
    window.gone = element;
    element.remove();
  });
  await until("it is freed with the element", () => agent.tab.evaluate("window.streams.freed.size === 2"));
});

for (const where of ["open", "push"]) {
  test(`a parser that fails to ${where} costs the looks of that message alone`, async (t) => {
    const server = await t.model([answer({ text: TEXT, size: 30 }), answer({ text: "Then **this**." })]);
    const agent = await t.open();
    await agent.useModel(server);
    await watchStreams(agent);
    await agent.do((_, where) => void (window.streams.breaks = where), where);
    assert.equal((await agent.prompt("breaks")).text, TEXT);
    await until("the text as it was written", async () => (await shown(agent)).text === TEXT);
    assert.equal((await shown(agent)).marked, 0);
    await agent.do(() => void (window.streams.breaks = undefined));
    await agent.prompt("works");
    await until("the next one", async () => (await outline(agent))[0] === "p(Then strong(this).)");
    await until("none is left", () => agent.do(() => window.streams.used.size === window.streams.freed.size));
  });
}
