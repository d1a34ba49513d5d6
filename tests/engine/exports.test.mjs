// What the package exports: every name has a test, and its types name the same.

import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { assert, engine } from "./support.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** The tests of this folder, a text each: from one `test(` to the next, with the file it is in. */
const testsOf = (text) => text.split(/^(?=\s*test\()/m).slice(1);

test("every export has a test", async () => {
  const files = (await readdir(here)).filter((name) => name.endsWith(".test.mjs") && name !== "exports.test.mjs");
  let all = "";
  for (const file of files) {
    const text = await readFile(join(here, file), "utf8");
    const tests = testsOf(text);
    assert.ok(tests.length > 0, file);
    all += tests.join("\n");
    // What the tests of a file have in common: helpers that they call, but no list of imports.
    all += text.slice(0, text.indexOf("\ntest(")).replace(/^(import|export|const) [{][^}]*[}].*$/gm, "");
  }
  for (const file of ["scenarios/player.mjs", "support.mjs"]) {
    all += (await readFile(join(here, file), "utf8")).replace(/^(import|export|const) [{][^}]*[}].*$/gm, "");
  }
  const untested = Object.keys(engine).filter((name) => !new RegExp(`\\b${name}\\b`).test(all));
  assert.deepEqual(untested, []);
});

const typescript = () => {
  const require = createRequire(new URL("../browser/package.json", import.meta.url));
  try {
    return require("typescript");
  } catch {
    return undefined;
  }
};
const ts = typescript();
const skip = ts ? false : "typescript is not installed (npm ci --prefix tests/browser)";

/** What the compiler says of files, as one text a complaint, and the program. */
const compile = (files) => {
  const folder = process.env.VITRINE_ENGINE;
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
    paths: { "vitrine-engine": [join(folder, "index.d.ts")] },
  });
  const complaints = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file ? `${file.fileName.split("/").at(-1)}:${file.getLineAndCharacterOfPosition(start).line + 1}: ` : "";
    return line + ts.flattenDiagnosticMessageText(messageText, "\n");
  });
  return { program, complaints };
};

test("the types name what there is, and nothing else", { skip }, () => {
  const index = join(process.env.VITRINE_ENGINE, "index.d.ts");
  assert.ok(existsSync(index));
  const { program, complaints } = compile([index]);
  assert.deepEqual(complaints, []);
  const checker = program.getTypeChecker();
  const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const declared = checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(index)))
    .filter((symbol) => resolved(symbol).flags & ts.SymbolFlags.Value)
    .map(({ name }) => name);
  assert.deepEqual(declared.sort(), Object.keys(engine).sort());
});

test("an agent written in TypeScript compiles, strictly, with every name there is", { skip }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "engine-types-"));
  try {
    const names = Object.keys(engine).filter((name) => name !== "default");
    const everything = join(folder, "everything.ts");
    await writeFile(everything, `import init, { ${names.join(", ")} } from "vitrine-engine";\nexport const all: unknown[] = [init, ${names.join(", ")}];\n`);
    assert.deepEqual(compile([join(here, "types/sample.ts"), everything]).complaints, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
