// Everything a model, a file or a server says is untrusted; a key goes where it belongs and nowhere else.

import { assert, test } from "./harness.mjs";
import { answer, status } from "./model_server.mjs";

const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  '<iframe srcdoc="<script>parent.x=1</script>"></iframe>',
  "[go](javascript:alert(1))",
  "[go](JaVa\tScRiPt:alert(1))",
  "[go](data:text/html;base64,PHNjcmlwdD4=)",
  "<svg/onload=alert(1)>",
  '[a](https://ok.example "t\\" onmouseover=x")',
  "![pixel](https://tracker.example/p.png?secret)",
].join("\n\n");

test("raw HTML is text, links are harmless, remote images are not loaded (f02)", async (t) => {
  const server = await t.model([
    answer({ text: HOSTILE, calls: [{ name: "write", arguments: { path: "<img src=x onerror=alert(1)>.txt", content: "<svg onload=alert(1)>" } }] }),
    answer({ text: "done" }),
  ]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.prompt("<img src=x onerror=alert(2)>");
  const found = await agent.do((element) => {
    const all = [...element.shadowRoot.querySelector('[data-testid="transcript"]').querySelectorAll("*")];
    return {
      forbidden: all.filter((node) => ["script", "iframe", "object", "embed", "style", "form"].includes(node.localName)).map((node) => node.outerHTML),
      handlers: all.flatMap((node) => [...node.attributes].filter((attribute) => attribute.name.startsWith("on")).map((attribute) => attribute.name)),
      images: all.filter((node) => node.localName === "img").map((node) => node.src),
      links: all.filter((node) => node.localName === "a").map((node) => [node.getAttribute("href"), node.rel]),
    };
  });
  assert.deepEqual(found.forbidden, []);
  assert.deepEqual(found.handlers, []);
  assert.deepEqual(found.images, []);
  for (const [href, rel] of found.links) {
    assert.match(href, /^(https?:|mailto:|#)/);
    assert.match(rel, /noopener/);
    assert.match(rel, /noreferrer/);
  }
  assert.ok(found.links.some(([href]) => href.startsWith("https://ok.example")));
  await agent.sees(/<img src=x onerror=alert\(1\)>/);
  const foreign = agent.tab.addresses.filter((address) => !address.startsWith(t.server.site) && !address.startsWith(server.origin));
  assert.deepEqual(foreign, []);
});

test("a key is sent to its origin only and shows up nowhere (g03)", async (t) => {
  t.allow(/status of/);
  const key = "sk-test-4f9a8b7c6d5e4f3a2b1c";
  const server = await t.model([
    answer({ text: "authorised" }),
    // Servers do echo keys.
    status(401, JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } })),
  ]);
  const other = await t.model([answer({ text: "no key here" })]);
  const agent = await t.open();
  await agent.useModel(server);
  await agent.do((element, key, origin) => element.setKey(key, { origin }), key, server.origin);
  assert.equal((await agent.state()).hasKey, true);
  await agent.prompt("one");
  await agent.prompt("two");
  await agent.useModel(other);
  await agent.prompt("three");
  assert.equal(server.requests[0].headers.authorization, `Bearer ${key}`);
  assert.equal(other.requests[0].headers.authorization, undefined);

  const [session] = await agent.do((element) => element.sessions.list());
  const places = {
    events: JSON.stringify(await agent.events()),
    transcript: JSON.stringify(await agent.transcript()),
    state: JSON.stringify(await agent.state()),
    screen: await agent.everything(),
    jsonl: await agent.do((element, id) => element.sessions.export(id, "jsonl"), session.id),
    exported: await agent.do((element, id) => element.sessions.export(id, "events"), session.id),
    requests: [...server.requests, ...other.requests].map((request) => request.path + request.raw).join("\n"),
    storage: await agent.do(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])),
    console: agent.tab.problems.join("\n"),
  };
  assert.deepEqual(Object.keys(places).filter((place) => places[place].includes(key)), []);

  await agent.useModel(server);
  await agent.do((element) => element.forgetKeys());
  assert.equal((await agent.state()).hasKey, false);
  await agent.prompt("four");
  assert.equal(server.requests.at(-1).headers.authorization, undefined);
});

test("a key does not follow a server that moved to another origin", async (t) => {
  const agent = await t.open();
  const first = await t.model([answer({ text: "a" })]);
  const second = await t.model([answer({ text: "b" })]);
  await agent.do((element, origin) => element.setKey("sk-for-the-first", { origin }), first.origin);
  await agent.useModel(second);
  assert.equal((await agent.state()).hasKey, false);
  await agent.prompt("x");
  assert.equal(second.requests[0].headers.authorization, undefined);
});

test("the page states a CSP without inline script or eval, and lives under it (g09)", async (t) => {
  const agent = await t.open();
  const policy = await agent.do(() => document.querySelector('meta[http-equiv="Content-Security-Policy"]').content);
  const scripts = policy.split(";").map((part) => part.trim()).find((part) => part.startsWith("script-src"));
  assert.equal(scripts, "script-src 'self' 'wasm-unsafe-eval'");
  assert.doesNotMatch(policy, /'unsafe-inline'|'unsafe-eval'(?!\w)/);
  const inline = await agent.do(() => [...document.querySelectorAll("script")].filter((script) => !script.src).length + document.querySelectorAll("style").length);
  assert.equal(inline, 0);
  // The trial's check fails on any CSP report; this one is provoked, to know that it would be seen.
  await agent.do(() => document.head.append(Object.assign(document.createElement("style"), { textContent: "p{color:red}" })));
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(agent.tab.problems.some((problem) => /CSP style-src/.test(problem)), "a CSP report was not noticed");
  agent.tab.problems.length = 0;
});
