// Workspaces of source-like text, the same wherever they are made: in the page for ours and its peers, on disk for native ones.

/** So many files in a folder, and so many folders in one above: as many as in the trees of real projects, about. */
const IN_FOLDER = 10;
const WORDS = ["table", "index", "value", "cursor", "line", "buffer", "entry", "token", "offset", "limit", "name", "scope", "length", "state"];

/** Numbers from a seed. */
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return (t ^ (t >>> 14)) >>> 0;
};

/** A function with what stands round it, about 650 characters. */
function block(next) {
  const word = () => WORDS[next() % WORDS.length];
  const lines = [
    `/// Gives the ${word()} of the ${word()}, or nothing where the ${word()} has none.`,
    `pub fn ${word()}_${next() % 1000}(${word()}: &Table, ${word()}: usize) -> Option<Value> {`,
  ];
  while (lines.length < 15) {
    lines.push(`    let ${word()} = self.${word()}.${word()}(${word()}, ${next() % 100})?;`);
  }
  // What a search for a rare text finds: in one file of 35, about.
  if (next() % 240 === 0) lines.push(`    trace(needle_${next() % 1000});`);
  return [...lines, "    Some(value)", "}", ""].join("\n");
}

/** `count` files of `size` bytes as `[path, text]`. */
export function* workspace(count, size) {
  const next = random(count);
  for (let index = 0; index < count; index += 1) {
    let text = "";
    while (text.length < size) text += `${block(next)}\n`;
    const name = `${WORDS[next() % WORDS.length]}_${index}.${index % 20 === 0 ? "toml" : "rs"}`;
    yield [`${folder(Math.floor(index / IN_FOLDER))}/${name}`, `${text.slice(0, size - 1)}\n`];
  }
}

const folder = (index) => `part_${Math.floor(index / IN_FOLDER)}/module_${index}`;

/** The folders of that, with those above them and the root. */
export function folders(count) {
  const inner = Array.from({ length: Math.ceil(count / IN_FOLDER) }, (_, index) => folder(index));
  return ["", ...new Set(inner.map((path) => path.split("/")[0])), ...inner];
}
