//! What has changed in the workspace during this visit, snapshots of it, and the differences between two of its states.

use serde::{Deserialize, Serialize};

/// A change of the workspace, however many files it is about: what is made as one is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// Its number. A later change has a larger one.
    pub id: u64,
    /// What it is about, from the root; of several paths the folder that has all of them, and the root is empty. Of a rename,
    /// the old path.
    pub path: String,
    /// Where a rename went.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub to: Option<String>,
    /// What was done.
    pub change: ChangeKind,
    /// How many paths were touched one by one. A folder that was removed or renamed is one.
    pub paths: u32,
    /// Who did it.
    pub by: ChangedBy,
    /// The tool call that did it, if one did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_id: Option<String>,
    /// The run it was made in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_id: Option<String>,
    /// The turn of that run, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn: Option<u32>,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
    /// It was taken back, and that has not been taken back in turn.
    pub undone: bool,
    /// What it takes to undo it is still known, and it is not undone. A later change may stand in the way all the same.
    pub can_undo: bool,
}

/// What a change did. Several things done as one are called `written`, unless all are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Files have new contents, or are new.
    Written,
    /// A folder is new.
    Made,
    /// Files or folders are gone.
    Removed,
    /// A file or folder has another path.
    Renamed,
    /// The workspace is as it was at a snapshot.
    Restored,
}

/// Who changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangedBy {
    /// A person, or the host page for one.
    User,
    /// Files from outside: an archive, a lesson.
    Import,
    /// A tool.
    Tool,
    /// A command in the shell.
    Shell,
    /// Another tab.
    OtherTab,
}

/// One file that is not the same in two states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// Where it is, or was if it is gone.
    pub path: String,
    /// Where it was before it was renamed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<String>,
    /// What happened to it.
    pub change: FileDiffKind,
    /// One of the two is no text.
    pub binary: bool,
    /// What changed, as a unified diff. None for what is no text, is too large, or is the same under another name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub patch: Option<String>,
    /// Its size before, if it was there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes_before: Option<u64>,
    /// Its size after, if it is there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes_after: Option<u64>,
    /// It, or what changed in it, is too much to be compared.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub too_large: bool,
}

/// What happened to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileDiffKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has other bytes.
    Changed,
    /// It has another path; it may have other bytes, too.
    Renamed,
}

/// One of the two states a change lies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What was there.
    Before,
    /// What came of it.
    After,
}

/// A state of the workspace that can be gone back to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotInfo {
    /// Its id. `start` is the workspace as this visit found it, or as the lesson laid it out.
    pub id: String,
    /// Its name, if it was given one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
    /// When it was taken, in milliseconds since 1970.
    pub at_ms: u64,
}

/// Whether the model is told of a tool and may call it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSwitch {
    /// The tool.
    pub name: String,
    /// It is.
    pub on: bool,
}
