//! Other programs: how they are found, started and what their failure reads like.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Why a command stopped, in words for the person at the terminal.
#[derive(Debug)]
pub struct Failure {
    problem: String,
    fix: Option<String>,
}

/// What every step gives back.
pub type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure without a known way out.
    pub fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), fix: None }
    }

    /// Adds the exact command that gets the reader past it.
    #[must_use]
    pub fn fixed_by(mut self, command: impl Into<String>) -> Self {
        self.fix = Some(command.into());
        self
    }

    /// Says which file an input or output error was about.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Self::new(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        if let Some(fix) = &self.fix {
            write!(f, "\n       to fix it: {fix}")?;
        }
        Ok(())
    }
}

/// Tells the person at the terminal what is about to happen.
pub fn say(line: impl fmt::Display) {
    // A terminal that is gone is no reason to stop half-way through an installation.
    let _ = writeln!(io::stdout(), "xtask: {line}");
}

/// A program to start in the checkout's root, without the variables that `cargo run` gave us: a cargo underneath would
/// take them for its own and build things twice.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(crate::project::root());
    for (name, _) in std::env::vars_os() {
        let ours = name.to_str().is_some_and(|name| {
            name == "CARGO"
                || ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
        });
        if ours {
            command.env_remove(name);
        }
    }
    command
}

/// Runs to the end with its output on the terminal; an exit code other than 0 is a failure.
pub fn run(command: &mut Command) -> Outcome {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("`{}` failed ({status})", line_of(command)))) }
}

/// Runs to the end and gives back what it wrote to standard output; its errors stay on the terminal.
pub fn capture(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Failure::new(format!("`{}` failed ({})", line_of(command), output.status)))
    }
}

/// What a program that may be missing, or may fail, writes to standard output; nothing of it reaches the terminal.
pub fn ask(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs to the end and hands on each line of standard output as it comes. Gives back whether it exited with 0.
pub fn each_line(command: &mut Command, mut line: impl FnMut(&str)) -> Outcome<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error))?;
    if let Some(stdout) = child.stdout.take() {
        let mut reader = BufReader::new(stdout);
        let mut bytes = Vec::new();
        // Bytes, not `lines()`: a test may print what is not UTF-8.
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
            line(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
            bytes.clear();
        }
    }
    let status = child.wait().map_err(|error| not_started(command, &error))?;
    Ok(status.success())
}

/// The command as one would type it.
pub fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

fn not_started(command: &Command, error: &io::Error) -> Failure {
    Failure::new(format!("`{}` did not start: {error}", line_of(command)))
}
