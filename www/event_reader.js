// What a worker tells of a run, made whole again. Between worker and page a message that was told before is its number, and
// an update says nothing of usage that is as it was: see `EventWriter` in crates/agent/src/event/feed.rs.

/** Reads the events of one worker, all of them and in order. */
export class EventReader {
  #told = [];
  #usage = undefined;

  /** Puts what was named into the event, and gives it. Events that carry one message share one object. */
  read(event) {
    if (event.type === "agent_start") {
      this.#told = [];
      this.#usage = undefined;
    }
    if (event.type === "message_update") event.usage = this.#usage = event.usage ?? this.#usage ?? noUsage();
    if ("message" in event) event.message = this.#message(event.message);
    for (const list of ["toolResults", "messages"]) {
      if (list in event) event[list] = event[list].map((message) => this.#message(message));
    }
    return event;
  }

  #message(message) {
    if (typeof message === "number") return this.#told[message];
    this.#told.push(message);
    return message;
  }
}

function noUsage() {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
}
