//! What a person types to install something with the package manager of this machine.

use crate::machine::Machine;

/// One thing under the names that package managers have for it.
#[derive(Debug)]
pub struct Package {
    /// Debian and its children.
    pub apt: &'static [&'static str],
    /// Fedora and its children, where it has it.
    pub dnf: Option<&'static str>,
    /// Homebrew, where it has it.
    pub brew: Option<&'static str>,
    /// In words, for every other machine.
    pub otherwise: &'static str,
}

impl Package {
    /// The exact command for this machine; words only where none of the package managers is there.
    pub fn command(&self, machine: &Machine) -> String {
        let has = |program| machine.on_path(program).is_some();
        if has("apt-get") {
            return apt_command(self.apt);
        }
        if let Some(name) = self.dnf.filter(|_| has("dnf")) {
            return format!("sudo dnf install -y {name}");
        }
        if let Some(name) = self.brew.filter(|_| has("brew")) {
            return format!("brew install {name}");
        }
        self.otherwise.to_owned()
    }
}

/// The command that installs Debian packages.
pub fn apt_command(packages: &[&str]) -> String {
    format!("sudo apt-get install -y --no-install-recommends {}", packages.join(" "))
}
