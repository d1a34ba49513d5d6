// Queues of events with one final result: what `agentLoop` gives, and what a stream function has to give.

/** A first-in, first-out list: a value is moved once at most, however many wait. */
class Fifo {
  #items = [];
  #head = 0;

  get length() {
    return this.#items.length - this.#head;
  }

  add(item) {
    this.#items.push(item);
  }

  take() {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head * 2 > this.#items.length && this.#head > 32) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    } else if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    }
    return item;
  }
}

/** For the loop, which takes events without a promise for each: see `takeNow`. */
export const NOTHING = Symbol("nothing queued");

/** Reads a stream to its end, without a promise of its own: an async generator would have three for each event. */
class Reader {
  #stream;
  #isOver = false;

  constructor(stream) {
    this.#stream = stream;
  }

  next() {
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    if (this.#stream.done) return this.#last();
    return this.#stream.take();
  }

  return(value) {
    this.#isOver = true;
    return Promise.resolve({ value, done: true });
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** A failure is told once. */
  async #last() {
    try {
      return await this.#stream.take();
    } catch (error) {
      this.#isOver = true;
      throw error;
    }
  }
}

/** Events in the order they were pushed, for one reader, and the result they come to. */
export class EventStream {
  #events = new Fifo();
  #readers = new Fifo();
  #isComplete;
  #extractResult;
  #done = false;
  #failure;
  #resolve;
  #reject;
  #result;

  /** `isComplete(event)` tells the last event, `extractResult(event)` what it means. */
  constructor(isComplete, extractResult) {
    this.#isComplete = isComplete;
    this.#extractResult = extractResult;
    this.#result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever does not ask for the result has not forgotten to handle it.
    this.#result.catch(() => {});
  }

  /** Whether it is over: nothing more can be pushed. */
  get done() {
    return this.#done;
  }

  /** Adds an event. After the last one it is ignored. */
  push(event) {
    if (this.#done) return;
    if (this.#isComplete(event)) {
      this.#done = true;
      this.#resolve(this.#extractResult(event));
    }
    const reader = this.#readers.take();
    if (reader) reader.resolve({ value: event, done: false });
    else this.#events.add(event);
  }

  /** Ends it; with a result if there has been none. Whoever waits for an event is told. */
  end(result) {
    this.#done = true;
    if (result !== undefined) this.#resolve(result);
    for (let reader = this.#readers.take(); reader; reader = this.#readers.take()) {
      reader.resolve({ value: undefined, done: true });
    }
  }

  /** Ends it with an error: the result rejects with it, and so does reading, after the events that were queued. */
  fail(error) {
    if (!this.#done) this.#failure = { error };
    this.#done = true;
    this.#reject(error);
    for (let reader = this.#readers.take(); reader; reader = this.#readers.take()) reader.reject(error);
  }

  /** The next event if it is there already, else `NOTHING`. */
  takeNow() {
    return this.#events.length > 0 ? this.#events.take() : NOTHING;
  }

  /** The next event or the end, as an iterator gives them. */
  take() {
    if (this.#events.length > 0) return Promise.resolve({ value: this.#events.take(), done: false });
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (this.#done) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.#readers.add({ resolve, reject }));
  }

  /** Every reader takes what the others have not. One that was left has nothing more. */
  [Symbol.asyncIterator]() {
    return new Reader(this);
  }

  /** What it comes to. */
  result() {
    return this.#result;
  }
}

const final = (event) => (event.type === "done" ? event.message : event.error);

/**
 * The events of one response. It also times it: the final message gets `durationMs`, from the making of the stream on,
 * unless it has one or its `timestamp` says that the response began before the stream.
 */
export class AssistantMessageEventStream extends EventStream {
  #startedAt = Date.now();
  #startedAtMonotonic = performance.now();

  constructor() {
    super((event) => event.type === "done" || event.type === "error", final);
  }

  push(event) {
    if (event.type === "done" || event.type === "error") this.#time(final(event));
    super.push(event);
  }

  end(result) {
    if (result !== undefined) this.#time(result);
    super.end(result);
  }

  #time(message) {
    if (this.done || message.durationMs !== undefined || message.timestamp < this.#startedAt) return;
    message.durationMs = Math.max(0, Math.round(performance.now() - this.#startedAtMonotonic));
  }
}

export const createAssistantMessageEventStream = () => new AssistantMessageEventStream();
