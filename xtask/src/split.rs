//! The page's module, taken apart: what a first screen needs, and parts that come later (`src/page/late.rs`).
//!
//! A part is a function that is marked so, with all that only it leads to. `wasm_split_cli_support` finds that by the
//! relocations the linker was asked to keep; what is left goes through `wasm-bindgen` as any module does, and each part is a
//! module that takes memory, table and functions of the first one. The scripts that load the parts end up in `page.js`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::{BUILD_PLACEHOLDER, Profile};
use crate::project;
use crate::run::{self, Failure, Outcome};
use crate::setup::BuildTools;
use crate::setup::wasm_target::TARGET;
use crate::stamp::files_under;

/// What the module imports its loaders from. No such file is served: they are in `page.js`.
const LINK: &str = "./page_parts.js";
/// Where a part says which build it is of. It takes addresses in memory for granted, so that no other will do.
const SECTION: &str = "build";

/// Puts `page.js`, `page_bg.wasm` and the parts into `raw`. A debug build is in one piece.
pub fn build(tools: &BuildTools, profile: Profile, raw: &Path) -> Outcome {
    for old in parts(raw)? {
        let _ = fs::remove_file(old);
    }
    let mut cargo = tools.command("cargo");
    let folder = match profile {
        Profile::Release => {
            cargo.args(["rustc", "--profile", "page", "--features", "split"]);
            "page"
        }
        Profile::Dev => {
            cargo.arg("build");
            "debug"
        }
    };
    cargo.args(["--quiet", "--target", TARGET, "--bin", "page"]);
    if profile == Profile::Release {
        cargo.args(["--", "-Clink-arg=--emit-relocs"]);
    }
    run::run(&mut cargo)?;
    let whole = project::target().join(TARGET).join(folder).join("page.wasm");
    match profile {
        Profile::Release => take_apart(tools, &whole, raw),
        Profile::Dev => bind(tools, &whole, raw),
    }
}

/// The parts that stand in a folder.
pub fn parts(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let is_part = |file: &PathBuf| {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        file.parent() == Some(folder) && name.starts_with("page_") && name.ends_with(".wasm") && name != "page_bg.wasm"
    };
    Ok(files_under(folder)?.into_iter().filter(is_part).collect())
}

/// Writes into a part which build it is of: the loader refuses another.
pub fn mark(part: &Path, id: &str) -> Outcome {
    let mut module = fs::read(part).map_err(|error| Failure::io(part, &error))?;
    module.extend(section(id.as_bytes())?);
    fs::write(part, module).map_err(|error| Failure::io(part, &error))
}

/// A custom section of [`SECTION`]'s name. All of it is short, so that a length is one byte.
fn section(content: &[u8]) -> Outcome<Vec<u8>> {
    let length = u8::try_from(1 + SECTION.len() + content.len()).ok().filter(|length| *length < 128);
    let (Some(length), Ok(name_length)) = (length, u8::try_from(SECTION.len())) else {
        return Err(Failure::new("the build's name is too long"));
    };
    Ok([&[0, length, name_length], SECTION.as_bytes(), content].concat())
}

fn bind(tools: &BuildTools, module: &Path, raw: &Path) -> Outcome {
    let mut bindgen = tools.command(tools.bindgen());
    // What the parts take of the first module is exported by it.
    bindgen.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", "page", "--out-dir"]);
    run::run(bindgen.arg(raw).arg(module))
}

fn take_apart(tools: &BuildTools, whole: &Path, raw: &Path) -> Outcome {
    let folder = project::site().join("parts");
    let _ = fs::remove_dir_all(&folder);
    let first = folder.join("page.wasm");
    let input = fs::read(whole).map_err(|error| Failure::io(whole, &error))?;
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = &folder;
    options.main_out_path = &first;
    options.link_name = LINK;
    options.main_module = "./page.js";
    let split = wasm_split_cli_support::transform(options)
        .map_err(|error| Failure::new(format!("the page could not be taken apart: {error:#}")))?;
    bind(tools, &first, raw)?;
    for part in &split.split_modules {
        let name = part.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        fs::copy(part, raw.join(served_name(&name))).map_err(|error| Failure::io(part, &error))?;
    }
    let read = |file: &Path| fs::read_to_string(file).map_err(|error| Failure::io(file, &error));
    let glue = raw.join("page.js");
    let joined = joined(&read(&glue)?, &read(&folder.join(LINK))?)?;
    fs::write(&glue, joined).map_err(|error| Failure::io(&glue, &error))
}

