// The shell: our module in its worker, as it is shipped, beside just-bash on the page's thread.

import { compare } from "../measure.js";

const LINES = 100_000;

/** What the commands read: a number, a key of few, a word, about 28 characters a line. */
function table() {
  let seed = 7;
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
  return Array.from({ length: LINES }, (_, index) => `${next() % 1_000_000} key_${next() % 100} word ${index}\n`).join("");
}

/** The module in a worker: what the agent's worker says to it, and what it answers. */
class OurShell {
  #worker = new Worker(new URL("../../site/shell_loader.js", import.meta.url), { type: "module" });
  #running;
  #id = 0;

  async open(files) {
    await new Promise((resolve, reject) => {
      this.#worker.onerror = (event) => reject(new Error(event.message));
      this.#worker.onmessage = resolve;
    });
    this.#worker.onmessage = ({ data: [text, bytes] }) => this.#heard(JSON.parse(text), bytes);
    this.#say({ kind: "open", root: "/workspace", state: null });
    for (const [path, text] of Object.entries(files)) {
      const bytes = new TextEncoder().encode(text);
      this.#say({ kind: "feed", number: 1, changes: [{ change: "write", path, length: bytes.length }] }, bytes);
    }
  }

  #say(message, bytes = new Uint8Array()) {
    this.#worker.postMessage([JSON.stringify(message), bytes]);
  }

  #heard(message, bytes) {
    if (message.kind === "output") this.#running.output.push(bytes);
    if (message.kind === "exit") this.#running.ended(message);
    if (message.kind === "broken") this.#running.failed(new Error(message.why));
  }

  async run(command) {
    const output = [];
    const exit = await new Promise((ended, failed) => {
      this.#running = { output, ended, failed };
      this.#say({ kind: "run", id: (this.#id += 1), command, env: {} });
    });
    const text = await new Blob(output).text();
    if (exit.code !== 0) throw new Error(`our shell: ${text || exit.refused}`);
    return text;
  }
}

/** Without limits that a row would meet. */
const NONE = Object.fromEntries(
  ["maxCommandCount", "maxLoopIterations", "maxAwkIterations", "maxSedIterations", "maxStringLength", "maxOutputSize", "maxWorkUnits"].map((name) => [name, 1e9]),
);

/** `watch` lets the clock see the worker. */
export function shellRows({ Bash, watch }) {
  let made;
  const shells = async () => {
    if (made) return made;
    const files = { "table.txt": table() };
    const ours = new OurShell();
    await ours.open(files);
    await watch();
    const bash = new Bash({ files: { "/workspace/table.txt": files["table.txt"] }, cwd: "/workspace", executionLimits: NONE });
    return (made = { ours, bash });
  };
  const row = (row, name, limit, command) => ({
    row, name, limit,
    measure: async () => {
      const { ours, bash } = await shells();
      const peer = async () => {
        const { stdout, stderr, exitCode } = await bash.exec(command);
        if (exitCode !== 0) throw new Error(`just-bash: ${stderr}`);
        return stdout;
      };
      const [one, other] = [await ours.run(command), await peer()];
      if (one !== other || one === "") throw new Error(`${command}: ${one.slice(0, 80)} and ${other.slice(0, 80)}`);
      return compare({ ours: () => ours.run(command), "just-bash": peer }, { repetitions: 7 });
    },
  });
  return [
    row("21l", "a loop of 20,000 turns", 1, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $i"),
    row("21s", "sort 100,000 lines", 1 / 2, "sort table.txt | tail -n 3"),
    row("21a", "awk: the sum of a column, 100,000 lines", 1, "awk '{ sum += $1 } END { print sum }' table.txt"),
    row("21d", "sed s///g, 100,000 lines", 1 / 2, "sed 's/o/0/g' table.txt | tail -n 3"),
    row("21e", "1,000 x echo | tr in one script", 1 / 2, "for i in $(seq 1 1000); do echo hi | tr a-z A-Z; done | tail -n 1"),
  ];
}
