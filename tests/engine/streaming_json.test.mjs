// JSON in pieces: texts are cut from the pieces they came in, and pieces go into memory that moves.

import { test } from "node:test";

import { assert, engine, engineModule } from "./support.mjs";

const { StreamingJson } = await engineModule("streaming_json.js");

/** The value after all of the pieces, looked at after each. */
const read = (pieces, look = () => {}) => {
  const reader = new StreamingJson();
  for (const [index, piece] of pieces.entries()) {
    reader.push(piece);
    look(reader.root, index);
  }
  const { root } = reader;
  reader.free();
  return root;
};

const cut = (text, size) => Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

/** Whole numbers below a limit that only the seed decides. */
const dice = (seed) => {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
};

const PARTS = ["a", "plain words ", "\u00e9", "\u20ac", "\u{1f600}", "\ud83d", "\ude00", "\n", '"', "\\", "\u0001", "{", "],:", "__proto__", "0"];

const someText = (roll) => Array.from({ length: roll(7) }, () => PARTS[roll(PARTS.length)]).join("");

const someValue = (roll, depth = 0) => {
  switch (roll(depth < 5 ? 7 : 4)) {
    case 0:
    case 1:
      return someText(roll);
    case 2:
      return [0, -1, 12.5, 1e21, 4294967295, -0.25, 5e-7][roll(7)];
    case 3:
      return [true, false, null][roll(3)];
    case 4:
    case 5:
      return Object.fromEntries(Array.from({ length: roll(5) }, () => [someText(roll), someValue(roll, depth + 1)]));
    default:
      return Array.from({ length: roll(5) }, () => someValue(roll, depth + 1));
  }
};

/** JSON as models write it: half characters as they are, and some characters as escapes. */
const written = (value, roll) =>
  JSON.stringify(value, undefined, roll(3))
    .replace(/\\ud[89a-f][0-9a-f]{2}/g, (escape) => JSON.parse(`"${escape}"`))
    .replace(/\u00e9/g, () => (roll(2) ? "\\u00E9" : "\u00e9"));

test("any value is what JSON.parse makes of it, wherever its text is cut", () => {
  for (let seed = 1; seed <= 1500; seed += 1) {
    const roll = dice(seed);
    const text = written({ root: someValue(roll) }, roll);
    const expected = JSON.parse(text);
    for (const size of [1, 2 + roll(30), text.length]) {
      const found = read(cut(text, size));
      assert.equal(JSON.stringify(found), JSON.stringify(expected), `seed ${seed} in pieces of ${size}: ${text}`);
    }
  }
});

test("damaged text shows the same however it is cut, and after every piece", () => {
  for (let seed = 1; seed <= 600; seed += 1) {
    const roll = dice(seed);
    let text = written({ root: someValue(roll), n: -1.5 }, roll);
    for (let times = 1 + roll(3); times > 0; times -= 1) {
      const at = roll(text.length);
      text = [text.slice(0, at + 1), text.slice(0, at) + text.slice(at + 1), text.slice(0, at) + '{}[]",:\\0u-etfn'[roll(15)] + text.slice(at)][roll(3)];
    }
    const prefixes = [];
    read(cut(text, 1), (root) => prefixes.push(JSON.stringify(root)));
    const size = 2 + roll(20);
    read(cut(text, size), (root, index) => {
      const end = Math.min((index + 1) * size, text.length);
      assert.equal(JSON.stringify(root), prefixes[end - 1], `seed ${seed}: ${text.slice(0, end)}`);
    });
  }
});

test("half a character is not shown until the other half is there, and stays if it never comes", () => {
  const shown = [];
  read(['{"a":"x\ud83d', "\ude00\\n", "\ud83d", '"', ',"b\ud83d\\t":"\ude00"}'], (root) => shown.push(structuredClone(root)));
  assert.deepEqual(shown, [
    { a: "x" },
    { a: "x\u{1f600}\n" },
    { a: "x\u{1f600}\n" },
    { a: "x\u{1f600}\n\ud83d" },
    { a: "x\u{1f600}\n\ud83d", "b\ud83d\t": "\ude00" },
  ]);
});

test("a piece may be as long as it likes", () => {
  for (const sign of ["a", "\u20ac", "\u{1f600}", "\\n", "\ud83d", '","']) {
    for (const count of [127, 128, 255, 256, 257, 1000, 100_000]) {
      for (const before of ["", "a"]) {
        const text = `{"a":["${before}${sign.repeat(count)}"]}`;
        assert.deepEqual(read([text]), JSON.parse(text), `${count} times ${sign}`);
      }
    }
  }
});

test("a reader goes on when the memory of the module has grown", () => {
  const reader = new StreamingJson();
  reader.push('{"a":"before ');
  assert.deepEqual(reader.value, { a: "before " });
  const files = new engine.MemoryWorkspace({});
  files.writeTextSync("/large.txt", "x".repeat(40_000_000));
  reader.push('and\\tafter","b":[');
  assert.deepEqual(reader.value, { a: "before and\tafter", b: [] });
  const others = Array.from({ length: 2000 }, () => {
    const other = new StreamingJson();
    other.push('{"c":[{},{},{},');
    assert.deepEqual(other.value, { c: [{}, {}, {}] });
    return other;
  });
  reader.push(`${"[],".repeat(200)}1]}`);
  assert.deepEqual(reader.value, { a: "before and\tafter", b: [...Array(200).fill([]), 1] });
  for (const other of others) other.free();
  reader.free();
  files.free();
});
