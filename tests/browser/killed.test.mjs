// A worker that is killed at random moments, again and again: what was acknowledged is there, and nothing else is.

import { assert, test } from "./harness.mjs";

/** Kills so many workers, and says what is wrong with what was found after each. Runs in the page. */
async function killAgain(first, kills) {
  const wrong = [];
  const acknowledged = new Map();
  let writes = 0;
  let element = first;
  const name = element.getAttribute("workspace");
  // Moments from a fixed row of numbers: the same ones in each run, though not the same places in the worker's code.
  let seed = 12345;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const contents = (number) => `${number}:${"x".repeat((number * 37) % 3000)}`;
  for (let kill = 0; kill < kills; kill++) {
    // Several writers, each with files of its own, so that the worker always has something to do.
    const open = new Map();
    const writer = async (lane) => {
      for (;;) {
        const number = writes++;
        // Now and then one that is there is written anew, or removed.
        const path = `f${lane}-${number % 8}.txt`;
        const removes = number % 7 === 6 && acknowledged.has(path);
        open.set(path, removes ? undefined : number);
        if (removes) await element.files.remove(path);
        else await element.files.writeText(path, contents(number));
        if (removes) acknowledged.delete(path);
        else acknowledged.set(path, number);
        open.delete(path);
      }
    };
    const writing = [0, 1, 2, 3, 4, 5].map((lane) => writer(lane).catch(() => {}));
    await new Promise((resolve) => setTimeout(resolve, random() * 60));
    // Ends the worker without a word to it.
    element.close();
    await Promise.all(writing);
    element.remove();
    element = document.createElement("vitrine-agent");
    for (const [attribute, value] of [["workspace", name], ["loading", "eager"], ["mode", "chat"]]) element.setAttribute(attribute, value);
    document.body.append(element);
    await element.ready;
    if (element.state.storage.kind !== "browser") wrong.push(`${kill}: ${JSON.stringify(element.state.storage)}`);
    for (let tries = 0; element.state.storage.role !== "writer" && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 20));
    const found = new Map();
    for (const { path } of await element.files.list()) found.set(path, await element.files.readText(path));
    // What was asked and not acknowledged may have happened or not, but not in part.
    for (const path of new Set([...acknowledged.keys(), ...found.keys()])) {
      const before = acknowledged.has(path) ? contents(acknowledged.get(path)) : undefined;
      const may = open.has(path) ? [before, open.get(path) === undefined ? undefined : contents(open.get(path))] : [before];
      if (!may.includes(found.get(path))) wrong.push(`${kill}: ${path} is ${String(found.get(path)).slice(0, 20)}, not ${String(may[0]).slice(0, 20)}`);
    }
    for (const [path, number] of open) {
      if (found.get(path) === undefined) acknowledged.delete(path);
      else if (number !== undefined && found.get(path) === contents(number)) acknowledged.set(path, number);
    }
    if (wrong.length > 5) break;
  }
  return { wrong, writes, there: acknowledged.size };
}

const host = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="module" src="/some/path/vitrine.js"></script><vitrine-agent workspace="killed" loading="eager" mode="chat"></vitrine-agent>';

for (const [engine, kills] of [["chromium", 200], ["firefox", 40]]) {
  test(`a worker killed at ${kills} moments loses no acknowledged write and invents none`, { engines: [engine], limit: 240_000 }, async (t) => {
    t.server = await t.serve({ "/killed.html": host });
    const tab = await t.tab();
    await tab.goto(`${t.server.origin}/killed.html`);
    const agent = await t.agentIn(tab).ready();
    const { wrong, writes, there } = await agent.do(killAgain, kills);
    assert.deepEqual(wrong, []);
    assert.ok(writes > kills && there > 0, `only ${writes} writes in ${kills} lives`);
  });
}
