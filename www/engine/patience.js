// Waiting for a server: until it answers, or an abort, or it has been silent for too long.

export const ABORTED = Symbol("aborted");
export const SILENT = Symbol("silent");
export const LATE = Symbol("late");

/** A browser's timer takes no more. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** One wait at a time. Silence is measured from the last `heard()`; of no length is never. `close` it. */
export class Patience {
  #signal;
  #silenceMs;
  #heardAt = performance.now();
  #timer;
  #interrupt;
  #onAbort = () => this.#interrupt?.(ABORTED);

  constructor(signal, silenceMs) {
    this.#signal = signal;
    this.#silenceMs = silenceMs > 0 ? silenceMs : Infinity;
    signal?.addEventListener?.("abort", this.#onAbort);
    this.#arm();
  }

  heard() {
    this.#heardAt = performance.now();
  }

  /** Silence is of another length from now on. */
  limit(silenceMs) {
    this.#silenceMs = Math.min(this.#silenceMs, silenceMs);
    this.heard();
    this.#arm();
  }

  /** Calls `interrupt(why)` when what happens from now on need not be waited for any more, until it is given nothing. */
  watch(interrupt) {
    this.#interrupt = interrupt;
    if (interrupt && this.#signal?.aborted) interrupt(ABORTED);
  }

  /** Ends the wait there is, for a reason of the caller's. */
  interrupt(why) {
    this.#interrupt?.(why);
  }

  /** What the promise gives, or why it was not waited for. */
  async for(promise) {
    if (this.#signal?.aborted) {
      promise.catch(() => {});
      return ABORTED;
    }
    try {
      return await new Promise((resolve, reject) => {
        this.#interrupt = resolve;
        promise.then(resolve, reject);
      });
    } finally {
      this.#interrupt = undefined;
    }
  }

  /** Waits so long, unless there is an abort; this is no silence. */
  async sleep(milliseconds) {
    let timer;
    const slept = new Promise((resolve) => {
      timer = setTimeout(resolve, Math.min(Math.max(milliseconds, 0), MAX_TIMER_MS));
    });
    clearTimeout(this.#timer);
    try {
      return await this.for(slept);
    } finally {
      clearTimeout(timer);
      this.heard();
      this.#arm();
    }
  }

  close() {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener?.("abort", this.#onAbort);
  }

  /** One timer for a whole silence, however much is heard. */
  #arm() {
    clearTimeout(this.#timer);
    if (this.#silenceMs === Infinity) return;
    const left = this.#heardAt + this.#silenceMs - performance.now();
    this.#timer = setTimeout(
      () => {
        if (performance.now() - this.#heardAt >= this.#silenceMs) this.#interrupt?.(SILENT);
        else this.#arm();
      },
      Math.min(Math.max(left, 1), MAX_TIMER_MS),
    );
  }
}
