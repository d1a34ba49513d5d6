// just-bash imports Node's zlib for commands that no browser has; no row uses them.
const absent = () => {
  throw new Error("there is no zlib in a browser");
};
export { absent as gunzipSync, absent as gzipSync };
export const constants = {};
