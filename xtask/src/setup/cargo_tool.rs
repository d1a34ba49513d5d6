//! Tools that cargo installs, at one pinned version, into `target/tools` of this checkout.

use std::path::{Path, PathBuf};

use crate::project;
use crate::run::{self, Failure, Outcome, ask, command, say};

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
    /// From `target/tools` or `PATH` if the version is right, else built.
    pub fn ready(&self) -> Outcome<PathBuf> {
        let own = project::tools().join("bin").join(format!("{}{}", self.program, std::env::consts::EXE_SUFFIX));
        let found = [Some(own.clone()), run::on_path(self.program)].into_iter().flatten().find(|file| self.fits(file));
        if let Some(file) = found {
            return Ok(file);
        }
        say(format_args!(
            "{} {} is not here; building it once into target/tools (a few minutes)",
            self.package, self.version
        ));
        // What crates.io has need not be what the tool's lock file wants: a mirror may lag behind.
        if run::run(&mut self.install(&["--locked"])).is_err() {
            say("the versions of its lock file did not work; once more with what the registry has");
            run::run(&mut self.install(&[])).map_err(|failure| {
                failure.fixed_by(format!("cargo install {} --version {}", self.package, self.version))
            })?;
        }
        // Only the programs are wanted, not a gigabyte of objects.
        let _ = std::fs::remove_dir_all(project::tools().join("build"));
        if self.fits(&own) {
            Ok(own)
        } else {
            Err(Failure::new(format!("{} was installed but is not {} {}", own.display(), self.program, self.version)))
        }
    }

    fn fits(&self, file: &Path) -> bool {
        let answer = ask(command(file).arg("--version"));
        answer.is_some_and(|text| text.split_whitespace().nth(1) == Some(self.version))
    }

    fn install(&self, options: &[&str]) -> std::process::Command {
        let mut install = command("cargo");
        install
            .args(["install", "--force", self.package, "--version", self.version])
            .args(options)
            .arg("--root")
            .arg(project::tools())
            .arg("--target-dir")
            .arg(project::tools().join("build"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", self.opt_level)
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false");
        install
    }
}
