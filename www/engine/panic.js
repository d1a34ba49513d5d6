// The text of a panic: Rust notes it, then traps; whoever catches the trap takes it.

let noted;

/** Called by Rust while it panics. */
export const notePanic = (text) => {
  noted = text;
};

/** The text of the last panic, once. */
export const takePanic = () => {
  const text = noted;
  noted = undefined;
  return text;
};
