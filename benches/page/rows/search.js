// Searching: the tools over files in memory, beside just-bash over files in memory and ripgrep over files on disk.

import { folders, workspace } from "../files.js";
import { Measured, compare } from "../measure.js";

const SMALL = [10_000, 4096];
const LARGE = [1000, 100 * 1024];
const LITERAL = "needle_";
const CAPTURES = "fn ([a-z]+)_[0-9]+\\(";

/** The same files in both, made when a row first asks for them; one pair at a time, since 100 MB are enough. */
function contenders({ bench, Bash }) {
  let made;
  return (count, size) => {
    if (made?.key !== `${count} x ${size}`) {
      made?.ours.free();
      const ours = new bench.SearchBench();
      const files = {};
      for (const [path, text] of workspace(count, size)) {
        ours.add(path, text);
        files[`/tree/${path}`] = text;
      }
      made = { key: `${count} x ${size}`, ours, bash: new Bash({ files, cwd: "/tree" }) };
    }
    return made;
  };
}

/** A call of one of our tools: how many lines came of it, of which a model is shown the first 50 KB. */
function call(ours, tool, args) {
  const [text, details] = ours.call(tool, JSON.stringify({ ...args, limit: 1_000_000 }));
  const lines = details === "" ? undefined : JSON.parse(details).truncation?.totalLines;
  return lines ?? text.split("\n").length;
}

async function run(bash, command) {
  const { stdout, stderr, exitCode } = await bash.exec(command);
  if (exitCode !== 0) throw new Error(`just-bash: ${stderr}`);
  return stdout.split("\n").length - 1;
}

function same(...counts) {
  if (counts.some((count) => count !== counts[0]) || counts[0] < 100) throw new Error(`results of ${counts.join(", ")} lines`);
}

/** Ours is our tools in our wasm; `native` is what `native.mjs` has. */
export function searchRows({ bench, Bash, native }) {
  const over = contenders({ bench, Bash });
  const greps = async ([count, size], pattern) => {
    const { ours, bash } = over(count, size);
    const [grep, peer] = [() => call(ours, "grep", { pattern }), () => run(bash, `grep -rnE '${pattern}' .`)];
    same(grep(), await peer());
    return { ours: grep, "just-bash": peer };
  };
  const beside = async ([count, size], pattern) => {
    const { ours } = over(count, size);
    const grep = () => call(ours, "grep", { pattern });
    same(grep(), await native.lines(count, size, pattern));
    return { ours: grep, "rg -j1": new Measured(() => native.ms(count, size, pattern)) };
  };
  const sizes = { S: [SMALL, "10,000 x 4 KB"], L: [LARGE, "1,000 x 100 KB"] };
  const captures = Object.entries(sizes).flatMap(([letter, [size, shown]]) => [
    { row: `10${letter}`, name: `grep a pattern with a group, ${shown}`, limit: 1 / 20, measure: async () => compare(await greps(size, CAPTURES)) },
    { row: `10${letter}r`, name: "the same beside native ripgrep", limit: 1, needs: native.whyNot, measure: async () => compare(await beside(size, CAPTURES)) },
  ]);
  return [
    { row: "9", name: "grep a text, 10,000 x 4 KB", limit: 1 / 30, measure: async () => compare(await greps(SMALL, LITERAL)) },
    { row: "9r", name: "the same beside native ripgrep", limit: 1 / 2, needs: native.whyNot, measure: async () => compare(await beside(SMALL, LITERAL)) },
    {
      row: "11f", name: "find *.toml, 10,000 files", limit: 1 / 50,
      measure: async () => {
        const { ours, bash } = over(...SMALL);
        const [find, peer] = [() => call(ours, "find", { pattern: "*.toml" }), () => run(bash, "find . -name '*.toml'")];
        same(find(), await peer());
        return compare({ ours: find, "just-bash": peer });
      },
    },
    {
      row: "11l", name: "ls -R, 10,000 files: `ls` of every folder", limit: 1 / 50,
      measure: async () => {
        const { ours, bash } = over(...SMALL);
        const all = folders(SMALL[0]);
        const list = () => all.reduce((sum, path) => sum + call(ours, "ls", { path: path || "." }), 0);
        const peer = () => run(bash, "ls -R .");
        // A folder has a head there, and a blank line before it but the first.
        same(list(), (await peer()) - (2 * all.length - 1));
        return compare({ ours: list, "just-bash": peer });
      },
    },
    ...captures,
  ];
}
