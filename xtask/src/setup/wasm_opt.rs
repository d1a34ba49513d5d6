//! `wasm-opt` of binaryen. It takes a fifth off a module, so the size budgets need it; the site works without.

use std::path::{Path, PathBuf};

use crate::project;
use crate::run::{self, ask, command, say};
use crate::setup::node;

/// Sizes are only comparable at one version.
const VERSION: &str = "132";

/// From `PATH` or `target/tools` if the version is right, else from npm; `None` where that cannot be, which is said.
pub fn ready() -> Option<PathBuf> {
    let own = project::tools().join("node_modules/binaryen/bin/wasm-opt");
    let found = [run::on_path("wasm-opt"), Some(own.clone())].into_iter().flatten().find(|file| fits(file));
    if found.is_some() {
        return found;
    }
    let why = match node::npm_ready() {
        Ok(npm) => {
            say(format_args!("wasm-opt {VERSION} is not here; taking it from npm into target/tools"));
            let mut install = command(npm);
            install
                .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--prefix"])
                .arg(project::tools())
                .arg(format!("binaryen@{VERSION}.0.0"));
            match run::run(&mut install) {
                Ok(()) if fits(&own) => return Some(own),
                Ok(()) => format!("{} does not say version {VERSION}", own.display()),
                Err(failure) => failure.to_string(),
            }
        }
        Err(failure) => failure.to_string(),
    };
    say(format_args!("going on without wasm-opt, the site will be larger than it should be: {why}"));
    None
}

fn fits(file: &Path) -> bool {
    // "wasm-opt version 132 (version_132)"
    ask(command(file).arg("--version")).is_some_and(|text| text.split_whitespace().nth(2) == Some(VERSION))
}
