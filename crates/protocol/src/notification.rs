//! Notifications: what the worker tells the page, batched to one message a frame.

use serde::{Deserialize, Serialize};
use vitrine_agent::event::{CallTrace, Event};
use vitrine_agent::json::Json;
use vitrine_agent::message::{SharedMessage, StopReason, Usage};
use vitrine_agent::model::ModelInfo;

use crate::changes::ToolSwitch;
use crate::fault::{Fault, FaultActed};
use crate::part::Part;
use crate::policy::{Approval, Policy};
use crate::rewind::Rewound;

mod wire;

pub use wire::NotificationReader;

/// One thing the worker tells. A batch is a JSON array of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Notification {
    /// The worker runs and takes commands.
    Ready,
    /// Something happened in the loop.
    Event(Event),
    /// A call moved on.
    Trace(CallTrace),
    /// The state as it is now.
    State(Box<AgentState>),
    /// Another session is on screen: its messages replace what was there.
    SessionOpened {
        /// Which.
        session: SessionInfo,
        /// The messages of its branch.
        messages: Vec<SharedMessage>,
    },
    /// The list of sessions changed.
    Sessions(Vec<SessionInfo>),
    /// A file or folder changed.
    File(FileChange),
    /// The session has settled after a run.
    Settled {
        /// Whether a person ended it.
        aborted: bool,
    },
    /// A request to the model: a [`RequestInfo`](crate::requests::RequestInfo), unread. Beside it crosses its body, for a host
    /// page; this does not hold it.
    Request(Json),
    /// The session went back: its messages before the run whose events are told next, up to where it is now.
    Rewound(Box<Rewound>),
    /// A person has put something in place of what was: an [`Edited`](crate::edit::Edited), unread.
    Edited(Json),
    /// A what-if fault has acted.
    Fault(FaultActed),
    /// Calls that a person is asked about, or that nobody is any more.
    Approval(Option<Approval>),
    /// What the sandbox of the reader's own tools is to do: a [`ToyCall`](crate::toy::ToyCall), unread.
    Toy(Json),
    /// The open lesson, a [`LessonState`](crate::lesson::LessonState), unread; or that none is open.
    Lesson(Option<Json>),
    /// What the person who plays a part is to answer, a [`PartRequest`](crate::part::PartRequest), unread; or that there is
    /// nothing.
    Part(Option<Json>),
    /// Something the reader should know, outside a run's events.
    Problem(Problem),
    /// The answer to a command.
    Reply(Reply),
}

/// The state that the element's `state` shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentState {
    /// What the loop is doing.
    pub status: Status,
    /// The run, while there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_id: Option<String>,
    /// The turn of the run, from 1; 0 before the first.
    pub turn: u32,
    /// The model of the next request.
    pub model: ModelInfo,
    /// Whether a key is held for the model's origin. Never the key.
    pub has_key: bool,
    /// Tokens and cost of the session.
    pub usage: Usage,
    /// Model requests of the session so far.
    pub requests: u32,
    /// Tokens the next request is estimated to carry.
    pub context_tokens: u64,
    /// Tokens the model can read; 0 = not known.
    pub context_window: u64,
    /// Messages that wait for the next request.
    pub steering: Vec<String>,
    /// Messages that wait for the end of the run.
    pub follow_up: Vec<String>,
    /// Where the run is paused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paused_at: Option<PausedAt>,
    /// The tools there are, in the order in which a model is told of them.
    #[serde(default)]
    pub tools: Vec<ToolSwitch>,
    /// Where files and sessions are kept.
    #[serde(default)]
    pub storage: Storage,
    /// Which calls may run.
    #[serde(default)]
    pub policy: Policy,
    /// Faults that wait for something to act on.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// Whose part a person plays.
    #[serde(default)]
    pub part: Part,
    /// A person has edited something, or a fault has acted: the events are not the model's and the host's alone.
    #[serde(default)]
    pub modified: bool,
}

/// What the loop is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// No run.
    #[default]
    Idle,
    /// A run goes on.
    Running,
    /// A run is held at an output.
    Paused,
    /// A run waits for a person.
    Waiting,
}

/// The output a paused run is held at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PausedAt {
    /// The event that would happen next, by its type, or the name of the output.
    pub event: String,
    /// The call it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_id: Option<String>,
    /// It has been done, and its answer is about to go in.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub answer: bool,
}

/// How a prompt ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    /// Which run.
    pub run_id: String,
    /// Of the last assistant message.
    pub stop_reason: StopReason,
    /// Of the last assistant message.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_message: Option<String>,
    /// The text of the last assistant message.
    pub text: String,
    /// Turns of the run.
    pub turns: u32,
    /// Whether a person ended it.
    pub aborted: bool,
}

