//! Debian's packages, where we may install them.

use crate::run::{self, Outcome, ask, command, say};

/// Whether `apt-get install` can work here: Debian or a child of it, and root.
pub fn may_install() -> bool {
    run::on_path("apt-get").is_some() && ask(command("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// Whether the package lists know a package; they are fetched once if not.
pub fn offers(package: &str) -> bool {
    let known = || ask(command("apt-cache").args(["policy", package])).is_some_and(|text| text.contains("Candidate: "));
    if known() {
        return true;
    }
    say("fetching Debian's package lists (apt-get update)");
    let _ = ask(command("apt-get").args(["update", "-q"]));
    known()
}

/// Installs packages.
pub fn install(packages: &[&str]) -> Outcome {
    if let Some(first) = packages.first() {
        offers(first);
    }
    say(format_args!("installing Debian packages: {}", packages.join(" ")));
    run::run(
        command("apt-get")
            .args(["install", "-y", "-q", "--no-install-recommends"])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

/// The command a reader would type to install packages.
pub fn command_for(packages: &[&str]) -> String {
    format!("sudo apt-get install -y --no-install-recommends {}", packages.join(" "))
}
