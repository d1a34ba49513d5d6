//! The tests under `tests/engine`: the engine of the built `dist/`, in Node and in the browsers that have module workers.

use std::process::Command;

use crate::machine::Machine;
use crate::project;
use crate::run::{self, Outcome, command};
use crate::setup::browsers::Found;
use crate::setup::node;
use crate::stamp::files_under;
use crate::test::tally::Tally;
use crate::test::{Engine, environment, heading};

/// Runs them.
pub fn run(machine: &Machine, tally: &mut Tally, found: &[Found]) -> Outcome {
    heading("engine tests");
    in_node(machine, tally)?;
    in_browsers(machine, tally, found)
}

fn in_node(machine: &Machine, tally: &mut Tally) -> Outcome {
    // The compiler that reads the engine's types.
    node::test_packages_ready(machine)?;
    let files = files_under(&project::root().join("tests/engine"))?;
    let tests = files.iter().filter(|file| file.to_string_lossy().ends_with(".test.mjs"));
    let mut node = command(node::node_ready(machine)?);
    node.args(["--test", "--test-reporter", "tap"]).args(tests);
    each_test(&mut node, tally, "tests/engine", Line::of_tap)
}

/// The same files, in pages and in a worker.
fn in_browsers(machine: &Machine, tally: &mut Tally, found: &[Found]) -> Outcome {
    let engines = found.iter().map(|browser| browser.engine).filter(|engine| *engine != Engine::Webkit);
    let names: Vec<_> = engines.map(Engine::name).collect();
    if names.is_empty() {
        return Ok(());
    }
    let mut drive = command(node::node_ready(machine)?);
    drive.arg("tests/engine/browsers.mjs").args(names).envs(environment(found));
    each_test(&mut drive, tally, "tests/engine/browsers.mjs", Line::of_browsers)
}

/// Counts what a program says of each test, and prints what is for a reader.
fn each_test(program: &mut Command, tally: &mut Tally, name: &str, read: fn(&str) -> Option<Line<'_>>) -> Outcome {
    program.env("VITRINE_ENGINE", project::dist().join("engine"));
    let mut failed = 0;
    let good = run::each_line(program, |line| match read(line) {
        Some(Line::Passed) => tally.pass(),
        Some(Line::Skipped(name)) => tally.skip(name),
        Some(Line::Failed(name)) => {
            println!("not ok {name}");
            failed += 1;
            tally.fail(name);
        }
        None => {
            if !line.trim_start().starts_with("duration_ms") {
                println!("{line}");
            }
        }
    })?;
    if !good && failed == 0 {
        tally.fail(format!("{name} did not run to its end"));
    }
    Ok(())
}

/// What a line of the report says of a test; the rest is for a reader.
#[derive(Debug, PartialEq)]
enum Line<'a> {
    Passed,
    Failed(&'a str),
    Skipped(&'a str),
}

impl Line<'_> {
    /// Of Node's runner.
    fn of_tap(line: &str) -> Option<Line<'_>> {
        let (is_good, rest) = match line.strip_prefix("not ok ") {
            Some(rest) => (false, rest),
            None => (true, line.strip_prefix("ok ")?),
        };
        let name = rest.split_once(" - ")?.1;
        Some(match name.split_once(" # SKIP") {
            Some((name, _)) => Line::Skipped(name),
            None if is_good => Line::Passed,
            None => Line::Failed(name),
        })
    }

    /// Of `tests/engine/browsers.mjs`.
    fn of_browsers(line: &str) -> Option<Line<'_>> {
        let (outcome, name) = line.split_once(" engine ")?;
        match outcome {
            "ok" => Some(Line::Passed),
            "not ok" => Some(Line::Failed(name)),
            "skip" => Some(Line::Skipped(name)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn lines_of_a_report() {
        for (line, expected) in [
            ("ok 1 - it works", Some(Line::Passed)),
            ("not ok 2 - it - does not", Some(Line::Failed("it - does not"))),
            ("ok 3 - elsewhere # SKIP no such browser", Some(Line::Skipped("elsewhere"))),
            ("    ok 1 - an inner one", None),
            ("# pass 2", None),
            ("okay", None),
        ] {
            assert_eq!(Line::of_tap(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_from_browsers() {
        for (line, expected) in [
            ("ok engine firefox: it works", Some(Line::Passed)),
            ("not ok engine chromium worker: it does not", Some(Line::Failed("chromium worker: it does not"))),
            ("skip engine chromium: files: it needs node:fs", Some(Line::Skipped("chromium: files: it needs node:fs"))),
            ("    ok is what the engine said", None),
            ("    at the engine of it", None),
        ] {
            assert_eq!(Line::of_browsers(line), expected, "{line}");
        }
    }
}
