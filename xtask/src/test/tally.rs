//! The count over all kinds of tests.

use crate::run::{Outcome, say};

/// What passed, failed and was skipped so far.
#[derive(Debug, Default)]
pub struct Tally {
    passed: u64,
    failed: Vec<String>,
    /// Failures counted by another program that named them itself.
    failed_elsewhere: u64,
    skipped: Vec<String>,
}

impl Tally {
    /// Counts one check of our own.
    pub fn check(&mut self, name: &str, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed.push(name.to_owned());
        }
    }

    /// Counts a part that could not be finished as a failure, in words.
    pub fn part(&mut self, name: &str, run: impl FnOnce(&mut Self) -> Outcome) {
        if let Err(failure) = run(self) {
            say(format_args!("{name}: {failure}"));
            self.failed.push(format!("{name}: {failure}"));
        }
    }

    /// Counts a test that passed elsewhere.
    pub fn pass(&mut self) {
        self.passed += 1;
    }

    /// Counts a test that failed.
    pub fn fail(&mut self, name: impl Into<String>) {
        self.failed.push(name.into());
    }

    /// Notes a test that was not run, and why.
    pub fn skip(&mut self, name_and_reason: impl Into<String>) {
        self.skipped.push(name_and_reason.into());
    }

    /// Counts a line of Rust's test harness, such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    /// Gives back how many tests the line counts as failed, if it is such a line.
    pub fn libtest_line(&mut self, line: &str) -> Option<u64> {
        let counts = line.trim_start().strip_prefix("test result: ")?.split_once(". ")?.1;
        let count = |what: &str| {
            counts.split(';').find_map(|part| part.trim().strip_suffix(what)?.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        let failed = count("failed");
        self.passed += count("passed");
        self.failed_elsewhere += failed;
        let ignored = count("ignored");
        if ignored > 0 {
            self.skipped.push(format!("{ignored} marked #[ignore]"));
        }
        Some(failed)
    }

    /// What was not run, and why.
    #[cfg(test)]
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// Whether something ran and nothing failed.
    pub fn is_good(&self) -> bool {
        self.passed > 0 && self.n_failed() == 0
    }

    fn n_failed(&self) -> u64 {
        self.failed_elsewhere + self.failed.len() as u64
    }

    /// Prints what did not pass, and last of all the count.
    pub fn report(&self) {
        println!("\n{}", self.summary());
    }

    /// The last line is for programs too and has nothing but the two numbers.
    fn summary(&self) -> String {
        let skipped = self.skipped.iter().map(|what| format!("skipped: {what}\n"));
        let failed = self.failed.iter().map(|what| format!("failed: {what}\n"));
        let details: String = skipped.chain(failed).collect();
        format!("{details}{} passed, {} failed", self.passed, self.n_failed())
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::run::Failure;

    #[test]
    fn harness_lines_are_counted() {
        let mut tally = Tally::default();
        let line = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(tally.libtest_line(line), Some(2));
        assert_eq!(tally.libtest_line("test a::b ... ok"), None);
        assert_eq!(tally.libtest_line("test result: ok. 4 passed; 0 failed; 1 ignored; 0 filtered out"), Some(0));
        assert_eq!((tally.passed, tally.n_failed(), tally.skipped.len()), (7, 2, 1));
        assert!(!tally.is_good());
    }

    #[test]
    fn the_report_names_what_did_not_pass_and_ends_with_the_count() {
        let mut tally = Tally::default();
        tally.pass();
        tally.check("formatting", true);
        assert!(tally.is_good());
        assert_eq!(tally.summary(), "2 passed, 0 failed");
        tally.skip("every test in webkit: it is not installed");
        assert!(tally.is_good(), "what cannot be run here is no failure");
        tally.check("lints", false);
        tally.part("wasm tests", |_| Err(Failure::new("no compiler").fixed_by("rustup update")));
        tally.libtest_line("test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out");
        assert!(!tally.is_good());
        assert_eq!(
            tally.summary(),
            "skipped: every test in webkit: it is not installed\n\
             skipped: 1 marked #[ignore]\n\
             failed: lints\n\
             failed: wasm tests: no compiler\n       to fix it: rustup update\n\
             5 passed, 4 failed"
        );
    }

    #[test]
    fn nothing_run_is_not_good() {
        assert!(!Tally::default().is_good());
    }
}
