//! Debian's compiler, with the wasm standard library built from its own source: rustup's compilers refuse that source,
//! since its language items are of another version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::Machine;
use crate::run::{self, Failure, Outcome};
use crate::setup::apt;
use crate::setup::packages::apt_command;
use crate::setup::wasm_target::{LIBRARIES, LINKED, MADE_FOR, TARGET, has_rustup, has_target, library_folder, version};

const RUSTC: &str = "/usr/bin/rustc";
const CARGO: &str = "/usr/bin/cargo";
const PACKAGES: [&str; 7] =
    ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22", "rust-web-clippy", "rustfmt-web"];

/// Debian's compiler, whichever one `PATH` has first.
pub fn rustc(machine: &Machine) -> Command {
    machine.command(machine.file(RUSTC))
}

/// Whether this is a Debian whose packages have a compiler that is new enough.
pub fn has_compiler(machine: &Machine) -> bool {
    machine.on_path("apt-get").is_some() && apt::offers(machine, "rustc-web")
}

/// Brings the compiler, its standard library for wasm and the link that lets rustup choose it; what is there already is
/// left alone.
pub fn install(machine: &Machine) -> Outcome {
    if !has_target(|| rustc(machine)) {
        packages_ready(machine)?;
    }
    // The packages may have brought the library along.
    if !has_target(|| rustc(machine)) {
        build_standard_library(machine)?;
    }
    if has_rustup(machine) {
        let link = format!("rustup toolchain link {LINKED} /usr");
        machine.say(format_args!("linking Debian's compiler into rustup: {link}"));
        run::run(machine.command("rustup").args(["toolchain", "link", LINKED]).arg(machine.file("/usr")))
            .map_err(|failure| failure.fixed_by(link))?;
    }
    Ok(())
}

fn packages_ready(machine: &Machine) -> Outcome {
    let missing = apt::missing(machine, &PACKAGES);
    if missing.is_empty() {
        return Ok(());
    }
    if apt::may_install(machine) {
        return apt::install(machine, &missing);
    }
    // Both at once: the packages are root's to install, and so is the folder that the library goes to.
    let folder = format!("/usr/lib/rustlib/{TARGET}/lib");
    Err(Failure::new(format!("{TARGET} has to come from Debian's packages here, and only root may install them"))
        .fixed_by(format!("{} && {}", apt_command(&missing), own_folder(Path::new(&folder)))))
}

fn own_folder(folder: &Path) -> String {
    format!("sudo install -d -o \"$USER\" {}", folder.display())
}

fn build_standard_library(machine: &Machine) -> Outcome {
    let libraries =
        library_folder(&mut rustc(machine)).ok_or_else(|| Failure::new(format!("{RUSTC} does not know {TARGET}")))?;
    check_writable(&libraries)?;
    machine.say(format_args!(
        "building the standard library for {TARGET} once (half a minute), into {}",
        libraries.display()
    ));
    let seed = machine.tools().join("std");
    write_seed(&seed)?;
    // Without embedded bitcode a build with link-time optimisation fails; without `test` wasm tests have no harness.
    run::run(
        machine
            .command(machine.file(CARGO))
            .current_dir(&seed)
            .args(["build", "-Zbuild-std=std,panic_abort,test,proc_macro", "--release", "--target", TARGET])
            .arg("--target-dir")
            .arg(seed.join("target"))
            .env("RUSTC", machine.file(RUSTC))
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Cembed-bitcode=yes")
            .env_remove("RUSTUP_TOOLCHAIN"),
    )?;
    let made_for =
        version(&mut rustc(machine)).ok_or_else(|| Failure::new(format!("{RUSTC} does not say its version")))?;
    put_in_place(&made_for, &seed.join("target").join(TARGET).join("release/deps"), &libraries)?;
    // Objects built against another standard library of the same compiler would be taken for fresh ones.
    let _ = fs::remove_dir_all(machine.target().join(TARGET));
    let _ = fs::remove_dir_all(&seed);
    Ok(())
}

/// Before the build, not after it.
fn check_writable(folder: &Path) -> Outcome {
    let probe = folder.join("vitrine.part");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&probe, ""))
        .and_then(|()| fs::remove_file(&probe))
        .map_err(|error| Failure::io(folder, &error).fixed_by(own_folder(folder)))
}

/// An empty crate: what is wanted is what it depends on. One that was left half built is begun again, since its objects
/// may be another compiler's.
fn write_seed(seed: &Path) -> Outcome {
    let _ = fs::remove_dir_all(seed);
    let sources = seed.join("src");
    fs::create_dir_all(&sources).map_err(|error| Failure::io(&sources, &error))?;
    let manifest = "[package]\nname = \"stdseed\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
                    [profile.release]\npanic = \"abort\"\n\n[workspace]\n";
    for (name, text) in [("src/lib.rs", ""), ("Cargo.toml", manifest)] {
        let file = seed.join(name);
        fs::write(&file, text).map_err(|error| Failure::io(&file, &error))?;
    }
    Ok(())
}

/// Copies the built libraries, each of them whole or not at all, and the one last whose presence says that all are there.
/// Those of the compiler before go first: two of a name are an error.
fn put_in_place(made_for: &str, built: &Path, libraries: &Path) -> Outcome {
    for old in libraries_in(libraries)? {
        fs::remove_file(&old).map_err(|error| Failure::io(&old, &error))?;
    }
    let note = libraries.join(MADE_FOR);
    fs::write(&note, made_for).map_err(|error| Failure::io(&note, &error))?;
    let mut files = libraries_in(built)?;
    files.retain(|file| !name_of(file).starts_with("libstdseed"));
    for file in telling_one_last(files) {
        let to = libraries.join(name_of(&file));
        let part = libraries.join(format!("{}.part", name_of(&file)));
        fs::copy(&file, &part).and_then(|_| fs::rename(&part, &to)).map_err(|error| Failure::io(&to, &error))?;
    }
    Ok(())
}

fn telling_one_last(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.sort_by_key(|file| LIBRARIES.last().is_some_and(|last| name_of(file).starts_with(last)));
    files
}

fn libraries_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let files = fs::read_dir(folder).map_err(|error| Failure::io(folder, &error))?;
    Ok(files.flatten().map(|entry| entry.path()).filter(|file| name_of(file).ends_with(".rlib")).collect())
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::telling_one_last;

    #[test]
    fn the_library_that_says_that_all_are_there_comes_last() {
        let files = |names: [&str; 4]| names.map(PathBuf::from).to_vec();
        let found = files(["deps/libtest-1.rlib", "deps/libstd-1.rlib", "deps/libcore-1.rlib", "deps/liballoc-1.rlib"]);
        let copied =
            files(["deps/libstd-1.rlib", "deps/libcore-1.rlib", "deps/liballoc-1.rlib", "deps/libtest-1.rlib"]);
        assert_eq!(telling_one_last(found), copied);
    }
}
