//! The walls: what each part may depend on, as ARCHITECTURE.md says it.
//!
//! Crates are asked by `cargo tree` for the wasm target, so that a dependency of a dependency counts. The root package
//! holds three parts in one crate, which cargo cannot tell apart: there the source text is looked at.
#![cfg(not(target_family = "wasm"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that mean a browser.
const BROWSER: [&str; 8] = [
    "wasm-bindgen",
    "wasm-bindgen-futures",
    "js-sys",
    "web-sys",
    "gloo-net",
    "gloo-utils",
    "serde-wasm-bindgen",
    "leptos",
];
/// Crates that mean an async runtime or a clock.
const RUNTIME: [&str; 6] = ["tokio", "async-std", "smol", "async-executor", "gloo-timers", "instant"];

/// A crate and the crates of ours it may reach.
struct Wall {
    of: &'static str,
    may_use: &'static [&'static str],
    /// Crates that bring the browser in by themselves, each known and excused. Nothing below them is looked at for it.
    excused: &'static [&'static str],
}

const WALLS: [Wall; 17] = [
    Wall { of: "agent", may_use: &[], excused: &[] },
    Wall { of: "providers", may_use: &["agent"], excused: &[] },
    Wall { of: "vfs", may_use: &[], excused: &[] },
    Wall { of: "archive", may_use: &[], excused: &[] },
    Wall { of: "folder", may_use: &[], excused: &[] },
    Wall { of: "preview", may_use: &[], excused: &[] },
    Wall { of: "pattern", may_use: &[], excused: &[] },
    // jsonschema hashes with a random seed, and in a browser randomness comes through wasm-bindgen.
    Wall { of: "schema", may_use: &["pattern"], excused: &["getrandom"] },
    Wall { of: "shell", may_use: &[], excused: &[] },
    Wall { of: "tabs", may_use: &[], excused: &[] },
    Wall { of: "tools", may_use: &["agent", "vfs", "schema", "shell", "pattern"], excused: &["getrandom"] },
    Wall { of: "session", may_use: &["agent", "vfs"], excused: &[] },
    Wall { of: "protocol", may_use: &["agent"], excused: &[] },
    Wall { of: "markdown", may_use: &[], excused: &[] },
    Wall { of: "lesson", may_use: &["agent", "session", "vfs"], excused: &[] },
    Wall { of: "tamper", may_use: &["agent", "protocol"], excused: &[] },
    Wall { of: "teach", may_use: &["agent", "protocol", "providers", "vfs"], excused: &[] },
];

/// Which crates of ours each part of the root package may name.
const PARTS: [(&str, &[&str]); 7] = [
    (
        "worker",
        &[
            "agent",
            "tabs",
            "providers",
            "vfs",
            "schema",
            "shell",
            "tools",
            "session",
            "protocol",
            "lesson",
            "preview",
            "tamper",
            "teach",
        ],
    ),
    // What a notification carries is made of the agent's types; the loop itself is another matter, see below.
    ("page", &["protocol", "markdown", "agent", "preview"]),
    ("markdown", &["markdown"]),
    ("transfer", &["archive", "folder"]),
    ("engine", &["agent", "providers", "vfs", "schema", "tools", "session", "markdown", "lesson"]),
    ("shell", &["shell", "shell_module", "jq"]),
    (
        "platform",
        &[
            "agent",
            "tabs",
            "archive",
            "folder",
            "providers",
            "vfs",
            "shell",
            "shell_module",
            "jq",
            "tools",
            "protocol",
            "markdown",
        ],
    ),
];

/// What of `crates/markdown` brings the parser along, and so must not be named by what the page is made of.
const PARSER: [&str; 4] = ["Feed", "Stream", "parse", "render_html"];

