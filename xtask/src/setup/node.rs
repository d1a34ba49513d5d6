//! Node and npm: they drive the browsers of the tests, bring `wasm-opt` and bundle the editor. The site works without.

use std::path::{Path, PathBuf};

use crate::machine::Machine;
use crate::run::{self, Failure, Outcome, ask};
use crate::setup::apt;
use crate::setup::packages::Package;

/// The oldest major version the tests run on.
const OLDEST: u32 = 18;
const PACKAGE: Package = Package {
    apt: &["nodejs", "npm"],
    dnf: Some("nodejs-npm"),
    brew: Some("node"),
    otherwise: "install Node 18 or newer from https://nodejs.org",
};

/// Finds or installs Node.
pub fn node_ready(machine: &Machine) -> Outcome<PathBuf> {
    program(machine, "node")
}

/// Finds or installs npm, and with it Node.
pub fn npm_ready(machine: &Machine) -> Outcome<PathBuf> {
    node_ready(machine)?;
    program(machine, "npm")
}

/// Installs what the `package-lock.json` of a folder of this checkout pins, once; `need` says whose need it is. npm writes its own
/// record last, so that an installation that was cut off has none.
pub fn packages_ready(machine: &Machine, folder: &str, need: &str) -> Outcome {
    let place = machine.root().join(folder);
    let changed = |path: PathBuf| path.metadata().and_then(|meta| meta.modified()).ok();
    let lock = changed(place.join("package-lock.json"));
    if changed(place.join("node_modules/.package-lock.json")).is_some_and(|record| Some(record) >= lock) {
        return Ok(());
    }
    let npm = npm_ready(machine)?;
    machine.say(format_args!("installing what {need} of npm (npm ci in {folder})"));
    run::run(machine.command(npm).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&place))
        .map_err(|failure| failure.fixed_by(format!("npm ci --ignore-scripts --prefix {folder}")))
}

/// Installs what the tests need of npm.
pub fn test_packages_ready(machine: &Machine) -> Outcome {
    packages_ready(machine, "tests/browser", "the tests need")
}

fn program(machine: &Machine, name: &str) -> Outcome<PathBuf> {
    if let Ok(file) = find(machine, name) {
        return Ok(file);
    }
    if apt::may_install(machine) {
        apt::install(machine, PACKAGE.apt)?;
    }
    find(machine, name).map_err(|problem| Failure::new(problem).fixed_by(PACKAGE.command(machine)))
}

/// The program, or what is wrong with it.
fn find(machine: &Machine, name: &str) -> Result<PathBuf, String> {
    let file = machine.on_path(name).ok_or_else(|| format!("{name} (of Node {OLDEST} or newer) is not on PATH"))?;
    if name != "node" {
        return Ok(file);
    }
    match major_version(machine, &file) {
        Some(major) if major >= OLDEST => Ok(file),
        Some(major) => Err(format!("{} is Node {major}, and {OLDEST} or newer is wanted", file.display())),
        None => Err(format!("{} does not say its version", file.display())),
    }
}

fn major_version(machine: &Machine, node: &Path) -> Option<u32> {
    // "v20.11.1"
    let version = ask(machine.command(node).arg("--version"))?;
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}
