//! [`ledger`]: every entry of a session beside what a request carries of it. The log keeps all; the projection chooses.

use std::collections::HashSet;

use vitrine_agent::message::{Message, StopReason, join_text};

use crate::entry::{Entry, Payload};
use crate::ids::EntryId;
use crate::projection;
use crate::tree::Tree;

/// Characters of a text that are told.
const SHORT: usize = 120;

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// Whether it is on the branch that ends at the leaf.
    pub on_branch: bool,
    /// What a request carries of it.
    pub standing: Standing,
    /// The start of what it says, on one line.
    pub text: String,
}

/// What a request carries of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All of it.
    Whole,
    /// Other content in its place; this is its start.
    Edited(String),
    /// Nothing: it was edited away.
    Omitted,
    /// Nothing: a summary stands for it.
    Summarised,
    /// Nothing: it is on another branch.
    OffBranch,
    /// Nothing: it says something to the session or to the screen.
    ScreenOnly,
    /// Nothing: an answer that failed or was cut off, which no provider is sent.
    FailedAttempt,
}

/// The ledger of a session, in the order of its log. Linear.
pub fn ledger(tree: &Tree) -> Vec<LedgerEntry<'_>> {
    let path = tree.path();
    let on_path: HashSet<&EntryId> = path.iter().map(|entry| &entry.id).collect();
    let selected = projection::select(&path);
    let edits = projection::edits(&selected);
    let selected: HashSet<&EntryId> = selected.iter().map(|entry| &entry.id).collect();
    let entries = tree.entries().iter();
    let lines = entries.map(|entry| {
        let on_branch = on_path.contains(&entry.id);
        let standing = match () {
            () if !on_branch => Standing::OffBranch,
            () if !is_for_model(entry) => Standing::ScreenOnly,
            () if !selected.contains(&entry.id) => Standing::Summarised,
            () => match edits.get(&entry.id).filter(|_| projection::takes_edits(entry)) {
                Some(Some(replacement)) => Standing::Edited(short(&replacement.content.text())),
                Some(None) => Standing::Omitted,
                None if has_failed(entry) => Standing::FailedAttempt,
                None => Standing::Whole,
            },
        };
        LedgerEntry { entry, on_branch, standing, text: short(&text(entry)) }
    });
    lines.collect()
}

fn is_for_model(entry: &Entry) -> bool {
    match &entry.payload {
        Payload::Message(message) => match &**message {
            Message::System(_) | Message::User(_) | Message::Assistant(_) | Message::ToolResult(_) => true,
            Message::Other(_) => !projection::for_model(std::slice::from_ref(message)).is_empty(),
        },
        Payload::CustomMessage(_) | Payload::Compaction(_) => true,
        Payload::BranchSummary(branch) => !branch.summary.is_empty(),
        Payload::ModelChange(_)
        | Payload::ThinkingLevelChange(_)
        | Payload::Usage(_)
        | Payload::ContextEdit(_)
        | Payload::Custom(_)
        | Payload::Label(_)
        | Payload::SessionInfo(_)
        | Payload::Other { .. } => false,
    }
}

fn has_failed(entry: &Entry) -> bool {
    let Some(message) = entry.message() else { return false };
    matches!(&**message, Message::Assistant(assistant)
        if matches!(assistant.stop_reason, StopReason::Error | StopReason::Aborted))
}

fn text(entry: &Entry) -> String {
    match &entry.payload {
        Payload::Message(message) => match &**message {
            Message::System(system) => system.content.text(),
            Message::User(user) => user.content.text(),
            Message::Assistant(assistant) => {
                let calls = assistant.tool_calls().map(|call| format!("{} {}", call.name, call.arguments.as_str()));
                let text = join_text(&assistant.content);
                let said = (!text.is_empty()).then_some(text);
                said.into_iter().chain(calls).collect::<Vec<_>>().join(" · ")
            }
            Message::ToolResult(result) => join_text(&result.content),
            Message::Other(other) => other.role.clone(),
        },
        Payload::CustomMessage(custom) => custom.content.text(),
        Payload::BranchSummary(branch) => branch.summary.clone(),
        Payload::Compaction(compaction) => compaction.summary.clone(),
        Payload::ModelChange(change) => format!("{} {}", change.provider, change.model_id),
        Payload::ThinkingLevelChange(change) => change.thinking_level.clone(),
        Payload::ContextEdit(edit) => match &edit.replacement {
            Some(replacement) => replacement.content.text(),
            None => String::new(),
        },
        Payload::Label(label) => label.label.clone().unwrap_or_default(),
        Payload::SessionInfo(info) => info.name.clone().unwrap_or_default(),
        Payload::Usage(_) | Payload::Custom(_) | Payload::Other { .. } => String::new(),
    }
}

fn short(text: &str) -> String {
    let mut line: String =
        text.chars().take(SHORT + 1).map(|character| if character.is_control() { ' ' } else { character }).collect();
    if line.chars().count() > SHORT {
        line.pop();
        line.push('…');
    }
    line
}
