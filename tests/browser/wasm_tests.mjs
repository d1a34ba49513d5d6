// Opens the page of one wasm test binary (`node wasm_tests.mjs ENGINE URL`) and prints what its harness says.

import { launch } from "./engines.mjs";

const [engine, url] = process.argv.slice(2);
const LONGEST = 120_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const browser = await launch(engine);
try {
  const tab = await (await browser.profile()).tab();
  for (let tries = 0; ; tries += 1) {
    try {
      await tab.goto(url);
      break;
    } catch (error) {
      // The server may still be busy with wasm-bindgen.
      if (tries > 300) throw error;
      await pause(100);
    }
  }
  const end = Date.now() + LONGEST;
  let text = "";
  while (!text.includes("test result: ") && Date.now() < end) {
    await pause(50);
    text = await tab.evaluate(`document.querySelector("#output")?.textContent ?? ""`);
  }
  console.log(text.trim());
  for (const problem of tab.problems) console.log(problem);
  process.exitCode = /test result: ok/.test(text) ? 0 : 1;
} finally {
  await browser.close();
}
