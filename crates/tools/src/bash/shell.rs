//! The shell as the tool sees it: a port, behind which it runs in a worker of its own.

use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use vitrine_agent::signal::AbortSignal;

/// Runs commands, one after another, in the order in which it is asked.
pub trait Shell {
    /// Runs a command to its end, whatever that is. What it changes is in the workspace when this is ready. Dropping it ends
    /// the command.
    fn run(&self, command: ShellCommand) -> LocalBoxFuture<'static, Finished>;

    /// Monotonic milliseconds.
    fn now_ms(&self) -> f64;

    /// Ready after some milliseconds.
    fn sleep(&self, ms: u32) -> LocalBoxFuture<'static, ()>;
}

/// Hears a piece of what a command prints.
pub type OnOutput = Box<dyn FnMut(&[u8])>;

/// One command.
pub struct ShellCommand {
    /// The call that asked for it.
    pub call_id: Arc<str>,
    /// The text.
    pub text: String,
    /// Ends it after so long, counted from when it begins.
    pub timeout_ms: Option<u32>,
    /// Ends it.
    pub signal: AbortSignal,
    /// Hears what it prints, while it runs.
    pub on_output: OnOutput,
}

impl std::fmt::Debug for ShellCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellCommand").field("text", &self.text).field("timeout_ms", &self.timeout_ms).finish()
    }
}

/// How a command ended, and what else is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How.
    pub end: End,
    /// Sentences for the model: what could not be saved, that the shell before was lost.
    pub notes: Vec<String>,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// It never began; the text says why.
    Refused(String),
    /// Its time was over.
    TimedOut,
    /// The signal fired.
    Aborted,
}