/// The reply to `Open`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opened {
    /// Where files and sessions are kept.
    pub storage: Storage,
    /// Saved sessions, newest first.
    pub sessions: Vec<SessionInfo>,
    /// The state.
    pub state: AgentState,
    /// The session now open.
    pub session: SessionInfo,
}

/// Where files and sessions are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Storage {
    /// Which.
    pub kind: StorageKind,
    /// Whether this tab may change what is kept.
    #[serde(default)]
    pub role: StorageRole,
    /// Why it is not the browser's, in English; the page has its own words by kind.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// What recovery dropped, in bytes; 0 when the last stop was clean.
    pub dropped_bytes: u64,
    /// What was damaged, one by one, at most two hundred.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub damages: Vec<Damaged>,
}

impl Storage {
    /// The files that are damaged and were not written whole since, the first few of them by name, each once.
    pub fn lost_files(&self) -> String {
        const SHOWN: usize = 5;
        let mut paths: Vec<&str> = Vec::new();
        for path in
            self.damages.iter().filter(|damaged| !damaged.made_good).filter_map(|damaged| damaged.path.as_deref())
        {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let more = if paths.len() > SHOWN { ", …" } else { "" };
        paths.truncate(SHOWN);
        paths.join(", ") + more
    }
}

/// A part of what is kept that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Damaged {
    /// The file, if that is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// How much of the storage it is.
    pub bytes: u64,
    /// The file was written whole later on: only older versions of it are lost.
    pub made_good: bool,
}

/// Which storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StorageKind {
    /// The browser's private file system; survives a reload.
    Browser,
    /// Memory, by choice: a throw-away workspace.
    #[default]
    Memory,
    /// Memory, because this browser has no OPFS or refused it.
    Unavailable,
}

/// What a tab may do with a workspace that several have open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StorageRole {
    /// Read and change.
    #[default]
    Writer,
    /// Read what another tab writes, and follow it.
    Reader,
}

/// A session in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// Its id.
    pub id: String,
    /// Its name: the one given, else the first user message, shortened.
    pub name: String,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// Milliseconds since 1970, of the last entry.
    pub changed_at: u64,
    /// Messages on its branch.
    pub n_messages: u32,
    /// Whether it is the open one.
    pub current: bool,
}

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileInfo {
    /// From the root, without a leading slash.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    /// `file` or `folder`.
    pub kind: FileKind,
    /// Bytes; of a folder 0.
    pub size: u64,
}

/// What came of an archive. The reply to `ImportZip`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// Files written.
    pub files: u64,
    /// Folders that the archive lists.
    pub folders: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// What was left out.
    pub skipped: Vec<LeftOut>,
}

impl Imported {
    /// What was left out and somebody may miss: not what macOS keeps beside files.
    pub fn missed(&self) -> impl Iterator<Item = &LeftOut> {
        self.skipped.iter().filter(|skipped| skipped.code != "mac-metadata")
    }
}

/// An entry of an archive that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// Which.
    pub path: String,
    /// Why: `mac-metadata`, `link`, `encrypted` or `packing`.
    pub code: String,
    /// Why, in words: a sentence's end.
    pub reason: String,
}

/// A file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// Bytes.
    File,
    /// Files and folders.
    Folder,
}

/// A change in the workspace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Which, from the root.
    pub path: String,
    /// `written`, `removed`, `renamed` or `made`.
    pub change: String,
    /// The tool call that did it, if one did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_id: Option<String>,
    /// The number of the change; several told as one have the same.
    #[serde(default)]
    pub id: u64,
}

/// A failure with a way out. `vitrine-error`'s detail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// Stable, kebab-case: `file-not-found`, `session-invalid`, `busy`, …
    pub code: String,
    /// What happened, with the value in it.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Problem {
    /// A problem.
    pub fn new(code: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), help: help.into() }
    }
}

/// What a connection test found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionReport {
    /// Whether the server answered as a model server does.
    pub ok: bool,
    /// Stable, kebab-case: `ok`, `offline`, `mixed-content`, `csp`, `loopback`, `cors`, `status`, `not-a-model-server`, `invalid-url`.
    pub verdict: String,
    /// The HTTP status, if there was one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// What the server said, at most 4,000 characters, without any key.
    pub detail: String,
    /// Each cause that was looked at, most likely last.
    pub causes: Vec<Cause>,
    /// Model ids the server lists.
    pub models: Vec<String>,
}

/// One cause a connection test looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// As the verdicts.
    pub code: String,
    /// `no`, `likely` or `yes`.
    pub answer: String,
    /// The exact thing to do, e.g. the `OLLAMA_ORIGINS` value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fix: Option<String>,
}

/// The answer to one command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// The command's id.
    pub id: u64,
    /// The value, when it went well; `null` where there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ok: Option<Json>,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub problem: Option<Problem>,
}