#[test]
fn crates_reach_only_what_they_may() {
    let mut broken = Vec::new();
    for folder in std::fs::read_dir(root().join("crates")).expect("crates/ can be listed") {
        let name = folder.expect("an entry can be read").file_name().into_string().expect("its name is UTF-8");
        if !WALLS.iter().any(|wall| wall.of == name) {
            broken.push(format!("crates/{name} has no wall"));
        }
    }
    for wall in &WALLS {
        let reached = reached_from(&format!("vitrine-{}", wall.of), wall.excused);
        for name in &reached {
            let ours = name.strip_prefix("vitrine-").filter(|ours| *ours != wall.of);
            let allowed = ours.is_none_or(|ours| wall.may_use.contains(&ours))
                && !BROWSER.contains(&name.as_str())
                && !RUNTIME.contains(&name.as_str());
            if !allowed {
                broken.push(format!("crates/{} reaches {name}", wall.of));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_crate_has_a_wall() {
    let folders = fs::read_dir(root().join("crates")).unwrap();
    let crates: BTreeSet<_> = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    let walled: BTreeSet<_> = WALLS.iter().map(|wall| wall.of.to_owned()).collect();
    assert_eq!(crates.difference(&walled).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// A crate that is excused must not be the way by which something else gets in: only `schema` may bring it.
#[test]
fn the_excuse_is_needed_and_is_schemas() {
    let reached = reached_from("vitrine-schema", &[]);
    assert!(reached.contains("getrandom"), "jsonschema no longer asks for randomness: drop the excuse");
    let direct = tree("vitrine-tools", &["--depth", "1"]);
    assert!(direct.iter().all(|(_, name)| name != "getrandom"), "tools asks for randomness itself");
}

#[test]
fn parts_of_the_root_package_keep_to_themselves() {
    let mut broken = Vec::new();
    for (part, may_use) in PARTS {
        for (file, number, line) in code_lines(part) {
            for name in crates_of_ours_in(&line) {
                if !may_use.contains(&name.as_str()) {
                    broken.push(format!("{file}:{number} names vitrine_{name}"));
                }
            }
            let other_part = match part {
                "page" => Some("worker"),
                "worker" => Some("page"),
                _ => None,
            };
            if other_part.is_some_and(|other| line.contains(&format!("src/{other}/"))) {
                broken.push(format!("{file}:{number} takes in a file of the other module"));
            }
            if part == "page" && (line.contains("agent::run") || line.contains("agent::drive")) {
                broken.push(format!("{file}:{number} names the loop"));
            }
            if part == "worker" && word_in(&line, "leptos") {
                broken.push(format!("{file}:{number} names leptos"));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn the_page_does_without_the_parser() {
    // Only the file that is compiled into the parser's own binary may name it.
    let lines = ["page", "platform"].into_iter().flat_map(code_lines);
    let names = |line: &str| line.contains("vitrine_markdown") && PARSER.iter().any(|name| word_in(line, name));
    let broken: Vec<_> = lines.filter(|(_, _, line)| names(line)).map(|(file, _, _)| file).collect();
    assert_eq!(broken, ["src/platform/markdown_port.rs"]);
}

#[test]
fn only_the_platform_meets_the_browser() {
    // Spawning a Rust future touches nothing of the browser's; awaiting a promise does.
    let names = ["web_sys", "js_sys", "wasm_bindgen", "JsValue", "JsFuture", "serde_wasm_bindgen", "gloo_net"];
    let mut broken = Vec::new();
    for part in ["page", "worker", "markdown", "transfer"] {
        for (file, number, line) in code_lines(part) {
            broken.extend(
                names.iter().filter(|name| word_in(&line, name)).map(|name| format!("{file}:{number} names {name}")),
            );
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

/// What it is given are numbers and text; the objects are its driver's.
#[test]
fn the_engine_takes_no_object_of_javascript() {
    let names = ["web_sys", "js_sys", "JsValue", "JsFuture", "serde_wasm_bindgen", "gloo_net"];
    let mut broken = Vec::new();
    for (file, number, line) in code_lines("engine") {
        broken.extend(
            names.iter().filter(|name| word_in(&line, name)).map(|name| format!("{file}:{number} names {name}")),
        );
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn a_word_is_not_found_inside_another() {
    assert!(word_in("use web_sys::Window;", "web_sys"));
    assert!(!word_in("use my_web_sys_like::X;", "web_sys"));
    assert_eq!(crates_of_ours_in("use vitrine_agent::x; vitrine_vfs::y()"), ["agent", "vfs"]);
    assert_eq!(crates_of_ours_in("let vitrine = 1;"), Vec::<String>::new());
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What `cargo tree` shows of a crate on the wasm target: depth and name, itself first.
fn tree(package: &str, options: &[&str]) -> Vec<(usize, String)> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["tree", "--offline", "--target", "wasm32-unknown-unknown", "-e", "normal", "--prefix", "depth"])
        .args(["--no-dedupe", "-p", package])
        .args(options)
        .output()
        .unwrap();
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = text.lines().filter_map(depth_and_name).collect();
    assert_eq!(lines.first(), Some(&(0, package.to_owned())), "cargo tree shows something else:\n{text}");
    lines
}

/// Of a line like `2serde v1.0.0 (proc-macro)`. A macro runs while compiling and reaches nothing.
fn depth_and_name(line: &str) -> Option<(usize, String)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let depth = line[..digits].parse().ok()?;
    let name = line[digits..].split_whitespace().next()?;
    Some((depth, name.to_owned()))
}

/// Every crate below a crate, without what only an excused one brings. The excused crate itself counts.
fn reached_from(package: &str, excused: &[&str]) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut below_excused: Option<usize> = None;
    for (depth, name) in tree(package, &[]) {
        if below_excused.is_some_and(|limit| depth > limit) {
            continue;
        }
        below_excused = excused.contains(&name.as_str()).then_some(depth);
        if depth > 0 {
            reached.insert(name);
        }
    }
    reached
}

/// The lines of a part's sources that are code: file from the root, line number, text. Comments are left out.
fn code_lines(part: &str) -> Vec<(String, usize, String)> {
    let mut files = Vec::new();
    collect_sources(&root().join("src").join(part), &mut files);
    let own = root().join("src").join(format!("{part}.rs"));
    files.extend(own.is_file().then_some(own));
    assert!(!files.is_empty(), "src/{part} has no sources");
    let mut lines = Vec::new();
    for file in files {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        for (index, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            lines.push((name.clone(), index + 1, code.to_owned()));
        }
    }
    lines
}

fn collect_sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()).collect::<BTreeSet<_>>() {
        if path.is_dir() {
            collect_sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

fn word_in(line: &str, name: &str) -> bool {
    words(line).any(|word| word == name)
}

fn crates_of_ours_in(line: &str) -> Vec<String> {
    words(line).filter_map(|word| word.strip_prefix("vitrine_")).map(str::to_owned).collect()
}
