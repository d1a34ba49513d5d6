// What is told, as lines: without times, and with a number for a message that was told before, so that lines show identity.

/** What an engine says of its own accord differs from browser to browser. */
const PLATFORM = /^(TypeError: )?(Cannot (read|set) propert|[Cc]an('t|not) convert |can't access|null has no|undefined has no)|is (null|undefined|not iterable|not a function)\b/;

export class Trace {
  lines = [];
  #isBrief;
  #countsTokens;
  #numbers = new Map();

  /**
   * A brief one leaves out the updates of messages. Where the platform's words are part of what is sent, tokens cannot be
   * counted.
   */
  constructor({ brief = false, platform = false }) {
    this.#isBrief = brief;
    this.#countsTokens = !platform;
  }

  #number(message) {
    if (!this.#numbers.has(message)) this.#numbers.set(message, this.#numbers.size + 1);
    return `#${this.#numbers.get(message)}`;
  }

  /** Whether a message was told before. */
  knows(message) {
    return this.#numbers.has(message);
  }

  #text(value, isTop = false) {
    const top = value;
    return JSON.stringify(value, (key, inner) => {
      if (inner === undefined) return "(none)";
      if (key === "timestamp") return inner === 0 ? 0 : "(time)";
      if (key === "durationMs") return "(ms)";
      if (key === "usage" && typeof inner?.cost === "object") {
        if (!this.#countsTokens) return "(tokens)";
        const { cost, ...counts } = inner;
        return [...Object.entries(counts), ...Object.entries(cost)].map(([name, count]) => (count ? `${name} ${count}` : "")).join(" ").trim();
      }
      if (typeof inner === "function") return "(function)";
      if (typeof inner === "string" && PLATFORM.test(inner)) return "(the platform's words)";
      if (inner !== null && typeof inner === "object" && this.#numbers.has(inner) && !(isTop && inner === top)) return this.#number(inner);
      return inner;
    });
  }

  /** A line of a label and a value. */
  say(label, value) {
    this.lines.push(value === undefined ? label : `${label} ${this.#text(value)}`);
  }

  /** An event, and what an agent's state says of it. */
  event(event, agent) {
    const { type } = event;
    if (this.#isBrief && type === "message_update") return;
    const busy = agent ? ` [${agent.state.messages.length} ${[...agent.state.pendingToolCalls].join(" ")}]` : "";
    this.lines.push(`${type}${this.#payload(event)}${busy}`);
  }

  #payload(event) {
    const { type, message } = event;
    switch (type) {
      case "message_start":
        // A response's is a copy of what there is; another's is the message itself.
        if (message.role === "assistant") return ` assistant ${message.stopReason} ${message.content?.length}`;
        return ` ${message.role}`;
      case "message_update": {
        const { type: kind, contentIndex, delta, content, toolCall } = event.assistantMessageEvent;
        return ` ${kind} ${contentIndex} ${this.#text(delta ?? content ?? toolCall ?? "")}`;
      }
      case "message_end": {
        const known = this.#numbers.has(message);
        const number = this.#number(message);
        return ` ${number}${known ? " again" : ` ${this.#text(message, true)}`}`;
      }
      default: {
        const { type: _, ...rest } = event;
        return Object.keys(rest).length > 0 ? ` ${this.#text(rest)}` : "";
      }
    }
  }
}
