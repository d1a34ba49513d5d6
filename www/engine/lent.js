// Views of the module's memory: Rust notes them when it is asked to lend, whoever asked takes them.

let lent;

/** Called by Rust while it lends. */
export const noteLent = (piece, changes) => {
  lent = { piece, changes };
};

/** What was lent last, once. */
export const takeLent = () => {
  const views = lent;
  lent = undefined;
  return views;
};
