// Markdown as HTML.

import { test } from "node:test";

import { assert, engine } from "./support.mjs";

test("Markdown becomes HTML in which nothing runs", () => {
  assert.equal(engine.renderMarkdown("**a** `b`"), "<p><strong>a</strong> <code>b</code></p>\n");
  const hostile = [
    "<script>alert(1)</script>",
    "[a](javascript:alert(1))",
    "![a](data:text/html,x)",
    "<img src=x onerror=alert(1)>",
    '[a](https://x.example "\\" onclick=alert(1)")',
  ];
  for (const text of hostile) {
    for (const [, name, attributes] of engine.renderMarkdown(text).matchAll(/<\/?(\w+)((?:[^>"]|"[^"]*")*)>/g)) {
      assert.ok(["p", "a"].includes(name), `${text}: ${name}`);
      const pairs = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)];
      for (const [, key, value] of pairs) {
        assert.ok(["href", "title", "rel"].includes(key), `${text}: ${key}`);
        if (key === "href") assert.match(value, /^https:/);
      }
    }
  }
  assert.equal(typeof engine.renderMarkdown("> ".repeat(10_000)), "string");
  assert.throws(() => engine.renderMarkdown(5), TypeError);
});
