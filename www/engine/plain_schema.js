// Schemas that only name the types of an object's fields, as most tools' do: what plainly fits one is valid as it is, and
// needs no validator to say so. Everything else does.

const FITS = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
};

/** Keywords that say nothing about a value. */
const WORDS = new Set(["title", "description", "examples", "default", "$comment", "deprecated"]);
const ROOT = new Set([...WORDS, "type", "properties", "required", "additionalProperties"]);

const hasOnly = (schema, keywords) => Object.keys(schema).every((keyword) => keywords.has(keyword));

/**
 * A function that gives a copy of arguments that plainly fit, and nothing for all others; nothing at all for a schema that
 * says more than types. `schema` is parsed JSON.
 */
export const plainSchema = (schema) => {
  const { type, properties = {}, required = [], additionalProperties } = schema;
  if (type !== "object" || !hasOnly(schema, ROOT)) return undefined;
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined;
  if (!Array.isArray(required) || Array.isArray(properties)) return undefined;
  if (typeof properties !== "object" || properties === null) return undefined;
  const fits = new Map();
  const ofField = new Set([...WORDS, "type"]);
  for (const [key, field] of Object.entries(properties)) {
    if (!Object.hasOwn(FITS, field?.type) || !hasOnly(field, ofField)) return undefined;
    fits.set(key, FITS[field.type]);
  }
  return (args) => {
    if (typeof args !== "object" || args === null || Object.getPrototypeOf(args) !== Object.prototype) return undefined;
    const keys = Object.keys(args);
    for (const key of keys) if (!fits.get(key)?.(args[key])) return undefined;
    for (const key of required) if (!Object.hasOwn(args, key)) return undefined;
    return { ...args };
  };
};
