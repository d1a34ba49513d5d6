//! The shell's module: listens to its host, which is another worker.

#[cfg(target_family = "wasm")]
#[path = "../../platform/jq_link.rs"]
mod jq_link;
#[cfg(target_family = "wasm")]
#[path = "../../platform/shell_port.rs"]
mod shell_port;

/// Listens to the host and says that it does.
#[cfg(target_family = "wasm")]
fn main() {
    shell_port::listen();
}

/// There is no worker without a browser; this lets the workspace build natively.
#[cfg(not(target_family = "wasm"))]
fn main() {}
