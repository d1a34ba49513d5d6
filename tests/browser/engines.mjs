// Chromium and Firefox by playwright-core, WebKitGTK by WebDriver (see webkit.mjs). A tab has the same few members in each:
// goto, reload, evaluate, press, type, click, screenshot, close, and `problems`: what its console and its CSP complained of.

import { chromium, firefox } from "playwright-core";

import { launchWebkit } from "./webkit.mjs";

const QUIET = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];

const program = (variable) => {
  const path = process.env[variable];
  if (!path) throw new Error(`${variable} is not set; run the tests with cargo xtask test`);
  return path;
};

/**
 * Starts a browser; `tab(options)` opens a tab in a profile of its own, `options` as playwright's context options. `keepsPages`:
 * it has a back-forward cache, which playwright switches off in Chromium.
 */
export async function launch(engine, { keepsPages = false } = {}) {
  switch (engine) {
    case "chromium":
      // A sandbox needs what a container seldom gives.
      return wrap(await chromium.launch({ executablePath: program("VITRINE_CHROMIUM"), args: process.getuid?.() === 0 ? ["--no-sandbox", ...QUIET] : QUIET, ...(keepsPages ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}) }));
    case "firefox":
      // Debian's Firefox, over WebDriver BiDi.
      return wrap(await firefox.launch({ channel: "moz-firefox", executablePath: program("VITRINE_FIREFOX") }));
    case "webkit":
      return launchWebkit();
    default:
      throw new Error(`unknown engine ${engine}`);
  }
}

function wrap(browser) {
  return {
    version: browser.version(),
    async profile(options) {
      const context = await browser.newContext(options);
      // The page under test cannot see this listener, and it needs no leave from the page's CSP.
      await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) => {
          console.error(`CSP ${event.effectiveDirective} refused ${event.blockedURI || event.sample}`);
        });
      });
      return { tab: async () => wrapTab(await context.newPage()), close: () => context.close() };
    },
    close: () => browser.close(),
  };
}

function wrapTab(page) {
  const problems = [];
  const addresses = [];
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()} ${message.location()?.url ?? ""}`);
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.stack ?? error}`));
  page.on("request", (request) => addresses.push(request.url()));
  return {
    page,
    problems,
    addresses,
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: (expression) => page.evaluate(expression),
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    // One that a reader could click: the same id may stand in a panel that is not shown or has nothing to do now.
    click: (selector) => page.locator(`${selector}:not(:disabled):visible`).first().click({ timeout: 10_000 }),
    focus: (selector) => page.locator(selector).first().focus({ timeout: 10_000 }),
    screenshot: (path) => page.screenshot({ path }),
    close: () => page.close(),
  };
}
