// `node:test` where there is no Node, as far as the tests here use it: they are kept, and run one after the other.

/** A test that takes longer hangs. */
const LONGEST = 60_000;

const kept = [];

const withLimit = (promise, limit) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`did not end within ${limit} ms`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** `test(name, options?, body)`; `options.skip` is a reason, or false. */
export const test = (name, options, body) => {
  if (typeof options === "function") [options, body] = [{}, options];
  kept.push({ name, body, skip: options.skip });
};

export default test;

/** What a body is given: what it wants done afterwards, and a way out. */
class TestContext {
  afterwards = [];
  skipped;

  after(body) {
    this.afterwards.push(body);
  }

  skip(reason) {
    this.skipped = String(reason ?? "");
  }

  diagnostic() {}
}

const runOne = async ({ name, body, skip }) => {
  if (skip) return { name, outcome: "skip", text: String(skip) };
  const context = new TestContext();
  const begin = performance.now();
  const took = () => Math.round(performance.now() - begin);
  try {
    await withLimit(Promise.resolve(body(context)), LONGEST);
    for (const afterwards of context.afterwards) await afterwards();
    if (context.skipped !== undefined) return { name, outcome: "skip", text: context.skipped };
    return { name, outcome: "ok", took: took() };
  } catch (error) {
    const text = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
    return { name, outcome: "not ok", text, took: took() };
  }
};

/** Runs what has been kept and forgets it. */
export const runAll = async () => {
  const outcomes = [];
  for (const one of kept.splice(0)) outcomes.push(await runOne(one));
  return outcomes;
};
