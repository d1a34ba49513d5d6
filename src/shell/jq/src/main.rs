//! The module that the shell loads when `jq` is first asked for.

#[cfg(target_family = "wasm")]
#[path = "../../../platform/jq_port.rs"]
mod jq_port;

/// The module runs nothing by itself.
fn main() {}
