use std::process::Command;

use super::{Toolchain, ready};
use crate::setup::stand_in::StandIn;
use crate::setup::stand_in::programs::{NOT_ROOT, ROOT, RUSTC, RUSTUP, RUSTUP_OFFLINE};

const LIBRARY: &str = "usr/lib/rustlib/wasm32-unknown-unknown/lib";
const NOTHING: [&str; 0] = [];
const ADDED: [&str; 2] = [
    "xtask: the wasm target is not installed; rustup target add wasm32-unknown-unknown",
    "rustup target add wasm32-unknown-unknown",
];
const REFUSED: &str = "xtask: rustup could not install it";
const LISTS: [&str; 2] = ["xtask: fetching Debian's package lists (apt-get update)", "apt-get update -q"];
const PACKAGES: [&str; 2] = [
    "xtask: installing Debian packages: rustc-web cargo-web rust-web-src rust-web-llvm lld-22 rust-web-clippy rustfmt-web",
    "apt-get install -y -q --no-install-recommends --no-remove \
     rustc-web cargo-web rust-web-src rust-web-llvm lld-22 rust-web-clippy rustfmt-web",
];
const BUILT: [&str; 2] = [
    "xtask: building the standard library for wasm32-unknown-unknown once (half a minute), \
     into /usr/lib/rustlib/wasm32-unknown-unknown/lib",
    "/usr/bin/cargo build -Zbuild-std=std,panic_abort,test,proc_macro --release --target wasm32-unknown-unknown \
     --target-dir /usr/src/vitrine/target/tools/std/target",
];
const LINKED: [&str; 2] =
    ["xtask: linking Debian's compiler into rustup: rustup toolchain link web /usr", "rustup toolchain link web /usr"];

fn rustup_machine(rustup: &str) -> StandIn {
    let stand_in = StandIn::new();
    stand_in.program("rustc", RUSTC).program("rustup", rustup);
    stand_in
}

