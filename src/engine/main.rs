//! The engine: the loop, its schemas and its parsers as one wasm module for JavaScript.
//!
//! The driver is JavaScript (`www/engine/`): there every message, tool, hook and result stays the object it is. What is here
//! decides, and sees only what a decision needs: numbers, strings and flags cross the border, never an object.
//!
//! Reading order: `loop_run` (what happens next), `skeleton` (the messages it needs for that), `tool_schema`, `streaming_json`;
//! then `exchange` (a request and its answer) and `kept_messages` (what of it was sent before), and what stands alone: `session_log`, `files`, `file_tools`, `prints`,
//! `sse_reader`, `judge`, `text`, `markdown`.

#[cfg(target_family = "wasm")]
mod edits;
#[cfg(target_family = "wasm")]
mod exchange;
#[cfg(target_family = "wasm")]
mod file_tools;
#[cfg(target_family = "wasm")]
mod files;
#[cfg(target_family = "wasm")]
mod judge;
#[cfg(target_family = "wasm")]
mod kept_messages;
#[cfg(target_family = "wasm")]
mod loop_run;
#[cfg(target_family = "wasm")]
mod markdown;
#[cfg(target_family = "wasm")]
mod panic;
#[cfg(target_family = "wasm")]
mod prints;
#[cfg(target_family = "wasm")]
mod session_log;
#[cfg(target_family = "wasm")]
mod skeleton;
#[cfg(target_family = "wasm")]
mod sse_reader;
#[cfg(target_family = "wasm")]
mod streaming_json;
#[cfg(target_family = "wasm")]
mod text;
#[cfg(target_family = "wasm")]
mod tool_schema;

/// Runs when an instance is made.
#[cfg(target_family = "wasm")]
fn main() {
    panic::report();
}

/// There is no engine without JavaScript; this lets the workspace build natively.
#[cfg(not(target_family = "wasm"))]
fn main() {}
