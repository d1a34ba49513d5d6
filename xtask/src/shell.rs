//! The shell's module: a workspace of its own (see `src/shell/Cargo.toml`), built by cargo and `wasm-bindgen` like the engine's.

use std::path::Path;

use crate::build::Profile;
use crate::project;
use crate::run::{self, Outcome};
use crate::setup::BuildTools;
use crate::setup::wasm_target::TARGET;

/// Its manifest, from the root.
pub const MANIFEST: &str = "src/shell/Cargo.toml";

/// Puts `shell.js` and `shell_bg.wasm` into `raw`.
pub fn build(tools: &BuildTools, profile: Profile, raw: &Path) -> Outcome {
    let mut cargo = tools.command("cargo");
    cargo.args(["build", "--quiet", "--locked", "--target", TARGET, "--bin", "shell", "--manifest-path", MANIFEST]);
    // Beside everything else that is built here, where it is kept from one build to the next.
    cargo.arg("--target-dir").arg(project::target());
    let folder = match profile {
        Profile::Release => {
            cargo.arg("--release");
            "release"
        }
        Profile::Dev => "debug",
    };
    run::run(&mut cargo)?;
    let module = project::target().join(TARGET).join(folder).join("shell.wasm");
    let mut bindgen = tools.command(tools.bindgen());
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "shell", "--out-dir"]).arg(raw).arg(module);
    run::run(&mut bindgen)
}
