//! The engine's module: built by cargo and `wasm-bindgen`, since it is no part of `index.html` and Trunk knows no other.

use std::fs;
use std::path::Path;

use crate::build::Profile;
use crate::project;
use crate::run::{self, Failure, Outcome};
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
    run::run(&mut bindgen)?;
    let glue = raw.join(FOLDER).join("engine.js");
    let text = fs::read_to_string(&glue).map_err(|error| Failure::new(format!("{}: {error}", glue.display())))?;
    fs::write(&glue, checked(&text)?).map_err(|error| Failure::new(format!("{}: {error}", glue.display())))
}

/// Where JavaScript's values are copied into the module, and what they must be. `wasm-bindgen` does not look: a number in a
/// string's place would be written beyond the memory that was asked for, and cost the instance.
const CROSSINGS: [(&str, &str, &str); 2] = [
    ("function passStringToWasm0(arg, malloc, realloc) {\n", "typeof arg !== \"string\"", "a string"),
    (
        "function passArray8ToWasm0(arg, malloc) {\n",
        "!(ArrayBuffer.isView(arg) && arg.BYTES_PER_ELEMENT === 1)",
        "bytes",
    ),
];

/// The glue, with a `TypeError` for what is of another kind.
fn checked(glue: &str) -> Outcome<String> {
    let mut text = glue.to_owned();
    for (head, is_wrong, kind) in CROSSINGS {
        if text.matches(head).count() != 1 {
            return Err(Failure::new(format!("wasm-bindgen's glue has no single {}", head.trim_end())));
        }
        let check =
            format!("    if ({is_wrong}) throw new TypeError(`engine: expected {kind}, got ${{typeof arg}}`);\n");
        text = text.replace(head, &format!("{head}{check}"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_looked_at_where_they_cross() {
        let glue = CROSSINGS.map(|(head, ..)| format!("{head}    body;\n}}\n")).concat();
        let text = checked(&glue).ok();
        let wanted = "function passStringToWasm0(arg, malloc, realloc) {\n    \
             if (typeof arg !== \"string\") throw new TypeError(`engine: expected a string, got ${typeof arg}`);\n    \
             body;\n}\n\
             function passArray8ToWasm0(arg, malloc) {\n    \
             if (!(ArrayBuffer.isView(arg) && arg.BYTES_PER_ELEMENT === 1)) \
             throw new TypeError(`engine: expected bytes, got ${typeof arg}`);\n    body;\n}\n";
        assert_eq!(text.as_deref(), Some(wanted));
        assert!(checked("no glue").is_err());
    }
}
