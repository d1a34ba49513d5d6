// Tools and what of them is declared, as the run wants them told.

import { checkSchemas } from "./validate.js";
import { toToolDeclaration } from "./transcript.js";

/** Tool → the fields its declaration was made of, and its text. */
const texts = new WeakMap();

const isSame = (known, tool) =>
  known.name === tool.name &&
  known.description === tool.description &&
  known.parameters === tool.parameters &&
  known.constrainedSampling === tool.constrainedSampling;

/** A tool's declaration as text: equal texts, equal declarations. */
const declarationText = (tool) => {
  const known = texts.get(tool);
  if (known !== undefined && isSame(known, tool)) return known.text;
  const { name, description, parameters, constrainedSampling } = tool;
  const text = JSON.stringify(toToolDeclaration(tool));
  texts.set(tool, { name, description, parameters, constrainedSampling, text });
  return text;
};

/** Of tools with one name the first, which is the one that is found when it is called. */
export const withoutDuplicates = (tools) => {
  const names = new Set();
  return tools.filter(({ name }) => !names.has(name) && names.add(name));
};

/** A name as the run is told it, whatever it is. */
export const nameText = (name) => {
  if (typeof name === "string") return name;
  try {
    return String(name);
  } catch {
    return "";
  }
};

/** The tools and the system messages of one run: what the run has been told of them. */
export class Declarations {
  #numbers = new Map();
  #declarations = [];
  #tools;
  #messages;
  #length;
  #systems;

  /** Puts the tools that can be called on the run's stage. Throws for a schema that does not compile. */
  stageTools(run, tools) {
    const list = withoutDuplicates(tools ?? []);
    checkSchemas(list);
    this.#tools = (tools ?? []).map(({ name, description, parameters, constrainedSampling, executionMode }, at) => {
      return { tool: tools[at], name, description, parameters, constrainedSampling, executionMode };
    });
    for (const tool of list) {
      run.stageTool(nameText(tool.name), this.#number(tool), tool.executionMode === "sequential");
    }
  }

  /** Whether the run has been told other tools than these. */
  haveToolsChanged(tools) {
    const list = tools ?? [];
    if (list.length !== this.#tools.length) return true;
    return this.#tools.some((known, at) => {
      return list[at] !== known.tool || !isSame(known, list[at]) || known.executionMode !== list[at].executionMode;
    });
  }

  /** Puts what a context's messages declare on the run's stage. */
  stageContext(run, messages) {
    this.#systems = [];
    for (let at = 0; at < messages.length; at += 1) {
      if (messages[at].role !== "system") continue;
      this.#systems.push({ at, message: messages[at] });
      this.stageSystem(run, 0, messages[at]);
    }
    this.#messages = messages;
    this.#length = messages.length;
    return this.#systems.length;
  }

  /** Whether somebody else has put system messages in or taken them out. */
  hasContextChanged(messages) {
    if (messages === this.#messages && messages.length === this.#length) {
      return this.#systems.some(({ at, message }) => messages[at] !== message);
    }
    return true;
  }

  /** A message has gone into the context, at its end, and the run knows. */
  sawMessage(message) {
    this.#length += 1;
    if (message.role === "system") this.#systems.push({ at: this.#messages.length - 1, message });
  }

  /** Puts one system message on the run's stage. */
  stageSystem(run, handle, message) {
    for (const tool of message.toolsAdded ?? []) run.stageAdded(nameText(tool.name), this.#number(tool));
    for (const { name } of message.toolsRemoved ?? []) run.stageRemoved(nameText(name));
    run.stageSystem(handle);
  }

  /** The system message that a declaration makes of a given one, or of none. */
  message(run, given) {
    const added = Array.from({ length: run.addedCount() }, (_, at) => this.#declarations[run.added(at)]);
    const removed = Array.from({ length: run.removedCount() }, (_, at) => ({ name: run.removed(at) }));
    const { toolsAdded, toolsRemoved, ...rest } = given ?? { role: "system", content: "", timestamp: Date.now() };
    if (added.length > 0) rest.toolsAdded = added.map(toToolDeclaration);
    if (removed.length > 0) rest.toolsRemoved = removed;
    return rest;
  }

  #number(tool) {
    const text = declarationText(tool);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#declarations.push(tool) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}
