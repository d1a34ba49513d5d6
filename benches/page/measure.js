// Contenders in turn, so that whatever else the machine does meets all of them; the median of each.

/** How long one sample takes at least: a browser's clock has steps of 0.1 ms. */
const SAMPLE_MS = 20;
const REPETITIONS = 9;

/** By the clock on the wall: for work that waits, as storage does. */
export const wall = async () => performance.now();

/** By what scripts have used of the processor, where the driver can tell; by the wall elsewhere. */
const processor = async () => (await window.driver("scriptMs")) ?? performance.now();

/** A contender that says itself how many milliseconds each of its runs took. */
export class Measured {
  constructor(run) {
    this.run = run;
  }
}

const once = async (work, times, clock) => {
  if (work instanceof Measured) {
    let sum = 0;
    for (let index = 0; index < times; index += 1) sum += await work.run();
    return sum;
  }
  const started = await clock();
  for (let index = 0; index < times; index += 1) await work();
  return (await clock()) - started;
};

/** How often `work` is run for one sample. */
async function countFor(work, clock) {
  let times = 1;
  for (;;) {
    const took = await once(work, times, clock);
    if (took >= SAMPLE_MS) return times;
    times = Math.ceil(times * Math.max(2, Math.min(20, (1.2 * SAMPLE_MS) / Math.max(took, 0.1))));
  }
}

const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

/** The middle one of some values, with the least and the greatest. */
export const summary = (values) => ({ median: median(values), least: Math.min(...values), greatest: Math.max(...values) });

/** Milliseconds of one run of each contender, by name. */
export async function compare(contenders, { repetitions = REPETITIONS, clock = processor } = {}) {
  const names = Object.keys(contenders);
  const counts = {};
  const samples = {};
  for (const name of names) {
    await once(contenders[name], 1, clock);
    counts[name] = await countFor(contenders[name], clock);
    samples[name] = [];
  }
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const name of repetition % 2 ? [...names].reverse() : names) {
      samples[name].push((await once(contenders[name], counts[name], clock)) / counts[name]);
    }
  }
  return Object.fromEntries(names.map((name) => [name, summary(samples[name])]));
}

/** The exponent of growth: the slope of the line through the logarithms. 1 is linear. */
export function exponent(points) {
  const logs = points.map(([size, time]) => [Math.log(size), Math.log(time)]);
  const mean = (index) => logs.reduce((sum, point) => sum + point[index], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const over = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return over / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
