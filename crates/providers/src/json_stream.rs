//! JSON that arrives in pieces: a tolerant reader for what is shown while it streams, and the strict parse for what runs.
//!
//! The two never meet: nothing that the reader guessed is ever executed. The final arguments come from
//! [`parse_tool_call_arguments`] alone, which mends escapes but never closes what was cut off (§3).
//!
//! [`JsonStream`] keeps the value here. [`JsonChanges`] keeps none: it tells a receiver elsewhere what to change, so that its
//! value is up to date after each piece, for the cost of the piece and not of the value.
//!
//! # How to receive changes
//!
//! [`JsonChanges::push`] answers numbers: codes, each followed by its operands, to be read from left to right. Texts are not
//! among them: they are told as places in the piece, which the receiver has.
//!
//! | code | operands | what to do |
//! |---|---|---|
//! | 0 | | leave the innermost container |
//! | 1 | | put `{}` and enter it |
//! | 2 | | put `[]` and enter it |
//! | 3 | | a key begins, empty |
//! | 4 | | put an empty string, and remember its place |
//! | 5 | start, end | append these UTF-16 units of the piece to what the last 3 or 4 began |
//! | 6 | code point | append this character to it |
//! | 7 | number | put the number |
//! | 8, 9, 10 | | put `true`, `false`, `null` |
//! | 11 | then one of 7 to 10 | put that until the next push: then undo it first |
//!
//! What is put goes to the key that was read last if the innermost container is an object, else it is the next item of the
//! array, or the root while no container is entered. Putting replaces what the key had, in its place. A receiver keeps a stack
//! of containers, the key, the place of the last string and the undo of an 11: whether the key was there, and what it had. In
//! JavaScript:
//!
//! - Undo an 11 of before also if the answer is empty. At most one 11 comes, and it comes last. The undo restores the old
//!   value, deletes the key, or pops the item.
//! - Put the key `__proto__` with `Object.defineProperty` (own, enumerable, writable); every other key by plain assignment.
//!   Whether a key was there is `Object.hasOwn`.
//! - The arguments are the root if it is an object, else `{}`.
//! - Half a surrogate pair counts as the one unit it is, read as U+FFFD: what is cut from the piece keeps it.
//! - After the last delta take the final parse, not this value: `JSON.parse(text)`; if that throws, `JSON.parse` of
//!   [`repair_json`]'s text; if that throws too, or it is no object, `{}` and the error (blank text is `{}`).

mod changes;
mod final_parse;
mod reader;
mod strings;
mod tree;
mod words;

pub use changes::JsonChanges;
pub(crate) use final_parse::{Refusal, parse_object};
pub use final_parse::{parse_tool_call_arguments, repair_json};
pub use tree::JsonStream;
