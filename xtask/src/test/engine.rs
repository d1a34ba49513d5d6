//! The tests under `tests/engine`: the engine of the built `dist/`, in Node.

use crate::machine::Machine;
use crate::project;
use crate::run::{self, Outcome, command};
use crate::setup::node;
use crate::stamp::files_under;
use crate::test::heading;
use crate::test::tally::Tally;

/// Runs them.
pub fn run(machine: &Machine, tally: &mut Tally) -> Outcome {
    heading("engine tests");
    let files = files_under(&project::root().join("tests/engine"))?;
    let tests = files.iter().filter(|file| file.to_string_lossy().ends_with(".test.mjs"));
    let mut node = command(node::node_ready(machine)?);
    node.args(["--test", "--test-reporter", "tap"]).args(tests);
    node.env("VITRINE_ENGINE", project::dist().join("engine"));
    let mut failed = 0;
    let good = run::each_line(&mut node, |line| match Line::read(line) {
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
        tally.fail("tests/engine did not run to their end");
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

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (is_good, rest) = match line.strip_prefix("not ok ") {
            Some(rest) => (false, rest),
            None => (true, line.strip_prefix("ok ")?),
        };
        let name = rest.split_once(" - ")?.1;
        Some(match name.split_once(" # SKIP") {
            Some((name, _)) => Self::Skipped(name),
            None if is_good => Self::Passed,
            None => Self::Failed(name),
        })
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
            assert_eq!(Line::read(line), expected, "{line}");
        }
    }
}
