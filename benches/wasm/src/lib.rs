//! The loop and the decoders as the page's worker runs them, with what surrounds them made synthetic: `cargo xtask bench`
//! puts them beside the peers, in one page of one browser.
//!
//! What it measures is compiled with the profile of what is shipped. What stands here is not shipped itself, and is compiled
//! for speed, as a browser compiles what stands in its place beside the peers.
#![cfg(target_family = "wasm")]

mod arguments;
mod search;
mod storage;
mod turns;

pub use arguments::ArgumentStream;
pub use search::SearchBench;
pub use storage::StorageBench;
pub use turns::TurnBench;
