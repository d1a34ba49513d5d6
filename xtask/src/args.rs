//! The command line.

use crate::bench::Bench;
use crate::build::Profile;
use crate::lesson::Check;
use crate::serve::Serve;
use crate::test::{Engine, Selection};

/// What `--help` prints, and what follows every mistake.
pub const USAGE: &str = "\
usage: cargo xtask <command>

  serve [--port N] [--no-open] [--dev]   build the site and serve it on http://localhost:8787
                                         (--dev: debug build, built again when a source changes)
  test [--native] [--browser NAME]       every test; NAME is chromium, firefox or webkit
  build                                  release build into dist/, with the size budgets checked
  lesson check [--write] [FILE...]       lesson files: read, played to a pass and to a fail; --write sets
                                         their fingerprints (default: all lessons of the site)
  bench [--json FILE] [--only ROW]       ours and the peers in one page of Chromium, as ratios
  help                                   this text";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// The site, served.
    Serve(Serve),
    /// The tests, run.
    Test(Selection),
    /// The site, built.
    Build,
    /// Lesson files, checked.
    Lesson(Check),
    /// Ours and the peers, measured.
    Bench(Bench),
    /// [`USAGE`].
    Help,
}

/// Reads the words after `cargo xtask`; the error is one line for the person who typed them.
pub fn parse(args: &[String]) -> Result<Asked, String> {
    let Some((command, options)) = args.split_first() else { return Err("no command given".to_owned()) };
    let command: fn(&[String]) -> Result<Asked, String> = match command.as_str() {
        "serve" => serve,
        "test" => test,
        "build" => build,
        "lesson" => lesson,
        "bench" => bench,
        "help" | "--help" | "-h" => return Ok(Asked::Help),
        other => return Err(format!("unknown command `{other}`")),
    };
    if options.iter().any(|option| option == "--help" || option == "-h") {
        return Ok(Asked::Help);
    }
    command(options)
}

fn serve(options: &[String]) -> Result<Asked, String> {
    let mut serve = Serve::default();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--port" => {
                let value = options.next().ok_or("--port wants a number")?;
                serve.port = value.parse().map_err(|_| format!("`{value}` is not a port"))?;
            }
            "--no-open" => serve.open = false,
            "--dev" => serve.profile = Profile::Dev,
            other => return Err(unknown(other)),
        }
    }
    Ok(Asked::Serve(serve))
}

fn test(options: &[String]) -> Result<Asked, String> {
    let mut selection = Selection::Everything;
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let chosen = match option.as_str() {
            "--native" => Selection::Native,
            "--browser" => {
                let name = options.next().ok_or("--browser wants chromium, firefox or webkit")?;
                Selection::Browser(name.parse::<Engine>()?)
            }
            other => return Err(unknown(other)),
        };
        // The second of two would otherwise silently be the only one.
        if selection != Selection::Everything {
            return Err("one of --native and --browser, once; with neither all tests are run".to_owned());
        }
        selection = chosen;
    }
    Ok(Asked::Test(selection))
}

fn build(options: &[String]) -> Result<Asked, String> {
    options.first().map_or(Ok(Asked::Build), |option| Err(unknown(option)))
}

fn lesson(options: &[String]) -> Result<Asked, String> {
    let Some(("check", options)) = options.split_first().map(|(verb, options)| (verb.as_str(), options)) else {
        return Err("`lesson` wants what to do: check".to_owned());
    };
    let mut check = Check::default();
    for option in options {
        match option.as_str() {
            "--write" => check.write = true,
            other if other.starts_with('-') => return Err(unknown(other)),
            file => check.files.push(file.to_owned()),
        }
    }
    Ok(Asked::Lesson(check))
}

fn bench(options: &[String]) -> Result<Asked, String> {
    let mut bench = Bench::default();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--json" => bench.json = Some(options.next().ok_or("--json wants a file to write")?.clone()),
            "--only" => bench.only = Some(options.next().ok_or("--only wants a row, such as 1 or 8s")?.clone()),
            other => return Err(unknown(other)),
        }
    }
    Ok(Asked::Bench(bench))
}

fn unknown(option: &str) -> String {
    format!("unknown option `{option}`")
}

#[cfg(test)]
mod tests {
    use super::{Asked, parse};
    use crate::bench::Bench;
    use crate::build::Profile;
    use crate::serve::Serve;
    use crate::test::{Engine, Selection};

    fn parsed(line: &str) -> Result<Asked, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn every_command_and_option_is_understood() {
        let serve = |port, open, profile| Asked::Serve(Serve { port, open, profile });
        for (line, asked) in [
            ("serve", serve(8787, true, Profile::Release)),
            ("serve --port 80 --no-open --dev", serve(80, false, Profile::Dev)),
            ("test", Asked::Test(Selection::Everything)),
            ("test --native", Asked::Test(Selection::Native)),
            ("test --browser chromium", Asked::Test(Selection::Browser(Engine::Chromium))),
            ("test --browser firefox", Asked::Test(Selection::Browser(Engine::Firefox))),
            ("test --browser webkit", Asked::Test(Selection::Browser(Engine::Webkit))),
            ("build", Asked::Build),
            ("bench", Asked::Bench(Bench::default())),
            (
                "bench --json a.json --only 8s",
                Asked::Bench(Bench { json: Some("a.json".to_owned()), only: Some("8s".to_owned()) }),
            ),
            ("help", Asked::Help),
            ("--help", Asked::Help),
            ("-h", Asked::Help),
            ("serve --help", Asked::Help),
            ("test --native -h", Asked::Help),
        ] {
            assert_eq!(parsed(line), Ok(asked), "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (line, problem) in [
            ("", "no command given"),
            ("bench --json", "--json wants a file to write"),
            ("srve", "unknown command `srve`"),
            ("--port 1 serve", "unknown command `--port`"),
            ("build --release", "unknown option `--release`"),
            ("serve 8080", "unknown option `8080`"),
            ("bench --only", "--only wants a row, such as 1 or 8s"),
            ("bench 7", "unknown option `7`"),
            ("serve --port", "--port wants a number"),
            ("serve --port 65536", "`65536` is not a port"),
            ("serve --port -1", "`-1` is not a port"),
            ("test --browser", "--browser wants chromium, firefox or webkit"),
            ("test --browser opera", "`opera` is none of chromium, firefox, webkit"),
            ("test --native --browser webkit", "one of --native and --browser, once; with neither all tests are run"),
            ("test --native x", "unknown option `x`"),
        ] {
            assert_eq!(parsed(line), Err(problem.to_owned()), "{line}");
        }
    }
}
