//! The parser of the page's Markdown. It draws nothing and knows no document: text goes in, what it changed comes out.
//!
//! A module of its own, so that the first screen does not wait for it: much of it is the table of HTML's entities.

#[cfg(target_family = "wasm")]
#[path = "../platform/markdown_port.rs"]
mod markdown_port;

/// Nothing runs until the page opens a stream.
fn main() {}
