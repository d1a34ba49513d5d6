use std::path::PathBuf;

use super::CargoTool;
use crate::run::Outcome;
use crate::setup::stand_in::programs::{CARGO, REFUSE_LOCKED};
use crate::setup::stand_in::{CHECKOUT, StandIn, TOOLS};
use crate::setup::{trunk, wasm_bindgen};

const TRUNK: CargoTool<'_> = CargoTool { package: "trunk", program: "trunk", version: "0.21.14", opt_level: "0" };
const INSTALL: &str = "cargo install --force trunk --version 0.21.14 --locked --root /usr/src/vitrine/target/tools \
                       --target-dir /usr/src/vitrine/target/tools/build";
const INSTALL_UNLOCKED: &str = "cargo install --force trunk --version 0.21.14 --root /usr/src/vitrine/target/tools \
                                --target-dir /usr/src/vitrine/target/tools/build";
const MISSING: &str = "xtask: trunk 0.21.14 is not here; building it once into target/tools (a few minutes)";
const AGAIN: &str = "xtask: the versions of its lock file did not work; once more with what the registry has";
const FIX: &str = "to fix it: cargo install --locked --force trunk --version 0.21.14";
const OWN: &str = "/usr/src/vitrine/target/tools/bin/trunk";

/// What a set-up gives back or says at the end, as a text.
fn told(stand_in: &StandIn, outcome: Outcome<PathBuf>) -> String {
    let text = outcome.map_or_else(|failure| failure.to_string(), |file| file.display().to_string());
    stand_in.plain(&text)
}

fn set_up(stand_in: &StandIn) -> (String, Vec<String>) {
    let told = told(stand_in, TRUNK.ready(stand_in.machine()));
    (told, stand_in.steps())
}

fn expected(told: &str, steps: &[&str]) -> (String, Vec<String>) {
    (told.to_owned(), steps.iter().map(|step| (*step).to_owned()).collect())
}

#[test]
fn a_tool_is_built_once() {
    let stand_in = StandIn::new();
    stand_in.program("cargo", CARGO).write(&format!("{TOOLS}/build/object"), "");
    assert_eq!(set_up(&stand_in), expected(OWN, &[MISSING, INSTALL]));
    assert!(!stand_in.has(&format!("{TOOLS}/build")), "a gigabyte of objects is left");
    assert_eq!(set_up(&stand_in), expected(OWN, &[]));
}

#[test]
fn the_right_version_on_path_is_used() {
    let stand_in = StandIn::new();
    stand_in.program("trunk", "echo trunk 0.21.14");
    assert_eq!(set_up(&stand_in), expected("/usr/local/bin/trunk", &[]));
}

#[test]
fn another_version_on_path_is_not_used() {
    for other in ["0.21.1", "0.21.140", "0.21.14-rc.1", "1.0.0"] {
        let stand_in = StandIn::new();
        stand_in.program("cargo", CARGO).program("trunk", &format!("echo trunk {other}"));
        let why = format!(
            "xtask: trunk on PATH is {other}, 0.21.14 is wanted; building it once into target/tools (a few minutes)"
        );
        assert_eq!(set_up(&stand_in), expected(OWN, &[&why, INSTALL]));
        assert_eq!(set_up(&stand_in), expected(OWN, &[]));
    }
}

/// Each row is what is there in the place of a finished tool.
#[test]
fn half_a_tool_is_not_one() {
    for (left, answer) in [
        ("a program that is cut off", "exit 139"),
        ("one that says nothing", ""),
        ("one that fails after its answer", "echo trunk 0.21.14; exit 1"),
        ("the version before", "echo trunk 0.20.0"),
    ] {
        let stand_in = StandIn::new();
        stand_in.program("cargo", CARGO).program_at(&format!("{TOOLS}/bin/trunk"), answer);
        assert_eq!(set_up(&stand_in), expected(OWN, &[MISSING, INSTALL]), "{left}");
    }
    let stand_in = StandIn::new();
    stand_in.program("cargo", CARGO).write(&format!("{TOOLS}/bin/trunk"), "not a program");
    assert_eq!(set_up(&stand_in), expected(OWN, &[MISSING, INSTALL]));
}

#[test]
fn what_the_lock_file_cannot_have_is_tried_without_it() {
    let stand_in = StandIn::new();
    stand_in.program("cargo", &format!("{REFUSE_LOCKED}\n{CARGO}"));
    assert_eq!(set_up(&stand_in), expected(OWN, &[MISSING, INSTALL, AGAIN, INSTALL_UNLOCKED]));
    assert_eq!(set_up(&stand_in), expected(OWN, &[]));
}

#[test]
fn a_build_that_fails_names_the_command() {
    let stand_in = StandIn::new();
    stand_in.program("cargo", "exit 101");
    let message = format!("`{INSTALL_UNLOCKED}` failed (exit status: 101)\n       {FIX}");
    assert_eq!(set_up(&stand_in), expected(&message, &[MISSING, INSTALL, AGAIN, INSTALL_UNLOCKED]));
}

#[test]
fn a_build_of_something_else_is_not_taken() {
    let stand_in = StandIn::new();
    stand_in.program("cargo", &CARGO.replace("$version\"", "9.9.9\""));
    let message = format!("{OWN} was installed but is not trunk 0.21.14\n       {FIX}");
    assert_eq!(set_up(&stand_in), expected(&message, &[MISSING, INSTALL]));
}

#[test]
fn the_versions_are_the_projects() {
    let stand_in = StandIn::new();
    let lock = "[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
    stand_in.program("cargo", CARGO).write(&format!("{CHECKOUT}/Cargo.lock"), lock);
    // One version away, as `cargo install` without a version would have it.
    stand_in.program("wasm-bindgen", "echo wasm-bindgen 0.2.131");
    let machine = stand_in.machine();
    assert_eq!(told(&stand_in, trunk::ready(machine)), OWN);
    assert_eq!(told(&stand_in, wasm_bindgen::ready(machine)), "/usr/src/vitrine/target/tools/bin/wasm-bindgen");
    let installs = stand_in.steps();
    assert_eq!(installs[..2], [MISSING, INSTALL]);
    assert_eq!(
        installs[2..],
        [
            "xtask: wasm-bindgen on PATH is 0.2.131, 0.2.130 is wanted; \
             building it once into target/tools (a few minutes)",
            "cargo install --force wasm-bindgen-cli --version 0.2.130 --locked \
             --root /usr/src/vitrine/target/tools --target-dir /usr/src/vitrine/target/tools/build",
        ]
    );
    // The same crate brought it along.
    assert_eq!(
        told(&stand_in, wasm_bindgen::test_runner_ready(machine)),
        "/usr/src/vitrine/target/tools/bin/wasm-bindgen-test-runner"
    );
    assert_eq!(stand_in.steps(), [""; 0]);
}
