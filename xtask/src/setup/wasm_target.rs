//! A Rust toolchain that can build for wasm.
//!
//! Looked for in this order: the active toolchain, a toolchain that an earlier run linked, `rustup target add`, and where
//! rustup cannot download it, Debian's compiler with a standard library built from Debian's own source of it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project;
use crate::run::{self, Failure, Outcome, ask, command, say};
use crate::setup::apt;

const TARGET: &str = "wasm32-unknown-unknown";
/// The name under which rustup knows Debian's compiler.
const LINKED: &str = "web";
const ADD_TARGET: &str = "rustup target add wasm32-unknown-unknown";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_PACKAGES: [&str; 7] =
    ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22", "rust-web-clippy", "rustfmt-web"];

/// Which toolchain builds wasm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// The one that runs us.
    Active,
    /// The one that rustup knows as `web`.
    Linked,
    /// Debian's, where there is no rustup.
    Debian,
}

impl Toolchain {
    /// Makes a program and its children use this toolchain, and look for tools in `tools` first.
    pub fn choose_for(self, command: &mut Command, tools: Option<&Path>) {
        let mut folders: Vec<PathBuf> = tools.map(Path::to_path_buf).into_iter().collect();
        match self {
            Self::Active => {}
            Self::Linked => {
                command.env("RUSTUP_TOOLCHAIN", LINKED);
            }
            Self::Debian => folders.push(PathBuf::from("/usr/bin")),
        }
        if let Some(path) = std::env::var_os("PATH") {
            folders.extend(std::env::split_paths(&path));
        }
        // A folder with the separator in its name cannot be on PATH; the old PATH then has to do.
        if let Ok(path) = std::env::join_paths(folders) {
            command.env("PATH", path);
        }
    }
}

/// Finds one, else makes one.
pub fn ready() -> Outcome<Toolchain> {
    if let Some(toolchain) = find() {
        return Ok(toolchain);
    }
    let rustup = run::on_path("rustup").is_some();
    if rustup {
        say(format_args!("the wasm target is not installed; {ADD_TARGET}"));
        if run::run(command("rustup").args(["target", "add", TARGET])).is_ok()
            && let Some(toolchain) = find()
        {
            return Ok(toolchain);
        }
        say("rustup could not install it");
    }
    if apt::may_install() && apt::offers("rustc-web") {
        install_debian(rustup)?;
        if let Some(toolchain) = find() {
            return Ok(toolchain);
        }
    }
    Err(Failure::new(format!("no Rust toolchain here can build for {TARGET}")).fixed_by(if rustup {
        ADD_TARGET
    } else {
        "install rustup from https://rustup.rs, then: rustup target add wasm32-unknown-unknown"
    }))
}

fn find() -> Option<Toolchain> {
    if has_target(&mut command("rustc")) {
        return Some(Toolchain::Active);
    }
    if run::on_path("rustup").is_some() {
        let linked = has_target(command("rustc").env("RUSTUP_TOOLCHAIN", LINKED));
        return linked.then_some(Toolchain::Linked);
    }
    has_target(&mut command(DEBIAN_RUSTC)).then_some(Toolchain::Debian)
}

/// Whether a compiler has the target's standard library. An empty folder, or one without `test`, is not one.
fn has_target(rustc: &mut Command) -> bool {
    let Some(folder) = library_folder(rustc) else { return false };
    let Ok(files) = std::fs::read_dir(folder) else { return false };
    let names: Vec<_> = files.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    ["libcore-", "libstd-", "libtest-"].iter().all(|prefix| names.iter().any(|name| name.starts_with(prefix)))
}

fn library_folder(rustc: &mut Command) -> Option<PathBuf> {
    let text = ask(rustc.args(["--print", "target-libdir", "--target", TARGET]))?;
    Some(PathBuf::from(text.trim()))
}

/// Debian's compiler, with the standard library built from its own source: rustup's compilers refuse that source, since
/// its language items are of another version.
fn install_debian(rustup: bool) -> Outcome {
    if !has_target(&mut command(DEBIAN_RUSTC)) {
        apt::install(&DEBIAN_PACKAGES)?;
    }
    // The packages may have brought the library along.
    if !has_target(&mut command(DEBIAN_RUSTC)) {
        build_standard_library()?;
    }
    if rustup {
        say(format_args!("linking Debian's compiler into rustup: rustup toolchain link {LINKED} /usr"));
        run::run(command("rustup").args(["toolchain", "link", LINKED, "/usr"]))?;
    }
    Ok(())
}

fn build_standard_library() -> Outcome {
    let libraries = library_folder(&mut command(DEBIAN_RUSTC))
        .ok_or_else(|| Failure::new(format!("{DEBIAN_RUSTC} does not know {TARGET}")))?;
    say(format_args!("building the standard library for {TARGET} once (half a minute), into {}", libraries.display()));
    let seed = project::tools().join("std");
    let write = |name: &str, text: &str| {
        let file = seed.join(name);
        std::fs::write(&file, text).map_err(|error| Failure::io(&file, &error))
    };
    let sources = seed.join("src");
    std::fs::create_dir_all(&sources).map_err(|error| Failure::io(&sources, &error))?;
    write("src/lib.rs", "")?;
    write(
        "Cargo.toml",
        "[package]\nname = \"stdseed\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[profile.release]\npanic = \"abort\"\n\n[workspace]\n",
    )?;
    // Without embedded bitcode a build with link-time optimisation fails; without `test` wasm tests have no harness.
    run::run(
        command("/usr/bin/cargo")
            .current_dir(&seed)
            .args(["build", "-Zbuild-std=std,panic_abort,test,proc_macro", "--release", "--target", TARGET])
            .arg("--target-dir")
            .arg(seed.join("target"))
            .env("RUSTC", DEBIAN_RUSTC)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Cembed-bitcode=yes")
            .env_remove("RUSTUP_TOOLCHAIN"),
    )?;
    let built = seed.join("target").join(TARGET).join("release/deps");
    std::fs::create_dir_all(&libraries).map_err(|error| Failure::io(&libraries, &error))?;
    for file in std::fs::read_dir(&built).map_err(|error| Failure::io(&built, &error))?.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libstdseed") {
            let to = libraries.join(&name);
            std::fs::copy(file.path(), &to).map_err(|error| Failure::io(&to, &error))?;
        }
    }
    // Objects built against another standard library of the same compiler would be taken for fresh ones.
    let _ = std::fs::remove_dir_all(project::target().join(TARGET));
    let _ = std::fs::remove_dir_all(&seed);
    Ok(())
}
