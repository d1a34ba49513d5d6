// The engine beside pi 1.6: what pi told in each scenario (recorded, see README.md) is what the engine tells.

import { test } from "node:test";

import { assert, engine, readJson } from "./support.mjs";
import { SCENARIOS } from "./scenarios/index.mjs";
import { judge, play } from "./scenarios/player.mjs";
import VALIDATION from "./scenarios/validation.mjs";

const tokenSize = { min: 100_000, max: 100_000 };
const ours = {
  ...engine,
  createScripted: () => engine.createScripted({ api: "x", tokenSize }),
  createStream: engine.createAssistantMessageEventStream,
};

/** What is expected of the engine: what pi told, but for the lines that differ on purpose, `[how pi's begins, ours, nth]`. */
const expected = (told, { name, differs }) => {
  const lines = told.slice();
  for (const [pi, our, nth = 1] of differs?.lines ?? []) {
    const places = [...lines.keys()].filter((at) => lines[at].startsWith(pi));
    if (places.length < nth) throw new Error(`${name}: pi did not tell ${nth} times: ${pi}`);
    lines.splice(places[nth - 1], 1, ...our);
  }
  return lines;
};

/** Where the lines are wrong; nothing when they are right. */
const firstWrong = (told, facts, scenario) => {
  const parts = scenario.differs?.told;
  if (!parts) {
    const wanted = expected(facts, scenario);
    const at = told.findIndex((line, index) => line !== wanted[index]);
    const place = at < 0 ? told.length : at;
    return place === wanted.length && at < 0 ? undefined : `line ${place}\n  pi   ${wanted[place]}\n  ours ${told[place]}`;
  }
  // Too different for lines: what has to come, in this order, and the end.
  let at = 0;
  for (const part of parts) {
    const found = told.findIndex((line, index) => index >= at && line.includes(part));
    if (found < 0) return `there is no ${part} after line ${at} of\n  ${told.join("\n  ")}`;
    at = found + 1;
  }
  if (JSON.stringify(told) === JSON.stringify(facts)) return "it does not differ any more";
  return undefined;
};

for (const [file, scenarios] of Object.entries(SCENARIOS)) {
  const facts = await readJson(`pi-1.6/${file}.json`);
  test(`${file}: the engine tells what pi told`, async () => {
    assert.deepEqual(Object.keys(facts), scenarios.map(({ name }) => name), "the recorded scenarios are others");
    const wrong = [];
    for (const scenario of scenarios) {
      const told = await play(ours, scenario);
      const place = firstWrong(told, facts[scenario.name], scenario);
      if (place !== undefined) wrong.push(`${scenario.name}: ${place}\n`);
    }
    if (wrong.length > 0) assert.fail(`${wrong.length} of ${scenarios.length} differ:\n${wrong.join("\n")}`);
  });
}

test("arguments: a tool gets and the model reads what they did with pi", async () => {
  const facts = await readJson("pi-1.6/validation.json");
  const wrong = [];
  for (const [at, [schema, ...list]] of VALIDATION.entries()) {
    for (const [nth, args] of list.entries()) {
      const [told, fact] = [judge(engine.validateToolArguments, schema, args), facts[at][nth]];
      if (told !== fact) wrong.push(`${JSON.stringify(schema)}\n  of ${JSON.stringify(args)}\n  pi   ${fact}\n  ours ${told}`);
    }
  }
  if (wrong.length > 0) assert.fail(`${wrong.length} differ:\n${wrong.join("\n")}`);
});
