//! `wasm-bindgen` and its test runner: exactly the version of the library that `Cargo.lock` names.

use std::path::PathBuf;

use crate::machine::Machine;
use crate::run::{Failure, Outcome};
use crate::setup::cargo_tool::CargoTool;

/// Finds or installs the program.
pub fn ready(machine: &Machine) -> Outcome<PathBuf> {
    program(machine, "wasm-bindgen")
}

/// Finds or installs the program that serves a wasm test to a browser.
pub fn test_runner_ready(machine: &Machine) -> Outcome<PathBuf> {
    program(machine, "wasm-bindgen-test-runner")
}

fn program(machine: &Machine, program: &str) -> Outcome<PathBuf> {
    let path = machine.root().join("Cargo.lock");
    let lock = std::fs::read_to_string(&path).map_err(|error| Failure::io(&path, &error))?;
    let version = locked_version(&lock)
        .ok_or_else(|| Failure::new("Cargo.lock names no wasm-bindgen").fixed_by("cargo generate-lockfile"))?;
    // It rewrites every function of a module; unoptimised, that takes a minute a build.
    CargoTool { package: "wasm-bindgen-cli", program, version: &version, opt_level: "1" }.ready(machine)
}

fn locked_version(lock: &str) -> Option<String> {
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"wasm-bindgen\"");
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::locked_version;

    #[test]
    fn the_library_is_not_taken_for_its_macro() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"0.1.0\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock), Some("0.2.130".to_owned()));
        assert_eq!(locked_version("[[package]]\nname = \"other\"\nversion = \"1.0.0\"\n"), None);
    }
}
