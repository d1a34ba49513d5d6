//! The page: draws what the worker tells and sends what the reader asks. It knows the protocol and nothing of the loop.

#[cfg(target_family = "wasm")]
#[path = "../platform/page_port.rs"]
mod page_port;

/// Runs when the module is loaded; drawing waits for the loader's `mount`.
#[cfg(target_family = "wasm")]
fn main() {
    page_port::serve(|mount| Box::new(mount));
}

/// There is no page without a browser; this lets the workspace build natively.
#[cfg(not(target_family = "wasm"))]
fn main() {}
