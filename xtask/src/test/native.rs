//! Formatting, lints and the native tests of every crate. None of it compiles for a browser.

use crate::project;
use crate::run::{self, command};
use crate::shell;
use crate::test::heading;
use crate::test::tally::Tally;

/// Runs them.
pub fn run(tally: &mut Tally) {
    heading("formatting (cargo fmt)");
    let formatted = run::run(command("cargo").args(["fmt", "--all", "--check"]));
    tally.check("cargo fmt --all --check", formatted.is_ok());

    heading("lints (cargo clippy)");
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    tally.check(
        "cargo clippy --workspace --all-targets -- -D warnings",
        run::run(command("cargo").args(clippy)).is_ok(),
    );

    heading("native tests (cargo test)");
    tally.part("native tests", |tally| {
        let mut failed = 0;
        let good = run::each_line(command("cargo").args(["test", "--workspace", "--no-fail-fast"]), |line| {
            println!("{line}");
            failed += tally.libtest_line(line).unwrap_or(0);
        })?;
        if !good && failed == 0 {
            // It did not compile, or a test took its process down.
            tally.fail("cargo test --workspace did not finish");
        }
        Ok(())
    });
    shell(tally);
}

/// The shell's module is a workspace of its own.
fn shell(tally: &mut Tally) {
    heading("the shell's module (cargo fmt, clippy, test)");
    let of_shell = |verb: &str| {
        let mut cargo = command("cargo");
        cargo.args([verb, "--manifest-path", shell::MANIFEST]);
        cargo
    };
    // Not `--all`, which would go on into the crates that both workspaces share.
    let members = ["-p", "vitrine-shell-module", "-p", "vitrine-jq", "--", "--check"];
    let formatted = run::run(of_shell("fmt").args(members));
    tally.check("cargo fmt --check in src/shell", formatted.is_ok());
    let target = project::target();
    let mut clippy = of_shell("clippy");
    clippy.args(["--workspace", "--all-targets", "--target-dir"]).arg(&target).args(["--", "-D", "warnings"]);
    tally.check("cargo clippy in src/shell", run::run(&mut clippy).is_ok());
    tally.part("native tests of the shell", |tally| {
        let mut failed = 0;
        let mut test = of_shell("test");
        test.args(["--workspace", "--no-fail-fast", "--target-dir"]).arg(&target);
        let good = run::each_line(&mut test, |line| {
            println!("{line}");
            failed += tally.libtest_line(line).unwrap_or(0);
        })?;
        if !good && failed == 0 {
            tally.fail("cargo test in src/shell did not finish");
        }
        Ok(())
    });
}
