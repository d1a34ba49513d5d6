//! The worker: owns the workspace, the sessions, the run and the keys, and does what the page's commands ask.
//!
//! Reading order: `commands` (what can be asked), `desk` (what is owned), `run` and `host` (how a run
//! goes), `tamper`, `approval` and `parts` (what a person does in it).

#[cfg(target_family = "wasm")]
mod approval;
#[cfg(target_family = "wasm")]
mod changes;
#[cfg(target_family = "wasm")]
mod commands;
#[cfg(target_family = "wasm")]
mod connection;
#[cfg(target_family = "wasm")]
mod desk;
#[cfg(target_family = "wasm")]
mod fence;
#[cfg(target_family = "wasm")]
mod files;
#[cfg(target_family = "wasm")]
mod host;
#[cfg(target_family = "wasm")]
mod keys;
#[cfg(target_family = "wasm")]
mod lesson;
#[cfg(target_family = "wasm")]
mod models;
#[cfg(target_family = "wasm")]
mod outbox;
#[cfg(target_family = "wasm")]
mod panel;
#[cfg(target_family = "wasm")]
mod parts;
#[cfg(target_family = "wasm")]
mod requests;
#[cfg(target_family = "wasm")]
mod rewind;
#[cfg(target_family = "wasm")]
mod run;
#[cfg(target_family = "wasm")]
mod seat;
#[cfg(target_family = "wasm")]
mod sessions;
#[cfg(target_family = "wasm")]
mod shell;
#[cfg(target_family = "wasm")]
mod storage;
#[cfg(target_family = "wasm")]
mod tamper;
#[cfg(target_family = "wasm")]
mod toys;
#[cfg(target_family = "wasm")]
mod transfer;
#[cfg(target_family = "wasm")]
mod visit;

/// Listens to the page and says that it does.
#[cfg(target_family = "wasm")]
fn main() {
    commands::listen();
}

/// There is no worker without a browser; this lets the workspace build natively.
#[cfg(not(target_family = "wasm"))]
fn main() {}
