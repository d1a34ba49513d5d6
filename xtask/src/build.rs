//! The site: Trunk makes the wasm modules of the worker's side and `index.html`, the rest is put beside them in `dist/`.
//!
//! What Trunk is not asked to do, and why, is in `Trunk.toml`.

use std::fs;
use std::path::Path;
use std::thread;

use crate::editor;
use crate::engine;
use crate::machine::Machine;
use crate::project;
use crate::run::{self, Failure, Outcome, command, say};
use crate::setup::BuildTools;
use crate::shell;
use crate::sizes;
use crate::split;
use crate::stamp::{Stamp, files_under};

/// How the wasm is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Small: what is uploaded, served and tested.
    Release,
    /// Quick to build, with names in stack traces.
    Dev,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dev => "dev",
        }
    }
}

/// What the site is made of. A change in any of these makes a new build.
const SOURCES: [&str; 17] = [
    "Cargo.toml",
    "Cargo.lock",
    "Trunk.toml",
    "index.html",
    ".cargo",
    "crates",
    "editor/package.json",
    "editor/package-lock.json",
    "editor/src",
    "src",
    "www",
    "xtask/src/build.rs",
    "xtask/src/editor.rs",
    "xtask/src/engine.rs",
    "xtask/src/shell.rs",
    "xtask/src/sizes.rs",
    "xtask/src/split.rs",
];
/// The wasm modules: the folder each stands in, and the name of its binary.
const MODULES: [(&str, &str); 7] = [
    ("", "page"),
    ("", "worker"),
    ("", "markdown"),
    ("", "transfer"),
    ("", "shell"),
    ("", "jq"),
    (engine::FOLDER, "engine"),
];
/// Stands for the build in the files under `www/`; see [`build_id`].
pub const BUILD_PLACEHOLDER: &str = "__VITRINE_BUILD__";
/// What both browsers of the tests have had for years; `--all-features` makes modules that browsers refuse.
const WASM_FEATURES: [&str; 7] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-multivalue",
];
/// Made flat and built up again, then twice through everything: a bytes-for-minutes trade that takes some percent off what
/// is downloaded. A function with one caller stays one: inlined it saves bytes, but compressed it costs some.
const WASM_PASSES: [&str; 9] = [
    "--one-caller-inline-max-function-size=0",
    "--flatten",
    "--rereloop",
    "--generate-global-effects",
    "-Oz",
    "-Oz",
    "--reorder-functions-by-name",
    "--strip-debug",
    "--strip-producers",
];

/// A fingerprint of everything the site is made of.
pub fn sources_stamp(profile: Profile) -> Outcome<String> {
    let mut stamp = Stamp::default();
    stamp.add(profile.name().as_bytes());
    for source in SOURCES {
        stamp.add_path(&project::root().join(source))?;
    }
    Ok(stamp.hex())
}

/// A finished `dist/`.
#[derive(Debug)]
pub struct Site {
    /// The parts that weigh more than their budget, in words. Whether that is a failure is the command's to say: `build`
    /// fails, `test` counts it, `serve` goes on.
    pub over_budget: Vec<String>,
}

/// Builds `dist/`, unless it already is what the sources would make.
pub fn build(profile: Profile) -> Outcome<Site> {
    // Held until the end: two builds at once would put each other's files in place.
    let _alone = lock()?;
    let stamp = sources_stamp(profile)?;
    let stamp_file = project::site().join("built");
    let dist = project::dist();
    // The stamp of what was built last, then a line for each part over its budget.
    let built = fs::read_to_string(&stamp_file).unwrap_or_default();
    let mut lines = built.lines();
    if dist.join("index.html").is_file() && lines.next() == Some(&stamp) {
        say(format_args!("dist/ is up to date ({} build)", profile.name()));
        return Ok(Site { over_budget: lines.map(str::to_owned).collect() });
    }
    let tools = BuildTools::ready()?;
    // A build that fails half-way must not leave the old stamp on what it changed.
    let _ = fs::remove_file(&stamp_file);

    say(format_args!("building the wasm modules ({})", profile.name()));
    let raw = project::site().join("trunk");
    make_folder(&raw)?;
    let mut trunk = tools.command(&tools.trunk);
    trunk.args(["build", "--dist"]).arg(&raw).env("RUST_BACKTRACE", "0");
    if profile == Profile::Release {
        trunk.arg("--release");
    }
    run::run(&mut trunk)?;
    split::build(&tools, profile, &raw)?;
    engine::build(&tools, profile, &raw)?;
    shell::build(&tools, profile, &raw)?;
    editor::build(&Machine::here(), profile, &raw);

    if profile == Profile::Release
        && let Some(wasm_opt) = &tools.wasm_opt
    {
        optimise(wasm_opt, &raw)?;
    }
    let staged = project::site().join("staged");
    assemble(&raw, &staged)?;
    check_links(&staged)?;
    let over_budget = if profile == Profile::Release { sizes::over_budget(&staged)? } else { Vec::new() };
    put_in_place(&staged, &dist)?;
    let record = std::iter::once(&stamp).chain(&over_budget).cloned().collect::<Vec<_>>().join("\n");
    fs::write(&stamp_file, record).map_err(|error| Failure::io(&stamp_file, &error))?;
    say("dist/ is ready");
    Ok(Site { over_budget })
}

