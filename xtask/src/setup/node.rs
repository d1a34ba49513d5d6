//! Node and npm: they drive the browsers of the tests and bring `wasm-opt`. The site itself needs neither.

use std::path::PathBuf;

use crate::project;
use crate::run::{self, Failure, Outcome, ask, command, say};
use crate::setup::apt;

/// The oldest major version the tests run on.
const OLDEST: u32 = 18;
const PACKAGES: [&str; 2] = ["nodejs", "npm"];

/// Finds or installs Node.
pub fn node_ready() -> Outcome<PathBuf> {
    program("node")
}

/// Finds or installs npm, and with it Node.
pub fn npm_ready() -> Outcome<PathBuf> {
    node_ready()?;
    program("npm")
}

/// Installs what `tests/browser/package-lock.json` pins, once.
pub fn test_packages_ready() -> Outcome {
    let folder = project::root().join("tests/browser");
    let installed = folder.join("node_modules/.package-lock.json");
    let newer = |path: PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
    let lock_time = newer(folder.join("package-lock.json"));
    if newer(installed).is_some_and(|time| Some(time) >= lock_time) {
        return Ok(());
    }
    let npm = npm_ready()?;
    say("installing the browser driver of the tests (npm ci in tests/browser)");
    run::run(command(npm).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder))
        .map_err(|failure| failure.fixed_by("npm ci --prefix tests/browser"))
}

fn program(name: &str) -> Outcome<PathBuf> {
    if let Some(file) = find(name) {
        return Ok(file);
    }
    if apt::may_install() {
        apt::install(&PACKAGES)?;
    }
    find(name).ok_or_else(|| {
        Failure::new(format!("{name} (of Node {OLDEST} or newer) is not on PATH")).fixed_by(apt::command_for(&PACKAGES))
    })
}

fn find(name: &str) -> Option<PathBuf> {
    let file = run::on_path(name)?;
    if name != "node" {
        return Some(file);
    }
    let version = ask(command(&file).arg("--version"))?;
    let major: u32 = version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()?;
    (major >= OLDEST).then_some(file)
}