/// `split_panels.wasm` is served as `page_panels.wasm`.
fn served_name(name: &str) -> String {
    format!("page_{}", name.strip_prefix("split_").unwrap_or(name))
}

/// What starts a part: like `wasm-bindgen`'s own, and it refuses a part of another build.
const START: &str = r#"
const startPart = async (answer, imports) => {
    const got = await answer;
    if (!got.ok) throw new Error(`${got.url}: status ${got.status}`);
    const module = await WebAssembly.compile(await got.arrayBuffer());
    const [build] = WebAssembly.Module.customSections(module, "SECTION");
    if (new TextDecoder().decode(build) !== "BUILD") throw new Error(`${got.url} is of another build; reload the page`);
    return WebAssembly.instantiate(module, imports);
};
"#;

/// The glue of `wasm-bindgen` with the loaders in it, which would otherwise be a file that imports this one back, and under
/// another address than the page has it.
fn joined(glue: &str, loaders: &str) -> Outcome<String> {
    let unknown = |what: &str| Failure::new(format!("the tools' scripts have no single {what}"));
    let import =
        glue.lines().filter(|line| line.starts_with("import * as ") && line.contains(LINK)).collect::<Vec<_>>();
    let &[import] = import.as_slice() else { return Err(unknown("import of the parts")) };
    let name = import.split_whitespace().nth(3).ok_or_else(|| unknown("name for the parts"))?;
    let head = "import { initSync } from \"./page.js\";\n";
    let start = "WebAssembly.instantiateStreaming(src, imports)";
    if loaders.matches(head).count() != 1 || !loaders.contains(start) {
        return Err(unknown("way to start a part"));
    }
    let mut script =
        loaders.replace(head, "").replace(start, "startPart(src, imports)").replace("export const ", "const ");
    let mut fetched = 0;
    for name in loaders.split("new URL(\"./").skip(1).filter_map(|after| after.split('"').next()) {
        let address = format!("new URL(\"./{}?v={BUILD_PLACEHOLDER}\"", served_name(name));
        script = script.replace(&format!("new URL(\"./{name}\""), &address);
        fetched += 1;
    }
    if fetched == 0 {
        return Err(unknown("address of a part"));
    }
    let exports = loaders.lines().filter_map(|line| line.strip_prefix("export const ")?.split_whitespace().next());
    let exports = exports.collect::<Vec<_>>().join(", ");
    let start = START.replace("SECTION", SECTION).replace("BUILD", BUILD_PLACEHOLDER);
    let rest = glue.replace(&format!("{import}\n"), "");
    Ok(format!("{rest}{start}{script}const {name} = {{ {exports} }};\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_says_its_build_in_a_section_of_its_own() {
        assert_eq!(section(b"ab12").ok(), Some(b"\x00\x0a\x05buildab12".to_vec()));
        assert!(section(&[b'a'; 128]).is_err());
    }

    #[test]
    fn the_loaders_are_in_the_glue_under_this_build() {
        let glue = "import * as import1 from \"./page_parts.js\"\nfunction initSync() {}\nuse(import1);\n";
        let loaders = "import { initSync } from \"./page.js\";\n\nmain(initSync());\n\
             export const load_a = fetch(new URL(\"./split_a.wasm\", import.meta.url)), \
             WebAssembly.instantiateStreaming(src, imports);\n";
        let text = joined(glue, loaders).unwrap_or_default();
        assert!(text.starts_with("function initSync() {}\nuse(import1);\n"), "{text}");
        let wanted = format!(
            "\nmain(initSync());\n\
             const load_a = fetch(new URL(\"./page_a.wasm?v={BUILD_PLACEHOLDER}\", import.meta.url)), \
             startPart(src, imports);\nconst import1 = {{ load_a }};\n"
        );
        assert!(text.ends_with(&wanted), "{text}");
        assert!(text.contains(&format!("!== \"{BUILD_PLACEHOLDER}\"")), "{text}");
        assert!(joined("no import", loaders).is_err());
        assert!(joined(glue, "no loaders").is_err());
    }
}
