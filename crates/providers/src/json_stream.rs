//! JSON that arrives in pieces: a tolerant reader for what is shown while it streams, and the strict parse for what runs.
//!
//! The two never meet: nothing that [`JsonStream`] guessed is ever executed. The final arguments come from
//! [`parse_tool_call_arguments`] alone, which mends escapes but never closes what was cut off (§3).

mod final_parse;
mod reader;

pub(crate) use final_parse::{Refusal, parse_object};
pub use final_parse::{parse_tool_call_arguments, repair_json};
pub use reader::JsonStream;

use serde_json::Value;

/// The value of a prefix, for display: `{}` where nothing can be said yet. Reading the same text in pieces through a
/// [`JsonStream`] gives the same and does not start over at each piece.
pub fn parse_streaming_json(text: &str) -> Value {
    let mut stream = JsonStream::new();
    stream.push(text);
    stream.to_value()
}
