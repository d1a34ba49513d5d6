//! The shell as a model sees it: commands in, text, exit codes and changes out.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]

mod session;
mod vectors;
mod work;
mod world;