fn lock() -> Outcome<fs::File> {
    make_folder(&project::site())?;
    let path = project::site().join("lock");
    let file = fs::File::create(&path).map_err(|error| Failure::io(&path, &error))?;
    if file.try_lock().is_err() {
        say("another build of this checkout is running; waiting for it");
        file.lock().map_err(|error| Failure::io(&path, &error))?;
    }
    Ok(file)
}

/// Shrinks each module in place, side by side. A module that has not changed comes from the last time.
fn optimise(wasm_opt: &Path, raw: &Path) -> Outcome {
    say("shrinking the modules (wasm-opt -Oz)");
    let kept = project::site().join("optimised");
    make_folder(&kept)?;
    let mut files = split::parts(raw)?;
    files.extend(MODULES.map(|(folder, module)| raw.join(folder).join(format!("{module}_bg.wasm"))));
    let outcomes = thread::scope(|scope| {
        let kept = &kept;
        let jobs = files.iter().map(|file| scope.spawn(move || optimise_one(wasm_opt, file, kept))).collect::<Vec<_>>();
        let ended = jobs.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|end| end.unwrap_or_else(|_| Err(Failure::new("a wasm-opt thread stopped")))).collect::<Vec<_>>()
    });
    outcomes.into_iter().collect()
}

fn optimise_one(wasm_opt: &Path, file: &Path, kept: &Path) -> Outcome {
    let module = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut stamp = Stamp::default();
    stamp.add_path(file)?;
    WASM_PASSES.iter().chain(&WASM_FEATURES).for_each(|word| stamp.add(word.as_bytes()));
    let name = format!("{module}-{}.wasm", stamp.hex());
    let result = kept.join(&name);
    if !result.is_file() {
        for old in files_under(kept)? {
            if old.file_name().is_some_and(|old| old.to_string_lossy().starts_with(&format!("{module}-"))) {
                let _ = fs::remove_file(old);
            }
        }
        let part = kept.join(format!("{name}.part"));
        shrink(wasm_opt, file, &part)?;
        fs::rename(&part, &result).map_err(|error| Failure::io(&result, &error))?;
    }
    copy(&result, file)
}

/// A module as small as what is shipped.
pub fn shrink(wasm_opt: &Path, module: &Path, to: &Path) -> Outcome {
    run::run(command(wasm_opt).args(WASM_PASSES).args(WASM_FEATURES).arg(module).arg("-o").arg(to))
}

/// Puts Trunk's output and `www/` together.
fn assemble(raw: &Path, staged: &Path) -> Outcome {
    if staged.exists() {
        fs::remove_dir_all(staged).map_err(|error| Failure::io(staged, &error))?;
    }
    for from in [raw.to_path_buf(), project::root().join("www")] {
        for file in files_under(&from)? {
            let name = file.strip_prefix(&from).unwrap_or(&file);
            copy(&file, &staged.join(name))?;
        }
    }
    let embed = staged.join("embed/vitrine.js");
    if !embed.exists() {
        make_folder(&staged.join("embed"))?;
        // The element finds its modules beside the file it is defined in, so this one only has to lead there.
        fs::write(&embed, EMBED).map_err(|error| Failure::io(&embed, &error))?;
    }
    let id = build_id(staged)?;
    // `vitrine.js` compares it with its own: a server may hand out a newer module than the page asked for. The worker's
    // loader does that for the worker and for what the worker loads.
    for name in ["page.js", "markdown.js", "transfer.js", "jq.js"] {
        let module = staged.join(name);
        let mut glue = fs::read_to_string(&module).map_err(|error| Failure::io(&module, &error))?;
        glue.push_str(&format!("\nexport const BUILD = \"{BUILD_PLACEHOLDER}\";\n"));
        fs::write(&module, glue).map_err(|error| Failure::io(&module, &error))?;
    }
    for part in split::parts(staged)? {
        split::mark(&part, &id)?;
    }
    for file in files_under(staged)? {
        let text_file = file.extension().is_some_and(|extension| extension == "js" || extension == "html");
        if !text_file {
            continue;
        }
        let text = fs::read_to_string(&file).map_err(|error| Failure::io(&file, &error))?;
        let mut done = without_trunk_links(&text.replace(BUILD_PLACEHOLDER, &id));
        if LOADER.iter().any(|name| file == staged.join(name)) {
            done = without_comment_lines(&done);
        }
        if done != text {
            fs::write(&file, done).map_err(|error| Failure::io(&file, &error))?;
        }
    }
    Ok(())
}

/// What every visitor reads before anything else; a fifth of it is comments.
const LOADER: [&str; 2] = ["vitrine.js", "event_reader.js"];

