// Ids that sort by the time they were made.

/** What the 48 bits of its time can hold. */
const MAX_TIME = 2 ** 48 - 1;
/** Counts within the process, so that ids of one millisecond keep their order; it begins anywhere, in the lower half. */
const COUNTER_BITS = 41n;

let lastTime = 0;
let counter;

const randomBits = (bits) => {
  const words = crypto.getRandomValues(new Uint32Array(2));
  return ((BigInt(words[0]) << 32n) | BigInt(words[1])) & ((1n << bits) - 1n);
};

const hexOf = (value, digits) => value.toString(16).padStart(digits, "0");

/**
 * A UUID of version 7, RFC 9562: the time, then a count, then chance. Those without a time of their own sort in the order
 * in which they were made.
 */
export const uuidv7 = (timestampMs) => {
  const asked = timestampMs ?? Date.now();
  if (!Number.isInteger(asked) || asked < 0 || asked > MAX_TIME) {
    throw new RangeError(`UUIDv7 timestamp must be an integer between 0 and ${MAX_TIME}`);
  }
  const time = timestampMs === undefined ? Math.max(asked, lastTime) : asked;
  if (timestampMs === undefined) lastTime = time;
  counter = counter === undefined ? randomBits(COUNTER_BITS - 1n) : counter + 1n;
  const count = counter & ((1n << COUNTER_BITS) - 1n);
  // After the time: the version and 12 bits, the variant and 62 bits, of which the count has the first 41.
  const tail = (count << 33n) | randomBits(33n);
  const high = hexOf((7n << 12n) | (tail >> 62n), 4);
  const low = hexOf((2n << 62n) | (tail & ((1n << 62n) - 1n)), 16);
  const head = hexOf(BigInt(time), 12);
  return `${head.slice(0, 8)}-${head.slice(8)}-${high}-${low.slice(0, 4)}-${low.slice(4)}`;
};
