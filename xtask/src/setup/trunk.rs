//! Trunk, which builds the wasm modules from `index.html`.

use std::path::PathBuf;

use crate::machine::Machine;
use crate::run::Outcome;
use crate::setup::cargo_tool::CargoTool;

/// 0.22 wants a newer Rust than this project does and makes the same wasm.
const VERSION: &str = "0.21.14";

/// Finds or installs it.
pub fn ready(machine: &Machine) -> Outcome<PathBuf> {
    // It only starts other programs and copies files.
    CargoTool { package: "trunk", program: "trunk", version: VERSION, opt_level: "0" }.ready(machine)
}
