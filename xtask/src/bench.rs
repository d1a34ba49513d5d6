//! `bench`: what is shipped and the peers in one page of one Chromium, with ratios and growth exponents.

use std::path::{Path, PathBuf};

use crate::build::{self, Profile};
use crate::machine::Machine;
use crate::project;
use crate::run::{self, Failure, Outcome, command};
use crate::setup::wasm_target::TARGET;
use crate::setup::{BuildTools, browsers, node};
use crate::test::Engine;
use crate::test::tally::Tally;

/// What is measured, and how it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bench {
    /// A file for what was measured, as one JSON document.
    pub json: Option<String>,
    /// Only this row, or these with commas between them.
    pub only: Option<String>,
}

/// Measures and prints; a limit that is missed is a failure.
pub fn bench(options: &Bench) -> Outcome {
    let machine = Machine::here();
    let found = browsers::ready(&machine, &[Engine::Chromium], &mut Tally::default());
    let Some(chromium) = found.first() else {
        return Err(Failure::new("the benchmarks need Chromium; the lines above say how to get it"));
    };
    let site = build::build(Profile::Release)?;
    site.over_budget.iter().for_each(|part| machine.say(format_args!("over the size budget: {part}")));
    let wasm = build_wasm(&machine)?;
    let peers = peers_ready(&machine)?;

    let mut drive = command(node::node_ready(&machine)?);
    drive.arg("benches/run.mjs");
    if let Some(file) = &options.json {
        // As seen from where the command was given.
        let file = std::path::absolute(file).map_err(|error| Failure::io(Path::new(file), &error))?;
        drive.arg("--json").arg(file);
    }
    if let Some(row) = &options.only {
        drive.args(["--only", row]);
    }
    drive.env("VITRINE_BENCH_MODULES", peers).env("VITRINE_BENCH_WASM", wasm);
    drive.env("VITRINE_DIST", project::dist());
    drive.envs(chromium.programs.iter().map(|(name, path)| (*name, path.as_path())));
    run::run(&mut drive)
}

/// Our side of the rows, compiled as what is shipped; gives the folder of the module and its glue.
fn build_wasm(machine: &Machine) -> Outcome<PathBuf> {
    let tools = BuildTools::ready()?;
    machine.say("building our side of the benchmarks (release)");
    run::run(tools.command("cargo").args(["build", "--release", "--package", "vitrine-bench", "--target", TARGET]))?;
    let module = project::target().join(TARGET).join("release/vitrine_bench.wasm");
    let out = project::target().join("bench/wasm");
    let mut bindgen = tools.command(tools.bindgen());
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", "bench", "--out-dir"]).arg(&out).arg(&module);
    run::run(&mut bindgen)?;
    if let Some(wasm_opt) = &tools.wasm_opt {
        let (raw, small) = (out.join("bench_bg.wasm"), out.join("small.wasm"));
        build::shrink(wasm_opt, &raw, &small)?;
        std::fs::rename(&small, &raw).map_err(|error| Failure::io(&small, &error))?;
    }
    Ok(out)
}

/// The peers at the versions that `benches/package-lock.json` pins, in the target folder; gives the folder they are in.
fn peers_ready(machine: &Machine) -> Outcome<PathBuf> {
    let folder = project::target().join("bench");
    let lists = ["package.json", "package-lock.json"];
    let wanted = lists.map(|list| machine.root().join("benches").join(list));
    let is_here = |(list, wanted): (&str, &PathBuf)| {
        let read = |path: PathBuf| std::fs::read(path).ok();
        read(folder.join(list)).is_some_and(|installed| Some(installed) == read(wanted.clone()))
    };
    // npm writes its own record last: an installation that was cut off has none.
    let is_whole = folder.join("node_modules/.package-lock.json").is_file();
    if is_whole && lists.into_iter().zip(&wanted).all(is_here) {
        return Ok(folder);
    }
    let npm = node::npm_ready(machine)?;
    machine.say("installing the peers (npm ci in target/bench)");
    std::fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
    for (list, wanted) in lists.into_iter().zip(&wanted) {
        std::fs::copy(wanted, folder.join(list)).map_err(|error| Failure::io(wanted, &error))?;
    }
    let mut install = machine.command(npm);
    install.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder);
    run::run(&mut install)?;
    Ok(folder)
}
