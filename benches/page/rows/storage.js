// What is stored: an import, the journal, opening, and the memory that files take. The clock is the one on the wall: storage
// is waited for.

import { strToU8, zipSync } from "../../peers/fflate.js";
import { workspace } from "../files.js";
import { Measured, compare, summary, wall } from "../measure.js";

const MANY = [2000, 4096];
/** A hundred million bytes. */
const LARGE = [1000, 100_000];
const MB = 1e6;
/** Bytes of a record, as of a session's entries. */
const RECORD = 546;
/** What a frame at full speed may bring. */
const GROUP = 64;

function archive(count, size) {
  const files = {};
  for (const [path, text] of workspace(count, size)) files[path] = strToU8(text);
  return new Blob([zipSync(files, { level: 6 })]);
}

let made = 0;
const fresh = () => `bench-${Date.now()}-${(made += 1)}`;

/** The element of the built site over a workspace; `use` is given it, and it is gone afterwards. */
async function withElement(name, use) {
  await import(new URL("../../site/vitrine.js", import.meta.url));
  const element = document.createElement("vitrine-agent");
  for (const [key, value] of Object.entries({ workspace: name, loading: "eager" })) element.setAttribute(key, value);
  document.body.append(element);
  try {
    await element.ready;
    return await use(element);
  } finally {
    element.close();
    element.remove();
  }
}

const forget = async (...names) => {
  let folder = await navigator.storage.getDirectory();
  for (const name of names.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
  await folder.removeEntry(names.at(-1), { recursive: true });
};

/** A worker of ours: `ask(call, ...args)` gives the answer. */
export class BenchWorker {
  #worker;
  constructor(address) {
    this.#worker = new Worker(new URL(address, import.meta.url), { type: "module" });
  }
  ask(...call) {
    return new Promise((resolve, reject) => {
      this.#worker.onerror = (event) => reject(new Error(event.message));
      this.#worker.onmessage = ({ data }) => ("error" in data ? reject(new Error(data.error)) : resolve(data.value));
      this.#worker.postMessage(call);
    });
  }
  end() {
    this.#worker.terminate();
  }
}

const timed = async (work) => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** One file at a time through the page's own way of writing, 32 of them under way. */
async function writeFromPage(files) {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("bench-page", { create: true });
  const waiting = files.entries();
  const one = async () => {
    for (const [index, [, text]] of waiting) {
      const file = await (await root.getFileHandle(`file_${index}`, { create: true })).createWritable();
      await file.write(text);
      await file.close();
    }
  };
  const took = await timed(() => Promise.all(Array.from({ length: 32 }, one)));
  await forget("bench-page");
  return took;
}

/** `driver` is what only `run.mjs` can do: appending to a file on disk, and looking into a worker. */
export function storageRows({ driver }) {
  const large = async (use) => {
    const name = fresh();
    try {
      await withElement(name, (element) => element.files.importZip(archive(...LARGE)).then(() => use(name, "imported")));
      return await use(name, "stored");
    } finally {
      await forget("vitrine", name);
    }
  };
  const memory = (when) => async () => {
    const of = async () => (await driver.workerMemory()) / MB;
    let taken;
    await large(async (name, state) => {
      if (state === when && state === "imported") taken = await of();
      if (state === when && state === "stored") taken = await withElement(name, of);
    });
    return { ours: summary([taken]), "the files": summary([(LARGE[0] * LARGE[1]) / MB]) };
  };
  const journal = async (call, peer) => {
    const worker = new BenchWorker("../storage_worker.js");
    const name = fresh();
    try {
      await worker.ask("open", name);
      const ours = new Measured(() => worker.ask(...call, RECORD));
      return await compare({ ours, "a file on disk": new Measured(peer) }, { clock: wall });
    } finally {
      worker.end();
      await forget(name);
    }
  };
  return [
    {
      row: "12", name: "a zip of 2,000 x 4 KB into storage, beside a file for each (without unpacking)", limit: 1 / 8,
      measure: async () => {
        const [zip, files] = [archive(...MANY), [...workspace(...MANY)]];
        const worker = new BenchWorker("../file_worker.js");
        const ours = async () => {
          const name = fresh();
          const took = await withElement(name, (element) => timed(() => element.files.importZip(zip)));
          await forget("vitrine", name);
          return took;
        };
        const sync = async () => {
          const took = await worker.ask(files.map(([, text]) => text));
          await forget("bench-sync");
          return took;
        };
        try {
          return await compare({ ours: new Measured(ours), "sync handles": new Measured(sync), createWritable: new Measured(() => writeFromPage(files)) }, { repetitions: 3, clock: wall });
        } finally {
          worker.end();
        }
      },
    },
    { row: "15", name: "a change of 546 bytes, flushed / appended and fsynced by Node", limit: 1.5, measure: () => journal(["each", 200], () => driver.append(200, RECORD, "each")) },
    { row: "15g", name: `the same, ${GROUP} as one change with one flush / appended by Node, no fsync`, limit: 1.5, measure: () => journal(["together", 3200, GROUP], () => driver.append(3200, RECORD, "none")) },
    {
      row: "open", name: "100 MB from storage to what a first search found, with the start of a worker", limit: 1,
      measure: async () => {
        const times = [];
        await large(async (name, state) => {
          if (state !== "stored") return;
          for (let repetition = 0; repetition < 5; repetition += 1) {
            const worker = new BenchWorker("../storage_worker.js");
            times.push(await timed(async () => {
              await worker.ask("open", `vitrine/${name}/files`);
              const lines = await worker.ask("grep", "needle_");
              if (lines < 100) throw new Error(`${lines} lines`);
            }));
            worker.end();
            // The browser lets go of a worker's files a moment after it.
            await new Promise((resolve) => setTimeout(resolve, 300));
          }
        });
        return { ours: summary(times), "a second": summary([1000]) };
      },
    },
    { row: "mem", name: "memory of the worker's modules after importing 100 MB", unit: "MB", limit: 1.3, measure: memory("imported") },
    { row: "memo", name: "the same after opening them from storage", unit: "MB", limit: 1.3, measure: memory("stored") },
    {
      row: "bash", name: "from a prompt to the end of its first bash call, in a new profile", limit: 1,
      measure: async () => {
        const times = [];
        for (let repetition = 0; repetition < 5; repetition += 1) times.push(await driver.firstBash());
        return { ours: summary(times), "a second": summary([1000]) };
      },
    },
  ];
}
