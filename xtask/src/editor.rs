//! The editor: a library of npm and the few files under `editor/`, bundled into one module that the page loads when it is
//! needed. A site without it works: a file is edited in a plain field, and a change is shown as its patch.

use std::fs;
use std::path::Path;

use crate::build::Profile;
use crate::machine::Machine;
use crate::run::{self, Outcome};
use crate::setup::node;

/// Where its sources and its `package-lock.json` are.
const FOLDER: &str = "editor";
/// What it is in the site.
pub const MODULE: &str = "editor.js";
/// The licence of what is bundled asks for its notice.
const NOTICE: &str = "--banner:js=/*! CodeMirror and Lezer: copyright Marijn Haverbeke and others, MIT licence */";

/// Puts `editor.js` into `raw`, or says why the site goes without.
pub fn build(machine: &Machine, profile: Profile, raw: &Path) {
    let module = raw.join(MODULE);
    // One of an earlier build would pass for what these sources make.
    let _ = fs::remove_file(&module);
    if let Err(failure) = bundle(machine, profile, &module) {
        let _ = fs::remove_file(&module);
        machine.say(format_args!("going on without the editor, files are edited in a plain field: {failure}"));
    }
}

fn bundle(machine: &Machine, profile: Profile, module: &Path) -> Outcome {
    node::packages_ready(machine, FOLDER, "the editor needs")?;
    let folder = machine.root().join(FOLDER);
    let mut esbuild = machine.command(node::node_ready(machine)?);
    esbuild.arg(folder.join("node_modules/esbuild/bin/esbuild")).arg(folder.join("src/editor.js"));
    esbuild.args([
        "--bundle",
        "--format=esm",
        "--target=es2022",
        "--legal-comments=none",
        "--log-level=warning",
        NOTICE,
    ]);
    if profile == Profile::Release {
        esbuild.arg("--minify");
    }
    esbuild.arg(format!("--outfile={}", module.display()));
    run::run(&mut esbuild)
}
