//! What the crate promises, from the rules: streams cut anywhere, requests that a strict server takes, texts and verdicts.

mod connection;
mod errors;
mod json_stream;
mod requests;
mod scripted;
mod sse;
mod streams;
