//! A machine for the tests of set-up: a folder whose programs are all one script, which notes every call and answers as
//! the test says. Nothing of the machine that runs the tests is used or changed.

pub mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::machine::Machine;

/// A folder of its own for one test, removed at the end of it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("vitrine-xtask-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        // A link on the way to it would make one file look like two.
        Self(folder.canonicalize().unwrap())
    }

    /// What a relative path means in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file, with the folders on the way to it.
    pub fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A folder that passes for a machine.
#[derive(Debug)]
pub struct StandIn {
    disk: Folder,
    machine: Machine,
}

/// The checkout on it.
pub const CHECKOUT: &str = "usr/src/vitrine";
/// The folder of [`Machine::tools`].
pub const TOOLS: &str = "usr/src/vitrine/target/tools";
impl StandIn {
    /// One with a checkout of empty folders and no programs.
    pub fn new() -> Self {
        let disk = Folder::new();
        let root = disk.path(CHECKOUT);
        fs::create_dir_all(root.join("tests/browser")).unwrap();
        disk.write("log", "");
        let machine = Machine::in_folder(&disk.path(""), root, disk.path("log"));
        Self { disk, machine }
    }

    /// Adds a Debian with root or without; its package lists are not fetched yet.
    pub fn debian(&self, id: &str) -> &Self {
        self.write("debian-rustc.sh", programs::DEBIAN_RUSTC).write("version", "1\n");
        self.write("debian-cargo.sh", programs::DEBIAN_CARGO).write("debian-npm.sh", programs::NPM);
        self.program("id", id)
            .program("apt-get", programs::APT_GET)
            .program("apt-cache", programs::APT_CACHE)
            .program("dpkg-query", programs::DPKG_QUERY)
    }

    /// Puts a program on `PATH` that does what a line of shell says.
    pub fn program(&self, name: &str, answer: &str) -> &Self {
        self.program_at(&format!("usr/local/bin/{name}"), answer)
    }

    /// Puts a program somewhere on the disk.
    #[cfg(unix)]
    pub fn program_at(&self, path: &str, answer: &str) -> &Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/setup/stand_in.sh");
        self.write(&format!("{path}.sh"), answer);
        let file = self.disk.path(path);
        let _ = fs::remove_file(&file);
        // A link and not a copy: a file that was written a moment ago may still be open in another test's child.
        std::os::unix::fs::symlink(script, file).unwrap();
        self
    }

    /// Writes a file on the disk.
    pub fn write(&self, path: &str, text: &str) -> &Self {
        self.disk.write(path, text);
        self
    }

    /// Whether the disk has something under a path.
    pub fn has(&self, path: &str) -> bool {
        self.disk.path(path).exists()
    }

    /// A path on the disk.
    pub fn path(&self, path: &str) -> PathBuf {
        self.disk.path(path)
    }

    /// What set-up is given.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What was said and what was run since the last time, in order, without the calls that only ask. The folder's own
    /// name is left out.
    pub fn steps(&self) -> Vec<String> {
        let log = self.plain(&fs::read_to_string(self.disk.path("log")).unwrap());
        fs::write(self.disk.path("log"), "").unwrap();
        log.lines().filter(|line| line.starts_with("xtask: ") || !asks(line)).map(str::to_owned).collect()
    }

    /// A text without the folder's own name.
    pub fn plain(&self, text: &str) -> String {
        text.replace(&*self.disk.path("").to_string_lossy(), "/")
    }
}

/// Whether a call changes nothing.
fn asks(call: &str) -> bool {
    let programs = [
        "id -u",
        "apt-cache policy ",
        "dpkg-query --show ",
        "rustc --print ",
        "/usr/bin/rustc --print ",
        "python3 -c ",
        "/usr/bin/python3 -c ",
    ];
    call.ends_with(" --version") || call.ends_with("rustc -V") || programs.iter().any(|start| call.starts_with(start))
}
