//! The loop and the decoders as the page's worker runs them, with what surrounds them made synthetic: `cargo xtask bench`
//! puts them beside the peers, in one page of one browser.
//!
//! Compiled with the profile of what is shipped. Nothing here is shipped itself.
#![cfg(target_family = "wasm")]

mod arguments;
mod search;
mod storage;
mod turns;

pub use arguments::ArgumentStream;
pub use search::SearchBench;
pub use storage::StorageBench;
pub use turns::TurnBench;
