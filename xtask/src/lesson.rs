//! `cargo xtask lesson check`: what an author asks before a lesson is published.

use std::fs;
use std::path::PathBuf;

use crate::build::{self, Profile};
use crate::machine::Machine;
use crate::project;
use crate::run::{self, Failure, Outcome, command};
use crate::setup::browsers;
use crate::setup::node;
use crate::test::tally::Tally;
use crate::test::{Engine, environment};

/// What to check.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// The files; none for all lessons of the site.
    pub files: Vec<String>,
    /// Puts the author's fingerprint into each file.
    pub write: bool,
}

/// Reads the files, then plays each in Chromium: its solution passes, its start does not, and its fingerprint is the same.
pub fn check(check: &Check) -> Outcome {
    let files = if check.files.is_empty() { of_the_site()? } else { check.files.clone() };
    let mut read = command("cargo");
    read.args(["run", "--quiet", "-p", "vitrine-teach", "--example", "check", "--"]).args(&files);
    run::run(&mut read)?;
    let machine = Machine::here();
    if !project::dist().join("embed/vitrine.js").exists() {
        build::build(Profile::Release)?;
    }
    let node = node::node_ready(&machine)?;
    node::test_packages_ready(&machine)?;
    let found = browsers::ready(&machine, &[Engine::Chromium], &mut Tally::default());
    if found.is_empty() {
        return Err(Failure::new("a lesson is played in Chromium; the lines above say how to get it"));
    }
    let mut play = command(node);
    play.arg("tests/browser/lesson_check.mjs").args(check.write.then_some("--write")).args(&files);
    play.envs(environment(&found)).env("VITRINE_DIST", project::dist()).env("VITRINE_TOOLS", project::tools());
    run::run(&mut play)
}

fn of_the_site() -> Result<Vec<String>, Failure> {
    let folder = PathBuf::from("www/lessons");
    let entries = fs::read_dir(&folder).map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_lesson = |name: &String| name.ends_with(".json") && name != "index.json" && name != "lesson.schema.json";
    let mut files: Vec<String> = names.filter(is_lesson).map(|name| format!("www/lessons/{name}")).collect();
    files.sort();
    Ok(files)
}
