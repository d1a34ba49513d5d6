//! Python: it installs and runs the real model of the browser tests. Nothing else needs it.

use crate::machine::Machine;
use crate::run::{Failure, Outcome, ask};
use crate::setup::apt;
use crate::setup::packages::Package;

const PACKAGE: Package = Package {
    apt: &["python3-venv"],
    dnf: Some("python3"),
    brew: Some("python"),
    otherwise: "install Python 3 from https://www.python.org",
};

/// Finds or installs Python with what makes an environment of its own, which Debian keeps in a package of its own.
pub fn ready(machine: &Machine) -> Outcome {
    if is_here(machine) {
        return Ok(());
    }
    if apt::may_install(machine) {
        apt::install(machine, PACKAGE.apt)?;
    }
    if is_here(machine) {
        return Ok(());
    }
    let problem = "python3 with its module venv is not here, so that no real model can be tested";
    Err(Failure::new(problem).fixed_by(PACKAGE.command(machine)))
}

fn is_here(machine: &Machine) -> bool {
    ask(machine.command("python3").args(["-c", "import ensurepip, venv"])).is_some()
}
