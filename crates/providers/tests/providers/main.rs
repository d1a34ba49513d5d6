//! What the crate promises, from the rules: streams cut anywhere, requests that a strict server takes, texts and verdicts.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod adapt;
mod connection;
mod errors;
mod json_fuzz;
mod json_receiver;
mod json_stream;
mod requests;
mod scripted;
mod sse;
mod streams;
mod transform;
mod vectors;

/// Repeatable choices.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }
}
