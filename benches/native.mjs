// Native search over the same files on disk: what a terminal agent has.

import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { workspace } from "./page/files.js";

/** So often is a search run for one measurement: the shell counts in milliseconds. */
const RUNS = 5;

/** Why native search cannot be measured here, or nothing. */
export function whyNot() {
  const has = (program, args) => spawnSync(program, args).status === 0;
  if (!has("rg", ["--version"])) return "there is no ripgrep (rg) on the path";
  if (!has("bash", ["-c", "true"])) return "there is no bash to measure it with";
}

/** Workspaces on disk, each made when it is first searched. */
export class NativeSearch {
  #folders = new Map();

  async #folder(count, size) {
    const key = `${count} x ${size}`;
    if (!this.#folders.has(key)) {
      const folder = await mkdtemp(join(tmpdir(), "vitrine-bench-files-"));
      this.#folders.set(key, folder);
      for (const [path, text] of workspace(count, size)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
    }
    return this.#folders.get(key);
  }

  /** One thread of ripgrep: how many lines it finds. */
  async lines(count, size, pattern) {
    const folder = await this.#folder(count, size);
    const { stdout } = spawnSync("rg", ["--no-config", "-j1", "-n", "-e", pattern, folder], { maxBuffer: 1 << 28 });
    return stdout.toString().split("\n").length - 1;
  }

  /** The milliseconds of the processor that one search takes. */
  async ms(count, size, pattern) {
    const folder = await this.#folder(count, size);
    const script = 'TIMEFORMAT="%3U %3S"; time for n in $(seq "$1"); do rg --no-config -j1 -n -e "$2" "$3" >"$4"; done';
    const { stderr } = spawnSync("bash", ["-c", script, "bash", String(RUNS), pattern, folder, `${folder}.out`]);
    const [user, system] = stderr.toString().trim().split(/\s+/).slice(-2).map(Number);
    return ((user + system) * 1000) / RUNS;
  }

  async close() {
    for (const folder of this.#folders.values()) {
      await rm(folder, { recursive: true, force: true });
      await rm(`${folder}.out`, { force: true });
    }
  }
}
