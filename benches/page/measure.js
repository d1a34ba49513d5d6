// Two contenders in turn, so that whatever else the machine does meets both; the median of each.

/** How long one sample takes at least: a browser's clock has steps of 0.1 ms. */
const SAMPLE_MS = 20;
const REPETITIONS = 9;

const once = async (work) => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

/** How often `work` is run for one sample. */
async function countFor(work) {
  let times = 1;
  for (;;) {
    const took = await once(async () => {
      for (let index = 0; index < times; index += 1) await work();
    });
    if (took >= SAMPLE_MS) return times;
    times = Math.ceil(times * Math.max(2, Math.min(20, (1.2 * SAMPLE_MS) / Math.max(took, 0.1))));
  }
}

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

/** Milliseconds of one run of each contender: the medians, and the fastest and slowest sample. */
export async function compare(contenders, repetitions = REPETITIONS) {
  const names = Object.keys(contenders);
  const counts = {};
  const samples = {};
  for (const name of names) {
    await contenders[name]();
    counts[name] = await countFor(contenders[name]);
    samples[name] = [];
  }
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const name of repetition % 2 ? [...names].reverse() : names) {
      const took = await once(async () => {
        for (let index = 0; index < counts[name]; index += 1) await contenders[name]();
      });
      samples[name].push(took / counts[name]);
    }
  }
  return Object.fromEntries(
    names.map((name) => [name, { median: median(samples[name]), fastest: Math.min(...samples[name]), slowest: Math.max(...samples[name]) }]),
  );
}

/** The exponent of growth: the slope of the line through the logarithms. 1 is linear. */
export function exponent(points) {
  const logs = points.map(([size, time]) => [Math.log(size), Math.log(time)]);
  const mean = (index) => logs.reduce((sum, point) => sum + point[index], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const over = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return over / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
