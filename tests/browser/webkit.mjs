// WebKitGTK's MiniBrowser through WebKitWebDriver, by plain HTTP, on a screen of its own. It has no OPFS.
// Its console cannot be read, so `problems` holds what the page's own error events say, from the time the page is up.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function startScreen() {
  let display = 90;
  while (existsSync(`/tmp/.X11-unix/X${display}`)) display += 1;
  const process_ = spawn(process.env.VITRINE_XVFB, [`:${display}`, "-screen", "0", "1280x900x24", "-nolisten", "tcp"], { stdio: "ignore" });
  for (let tries = 0; !existsSync(`/tmp/.X11-unix/X${display}`); tries += 1) {
    if (tries > 100) throw new Error("Xvfb did not start");
    await pause(50);
  }
  return { name: `:${display}`, close: () => process_.kill() };
}

export async function launchWebkit() {
  const screen = await startScreen();
  const port = await freePort();
  const driver = spawn(process.env.VITRINE_WEBKIT_DRIVER, [`--port=${port}`], {
    env: { ...process.env, DISPLAY: screen.name, GDK_BACKEND: "x11", LIBGL_ALWAYS_SOFTWARE: "1" },
    stdio: "ignore",
  });
  const ask = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebDriver ${path}: ${value?.error}: ${value?.message}`);
    return value;
  };
  for (let tries = 0; ; tries += 1) {
    try {
      await ask("GET", "/status");
      break;
    } catch (error) {
      if (tries > 100) throw error;
      await pause(50);
    }
  }
  const session = await ask("POST", "/session", {
    capabilities: {
      alwaysMatch: { "webkitgtk:browserOptions": { binary: process.env.VITRINE_MINIBROWSER, args: ["--automation"] } },
    },
  });
  const base = `/session/${session.sessionId}`;
  await ask("POST", `${base}/timeouts`, { script: 60000, pageLoad: 60000 });
  return {
    version: session.capabilities?.browserVersion ?? "?",
    profile: async () => ({ tab: async () => tabOf(ask, base), close: async () => {} }),
    close: async () => {
      await ask("DELETE", base).catch(() => {});
      driver.kill();
      screen.close();
    },
  };
}

const KEYS = { Enter: "\uE007", Tab: "\uE004", Escape: "\uE00C", Shift: "\uE008" };

function tabOf(ask, base) {
  // The expression is run by the driver, outside the page's CSP.
  const evaluate = async (expression) => {
    const script = `const done = arguments[arguments.length - 1];
      (async () => (${expression}))().then((value) => done({ value }), (error) => done({ error: error + " " + error?.stack }));`;
    const { value, error } = await ask("POST", `${base}/execute/async`, { script, args: [] });
    if (error) throw new Error(error);
    return value ?? undefined;
  };
  const press = async (keys) => {
    const names = keys.split("+").map((name) => KEYS[name] ?? name);
    const actions = [...names.map((value) => ({ type: "keyDown", value })), ...names.reverse().map((value) => ({ type: "keyUp", value }))];
    await ask("POST", `${base}/actions`, { actions: [{ type: "key", id: "keyboard", actions }] });
  };
  const within = (selector) => `document.querySelector("vitrine-agent").shadowRoot.querySelector(${JSON.stringify(selector)})`;
  return {
    problems: [],
    addresses: [],
    goto: (url) => ask("POST", `${base}/url`, { url }),
    reload: () => ask("POST", `${base}/refresh`, {}),
    evaluate,
    press,
    type: async (text) => {
      for (const letter of text) await press(letter);
    },
    click: (selector) => evaluate(`${within(selector)}.click()`),
    focus: (selector) => evaluate(`${within(selector)}.focus()`),
    screenshot: async (path) => writeFile(path, Buffer.from(await ask("GET", `${base}/screenshot`), "base64")),
    close: async () => {},
  };
}
