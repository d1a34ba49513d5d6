// The stream function of whoever names none.

let defaultStreamFn;

/** Sets the stream function that loops and agents use when they are given none. */
export const setDefaultStreamFn = (streamFn) => {
  defaultStreamFn = streamFn;
};

/** The one that was set. Throws when there is none. */
export const getDefaultStreamFn = () => {
  if (defaultStreamFn) return defaultStreamFn;
  throw new Error(
    "No default stream function configured. Pass streamFn explicitly or call setDefaultStreamFn().",
  );
};
