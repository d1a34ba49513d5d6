//! The tests under `tests/browser`: the built `dist/` on a plain file server under a sub-path, in each browser.

use crate::machine::Machine;
use crate::project;
use crate::run::{self, Outcome, command};
use crate::setup::browsers::Found;
use crate::setup::{node, python};
use crate::test::tally::Tally;
use crate::test::{environment, heading};

/// Runs them.
pub fn run(machine: &Machine, tally: &mut Tally, found: &[Found]) -> Outcome {
    if found.is_empty() {
        return Ok(());
    }
    heading("browser tests");
    let node = node::node_ready(machine)?;
    node::test_packages_ready(machine)?;
    if let Err(failure) = python::ready(machine) {
        // The test that would use it skips itself.
        machine.say(failure);
    }
    let engines: Vec<_> = found.iter().map(|browser| browser.engine.name()).collect();
    let mut drive = command(node);
    drive.arg("tests/browser/run.mjs").args(engines).envs(environment(found));
    drive.env("VITRINE_DIST", project::dist()).env("VITRINE_TOOLS", project::tools());
    let mut ended = false;
    run::each_line(&mut drive, |line| {
        println!("{line}");
        if line.starts_with("ok ") {
            tally.pass();
        } else if let Some(name) = line.strip_prefix("not ok ") {
            tally.fail(name);
        } else if let Some(name) = line.strip_prefix("skip ") {
            tally.skip(name);
        } else if line == "all were run" {
            ended = true;
        }
    })?;
    // Tests that failed before it stopped say nothing of those that came after.
    if !ended {
        tally.fail("tests/browser/run.mjs did not run to its end");
    }
    Ok(())
}
