// Bytes, in whatever the caller has them.

/** A view of them. `complaint` is what is thrown for what is none. */
export const bytesOf = (data, complaint = "engine: contents must be bytes; writeText takes text") => {
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw new TypeError(complaint);
};
