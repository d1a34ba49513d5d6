//! The rules of sessions, from the outside: files in, files and contexts out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

mod backend;
mod codec;
mod contexts;
mod interop;
mod lost;
mod saving;
mod store;
