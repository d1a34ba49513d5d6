//! `wasm-opt` of binaryen. It takes a fifth off a module, so the size budgets need it; the site works without.

use std::path::{Path, PathBuf};

use crate::machine::Machine;
use crate::run::{self, Failure, Outcome, ask};
use crate::setup::node;

/// Sizes are only comparable at one version.
const VERSION: &str = "132";

/// From `PATH` or `target/tools` if the version is right, else from npm; `None` where that cannot be, which is said
/// together with the command that brings it.
pub fn ready(machine: &Machine) -> Option<PathBuf> {
    let own = machine.tools().join("node_modules/binaryen/bin/wasm-opt");
    let found = [machine.on_path("wasm-opt"), Some(own.clone())].into_iter().flatten().find(|file| fits(machine, file));
    if found.is_some() {
        return found;
    }
    match install(machine, &own) {
        Ok(()) => Some(own),
        Err(failure) => {
            machine
                .say(format_args!("going on without wasm-opt, the site will be larger than it should be: {failure}"));
            None
        }
    }
}

fn install(machine: &Machine, own: &Path) -> Outcome {
    let npm = node::npm_ready(machine)?;
    machine.say(format_args!("wasm-opt {VERSION} is not here; taking it from npm into target/tools"));
    let mut install = machine.command(npm);
    install
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--prefix"])
        .arg(machine.tools())
        .arg(package());
    let by_hand = || format!("npm install --global {}", package());
    run::run(&mut install).map_err(|failure| failure.fixed_by(by_hand()))?;
    if fits(machine, own) {
        return Ok(());
    }
    Err(Failure::new(format!("{} does not say version {VERSION}", own.display())).fixed_by(by_hand()))
}

fn package() -> String {
    format!("binaryen@{VERSION}.0.0")
}

fn fits(machine: &Machine, file: &Path) -> bool {
    // "wasm-opt version 132 (version_132)"
    let answer = ask(machine.command(file).arg("--version"));
    answer.is_some_and(|text| text.split_whitespace().nth(2) == Some(VERSION))
}
