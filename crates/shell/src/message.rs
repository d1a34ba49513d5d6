//! The messages, and how each is a text with bytes beside it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::change::{Packed, Wire};

/// What the host says. The shell takes one message after another; a command holds up those behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToShell {
    /// The first message, once: where the workspace stands and what the shell before this one had come to.
    Open {
        /// The absolute path of the workspace.
        root: String,
        /// An [`Exit::state`] that was told, by this build.
        state: Option<String>,
    },
    /// What happened to the files elsewhere. `number` counts these messages, from 1.
    Feed {
        /// Which it is.
        number: u64,
        /// What happened.
        changes: Packed,
    },
    /// A command to run. Its end is told as [`FromShell::Exit`].
    Run {
        /// Whose output and end it is.
        id: u64,
        /// The text.
        command: String,
        /// Variables to export before it runs.
        env: BTreeMap<String, String>,
    },
}

/// What the shell says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromShell {
    /// It takes messages. The first one.
    Ready,
    /// Something was printed, to either stream.
    Output {
        /// By which command.
        id: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// What a command did to the files, at once.
    Changed {
        /// Which command.
        id: u64,
        /// The number of the last [`ToShell::Feed`] that was there before it.
        seen: u64,
        /// What it did.
        changes: Packed,
    },
    /// A command has ended.
    Exit(Exit),
    /// The shell itself is at its end: a bug of it. Nothing comes after this.
    Broken {
        /// Why.
        why: String,
    },
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// Which.
    pub id: u64,
    /// Its exit code.
    pub code: i32,
    /// Why it did not run at all, in words for the model.
    pub refused: Option<String>,
    /// Folder, variables and functions after it, for a shell that comes after this one. `None` if they are too much to keep.
    pub state: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
enum ToWire {
    Open { root: String, state: Option<String> },
    Feed { number: u64, changes: Vec<Wire> },
    Run { id: u64, command: String, env: BTreeMap<String, String> },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
enum FromWire {
    Ready,
    Output { id: u64 },
    Changed { id: u64, seen: u64, changes: Vec<Wire> },
    Exit(Exit),
    Broken { why: String },
}

impl ToShell {
    /// The text, and the bytes beside it.
    pub fn encode(self) -> (String, Vec<u8>) {
        let (wire, bytes) = match self {
            Self::Open { root, state } => (ToWire::Open { root, state }, Vec::new()),
            Self::Feed { number, changes } => (ToWire::Feed { number, changes: changes.wires }, changes.bytes),
            Self::Run { id, command, env } => (ToWire::Run { id, command, env }, Vec::new()),
        };
        (text(&wire), bytes)
    }

    /// Reads it. Fails for what `encode` does not write.
    pub fn decode(text: &str, bytes: Vec<u8>) -> Result<Self, serde_json::Error> {
        Ok(match serde_json::from_str(text)? {
            ToWire::Open { root, state } => Self::Open { root, state },
            ToWire::Feed { number, changes: wires } => Self::Feed { number, changes: Packed { wires, bytes } },
            ToWire::Run { id, command, env } => Self::Run { id, command, env },
        })
    }
}

impl FromShell {
    /// The text, and the bytes beside it.
    pub fn encode(self) -> (String, Vec<u8>) {
        let (wire, bytes) = match self {
            Self::Ready => (FromWire::Ready, Vec::new()),
            Self::Output { id, bytes } => (FromWire::Output { id }, bytes),
            Self::Changed { id, seen, changes } => {
                (FromWire::Changed { id, seen, changes: changes.wires }, changes.bytes)
            }
            Self::Exit(exit) => (FromWire::Exit(exit), Vec::new()),
            Self::Broken { why } => (FromWire::Broken { why }, Vec::new()),
        };
        (text(&wire), bytes)
    }

    /// Reads it. Fails for what `encode` does not write.
    pub fn decode(text: &str, bytes: Vec<u8>) -> Result<Self, serde_json::Error> {
        Ok(match serde_json::from_str(text)? {
            FromWire::Ready => Self::Ready,
            FromWire::Output { id } => Self::Output { id, bytes },
            FromWire::Changed { id, seen, changes: wires } => {
                Self::Changed { id, seen, changes: Packed { wires, bytes } }
            }
            FromWire::Exit(exit) => Self::Exit(exit),
            FromWire::Broken { why } => Self::Broken { why },
        })
    }
}

/// Only maps with keys that are no texts cannot be written, and there are none.
fn text(wire: &impl Serialize) -> String {
    serde_json::to_string(wire).unwrap_or_default()
}
