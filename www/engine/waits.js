// Waiting for what others promised, and giving up on it after an abort.

/** How long an aborted run waits for what does not react. */
const DEFAULT_GRACE_MS = 5000;

/** What a wait gives when it was given up. */
export const OVER = Symbol("given up");

export const isThenable = (value) =>
  value !== null && (typeof value === "object" || typeof value === "function") && typeof value.then === "function";

/** A run's waits: one at a time, each given up a grace after the run's signal has fired. */
export class Waits {
  #signal;
  #graceMs;
  #on;
  #tells;
  #listener = () => this.check();
  #isAborted = false;
  #timer;
  #release;
  #isIdle = false;
  #readUntil;

  /** `on.abort` is called once the signal has fired, `on.giveUp` before a wait ends because it was given up. */
  constructor(signal, graceMs, on) {
    this.#signal = signal;
    this.#graceMs = Number.isFinite(graceMs) && graceMs >= 0 ? graceMs : DEFAULT_GRACE_MS;
    this.#on = on;
    this.#tells = signal === undefined || typeof signal.addEventListener === "function";
    if (this.#tells) signal?.addEventListener("abort", this.#listener, { once: true });
  }

  /** Notices an abort of a signal that tells nobody; to be called before anything is decided. */
  look() {
    if (!this.#tells) this.check();
  }

  /** Notices an abort that there was before there was anyone to tell. */
  check() {
    if (this.#isAborted || !this.#signal?.aborted) return;
    this.#isAborted = true;
    this.#on.abort();
    this.#arm();
  }

  /** The value of a thenable, or `OVER`. What it does after that is nobody's business. */
  async for(thenable) {
    if (this.#signal === undefined) return thenable;
    try {
      return await new Promise((resolve, reject) => {
        this.#release = resolve;
        this.#arm();
        thenable.then(resolve, reject);
      });
    } finally {
      this.#disarm();
    }
  }

  /** What is read from here on is one thing: see `isReadEnough`. */
  startReading() {
    this.#readUntil = undefined;
  }

  /**
   * Whether what is being read is to be given up: it has gone on for a grace after the abort. Each wait for it may have
   * been short, and even the timers may not get their turn.
   */
  isReadEnough() {
    if (!this.#isAborted) return false;
    const now = performance.now();
    this.#readUntil ??= now + this.#graceMs;
    if (now < this.#readUntil) return false;
    this.#on.giveUp();
    return true;
  }

  /** Until `wake` is called, or the wait is given up. What woke it is acted on in the next microtask. */
  untilWoken() {
    this.#isIdle = true;
    return new Promise((resolve) => {
      this.#release = (value) => {
        this.#isIdle = false;
        this.#disarm();
        resolve(value);
      };
      this.#arm();
    });
  }

  /** Ends the wait of `untilWoken`, and no other. */
  wake() {
    if (this.#isIdle) this.#release?.();
  }

  /** To be called when the run is over, however it ended. */
  close() {
    this.#disarm();
    this.#signal?.removeEventListener?.("abort", this.#listener);
  }

  #arm() {
    if (this.#release === undefined || this.#timer !== undefined || !this.#signal?.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const release = this.#release;
      this.#on.giveUp();
      release?.(OVER);
    }, this.#graceMs);
  }

  #disarm() {
    this.#release = undefined;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
