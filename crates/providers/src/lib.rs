//! Bytes to model events and back, one folder a wire; no IO, no clock, no async.
//!
//! A driver elsewhere sends the [`http::HttpRequest`] that a wire builds and pushes the body's bytes into the wire's
//! decoder, cut wherever the network cut them; the events are the same whatever the cuts. Everything that a server sends is
//! untrusted: a decoder never panics, is linear, is bounded, and never reports success for an answer that was cut off.
//!
//! This crate deliberately knows no retry policy (it only says whether an error may be retried), no tool and no file.
//!
//! ```
//! use vitrine_agent::model::ModelEvent;
//! use vitrine_providers::openai_completions::{DecodeOptions, Decoder};
//!
//! let mut decoder = Decoder::new(DecodeOptions::default());
//! let mut events = decoder.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n");
//! events.extend(decoder.finish());
//! assert!(matches!(events.last(), Some(ModelEvent::Done { .. })));
//! ```

pub mod connection;
pub mod error;
pub mod http;
pub mod json_stream;
pub mod openai_completions;
pub mod scripted;
pub mod sse;
pub mod transform;
