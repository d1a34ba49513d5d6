// What a row needs and a page cannot do: see the processor, look into a worker, write to a disk, start another browser.

import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { answer, startModelServer } from "../tests/browser/model_server.mjs";
import { scriptClock } from "./clock.mjs";
import { NativeSearch, whyNot } from "./native.mjs";

/** Notes the memory of each module that the worker starts, before it starts any. */
const NOTE_MEMORIES = `{
  const start = WebAssembly.instantiateStreaming;
  globalThis.benchMemories = [];
  WebAssembly.instantiateStreaming = async (...given) => {
    const started = await start(...given);
    globalThis.benchMemories.push(started.instance.exports.memory);
    return started;
  };
}
`;

/** Makes the site at `folder` one whose worker can be asked for its memory. */
export async function prepareSite(folder) {
  const loader = join(folder, "worker_loader.js");
  await writeFile(loader, NOTE_MEMORIES + (await readFile(loader, "utf8")));
}

/** Everything that the page of the rows may ask for; `launch` starts a browser, `site` is the address of the built site. */
export class Driver {
  #native = new NativeSearch();
  #clock;

  constructor({ page, launch, site }) {
    Object.assign(this, { page, launch, site });
  }

  /** Makes this a function of the page: `driver(name, ...args)`. */
  async attach() {
    const calls = {
      scriptMs: () => this.#clock?.(),
      watch: () => this.watch(),
      nativeWhyNot: whyNot,
      nativeLines: (...search) => this.#native.lines(...search),
      nativeMs: (...search) => this.#native.ms(...search),
      append: (...what) => this.#append(...what),
      workerMemory: () => this.#workerMemory(),
      firstBash: () => this.#firstBash(),
    };
    await this.page.exposeFunction("driver", (name, ...args) => calls[name](...args));
  }

  /** Sees the threads that there are now. */
  watch() {
    this.#clock = scriptClock();
  }

  /** The milliseconds of appending `count` lines of `size` bytes to a file, as Node does it; `sync`: after each, or never. */
  #append(count, size, sync) {
    const path = join(tmpdir(), `vitrine-bench-${process.pid}.jsonl`);
    const file = openSync(path, "a");
    const entry = { type: "message", text: "a".repeat(size - 30) };
    const began = performance.now();
    for (let index = 0; index < count; index += 1) {
      writeSync(file, `${JSON.stringify(entry)}\n`);
      if (sync === "each") fsyncSync(file);
    }
    const took = performance.now() - began;
    closeSync(file);
    return rm(path).then(() => took);
  }

  async #workerMemory() {
    const worker = this.page.workers().find((worker) => worker.url().includes("worker_loader.js"));
    return worker.evaluate(() => globalThis.benchMemories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0));
  }

  /** Milliseconds from a prompt to the end of its first call of bash, in a browser that has never seen the site. */
  async #firstBash() {
    const server = await startModelServer([
      answer({ calls: [{ name: "bash", arguments: { command: "echo hi | tr a-z A-Z" } }], wait: 0 }), answer({ text: "Done.", wait: 0 }),
    ]);
    const browser = await this.launch();
    try {
      const page = await browser.newPage();
      await page.goto(`${this.site}index.html`);
      return await page.evaluate(async (baseUrl) => {
        await customElements.whenDefined("vitrine-agent");
        const element = document.querySelector("vitrine-agent");
        await element.ready;
        await element.setModel({ api: "openai-completions", id: "bench", baseUrl });
        const ended = new Promise((resolve) => {
          element.addEventListener("vitrine-event", ({ detail }) => detail.type === "tool_execution_end" && resolve([performance.now(), detail.result]));
        });
        const began = performance.now();
        void element.prompt("go");
        const [now, result] = await ended;
        if (!result.content[0].text.startsWith("HI")) throw new Error(JSON.stringify(result));
        return now - began;
      }, server.url);
    } finally {
      await browser.close();
      await server.close();
    }
  }

  close() {
    return this.#native.close();
  }
}
