//! The engine's module: built by cargo and `wasm-bindgen`, since it is no part of `index.html` and Trunk knows no other.

use std::path::Path;

use crate::build::Profile;
use crate::project;
use crate::run::{self, Outcome};
use crate::setup::BuildTools;
use crate::setup::wasm_target::TARGET;

/// Where it stands in the site, beside the hand-written part that `www/` brings.
pub const FOLDER: &str = "engine";

/// Puts `engine.js` and `engine_bg.wasm` into their folder under `raw`.
pub fn build(tools: &BuildTools, profile: Profile, raw: &Path) -> Outcome {
    let mut cargo = tools.command("cargo");
    cargo.args(["build", "--quiet", "--target", TARGET, "--bin", "engine"]);
    let folder = match profile {
        Profile::Release => {
            cargo.arg("--release");
            "release"
        }
        Profile::Dev => "debug",
    };
    run::run(&mut cargo)?;
    let module = project::target().join(TARGET).join(folder).join("engine.wasm");
    let mut bindgen = tools.command(tools.bindgen());
    // After a trap the driver makes the instance anew, which is what the function is for.
    bindgen.args(["--target", "web", "--no-typescript", "--experimental-reset-state-function", "--out-name", "engine"]);
    bindgen.arg("--out-dir").arg(raw.join(FOLDER)).arg(module);
    run::run(&mut bindgen)
}
