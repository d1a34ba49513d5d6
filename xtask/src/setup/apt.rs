//! Debian's packages, where we may install them.

use crate::run::{self, Outcome, ask, command, say};

/// Whether `apt-get install` can work here: Debian or a child of it, and root.
pub fn may_install() -> bool {
    run::on_path("apt-get").is_some() && ask(command("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Whether the package lists know a package; they are fetched once if not.
pub fn offers(package: &str) -> bool {
    let known = || {
        // A package that is known and cannot be had reads "Candidate: (none)".
        let policy = ask(command("apt-cache").args(["policy", package]));
        policy.is_some_and(|text| text.contains("Candidate: ") && !text.contains("Candidate: (none)"))
    };
    if known() {
        return true;
    }
    say("fetching Debian's package lists (apt-get update)");
    let _ = ask(command("apt-get").args(["update", "-q"]));
    known()
}

/// Installs those of the packages that are not installed.
pub fn install(packages: &[&str]) -> Outcome {
    let packages: Vec<_> = packages.iter().copied().filter(|package| !is_installed(package)).collect();
    let Some(first) = packages.first() else { return Ok(()) };
    offers(first);
    say(format_args!("installing Debian packages: {}", packages.join(" ")));
    run::run(
        command("apt-get")
            .args(["install", "-y", "-q", "--no-install-recommends"])
            .args(&packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

fn is_installed(package: &str) -> bool {
    let status = ask(command("dpkg-query").args(["--show", "--showformat=${Status}", package]));
    status.is_some_and(|status| status.trim() == "install ok installed")
}

/// The command a reader would type to install packages.
pub fn command_for(packages: &[&str]) -> String {
    format!("sudo apt-get install -y --no-install-recommends {}", packages.join(" "))
}
