// A call's arguments: from what the model wrote to what the tool gets.

import { plainSchema } from "./plain_schema.js";
import { instance, wasm } from "./wasm.js";

/** As deep as the schema validator goes: no tool needs a tenth. */
const MAX_LEVELS = 100;
/** Bounds what a value that refers to itself in many places can become as text. */
const MAX_VALUES = 10_000_000;
/** Compiled schemas that are kept; the one not used for longest goes first. */
const MAX_SCHEMAS = 256;

/** Text of a schema → `{schema, instance, plain}`, in order of use. */
const compiled = new Map();
/** Schema object → its text. */
const texts = new WeakMap();
/** The one used last, which has no one to be put before. */
let newest;

const schemaText = ({ name, parameters }) => {
  let text = texts.get(parameters);
  if (text === undefined) {
    try {
      text = JSON.stringify(parameters);
    } catch (error) {
      // A cycle, or more levels than the platform can write.
      throw new Error(`Tool "${name}": its parameters are no JSON: ${error.message}`);
    }
    texts.set(parameters, text);
  }
  return text;
};

/** The tool of a name, if there is one. */
export const findTool = (tools, name) => tools?.find((tool) => tool.name === name);

const isObject = (value) => typeof value === "object" && value !== null;

/** The compiled schema of a tool, as it is kept. Throws an error that names the tool when there is none. */
const schemaOf = (tool) => {
  if (!isObject(tool.parameters)) throw new Error(`Tool "${tool.name}": its parameters are not a JSON Schema object`);
  const text = schemaText(tool);
  let entry = compiled.get(text);
  if (entry !== undefined && entry === newest && entry.instance === instance()) return entry;
  compiled.delete(text);
  if (entry?.instance !== instance()) {
    const schema = new wasm.ToolSchema(text);
    const failure = schema.failure();
    if (failure !== undefined) {
      schema.free();
      throw new Error(`Tool "${tool.name}": ${failure}`);
    }
    entry = { schema, instance: instance(), plain: plainSchema(JSON.parse(text)) };
  }
  compiled.set(text, entry);
  newest = entry;
  if (compiled.size > MAX_SCHEMAS) {
    const [oldest] = compiled.keys();
    compiled.get(oldest).schema.free();
    compiled.delete(oldest);
  }
  return entry;
};

/** Compiles the schemas of tools that are about to be used. Throws for the first that cannot be, and names its tool. */
export const checkSchemas = (tools) => {
  for (const tool of tools) schemaOf(tool);
};

const typeName = (value) => {
  if (typeof value === "number") return String(value);
  return typeof value === "object" ? "object" : typeof value;
};

/** Where a value is no JSON: `{path, problem}`; nothing when it is. A key with `undefined` counts as absent, as in JSON. */
const findNonJson = (root) => {
  const stack = [{ value: root, path: undefined, level: 0 }];
  let count = 0;
  while (stack.length > 0) {
    const place = stack.pop();
    const { value, level } = place;
    count += 1;
    if (level > MAX_LEVELS) return { problem: `nested deeper than ${MAX_LEVELS} levels` };
    if (count > MAX_VALUES) return { problem: `more than ${MAX_VALUES} values` };
    if (isObject(value)) {
      const isArray = Array.isArray(value);
      if (!isArray && Object.prototype.toString.call(value) !== "[object Object]") {
        return { place, problem: `expected a JSON value, got ${value.constructor?.name ?? "object"}` };
      }
      for (const key of Object.keys(value)) {
        const inner = value[key];
        if (inner === undefined && !isArray) continue;
        if (isObject(inner) || !isScalar(inner)) stack.push({ value: inner, key, parent: place, level: level + 1 });
        else count += 1;
      }
    } else if (!isScalar(value)) return { place, problem: `expected a JSON value, got ${typeName(value)}` };
  }
  return undefined;
};

const isScalar = (value) =>
  typeof value === "string" || typeof value === "boolean" || value === null || Number.isFinite(value);

const pathOf = (place) => {
  const keys = [];
  for (let at = place; at?.parent; at = at.parent) keys.unshift(at.key);
  return keys.length > 0 ? keys.join(".") : "root";
};

/** Half a surrogate pair is no text to Rust; it judges a replacement character in its place. */
const withoutLoneSurrogates = (text) =>
  text.replace(/\\(\\|u[dD][89a-fA-F][0-9a-fA-F]{2})/g, (escape, what) => (what === "\\" ? escape : "\\ufffd"));

const put = (target, key, value) => {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else target[key] = value;
};

/** Applies `[path, value]` or, to take a key away, `[path]`. */
const applyEdits = (root, edits) => {
  for (const edit of edits) {
    const [path] = edit;
    if (path.length === 0) return edit[1];
    let target = root;
    for (const key of path.slice(0, -1)) target = target[key];
    const key = path.at(-1);
    if (edit.length === 1) delete target[key];
    else put(target, key, edit[1]);
  }
  return root;
};

/** How a refusal begins; the name is put in here, where it may be no text. */
const NAMELESS = 'Validation failed for tool "":';

/**
 * The arguments a tool gets: a copy of the call's, coerced where the schema wants it and valid. Throws an error with the
 * text the model reads.
 */
export const validateToolArguments = (tool, toolCall) => {
  const { name } = toolCall;
  if (toolCall.argumentsError) throw new Error(`Invalid arguments for tool "${name}": ${toolCall.argumentsError}`);
  const { schema, plain } = schemaOf(tool);
  const args = toolCall.arguments;
  const copy = plain?.(args);
  if (copy !== undefined) return copy;
  const found = findNonJson(args);
  if (found) {
    // What no copy can be made of says so in the platform's own words.
    structuredClone(found.place?.value);
    throw new Error(`Validation failed for tool "${name}":\n  - ${pathOf(found.place)}: ${found.problem}`);
  }
  const text = JSON.stringify(args);
  let answer = schema.check("", text);
  if (answer === "?") answer = schema.check("", withoutLoneSurrogates(text));
  // A copy: a tool may change what it gets, and the transcript must not change with it.
  if (answer === undefined) return JSON.parse(text);
  if (answer.startsWith("[")) return applyEdits(JSON.parse(text), JSON.parse(answer));
  const lines = answer.slice(NAMELESS.length).split("\n\nReceived arguments:\n", 1)[0];
  const received = JSON.stringify(args, null, 2);
  throw new Error(`Validation failed for tool "${name}":${lines}\n\nReceived arguments:\n${received}`);
};

/** The same for the tool of a list that the call asks for. */
export const validateToolCall = (tools, toolCall) => {
  const tool = findTool(tools, toolCall.name);
  if (!tool) throw new Error(`Tool "${toolCall.name}" not found`);
  return validateToolArguments(tool, toolCall);
};
