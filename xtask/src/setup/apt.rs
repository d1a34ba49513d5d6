//! Debian's packages, where we may install them.

use crate::machine::Machine;
use crate::run::{self, Outcome, ask};
use crate::setup::packages::apt_command;

/// Whether `apt-get install` can work here: Debian or a child of it, and root.
pub fn may_install(machine: &Machine) -> bool {
    machine.on_path("apt-get").is_some() && ask(machine.command("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Whether the package lists know a package. Lists that do not are fetched, where we may, and asked again.
pub fn offers(machine: &Machine, package: &str) -> bool {
    let known = || {
        // A package that is known and cannot be had reads "Candidate: (none)".
        let policy = ask(machine.command("apt-cache").args(["policy", package]));
        policy.is_some_and(|text| text.contains("Candidate: ") && !text.contains("Candidate: (none)"))
    };
    if known() {
        return true;
    }
    if !may_install(machine) {
        return false;
    }
    machine.say("fetching Debian's package lists (apt-get update)");
    let _ = ask(machine.command("apt-get").args(["update", "-q"]));
    known()
}

/// Installs those of the packages that are not installed; the caller has asked [`may_install`].
pub fn install(machine: &Machine, packages: &[&str]) -> Outcome {
    let missing = missing(machine, packages);
    let Some(first) = missing.first() else { return Ok(()) };
    offers(machine, first);
    machine.say(format_args!("installing Debian packages: {}", missing.join(" ")));
    run::run(
        machine
            .command("apt-get")
            // Nothing that somebody chose to install goes for it.
            .args(["install", "-y", "-q", "--no-install-recommends", "--no-remove"])
            .args(&missing)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
    .map_err(|failure| failure.fixed_by(format!("sudo apt-get update && {}", apt_command(&missing))))
}

/// Those of the packages that are not installed.
pub fn missing<'a>(machine: &Machine, packages: &[&'a str]) -> Vec<&'a str> {
    packages.iter().copied().filter(|package| !is_installed(machine, package)).collect()
}

fn is_installed(machine: &Machine, package: &str) -> bool {
    let status = ask(machine.command("dpkg-query").args(["--show", "--showformat=${Status}", package]));
    status.is_some_and(|status| status.trim() == "install ok installed")
}
