//! The commands of the README: `cargo xtask serve`, `test`, `build` and `bench`.
//!
//! Each finds or installs what it needs, says every step in one line before it takes it, and takes none twice. Nothing
//! here is part of the site.
#![allow(clippy::disallowed_methods, reason = "the clock ban protects wasm; these commands only ever run natively")]

mod args;
mod bench;
mod build;
mod editor;
mod engine;
mod lesson;
mod machine;
mod project;
mod run;
mod serve;
mod setup;
mod shell;
mod sizes;
mod split;
mod stamp;
mod test;

use std::process::ExitCode;

use crate::args::{Asked, USAGE};
use crate::build::Profile;
use crate::run::{Failure, Outcome};

/// The exit code for a command line that was not understood; what was understood and failed exits with 1.
const MISUSED: u8 = 2;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args::parse(&args) {
        Ok(Asked::Serve(options)) => serve::serve(&options),
        Ok(Asked::Test(selection)) => test::test(selection),
        Ok(Asked::Build) => release_build(),
        Ok(Asked::Lesson(options)) => lesson::check(&options),
        Ok(Asked::Bench(options)) => bench::bench(&options),
        Ok(Asked::Help) => {
            println!("{USAGE}");
            Ok(())
        }
        Err(problem) => {
            eprintln!("xtask: {problem}\n\n{USAGE}");
            return ExitCode::from(MISUSED);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn release_build() -> Outcome {
    let site = build::build(Profile::Release)?;
    if site.over_budget.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("over the size budget: {}", site.over_budget.join(", "))))
}
