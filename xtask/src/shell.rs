//! The modules of the shell and of its jq: a workspace of its own (see `src/shell/Cargo.toml`), built by cargo and `wasm-bindgen`
//! like the engine's.

use std::path::Path;

use crate::build::Profile;
use crate::project;
use crate::run::{self, Outcome};
use crate::setup::BuildTools;
use crate::setup::wasm_target::TARGET;

/// Its manifest, from the root.
pub const MANIFEST: &str = "src/shell/Cargo.toml";

/// Puts `shell.js` and `jq.js` with their modules into `raw`.
pub fn build(tools: &BuildTools, profile: Profile, raw: &Path) -> Outcome {
    let mut cargo = tools.command("cargo");
    cargo.args([
        "build",
        "--quiet",
        "--locked",
        "--target",
        TARGET,
        "--workspace",
        "--bins",
        "--manifest-path",
        MANIFEST,
    ]);
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
    for name in ["shell", "jq"] {
        let module = project::target().join(TARGET).join(folder).join(format!("{name}.wasm"));
        let mut bindgen = tools.command(tools.bindgen());
        bindgen.args(["--target", "web", "--no-typescript", "--out-name", name, "--out-dir"]).arg(raw);
        if name == "jq" {
            // Each command gets an instance of its own.
            bindgen.arg("--experimental-reset-state-function");
        }
        run::run(bindgen.arg(module))?;
    }
    Ok(())
}
