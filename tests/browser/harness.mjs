// What the tests are written with: `test(name, options, body)`, and in the body `t`, which opens the built site and talks to
// its element through the public API, the test ids and the keyboard. A test fails on what its body throws, on any error in
// the console, on any CSP report, and on any request that a strict model server would refuse.

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import assert from "node:assert/strict";

import { startModelServer } from "./model_server.mjs";
import { serveFolder } from "./static_server.mjs";

export { assert };
export const tests = [];

/** Where the site is served: not at the root, since no host promises that. */
const PREFIX = "/some/path/";

/**
 * Adds a test. `engines`: where it runs (default: chromium and firefox); `skip`: a function that gives the reason why it
 * cannot run here, or nothing.
 */
export function test(name, options, body) {
  if (typeof options === "function") [options, body] = [{}, options];
  tests.push({ name, engines: ["chromium", "firefox"], ...options, body });
}

export class Skip extends Error {}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again until it is so. On failure says what was seen last. */
export async function until(what, ask, { patience = 15000, every = 40 } = {}) {
  const end = Date.now() + patience;
  let last;
  for (;;) {
    last = await ask();
    if (last) return last;
    if (Date.now() > end) throw new Error(`waited ${patience} ms in vain for: ${what}`);
    await pause(every);
  }
}

/** A call from here into the page: a function and its arguments as one expression. */
const call = (body, args) => `(${body})(...${JSON.stringify(args).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")})`;

/** The element, in a tab. */
class Agent {
  constructor(tab) {
    this.tab = tab;
  }
  /** Runs `body(element, ...args)` in the page and gives its JSON value back. */
  async do(body, ...args) {
    return this.tab.evaluate(call(`async (...args) => (${body})(document.querySelector("vitrine-agent"), ...args)`, args));
  }
  async ready() {
    await this.do(async (element) => {
      await customElements.whenDefined("vitrine-agent");
      await element.ready;
    });
    return this;
  }
  /** Starts something that takes long; `finished` waits for it and gives `{value}` or `{error: {code, message}}`. */
  async start(body, ...args) {
    const source = `(element, ...args) => {
      window.vitrineTestPending = Promise.resolve((${body})(element, ...args)).then(
        (value) => ({ value }),
        (error) => ({ error: { code: error.code, message: String(error.message ?? error) } }),
      );
    }`;
    await this.do(source, ...args);
  }
  finished() {
    return this.tab.evaluate("window.vitrineTestPending");
  }
  prompt(text) {
    return this.do((element, text) => element.prompt(text), text);
  }
  startPrompt(text) {
    return this.start((element, text) => element.prompt(text), text);
  }
  useModel(server, more = {}) {
    return this.do((element, model) => element.setModel(model), { api: "openai-completions", id: "loopback", baseUrl: server.url, ...more });
  }
  state() {
    return this.do((element) => element.state);
  }
  status(wanted) {
    return until(`status ${wanted}`, async () => (await this.state()).status === wanted);
  }
  events() {
    return this.do((element) => element.events);
  }
  /** Types of the events so far, a run of updates as one. */
  async eventTypes() {
    const types = (await this.events()).map((event) => event.type);
    return types.filter((type, index) => type !== "message_update" || types[index - 1] !== type);
  }
  transcript() {
    return this.do((element) => element.transcript);
  }
  /** The transcript in short: who said, called and answered what. */
  async story() {
    const text = (content) => (typeof content === "string" ? content : content.filter((block) => block.type === "text").map((block) => block.text).join(""));
    return (await this.transcript()).filter((message) => message.role !== "system").map((message) => {
      switch (message.role) {
        case "toolResult":
          return { result: text(message.content), of: message.toolName, isError: message.isError };
        case "assistant": {
          const calls = message.content.filter((block) => block.type === "toolCall").map((block) => [block.name, block.arguments]);
          return { model: text(message.content), ...(calls.length ? { calls } : {}), stop: message.stopReason };
        }
        default:
          return { [message.role]: text(message.content) };
      }
    });
  }

