//! What goes into the workspace and out of it: zip archives, and folders of the reader's own. It knows no workspace; the worker
//! asks it, entry by entry.
//!
//! A module of its own, so that nobody downloads it before the first archive.

#[cfg(target_family = "wasm")]
mod folder;
#[cfg(target_family = "wasm")]
#[path = "../platform/transfer_port.rs"]
mod transfer_port;

/// Nothing runs until the worker asks.
fn main() {}
