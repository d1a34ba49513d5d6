//! Tools that cargo installs, at one pinned version, into `target/tools` of this checkout.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::Machine;
use crate::run::{self, Failure, Outcome, ask};

/// A program of a crate at a version.
#[derive(Debug)]
pub struct CargoTool<'a> {
    /// The crate.
    pub package: &'a str,
    /// The program.
    pub program: &'a str,
    /// The one version that will do.
    pub version: &'a str,
    /// Optimisation of the tool itself, 0 to 3: what it takes to build against what it takes to run.
    pub opt_level: &'a str,
}

impl CargoTool<'_> {
    /// From `target/tools` or `PATH` if the version is right, else built. A program that does not answer, such as one
    /// whose installation was cut off, is not there.
    pub fn ready(&self, machine: &Machine) -> Outcome<PathBuf> {
        let own = machine.tools().join("bin").join(format!("{}{}", self.program, std::env::consts::EXE_SUFFIX));
        let on_path = machine.on_path(self.program);
        let found = [Some(&own), on_path.as_ref()].into_iter().flatten().find(|file| self.fits(machine, file));
        if let Some(file) = found {
            return Ok(file.clone());
        }
        let why = match on_path.and_then(|file| version_of(machine, &file)) {
            Some(other) => format!("{} on PATH is {other}, {} is wanted", self.program, self.version),
            None => format!("{} {} is not here", self.package, self.version),
        };
        machine.say(format_args!("{why}; building it once into target/tools (a few minutes)"));
        // What crates.io has need not be what the tool's lock file wants: a mirror may lag behind.
        if run::run(&mut self.install(machine, &["--locked"])).is_err() {
            machine.say("the versions of its lock file did not work; once more with what the registry has");
            run::run(&mut self.install(machine, &[])).map_err(|failure| failure.fixed_by(self.command()))?;
        }
        // Only the programs are wanted, not a gigabyte of objects.
        let _ = std::fs::remove_dir_all(machine.tools().join("build"));
        if self.fits(machine, &own) {
            return Ok(own);
        }
        let problem = format!("{} was installed but is not {} {}", own.display(), self.program, self.version);
        Err(Failure::new(problem).fixed_by(self.command()))
    }

    fn fits(&self, machine: &Machine, file: &Path) -> bool {
        version_of(machine, file).as_deref() == Some(self.version)
    }

    /// What brings it onto `PATH`, where it is found too.
    fn command(&self) -> String {
        format!("cargo install --locked --force {} --version {}", self.package, self.version)
    }

    fn install(&self, machine: &Machine, options: &[&str]) -> Command {
        let mut install = machine.command("cargo");
        install
            .args(["install", "--force", self.package, "--version", self.version])
            .args(options)
            .arg("--root")
            .arg(machine.tools())
            .arg("--target-dir")
            .arg(machine.tools().join("build"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.opt_level)
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
        install
    }
}

/// The version in an answer such as `trunk 0.21.14`.
fn version_of(machine: &Machine, file: &Path) -> Option<String> {
    let answer = ask(machine.command(file).arg("--version"))?;
    answer.split_whitespace().nth(1).map(str::to_owned)
}

#[cfg(all(test, unix))]
mod tests;
