//! [`Session`]: one shell whose folder, variables and functions live from command to command.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bashkit::{Bash, Error, FileSystem as _, ShellState};
use vitrine_shell::Change;

use crate::jq::{self, Jq};
use crate::replica::{OnChange, Replica};
use crate::{absent, limits};

/// Where something was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Hears what is printed, piece by piece.
pub type OnOutput = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// What hears of a command while it runs.
#[derive(Clone)]
pub struct Events {
    /// A piece of what it prints, to either stream.
    pub on_output: OnOutput,
    /// A change of the workspace.
    pub on_change: OnChange,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Events")
    }
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// The exit code.
    pub code: i32,
    /// Why it did not run at all.
    pub refused: Option<String>,
}

/// A shell.
pub struct Session {
    root: String,
    bash: Bash,
    replica: Arc<Replica>,
    events: Events,
}

impl Session {
    /// A shell in the workspace, which is empty and stands at the absolute path `root`. `state` is what [`Session::state`] of
    /// an earlier shell gave; what cannot be read counts as none. `jq` is asked when a command first names it.
    pub fn open(root: &str, state: Option<&str>, events: Events, jq: Arc<dyn Jq>) -> Self {
        let replica = Arc::new(Replica::new(root, events.on_change.clone()));
        let mut builder = Bash::builder()
            .fs(replica.clone())
            .cwd(root)
            .env("HOME", root)
            .env("TMPDIR", "/tmp")
            .env("PATH", "/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .username("user")
            .hostname("vitrine")
            .limits(limits::execution())
            .memory_limits(limits::memory())
            .session_limits(limits::session());
        for (name, command) in absent::commands() {
            builder = builder.builtin(name, Box::new(command));
        }
        builder = builder.builtin("jq", Box::new(jq::Command(jq)));
        let mut bash = builder.build();
        if let Some(state) = state.and_then(|state| serde_json::from_str::<ShellState>(state).ok()) {
            bash.restore_shell_state(&state);
        }
        Self { root: root.to_owned(), bash, replica, events }
    }

    /// Takes a change of the workspace that was made elsewhere. It is not told again.
    pub fn apply(&self, change: Change) {
        self.replica.apply(change);
    }

    /// Runs a command to its end. What it prints and changes is told meanwhile.
    pub async fn run(&mut self, command: &str, env: &BTreeMap<String, String>) -> Ended {
        let cwd = self.bash.shell_state_view().cwd;
        if !self.replica.stat(&cwd).await.is_ok_and(|found| found.file_type.is_dir()) {
            let text = format!(
                "Working directory does not exist: {}\nCannot execute bash commands.\nThe next command starts in {}.",
                cwd.display(),
                self.root
            );
            let mut state = self.bash.shell_state();
            state.cwd = self.root.clone().into();
            self.bash.restore_shell_state(&state);
            return Ended { code: 1, refused: Some(text) };
        }
        for (name, value) in env {
            self.bash.set_env(name, value);
        }
        let streamed = Arc::new(Mutex::new((0usize, 0usize)));
        let (counted, on_output) = (streamed.clone(), self.events.on_output.clone());
        let result = self
            .bash
            .exec_streaming(
                command,
                Box::new(move |stdout, stderr| {
                    let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
                    *counted = (counted.0 + stdout.len(), counted.1 + stderr.len());
                    for (stream, bytes) in [(Stream::Out, stdout.as_bytes()), (Stream::Err, stderr.as_bytes())] {
                        if !bytes.is_empty() {
                            on_output(stream, bytes);
                        }
                    }
                }),
            )
            .await;
        match result {
            Ok(result) => {
                let streamed = *streamed.lock().unwrap_or_else(PoisonError::into_inner);
                self.print_rest(Stream::Out, result.stdout.as_bytes(), streamed.0);
                self.print_rest(Stream::Err, result.stderr.as_bytes(), streamed.1);
                if result.stdout_truncated || result.stderr_truncated {
                    self.complain("\nbash: the output was cut off at 10 MB; write it to a file instead\n");
                }
                Ended { code: result.exit_code, refused: None }
            }
            Err(error) => self.failed(&error),
        }
    }

    /// What a shell after this one needs to go on where it is: folder, variables, functions. `None` if that is too much.
    pub fn state(&self) -> Option<String> {
        serde_json::to_string(&self.bash.shell_state()).ok().filter(|state| state.len() <= limits::STATE_BYTES)
    }

    /// What was not told in pieces.
    fn print_rest(&self, stream: Stream, all: &[u8], streamed: usize) {
        if let Some(rest) = all.get(streamed..).filter(|rest| !rest.is_empty()) {
            (self.events.on_output)(stream, rest);
        }
    }

    fn complain(&self, text: &str) {
        (self.events.on_output)(Stream::Err, text.as_bytes());
    }

    /// The interpreter gave up, in the words and with the code of a shell.
    fn failed(&self, error: &Error) -> Ended {
        let (text, code) = match error {
            Error::Parse { message, line, .. } => {
                let line = if *line > 0 { format!("line {line}: ") } else { String::new() };
                (format!("bash: {line}syntax error: {message}\n"), 2)
            }
            Error::ResourceLimit(limit) => (format!("bash: stopped: {limit}\n"), 137),
            other => (format!("bash: {other}\n"), 1),
        };
        self.complain(&text);
        Ended { code, refused: None }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("files", &self.replica).finish_non_exhaustive()
    }
}
