//! Commands: what the page asks of the worker. Each has an id and gets one [`Reply`](crate::notification::Reply).
//!
//! A command crosses as its id, its JSON text and, for what carries file contents, bytes beside them, never inside. The
//! page hands a host page's commands on as they are; the worker reads them, and answers by id what it cannot read.

use serde::{Deserialize, Serialize};
use vitrine_agent::model::ModelInfo;

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", tag = "command", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Sent once, first: which workspace, in which language. Reply: [`Opened`](crate::notification::Opened).
    Open {
        /// A name keeps files and sessions in this browser; `None` is a throw-away workspace in memory.
        workspace: Option<String>,
        /// `en` or `zh`: the language of the scripted model's words.
        lang: String,
    },
    /// Starts a run. Reply: a [`RunResult`](crate::notification::RunResult), once the session has settled.
    Prompt {
        /// What the person wrote.
        text: String,
    },
    /// Plays the first lesson: its files, its scripted turns, one pause at *asked, not executed*. Replies like `Prompt`.
    PlayLesson {},
    /// Goes on from the history as it is. Replies like `Prompt`.
    Continue {},
    /// Puts a user message in before the next request of the run; without a run it waits for the next one.
    Steer {
        /// What the person wrote.
        text: String,
    },
    /// Keeps a user message until the run would stop.
    FollowUp {
        /// What the person wrote.
        text: String,
    },
    /// Takes every queued message back. Reply: `{steering: string[], followUp: string[]}`.
    ClearQueue {},
    /// Ends the run. Reply once it has settled.
    Abort {},
    /// Chooses the model of the next request.
    SetModel {
        /// Which.
        model: ModelInfo,
    },
    /// Keeps a key in the worker's memory, for one origin.
    SetKey {
        /// The key. Never leaves the worker but in the header of a request to `origin`.
        key: String,
        /// `scheme://host:port` the key may be sent to.
        origin: String,
    },
    /// Drops every key.
    ForgetKeys {},
    /// Sends one small request to a model server. Reply: [`ConnectionReport`](crate::notification::ConnectionReport).
    TestConnection {
        /// Which server.
        model: ModelInfo,
    },
    /// Sets where the run pauses by itself.
    SetBreakpoints {
        /// The whole list.
        breakpoints: Vec<Breakpoint>,
    },
    /// Pauses before the next output.
    Pause {},
    /// Lets the run go on to the next event.
    Step {},
    /// Lets the run go on to the next turn.
    StepTurn {},
    /// Lets a paused run go on.
    Resume {},
    /// Reply: [`FileInfo`](crate::notification::FileInfo) list of a folder, sorted by name.
    ListFiles {
        /// The folder; empty is the root.
        path: String,
    },
    /// Reply: bytes.
    ReadFile {
        /// The file.
        path: String,
    },
    /// Writes the bytes beside the command.
    WriteFile {
        /// The file; its folders are made.
        path: String,
    },
    /// Makes a folder and its parents.
    MakeFolder {
        /// The folder.
        path: String,
    },
    /// Removes a file, or a folder with what is in it.
    RemoveFile {
        /// Which.
        path: String,
    },
    /// Moves a file or a folder.
    RenameFile {
        /// From.
        path: String,
        /// To.
        to: String,
    },
    /// Reply: one [`FileInfo`](crate::notification::FileInfo).
    StatFile {
        /// Which.
        path: String,
    },
    /// Reply: [`SessionInfo`](crate::notification::SessionInfo) list, newest first.
    ListSessions {},
    /// Makes a saved session the current one. Reply: its `SessionInfo`.
    OpenSession {
        /// Its id.
        session_id: String,
    },
    /// Starts a new session. Reply: its `SessionInfo`. Nothing is stored before its first user message.
    CreateSession {},
    /// Names a session. Reply: its `SessionInfo`.
    RenameSession {
        /// Its id.
        session_id: String,
        /// The name; line feeds become spaces.
        name: String,
    },
    /// Removes a session for good.
    RemoveSession {
        /// Its id.
        session_id: String,
    },
    /// Reply: `{text, fileName}`: the session's JSON Lines.
    ExportSession {
        /// Its id.
        session_id: String,
    },
    /// Stores the bytes beside the command as a session and opens it. Reply: its `SessionInfo`.
    ImportSession {},
}

/// Where a run pauses: all given fields must match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Breakpoint {
    /// An event's type; the run pauses before the event happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// A tool's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A glob over the path argument.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A stop reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Only the n-th match of the run, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
}

mod wire {
    //! serde reads tagged enums through a buffer, which a model's raw `compat` does not survive; so
    //! the commands that carry a model are read from their text.

    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};
    use serde_json::value::RawValue;

    use super::*;

    impl Serialize for Command {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            // The derived function, not this one: an inherent function comes first.
            Self::serialize(self, serializer)
        }
    }

    impl<'de> Deserialize<'de> for Command {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let raw = Box::<RawValue>::deserialize(deserializer)?;
            from_text(raw.get()).map_err(D::Error::custom)
        }
    }

    fn from_text(text: &str) -> Result<Command, serde_json::Error> {
        #[derive(Deserialize)]
        struct Head {
            command: String,
            model: Option<ModelInfo>,
        }
        let Head { command, model } = serde_json::from_str(text)?;
        match (command.as_str(), model) {
            ("setModel", Some(model)) => Ok(Command::SetModel { model }),
            ("testConnection", Some(model)) => Ok(Command::TestConnection { model }),
            _ => Command::deserialize(&mut serde_json::Deserializer::from_str(text)),
        }
    }
}