  /** What a reader reads at a test id: the text of each element that has it. */
  texts(id) {
    return this.do((element, id) => [...element.shadowRoot.querySelectorAll(`[data-testid="${id}"]`)].map((found) => found.innerText ?? found.textContent), id);
  }
  /** An attribute of each element with a test id. */
  attributes(id, name) {
    return this.do((element, id, name) => [...element.shadowRoot.querySelectorAll(`[data-testid="${id}"]`)].map((found) => found.getAttribute(name)), id, name);
  }
  /** All a reader can read in the element. */
  everything() {
    return this.do((element) => element.shadowRoot.textContent + [...element.shadowRoot.querySelectorAll("*")].map((node) => node.getAttribute("aria-label") ?? "").join(" "));
  }
  sees(pattern, id = "transcript") {
    return until(`${pattern} at ${id}`, async () => pattern.test((await this.texts(id)).join("\n")));
  }
  click(id) {
    return this.tab.click(`[data-testid="${id}"]`);
  }
  focus(id) {
    return this.tab.focus(`[data-testid="${id}"]`);
  }
}

/** What one run of one test has. */
export class Trial {
  #closing = [];
  #allowed = [];
  #tabs = [];
  #servers = [];

  constructor(engine, browser, name) {
    this.engine = engine;
    this.browser = browser;
    this.name = name;
  }

  skip(reason) {
    throw new Skip(reason);
  }
  /** Complaints of the console that this test is about. */
  allow(...patterns) {
    this.#allowed.push(...patterns);
  }
  onClose(close) {
    this.#closing.push(close);
  }

  /** Serves the site; `pages` are host pages beside it, by path. */
  async serve(pages) {
    const dist = process.env.VITRINE_DIST;
    if (!dist || !existsSync(join(dist, "index.html"))) throw new Error("there is no built site; run the tests with cargo xtask test");
    const server = await serveFolder(dist, PREFIX, pages);
    this.onClose(() => server.close());
    return server;
  }

  /** A scripted model server; its requests are checked at the end of the test. */
  async model(answers, options) {
    const server = await startModelServer(answers, options);
    this.#servers.push(server);
    this.onClose(() => server.close());
    return server;
  }

  /** A browser profile: what is stored in one is not seen in another. */
  async profile(options) {
    const profile = await this.browser.profile(options);
    this.onClose(() => profile.close());
    return profile;
  }

  /** A tab without anything in it yet. */
  async tab(profile) {
    const tab = await (profile ?? (await this.profile())).tab();
    this.#tabs.push(tab);
    return tab;
  }

  /** Opens the app and waits until it is up. */
  async open({ query = "", profile, server, waits = true } = {}) {
    this.server = server ?? this.server ?? (await this.serve());
    const tab = await this.tab(profile);
    await tab.goto(this.server.site + query);
    const agent = new Agent(tab);
    if (waits) await agent.ready();
    return agent;
  }

  /** The element of a page that the test opened itself. */
  agentIn(tab) {
    return new Agent(tab);
  }

  /** Fails on what the page complained of, or a server would have. */
  check() {
    const site = this.server?.origin;
    const problems = this.#tabs.flatMap((tab) => tab.problems).filter((problem) => {
      // Chromium tells the console about every status that is not 200; of a model server that is its answer.
      const foreign = /Failed to load resource/.test(problem) && !(site && problem.includes(site));
      return !foreign && !this.#allowed.some((pattern) => pattern.test(problem));
    });
    const faults = this.#servers.flatMap((server) => server.faults());
    assert.deepEqual({ problems, faults }, { problems: [], faults: [] });
  }

  /** A picture of each tab, for a failed test. */
  async picture(folder) {
    await mkdir(folder, { recursive: true });
    const file = `${this.engine} ${this.name}`.replace(/[^\w]+/g, "-");
    await Promise.all(this.#tabs.map((tab, index) => tab.screenshot(join(folder, `${file}-${index}.png`)).catch(() => {})));
  }

  async close() {
    for (const close of this.#closing.reverse()) await close().catch(() => {});
  }
}
