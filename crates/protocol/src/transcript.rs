//! [`Transcript`]: the fold from notifications to what is on screen. Pure; the page only draws it.

mod card;
mod fold;
mod subject;

use vitrine_agent::event::CallState;
use vitrine_agent::message::{ImageBlock, StopReason, Usage};

use crate::notification::{AgentState, Notification};

/// What a row is, for as long as it is on screen.
pub type RowId = u64;

/// Rows in reading order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The rows. Ids grow; a row keeps its id while its content changes.
    pub rows: Vec<Row>,
    /// The state as last told.
    pub state: AgentState,
    /// The session was opened where something still waits for an answer: its run was cut off, with what had been written.
    pub left_unanswered: bool,
    fold: fold::Fold,
}

/// What a call's arguments are about: the path of a file, before all else. `None` for text that says nothing of the kind.
pub fn subject_of(arguments: &str) -> Option<String> {
    subject::SubjectScanner::subject_of(arguments)
}

/// What a notification changed: all a page has to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Every row is new: another session is on screen. `added` lists them then.
    pub replaced: bool,
    /// Rows appended, in order.
    pub added: Vec<RowId>,
    /// Earlier rows whose `revision` went up, each once.
    pub changed: Vec<RowId>,
    /// `state` is another.
    pub state: bool,
}

impl Changes {
    /// Adds the changes that came after these, so that a page draws a batch of notifications once.
    pub fn merge(&mut self, later: Changes) {
        if later.replaced {
            *self = Self { state: self.state || later.state, ..later };
            return;
        }
        for id in later.changed {
            if !self.changed.contains(&id) && self.added.binary_search(&id).is_err() {
                self.changed.push(id);
            }
        }
        self.added.extend(later.added);
        self.state |= later.state;
    }
}

impl Transcript {
    /// Nothing on screen.
    pub fn new() -> Self {
        Self::default()
    }

    /// Folds one notification in. Pure and total: notifications that do not fit (an unknown call, an update without a
    /// start) change what they can and nothing else. Costs no more than the notification, not what is on screen.
    pub fn apply(&mut self, notification: &Notification) -> Changes {
        self.fold(notification)
    }

    /// The row of this id.
    pub fn row(&self, id: RowId) -> Option<&Row> {
        self.rows.binary_search_by_key(&id, |row| row.id).ok().and_then(|index| self.rows.get(index))
    }

    /// The card of this call.
    pub fn call(&self, call_id: &str) -> Option<&CallCard> {
        self.find_call(call_id)
    }
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Stable.
    pub id: RowId,
    /// Counts the changes of this row, so a view can tell whether to look again.
    pub revision: u64,
    /// What it shows.
    pub content: RowContent,
}

/// What a row shows.
#[derive(Clone, Debug, PartialEq)]
pub enum RowContent {
    /// The rule between turns.
    Turn {
        /// From 1, through the run.
        number: u32,
    },
    /// A user message.
    User {
        /// Its text.
        text: String,
        /// Its images, in order.
        images: Vec<ImageBlock>,
    },
    /// An assistant message.
    Assistant(AssistantRow),
}

/// An assistant message on screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantRow {
    /// In source order.
    pub parts: Vec<Part>,
    /// Still growing.
    pub streaming: bool,
    /// Whether a request left for it. An aborted run closes with a turn that asks nobody.
    pub asked: bool,
    /// Set once it is final.
    pub stop_reason: Option<StopReason>,
    /// The failure in words.
    pub error_message: Option<String>,
    /// Tokens of this message.
    pub usage: Usage,
}

/// A part of an assistant message.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Markdown. While it streams only its end grows.
    Text(String),
    /// Reasoning. While it streams only its end grows.
    Thinking(String),
    /// A tool call.
    Call(CallCard),
}

/// A tool call on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct CallCard {
    /// The call's id.
    pub id: String,
    /// The tool's name, with what it hides spelled out.
    pub name: String,
    /// Raw JSON text of the arguments so far.
    pub arguments: String,
    /// Whether `arguments` is whole.
    pub arguments_complete: bool,
    /// The one argument worth a header: the path, where there is one.
    pub subject: Option<String>,
    /// The state furthest reached; an early end (`blocked`, …) stays when `recorded` follows.
    pub state: CallState,
    /// Every state seen, with its monotonic time in milliseconds.
    pub trace: Vec<(CallState, f64)>,
    /// Why it ended early.
    pub reason: Option<String>,
    /// The newest progress text.
    pub progress: Option<String>,
    /// What went back to the model.
    pub result: Option<CallResult>,
    /// The four lamps.
    pub evidence: Evidence,
}

/// Whether a call's tool did anything, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// It was never started, or not yet.
    No,
    /// It was started and cut off, or nobody knows whether it was.
    Perhaps,
    /// It was started.
    Yes,
}

/// What went back to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// The text, whole.
    pub text: String,
    /// Whether it failed.
    pub is_error: bool,
    /// Milliseconds, if the tool ran.
    pub duration_ms: Option<u64>,
}

/// What must be seen before "it ran and its result counts" means anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// `tool_execution_start` was seen.
    pub started: bool,
    /// `tool_execution_end` was seen: `Some(true)` without error.
    pub ended: Option<bool>,
    /// The result has a duration: the tool really ran.
    pub has_duration: bool,
    /// The tool result is in the history.
    pub in_history: bool,
}
