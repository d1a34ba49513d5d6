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
//! [`JsonChanges::push`] answers JSON text: one flat array of codes, each followed by its operands, to be read from left to
//! right. No change is `[]`.
//!
//! | code | operands | what to do |
//! |---|---|---|
//! | 0 | | leave the innermost container |
//! | 1 | key | put `{}` at the key and enter it |
//! | 2 | key | put `[]` at the key and enter it |
//! | 3 | key, value | put the string, number, literal; remember the place: a string may be open |
//! | 4 | text | append the text to the string put last |
//! | 5 | key, value | put the value, until the next push: then undo this first |
//!
//! The key is a string in an object and `null` elsewhere: the next item of the array, or the root while no container is
//! entered. Putting replaces what the key had, in its place. A receiver keeps a stack of containers, the place of the last 3
//! and the undo of a 5: whether the key was there, and what it had. In JavaScript:
//!
//! - Apply `JSON.parse(changes.push(delta))`, also for an empty answer, since a 5 of before must be undone. At most one 5
//!   comes, and it comes last. The undo restores the old value, deletes the key, or pops the item.
//! - Put the key `__proto__` with `Object.defineProperty` (own, enumerable, writable), append to and delete it likewise; every
//!   other key by plain assignment. Whether a key was there is `Object.hasOwn`.
//! - The arguments are the root if it is an object, else `{}`.
//! - A delta that ends in half a surrogate pair: keep that half back and put it before the next delta.
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
