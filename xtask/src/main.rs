//! The commands of the README: `cargo xtask serve`, `test` and `build`.
//!
//! Each finds or installs what it needs, says every step in one line before it takes it, and takes none twice. Nothing
//! here is part of the site.
#![allow(clippy::disallowed_methods, reason = "the clock ban protects wasm; these commands only ever run natively")]

mod build;
mod project;
mod run;
mod serve;
mod setup;
mod sizes;
mod stamp;
mod test;

use std::process::ExitCode;

use crate::build::Profile;
use crate::run::{Failure, Outcome};
use crate::serve::Serve;
use crate::test::Selection;

const USAGE: &str = "\
usage: cargo xtask <command>

  serve [--port N] [--no-open] [--dev]   build the site and serve it on http://localhost:8787
                                         (--dev: debug build, built again when a source changes)
  test [--native] [--browser NAME]       every test; NAME is chromium, firefox or webkit
  build                                  release build into dist/, with the size budgets checked";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args.split_first() {
        Some((command, rest)) => match command.as_str() {
            "serve" => serve_options(rest).and_then(|options| serve::serve(&options)),
            "test" => test_selection(rest).and_then(test::test),
            "build" => no_options(rest).and_then(|()| release_build()),
            "help" | "--help" | "-h" => {
                println!("{USAGE}");
                Ok(())
            }
            other => Err(usage(format!("unknown command `{other}`"))),
        },
        None => Err(usage("no command given")),
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

fn usage(problem: impl std::fmt::Display) -> Failure {
    Failure::new(format!("{problem}\n\n{USAGE}"))
}

fn no_options(args: &[String]) -> Outcome {
    match args.first() {
        Some(arg) => Err(usage(format!("unknown option `{arg}`"))),
        None => Ok(()),
    }
}

fn serve_options(args: &[String]) -> Outcome<Serve> {
    let mut options = Serve::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--port" => {
                let value = args.next().ok_or_else(|| usage("--port wants a number"))?;
                options.port = value.parse().map_err(|_| usage(format!("`{value}` is not a port")))?;
            }
            "--no-open" => options.open = false,
            "--dev" => options.profile = Profile::Dev,
            other => return Err(usage(format!("unknown option `{other}`"))),
        }
    }
    Ok(options)
}

fn test_selection(args: &[String]) -> Outcome<Selection> {
    let mut selection = Selection::Everything;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        selection = match arg.as_str() {
            "--native" => Selection::Native,
            "--browser" => {
                let name = args.next().ok_or_else(|| usage("--browser wants chromium, firefox or webkit"))?;
                Selection::Browser(name.parse().map_err(usage)?)
            }
            other => return Err(usage(format!("unknown option `{other}`"))),
        };
    }
    Ok(selection)
}
