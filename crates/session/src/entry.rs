//! The lines of a session: its header and its entries, typed, each with the text it was read from or is written as.

pub(crate) mod line;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vitrine_agent::json::Json;
use vitrine_agent::message::{SharedMessage, Usage, UserContent};

use crate::ids::{EntryId, SessionId};
use crate::time;

/// The first line of a session. It is not part of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The format's version; 1 where the file names none. Versions above 3 are read as 3.
    pub version: u32,
    /// The session's id.
    pub id: SessionId,
    /// When it began, ISO.
    pub timestamp: String,
    /// The folder it works in.
    pub cwd: String,
    /// The session it was forked from.
    pub parent_session: Option<String>,
    /// The whole line, without its line feed.
    pub line: Arc<str>,
}

/// The version that is written.
pub const VERSION: u32 = 3;

impl Header {
    /// A header of the current version.
    pub fn new(id: SessionId, now_ms: u64, cwd: &str, parent_session: Option<String>) -> Self {
        let mut header = Self {
            version: VERSION,
            id,
            timestamp: time::to_iso(now_ms),
            cwd: cwd.to_owned(),
            parent_session,
            line: "".into(),
        };
        header.line = header.encode();
        header
    }

    /// When the session began, in milliseconds; 0 when the timestamp is none.
    pub fn created_at(&self) -> u64 {
        time::from_iso(&self.timestamp).unwrap_or_default()
    }
}

/// A line of the tree. Immutable: what changes one's mind is another entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its id, unique in the file.
    pub id: EntryId,
    /// The entry it follows; `None` at a root.
    pub parent_id: Option<EntryId>,
    /// When it was written, ISO.
    pub timestamp: String,
    /// What it says.
    pub payload: Payload,
    /// The whole line, without its line feed: as it was read, or as it is to be written.
    pub line: Arc<str>,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// A message of the conversation.
    Message(SharedMessage),
    /// From here on another model answers.
    ModelChange(ModelChange),
    /// From here on the model thinks more or less.
    ThinkingLevelChange(ThinkingLevelChange),
    /// Tokens used outside the conversation. The model never sees it.
    Usage(UsageNote),
    /// A summary replaces what is before it.
    Compaction(Compaction),
    /// What happened on a branch that was left.
    BranchSummary(BranchSummary),
    /// An earlier entry is omitted or reads differently from here on.
    ContextEdit(ContextEdit),
    /// An extension's own record. The model never sees it.
    Custom(Custom),
    /// An extension's message, which the model reads as a user message.
    CustomMessage(CustomMessage),
    /// A bookmark on an entry.
    Label(Label),
    /// The session's name.
    SessionInfo(SessionInfoEntry),
    /// A type that is not known here, or a known one with a body that is not; kept whole.
    Other {
        /// Its `type`.
        kind: String,
    },
}

/// `model_change`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelChange {
    /// Whose API.
    pub provider: String,
    /// Which model.
    pub model_id: String,
}

/// `thinking_level_change`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThinkingLevelChange {
    /// `off`, `minimal`, `low`, `medium`, `high`, …
    pub thinking_level: String,
}

/// `usage`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageNote {
    /// What the tokens were for.
    pub kind: String,
    /// Whose API.
    pub provider: String,
    /// Which model.
    pub model: String,
    /// The tokens.
    pub usage: Usage,
    /// A remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `compaction`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// What replaces the older part.
    pub summary: String,
    /// The first entry that is still read as it is. The compaction's own id keeps none; one that is not on the path
    /// keeps none either.
    pub first_kept_entry_id: Option<EntryId>,
    /// How long the context was.
    pub tokens_before: u64,
    /// Files read and modified, or an extension's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
    /// Tokens the summary took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
    /// Prompt and tools at that point, replayed into one message, so that they survive the cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<SharedMessage>,
}

/// `branch_summary`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummary {
    /// The leaf that was left, or `root`.
    pub from_id: String,
    /// What happened there.
    pub summary: String,
    /// Files read and modified, or an extension's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
    /// Tokens the summary took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether an extension made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hook: Option<bool>,
}

/// `context_edit`. It counts only on branches that contain it, and the last one for a target wins.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextEdit {
    /// The entry it changes.
    pub target_id: EntryId,
    /// What the model reads there instead; `None` omits it.
    pub replacement: Option<Replacement>,
}

/// What a [`ContextEdit`] puts in place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// The new content. Role and everything else stay.
    #[serde(deserialize_with = "line::content")]
    pub content: UserContent,
}

/// `custom`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Custom {
    /// Whose it is.
    pub custom_type: String,
    /// Theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
}

/// `custom_message`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomMessage {
    /// Whose it is.
    pub custom_type: String,
    /// What the model reads.
    pub content: UserContent,
    /// Whether a person sees it.
    pub display: bool,
    /// Theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
}

/// `label`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    /// The entry it marks.
    pub target_id: EntryId,
    /// The words; `None` or empty takes the mark away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// `session_info`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SessionInfoEntry {
    /// The session's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Payload {
    /// The `type` field.
    pub fn kind(&self) -> &str {
        match self {
            Self::Message(_) => "message",
            Self::ModelChange(_) => "model_change",
            Self::ThinkingLevelChange(_) => "thinking_level_change",
            Self::Usage(_) => "usage",
            Self::Compaction(_) => "compaction",
            Self::BranchSummary(_) => "branch_summary",
            Self::ContextEdit(_) => "context_edit",
            Self::Custom(_) => "custom",
            Self::CustomMessage(_) => "custom_message",
            Self::Label(_) => "label",
            Self::SessionInfo(_) => "session_info",
            Self::Other { kind } => kind,
        }
    }

    /// The message it is. What another entry makes a model read is the projection's business, and is none.
    pub fn message(&self) -> Option<&SharedMessage> {
        match self {
            Self::Message(message) => Some(message),
            Self::ModelChange(_)
            | Self::ThinkingLevelChange(_)
            | Self::Usage(_)
            | Self::Compaction(_)
            | Self::BranchSummary(_)
            | Self::ContextEdit(_)
            | Self::Custom(_)
            | Self::CustomMessage(_)
            | Self::Label(_)
            | Self::SessionInfo(_)
            | Self::Other { .. } => None,
        }
    }
}

impl Entry {
    /// When it was written, in milliseconds; 0 when the timestamp is none.
    pub fn written_at(&self) -> u64 {
        time::from_iso(&self.timestamp).unwrap_or_default()
    }

    /// Its message, if it is one.
    pub fn message(&self) -> Option<&SharedMessage> {
        self.payload.message()
    }
}
