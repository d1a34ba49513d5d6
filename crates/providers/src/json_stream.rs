//! JSON that arrives in pieces: a tolerant reader for what is shown while it streams, and the strict parse for what runs.
//!
//! The two never meet: nothing that [`JsonStream`] guessed is ever executed. The final arguments come from
//! [`parse_tool_call_arguments`] alone, which mends escapes but never closes what was cut off (§3).

mod final_parse;
mod reader;

pub(crate) use final_parse::{Refusal, parse_object};
pub use final_parse::{parse_tool_call_arguments, repair_json};
pub use reader::JsonStream;
