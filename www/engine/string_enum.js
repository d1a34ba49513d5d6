// Schemas that are easier said by a function.

/** A schema for one of several texts that every provider understands. */
export const StringEnum = (values, options) => {
  const schema = { type: "string", enum: values };
  if (options?.description) schema.description = options.description;
  if (options?.default) schema.default = options.default;
  return schema;
};