/// A script without the lines that are nothing but a comment, and without what its lines are indented by. It has to have no text
/// of more than one line.
fn without_comment_lines(script: &str) -> String {
    let is_comment = |line: &&str| {
        let line = line.trim();
        line.starts_with("// ") || (line.starts_with("/** ") && line.ends_with("*/"))
    };
    script.split_inclusive('\n').filter(|line| !is_comment(line)).map(|line| line.trim_start_matches(' ')).collect()
}

/// A classic script and a module at once: `import()` works in both, and a relative one starts from this file.
const EMBED: &str =
    "// The one tag of an embedding page; it loads the element from the folder above.\nimport(\"../vitrine.js\");\n";

/// A name for this build: two builds have the same one only if every byte a visitor runs is the same. `vitrine.js` asks
/// for its modules under it, so that a cached module of another build is never used.
fn build_id(staged: &Path) -> Outcome<String> {
    let mut stamp = Stamp::default();
    for file in files_under(staged)? {
        let code =
            file.extension().is_some_and(|extension| ["js", "wasm", "css"].iter().any(|code| extension == *code));
        if code {
            stamp.add(file.strip_prefix(staged).unwrap_or(&file).to_string_lossy().as_bytes());
            stamp.add(&fs::read(&file).map_err(|error| Failure::io(&file, &error))?);
        }
    }
    Ok(stamp.hex())
}

/// Trunk leaves the `<link data-trunk>` of the main module in the page when it is told to inject no script.
fn without_trunk_links(html: &str) -> String {
    let mut rest = html;
    let mut kept = String::with_capacity(html.len());
    while let Some((before, after)) = rest.split_once("<link data-trunk") {
        kept.push_str(before.trim_end_matches([' ', '\t']));
        rest = after.split_once('>').map_or("", |(_, after)| after);
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    kept.push_str(rest);
    kept
}

/// Every file that `index.html` names must be in the site, by a relative address: the site is served under any path.
fn check_links(staged: &Path) -> Outcome {
    let page = staged.join("index.html");
    let html = fs::read_to_string(&page).map_err(|error| Failure::io(&page, &error))?;
    for address in addresses(&html) {
        let file = address.split(['?', '#']).next().unwrap_or_default();
        let foreign = file.contains(':') || file.starts_with("//");
        if file.is_empty() || foreign {
            continue;
        }
        if file.starts_with('/') {
            return Err(Failure::new(format!("index.html names {address}, which works under no sub-path")));
        }
        let target = staged.join(file);
        if !(target.is_file() || target.join("index.html").is_file()) {
            return Err(Failure::new(format!("index.html names {address}, which is not in dist/")));
        }
    }
    Ok(())
}

fn addresses(html: &str) -> impl Iterator<Item = &str> {
    ["src=\"", "href=\""].into_iter().flat_map(move |attribute| {
        html.split(&format!(" {attribute}")).skip(1).filter_map(|after| after.split('"').next()).collect::<Vec<_>>()
    })
}

/// Swaps the finished folder in, so that a server never reads half a site.
fn put_in_place(staged: &Path, dist: &Path) -> Outcome {
    let old = project::site().join("old");
    let _ = fs::remove_dir_all(&old);
    if dist.exists() {
        fs::rename(dist, &old).map_err(|error| Failure::io(dist, &error))?;
    }
    fs::rename(staged, dist).map_err(|error| Failure::io(dist, &error))?;
    let _ = fs::remove_dir_all(&old);
    Ok(())
}

fn make_folder(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    if let Some(folder) = to.parent() {
        make_folder(folder)?;
    }
    fs::copy(from, to).map(|_| ()).map_err(|error| Failure::io(from, &error))
}

#[cfg(test)]
mod tests {
    use super::{addresses, without_comment_lines, without_trunk_links};

    #[test]
    fn only_trunks_own_links_go() {
        let html = "<head>\n  <link data-trunk rel=\"rust\" data-bin=\"page\"/>\n  <link rel=\"stylesheet\" href=\"style.css\">\n</head>";
        assert_eq!(without_trunk_links(html), "<head>\n  <link rel=\"stylesheet\" href=\"style.css\">\n</head>");
        assert_eq!(without_trunk_links("<p>none</p>"), "<p>none</p>");
    }

    #[test]
    fn every_address_is_seen() {
        let html =
            "<link href=\"style.css\"><script type=\"module\" src=\"./vitrine.js?v=1\"></script><a data-src=\"no\">";
        assert_eq!(addresses(html).collect::<Vec<_>>(), ["./vitrine.js?v=1", "style.css"]);
    }

    #[test]
    fn lines_that_are_comments_go_and_nothing_else() {
        let script = "// a\n/** b */\nconst c = 1; // d\n  // e\n/**\n * f\n */\nconst g = \"// h\";\n//i\n/** j */ k();\n  l();";
        let left = "const c = 1; // d\n/**\n* f\n*/\nconst g = \"// h\";\n//i\n/** j */ k();\nl();";
        assert_eq!(without_comment_lines(script), left);
    }
}
