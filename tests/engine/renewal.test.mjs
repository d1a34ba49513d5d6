// An instance that is lost where no other can be made: as in a page of Chromium, which makes none of a large module at once.
// In a thread of its own, since the engine is gone there for good.

import { test } from "node:test";
import { isMainThread, Worker } from "node:worker_threads";

import { assert, engine, engineModule } from "./support.mjs";

const loseForGood = async () => {
  const { wasm } = await engineModule("wasm.js");
  const kept = new wasm.SseReader();
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function refused() {
    throw new RangeError("Instance is disallowed on the main thread");
  };
  const text = /^engine: internal error: .*oh no.* \(and it cannot be started anew here: Instance is disallowed on the main thread\)$/s;
  const isTold = (error) => !(error instanceof RangeError) && text.test(error.message);
  const askings = [
    () => wasm.provokePanic("oh no"),
    () => wasm.isRetryableText("x"),
    () => new wasm.SseReader(),
    () => kept.finish(),
    () => engine.isRetryableError({ stopReason: "error", errorMessage: "x" }),
  ];
  for (const ask of askings) assert.throws(ask, isTold);
  kept.free();
  // Nor when it could be made now: what an engine knew is not half there.
  WebAssembly.Instance = Instance;
  for (const ask of askings) assert.throws(ask, isTold);
};

if (isMainThread) {
  test("an engine that cannot be started anew says of what it ended, whatever is asked of it", async () => {
    const worker = new Worker(new URL(import.meta.url));
    const code = await new Promise((resolve, reject) => worker.on("error", reject).on("exit", resolve));
    assert.equal(code, 0);
  });
} else await loseForGood();
