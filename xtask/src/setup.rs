//! What the commands need besides Rust: found, else installed, else named with the command that installs it.

pub mod apt;
pub mod browsers;
pub mod cargo_tool;
pub mod node;
pub mod packages;
pub mod python;
#[cfg(test)]
pub mod stand_in;
pub mod trunk;
pub mod wasm_bindgen;
pub mod wasm_opt;
pub mod wasm_target;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::Machine;
use crate::run::Outcome;
use crate::setup::wasm_target::Toolchain;

/// Everything a build of the site runs.
#[derive(Debug)]
pub struct BuildTools {
    machine: Machine,
    toolchain: Toolchain,
    /// The site builder.
    pub trunk: PathBuf,
    bindgen: PathBuf,
    /// Absent where it could be neither found nor installed; the site then works and is larger.
    pub wasm_opt: Option<PathBuf>,
}

impl BuildTools {
    /// Finds or installs them all.
    pub fn ready() -> Outcome<Self> {
        Self::ready_on(&Machine::here())
    }

    fn ready_on(machine: &Machine) -> Outcome<Self> {
        Ok(Self {
            machine: machine.clone(),
            toolchain: wasm_target::ready(machine)?,
            bindgen: wasm_bindgen::ready(machine)?,
            trunk: trunk::ready(machine)?,
            wasm_opt: wasm_opt::ready(machine),
        })
    }

    /// The pinned `wasm-bindgen`.
    pub fn bindgen(&self) -> &Path {
        &self.bindgen
    }

    /// A program that will find the pinned `wasm-bindgen` and the toolchain with the wasm target.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.machine.command(program);
        self.toolchain.choose_for(&self.machine, &mut command, self.bindgen.parent());
        command
    }
}

#[cfg(all(test, unix))]
mod tests;