fn owned(steps: impl AsRef<[&'static str]>) -> Vec<String> {
    steps.as_ref().iter().map(|step| (*step).to_owned()).collect()
}

/// What set-up gives back or says at the end, and the steps it took.
fn set_up(stand_in: &StandIn) -> (Result<Toolchain, String>, Vec<String>) {
    let outcome = ready(stand_in.machine()).map_err(|failure| stand_in.plain(&failure.to_string()));
    (outcome, stand_in.steps())
}

#[test]
fn rustup_adds_the_target_once() {
    let stand_in = rustup_machine(RUSTUP);
    assert_eq!(set_up(&stand_in), (Ok(Toolchain::Active), owned(ADDED)));
    assert_eq!(set_up(&stand_in), (Ok(Toolchain::Active), vec![]));
}

#[test]
fn a_target_that_is_there_is_taken_as_it_is() {
    let stand_in = rustup_machine("exit 1");
    for library in ["core", "std", "test"] {
        stand_in.write(&format!("toolchain/lib/lib{library}-1.rlib"), "");
    }
    assert_eq!(set_up(&stand_in), (Ok(Toolchain::Active), vec![]));
}

#[test]
fn debian_takes_over_where_rustup_cannot_download() {
    let stand_in = rustup_machine(RUSTUP_OFFLINE);
    // Objects of another standard library would be taken for fresh ones.
    stand_in.debian(ROOT).write("usr/src/vitrine/target/wasm32-unknown-unknown/debug/old", "");
    let steps = [&ADDED[..], &[REFUSED], &LISTS, &PACKAGES, &BUILT, &LINKED].concat();
    let (outcome, taken) = set_up(&stand_in);
    assert_eq!((outcome, taken.as_slice()), (Ok(Toolchain::Linked), owned(&steps).as_slice()));
    for library in ["core", "std", "test", "proc_macro"] {
        assert!(stand_in.has(&format!("{LIBRARY}/lib{library}-1.rlib")), "{library}");
    }
    for gone in [
        &format!("{LIBRARY}/libstdseed-1.rlib"),
        "usr/src/vitrine/target/wasm32-unknown-unknown",
        "usr/src/vitrine/target/tools/std",
    ] {
        assert!(!stand_in.has(gone), "{gone}");
    }
    assert_eq!(set_up(&stand_in), (Ok(Toolchain::Linked), vec![]));
}

#[test]
fn debian_without_rustup_links_nothing() {
    for (other_compiler, toolchain) in [(None, Toolchain::Active), (Some("exit 1"), Toolchain::Debian)] {
        let stand_in = StandIn::new();
        stand_in.debian(ROOT).write("lists", "");
        if let Some(answer) = other_compiler {
            stand_in.program("rustc", answer);
        }
        assert_eq!(set_up(&stand_in), (Ok(toolchain), owned([PACKAGES, BUILT].concat())));
        assert_eq!(set_up(&stand_in), (Ok(toolchain), vec![]));
    }
}

/// Each row is where an earlier run was ended, and what is left to do.
#[test]
fn a_run_that_was_ended_half_way_is_gone_on_with() {
    let refused = [&ADDED[..], &[REFUSED]].concat();
    let whole = ["core", "std", "proc_macro", "test"].map(|name| format!("{LIBRARY}/lib{name}-1.rlib"));
    let half_copied = [whole[0].clone(), whole[1].clone(), format!("{LIBRARY}/libtest-1.rlib.part")];
    for (place, files, left) in [
        ("after the packages", &[][..], [&BUILT[..], &LINKED].concat()),
        ("with an empty folder", &[format!("{LIBRARY}/README")], [&BUILT[..], &LINKED].concat()),
        ("while the library was copied", &half_copied, [&BUILT[..], &LINKED].concat()),
        ("before the link", &whole, LINKED.to_vec()),
    ] {
        let stand_in = rustup_machine(RUSTUP_OFFLINE);
        stand_in.debian(ROOT).write("lists", "");
        super::debian::install(stand_in.machine()).unwrap();
        std::fs::remove_dir_all(stand_in.path(LIBRARY)).unwrap();
        std::fs::remove_file(stand_in.path("linked")).unwrap();
        for file in files {
            stand_in.write(file, "");
        }
        // What a build left that was cut off, of a compiler that is no longer here.
        stand_in
            .write("usr/src/vitrine/target/tools/std/target/wasm32-unknown-unknown/release/deps/libcore-0.rlib", "");
        stand_in.steps();
        let steps = [refused.clone(), left].concat();
        assert_eq!(set_up(&stand_in), (Ok(Toolchain::Linked), owned(steps)), "{place}");
        assert!(!stand_in.has(&format!("{LIBRARY}/libcore-0.rlib")), "{place}");
        assert_eq!(set_up(&stand_in), (Ok(Toolchain::Linked), vec![]), "{place}");
    }
}

#[test]
fn a_target_without_all_its_libraries_is_not_one() {
    for files in
        [&[][..], &["libcore-1.rlib"], &["libcore-1.rlib", "libstd-1.rlib"], &["libstd-1.rlib", "libtest-1.rlib"]]
    {
        let stand_in = rustup_machine(RUSTUP);
        stand_in.write("toolchain/lib/README", "");
        for file in files {
            stand_in.write(&format!("toolchain/lib/{file}"), "");
        }
        assert_eq!(set_up(&stand_in), (Ok(Toolchain::Active), owned(ADDED)), "{files:?}");
    }
}

#[test]
fn where_nothing_can_be_done_the_command_is_named() {
    let failed = |stand_in: &StandIn, steps: &[&'static str], message: &str| {
        let (outcome, taken) = set_up(stand_in);
        assert_eq!((outcome, taken), (Err(message.to_owned()), owned(steps)));
    };
    let refused = [&ADDED[..], &[REFUSED]].concat();

    failed(
        &rustup_machine(RUSTUP_OFFLINE),
        &refused,
        "no Rust toolchain here can build for wasm32-unknown-unknown\n       \
         to fix it: rustup target add wasm32-unknown-unknown",
    );

    let another = StandIn::new();
    failed(
        another.program("rustc", "exit 1"),
        &NOTHING,
        "no Rust toolchain here can build for wasm32-unknown-unknown\n       \
         to fix it: install rustup from https://rustup.rs, then: rustup target add wasm32-unknown-unknown",
    );

    // A Debian that is too old or too new for `rustc-web`.
    let without_package = rustup_machine(RUSTUP_OFFLINE);
    without_package.debian(ROOT).program("apt-cache", "echo '  Candidate: (none)'");
    failed(
        &without_package,
        &[&refused[..], &LISTS].concat(),
        "no Rust toolchain here can build for wasm32-unknown-unknown\n       \
         to fix it: rustup target add wasm32-unknown-unknown",
    );

    let not_root = rustup_machine(RUSTUP_OFFLINE);
    not_root.debian(NOT_ROOT).write("lists", "");
    failed(
        &not_root,
        &refused,
        "wasm32-unknown-unknown has to come from Debian's packages here, and only root may install them\n       \
         to fix it: sudo apt-get install -y --no-install-recommends \
         rustc-web cargo-web rust-web-src rust-web-llvm lld-22 rust-web-clippy rustfmt-web \
         && sudo install -d -o \"$USER\" /usr/lib/rustlib/wasm32-unknown-unknown/lib",
    );

    // Only root may fetch the lists that would say whether Debian has the compiler.
    let without_lists = rustup_machine(RUSTUP_OFFLINE);
    failed(
        without_lists.debian(NOT_ROOT),
        &refused,
        "no Rust toolchain here can build for wasm32-unknown-unknown\n       \
         to fix it: rustup target add wasm32-unknown-unknown",
    );

    let failing = rustup_machine(RUSTUP_OFFLINE);
    failing.debian(ROOT).write("lists", "").program("apt-get", "exit 100");
    failed(
        &failing,
        &[&refused[..], &PACKAGES].concat(),
        "`apt-get install -y -q --no-install-recommends --no-remove \
         rustc-web cargo-web rust-web-src rust-web-llvm lld-22 rust-web-clippy rustfmt-web` failed (exit status: 100)\n       \
         to fix it: sudo apt-get update && sudo apt-get install -y --no-install-recommends \
         rustc-web cargo-web rust-web-src rust-web-llvm lld-22 rust-web-clippy rustfmt-web",
    );
}

#[test]
fn a_library_of_the_compiler_before_an_upgrade_is_built_again() {
    let stand_in = rustup_machine(RUSTUP_OFFLINE);
    stand_in.debian(ROOT).write("lists", "");
    super::debian::install(stand_in.machine()).unwrap();
    stand_in.steps();
    stand_in.write("version", "2\n");
    let steps = [&ADDED[..], &[REFUSED], &BUILT, &LINKED].concat();
    assert_eq!(set_up(&stand_in), (Ok(Toolchain::Linked), owned(steps)));
    let two =
        ["core", "std", "test"].map(|name| [1, 2].map(|n| stand_in.has(&format!("{LIBRARY}/lib{name}-{n}.rlib"))));
    assert_eq!(two, [[false, true]; 3]);
    assert_eq!(set_up(&stand_in), (Ok(Toolchain::Linked), vec![]));
}

#[test]
fn the_command_named_to_others_than_root_is_enough() {
    let stand_in = rustup_machine(RUSTUP_OFFLINE);
    stand_in.debian(ROOT).write("lists", "");
    super::debian::install(stand_in.machine()).unwrap();
    // As that command leaves it: the packages are there, the folder is ours and empty, nothing is linked.
    std::fs::remove_dir_all(stand_in.path(LIBRARY)).unwrap();
    std::fs::create_dir(stand_in.path(LIBRARY)).unwrap();
    std::fs::remove_file(stand_in.path("linked")).unwrap();
    stand_in.program("id", NOT_ROOT).program("apt-get", "exit 100");
    stand_in.steps();
    let steps = [&ADDED[..], &[REFUSED], &BUILT, &LINKED].concat();
    assert_eq!(set_up(&stand_in), (Ok(Toolchain::Linked), owned(steps)));
}

#[test]
fn a_folder_that_is_not_ours_is_named_before_the_build() {
    let stand_in = rustup_machine(RUSTUP_OFFLINE);
    stand_in.debian(ROOT).write("lists", "");
    // A file in the folder's place: root could write to any folder.
    stand_in.write(LIBRARY, "");
    let (outcome, steps) = set_up(&stand_in);
    let message = outcome.unwrap_err();
    assert!(
        message.ends_with("to fix it: sudo install -d -o \"$USER\" /usr/lib/rustlib/wasm32-unknown-unknown/lib"),
        "{message}"
    );
    assert_eq!(steps, [&ADDED[..], &[REFUSED], &PACKAGES].concat());
}

#[test]
fn a_program_is_told_which_toolchain_it_runs_with() {
    let stand_in = StandIn::new();
    let tools = stand_in.path("tools");
    let path = |folders: &[&str]| folders.iter().map(|folder| stand_in.path(folder)).collect::<Vec<_>>();
    for (toolchain, chosen, folders) in [
        (Toolchain::Active, None, path(&["tools", "usr/local/bin", "usr/bin"])),
        (Toolchain::Linked, Some("web"), path(&["tools", "usr/local/bin", "usr/bin"])),
        (Toolchain::Debian, None, path(&["tools", "usr/bin", "usr/local/bin", "usr/bin"])),
    ] {
        let mut command = Command::new("trunk");
        toolchain.choose_for(stand_in.machine(), &mut command, Some(&tools));
        let value = |name: &str| command.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value);
        assert_eq!(value("RUSTUP_TOOLCHAIN"), chosen.map(std::ffi::OsStr::new), "{toolchain:?}");
        assert_eq!(std::env::split_paths(value("PATH").unwrap()).collect::<Vec<_>>(), folders, "{toolchain:?}");
    }
}
