// `stream` beside pi 1.6: what pi sent, told and came to with each answer of a server (recorded, see README.md) is what the
// engine does, but for the lines that differ on purpose.

import { test } from "node:test";

import { assert, engine, readJson } from "./support.mjs";
import { WIRE } from "./scenarios/wire.mjs";
import { playWire } from "./scenarios/wire_player.mjs";

const facts = await readJson("pi-1.6/wire.json");

const expected = (told, { name, differs }) => {
  const lines = told.slice();
  for (const [pi, ours] of differs?.lines ?? []) {
    const place = lines.findIndex((line) => line.startsWith(pi));
    if (place < 0) throw new Error(`${name}: pi did not tell: ${pi}`);
    if (lines[place] === ours) throw new Error(`${name}: it does not differ any more: ${pi}`);
    lines.splice(place, 1, ...(ours === undefined ? [] : [ours]));
  }
  return lines;
};

for (const [group, scenarios] of Object.entries(WIRE)) {
  test(`${group}: the engine's stream does what pi's did`, async () => {
    assert.deepEqual(Object.keys(facts[group]), scenarios.map(({ name }) => name), "the recorded scenarios are others");
    const wrong = [];
    for (const scenario of scenarios) {
      const told = await playWire(engine.stream, scenario);
      const wanted = expected(facts[group][scenario.name], scenario);
      const at = Math.max(told.findIndex((line, index) => line !== wanted[index]), 0);
      if (told.length !== wanted.length || told[at] !== wanted[at]) {
        const place = told[at] === wanted[at] ? Math.min(told.length, wanted.length) : at;
        wrong.push(`${scenario.name}: line ${place}\n  pi   ${wanted[place]}\n  ours ${told[place]}`);
      }
    }
    if (wrong.length > 0) assert.fail(`${wrong.length} of ${scenarios.length} differ:\n${wrong.join("\n")}`);
  });
}
