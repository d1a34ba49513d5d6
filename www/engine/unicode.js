// What Rust asks about characters: the host has the tables.

/** Each letter one character with its marks, where there is one. */
export const composed = (text) => text.normalize("NFC");

/** Ligatures, wide letters and the like as the plain ones. */
export const compatible = (text) => text.normalize("NFKC");

/** The text without its marks. */
export const letters = (text) => text.normalize("NFD").replace(/\p{M}/gu, "");

/** The marks alone, in order. */
export const marks = (text) => text.normalize("NFD").replace(/\P{M}/gu, "");
