//! The machine that set-up looks at and changes: its programs, its files, this checkout and the person at its terminal.
//!
//! All of set-up goes through one of these, so that its tests can hand it a folder of stand-in programs.

use std::ffi::{OsStr, OsString};
use std::fmt;
#[cfg(test)]
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project;
use crate::run;

/// Where programs are found and what they work on.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Where files have the paths that systems give them, such as `/usr/bin/rustc`.
    disk: PathBuf,
    path: OsString,
    root: PathBuf,
    target: PathBuf,
    terminal: Terminal,
}

/// Where the lines for the person go.
#[derive(Clone, Debug)]
enum Terminal {
    Stdout,
    #[cfg(test)]
    File(PathBuf),
}

impl Machine {
    /// The one that we run on.
    pub fn here() -> Self {
        Self {
            disk: PathBuf::from("/"),
            path: std::env::var_os("PATH").unwrap_or_default(),
            root: project::root(),
            target: project::target(),
            terminal: Terminal::Stdout,
        }
    }

    /// One that is a folder: `PATH` is its `usr/local/bin` and `usr/bin`, what is said goes to the end of `log`.
    #[cfg(test)]
    pub fn in_folder(disk: &Path, root: PathBuf, log: PathBuf) -> Self {
        let folders = ["usr/local/bin", "usr/bin"].map(|folder| disk.join(folder));
        Self {
            disk: disk.to_path_buf(),
            path: std::env::join_paths(folders).unwrap(),
            target: root.join("target"),
            root,
            terminal: Terminal::File(log),
        }
    }

    /// The checkout's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo's target folder.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Tools that set-up installed for this checkout alone.
    pub fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// The file that systems know by an absolute path.
    pub fn file(&self, path: &str) -> PathBuf {
        self.disk.join(path.trim_start_matches('/'))
    }

    /// The folders that programs are looked for in.
    pub fn path(&self) -> impl Iterator<Item = PathBuf> {
        std::env::split_paths(&self.path)
    }

    /// The first program of this name on `PATH`.
    pub fn on_path(&self, name: &str) -> Option<PathBuf> {
        self.path()
            .flat_map(|dir| [dir.join(name), dir.join(format!("{name}.exe")), dir.join(format!("{name}.cmd"))])
            .find(|file| file.is_file())
    }

    /// A program to start in the checkout's root. A bare name is looked for on this machine's `PATH`.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = run::command(program);
        command.current_dir(&self.root).env("PATH", &self.path);
        // Whichever toolchain runs the tests is none of the stand-ins' business.
        #[cfg(test)]
        command.env_remove("RUSTUP_TOOLCHAIN");
        command
    }

    /// Tells the person at the terminal what is about to happen.
    pub fn say(&self, line: impl fmt::Display) {
        match &self.terminal {
            Terminal::Stdout => run::say(line),
            #[cfg(test)]
            Terminal::File(log) => {
                let mut file = std::fs::OpenOptions::new().append(true).create(true).open(log).unwrap();
                writeln!(file, "xtask: {line}").unwrap();
            }
        }
    }
}
