//! A Rust toolchain that can build for wasm.
//!
//! Looked for in this order: the active toolchain, a toolchain that an earlier run linked, `rustup target add`, and where
//! rustup cannot download it, Debian's compiler with a standard library built from Debian's own source of it.

pub mod debian;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::Machine;
use crate::run::{self, Failure, Outcome, ask};

/// The target, as rustc names it.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The name under which rustup knows Debian's compiler.
const LINKED: &str = "web";
const ADD_TARGET: &str = "rustup target add wasm32-unknown-unknown";

/// Which toolchain builds wasm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The one that runs us.
    Active,
    /// The one that rustup knows as `web`.
    Linked,
    /// Debian's, where there is no rustup.
    Debian,
}

impl Toolchain {
    /// Makes a program and its children use this toolchain, and look for tools in `tools` first.
    pub fn choose_for(self, machine: &Machine, command: &mut Command, tools: Option<&Path>) {
        let mut folders: Vec<PathBuf> = tools.map(Path::to_path_buf).into_iter().collect();
        match self {
            Self::Active => {}
            Self::Linked => {
                command.env("RUSTUP_TOOLCHAIN", LINKED);
            }
            Self::Debian => folders.push(machine.file("/usr/bin")),
        }
        folders.extend(machine.path());
        // A folder with the separator in its name cannot be on PATH; the old PATH then has to do.
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
    }
}

/// Finds one, else makes one.
pub fn ready(machine: &Machine) -> Outcome<Toolchain> {
    if let Some(toolchain) = find(machine) {
        return Ok(toolchain);
    }
    let rustup = has_rustup(machine);
    if rustup {
        machine.say(format_args!("the wasm target is not installed; {ADD_TARGET}"));
        if run::run(machine.command("rustup").args(["target", "add", TARGET])).is_ok()
            && let Some(toolchain) = find(machine)
        {
            return Ok(toolchain);
        }
        machine.say("rustup could not install it");
    }
    if debian::has_compiler(machine) {
        debian::install(machine)?;
        if let Some(toolchain) = find(machine) {
            return Ok(toolchain);
        }
    }
    Err(Failure::new(format!("no Rust toolchain here can build for {TARGET}")).fixed_by(if rustup {
        ADD_TARGET
    } else {
        "install rustup from https://rustup.rs, then: rustup target add wasm32-unknown-unknown"
    }))
}

fn find(machine: &Machine) -> Option<Toolchain> {
    if has_target(|| machine.command("rustc")) {
        return Some(Toolchain::Active);
    }
    if has_rustup(machine) {
        let linked = || {
            let mut rustc = machine.command("rustc");
            rustc.env("RUSTUP_TOOLCHAIN", LINKED);
            rustc
        };
        return has_target(linked).then_some(Toolchain::Linked);
    }
    has_target(|| debian::rustc(machine)).then_some(Toolchain::Debian)
}

fn has_rustup(machine: &Machine) -> bool {
    machine.on_path("rustup").is_some()
}

/// The libraries without which a target is not one, the one that is put in place last at the end. `test` is among them:
/// wasm tests have no harness without it.
const LIBRARIES: [&str; 3] = ["libcore-", "libstd-", "libtest-"];

/// The file beside a library that we built, with the version of the compiler that it is for.
const MADE_FOR: &str = "made-for";

/// Whether a compiler has the target's standard library: all of it, not an empty folder or one half filled, and not one
/// that was built for the compiler that was here before an upgrade.
fn has_target(rustc: impl Fn() -> Command) -> bool {
    let Some(folder) = library_folder(&mut rustc()) else { return false };
    let Ok(files) = std::fs::read_dir(&folder) else { return false };
    let names: Vec<_> = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    let has = |prefix: &&str| names.iter().any(|name| name.starts_with(*prefix) && name.ends_with(".rlib"));
    LIBRARIES.iter().all(has)
        && std::fs::read_to_string(folder.join(MADE_FOR))
            .map_or(true, |made_for| Some(made_for) == version(&mut rustc()))
}

fn version(rustc: &mut Command) -> Option<String> {
    ask(rustc.arg("-V"))
}

fn library_folder(rustc: &mut Command) -> Option<PathBuf> {
    let text = ask(rustc.args(["--print", "target-libdir", "--target", TARGET]))?;
    Some(PathBuf::from(text.trim()))
}

#[cfg(all(test, unix))]
mod tests;
