//! What the parts of an event list are: which are left out, and which are ids. The list is in the module above.

use std::collections::BTreeMap;

/// Where in an event list a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Events,
    Event,
    /// `assistantMessageEvent`.
    Update,
    Messages,
    Message,
    Content,
    Block,
    NestedCalls,
    NestedCallList,
    NestedCall,
    Diagnostics,
    Diagnostic,
    /// An entry of a session, or what a compaction came to.
    Entry,
    /// Anybody's own: counts as it is.
    Data,
}

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Omit,
    Id(IdKind),
    At(Place),
}

/// Ids of one kind are numbered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum IdKind {
    Call,
    Response,
    Entry,
}

impl IdKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Response => "response",
            Self::Entry => "entry",
        }
    }
}

impl Place {
    /// What an item of the array that stands here is.
    pub(super) fn item(self) -> Self {
        match self {
            Self::Events => Self::Event,
            Self::Messages => Self::Message,
            Self::Content => Self::Block,
            Self::NestedCallList => Self::NestedCall,
            Self::Diagnostics => Self::Diagnostic,
            Self::Event
            | Self::Update
            | Self::Message
            | Self::Block
            | Self::NestedCalls
            | Self::NestedCall
            | Self::Diagnostic
            | Self::Entry
            | Self::Data => Self::Data,
        }
    }

    /// What a member of the object that stands here is; `kind` is the object's `type`.
    pub(super) fn member(self, key: &str, kind: &str) -> Part {
        match (self, key) {
            (Self::Event | Self::Message, "timestamp" | "durationMs") => Part::Omit,
            (Self::NestedCall, "durationMs") | (Self::Diagnostic | Self::Entry, "timestamp") => Part::Omit,

            (Self::Event, "message" | "usage") if kind == "message_update" => Part::Omit,
            (Self::Update, "partial") => Part::Omit,
            (Self::Update, "id" | "toolName") if kind == "toolcall_start" => Part::Omit,

            (Self::Event, "toolCallId" | "parentToolCallId") => Part::Id(IdKind::Call),
            (Self::Message, "toolCallId") => Part::Id(IdKind::Call),
            (Self::Block, "id") if kind == "toolCall" => Part::Id(IdKind::Call),
            (Self::NestedCall, "id") => Part::Id(IdKind::Call),
            (Self::Message, "responseId") => Part::Id(IdKind::Response),
            (Self::Event, "id") => Part::Id(IdKind::Entry),
            (Self::Message, "fromId") => Part::Id(IdKind::Entry),
            (Self::Entry, "id" | "parentId" | "targetId" | "fromId" | "firstKeptEntryId") => Part::Id(IdKind::Entry),

            (Self::Event | Self::Entry, "message") => Part::At(Self::Message),
            (Self::Event, "messages" | "toolResults") => Part::At(Self::Messages),
            (Self::Event, "assistantMessageEvent") => Part::At(Self::Update),
            (Self::Event, "entry") => Part::At(Self::Entry),
            (Self::Event, "result") if kind == "compaction_end" => Part::At(Self::Entry),
            (Self::Update, "toolCall") => Part::At(Self::Block),
            (Self::Message, "content") => Part::At(Self::Content),
            (Self::Message, "nestedCalls") => Part::At(Self::NestedCalls),
            (Self::NestedCalls, "calls") => Part::At(Self::NestedCallList),
            (Self::Message, "diagnostics") => Part::At(Self::Diagnostics),
            _ => Part::At(Self::Data),
        }
    }
}

/// The names that ids have got.
#[derive(Debug, Default)]
pub(super) struct Ids<'t> {
    names: BTreeMap<(IdKind, &'t str), String>,
    counts: BTreeMap<IdKind, usize>,
}

impl<'t> Ids<'t> {
    /// The name of an id: its kind and a number, from 1; of a call that a known call made, the parent's name and `/<n>`.
    pub(super) fn name(&mut self, kind: IdKind, id: &'t str) -> &str {
        let nested = || {
            let (parent, n) = id.rsplit_once('/').filter(|_| kind == IdKind::Call)?;
            let is_number = !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit());
            let parent = self.names.get(&(kind, parent)).filter(|_| is_number)?;
            Some(format!("{parent}/{n}"))
        };
        let nested = if self.names.contains_key(&(kind, id)) { None } else { nested() };
        let counts = &mut self.counts;
        self.names.entry((kind, id)).or_insert_with(|| {
            nested.unwrap_or_else(|| {
                let count = counts.entry(kind).or_default();
                *count += 1;
                format!("{}-{count}", kind.word())
            })
        })
    }
}
