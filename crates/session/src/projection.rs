//! The projection: what a branch says to a model, folded from its entries. Pure.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, Message, OtherMessage, SharedMessage, UserContent, UserMessage};

use crate::entry::{Compaction, Entry, ModelChange, Payload, Replacement};
use crate::ids::EntryId;

/// The level of a branch that names none.
const NO_THINKING: &str = "off";

/// What the next request starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The messages.
    pub messages: Vec<SharedMessage>,
    /// The last model that was chosen or that answered.
    pub model: Option<ModelChange>,
    /// The last level that was chosen, else `off`.
    pub thinking_level: String,
}

/// Folds a branch, root first, into a context. Summaries and custom messages keep roles of their own
/// (`compactionSummary`, `branchSummary`, `custom`); [`for_model`] turns them into messages a model can be sent.
pub fn project(path: &[&Entry]) -> Context {
    let selected = select(path);
    let edits = edits(&selected);
    let messages = selected.iter().flat_map(|entry| messages_of(entry, &edits)).collect();
    let mut context = Context { messages, model: None, thinking_level: NO_THINKING.to_owned() };
    for entry in path {
        if let Payload::ModelChange(change) = &entry.payload {
            context.model = Some(change.clone());
        } else if let Payload::ThinkingLevelChange(change) = &entry.payload {
            context.thinking_level.clone_from(&change.thinking_level);
        } else if let Some(Message::Assistant(assistant)) = entry.message().map(|message| &**message) {
            let (provider, model_id) = (assistant.provider.to_string(), assistant.model.to_string());
            context.model = Some(ModelChange { provider, model_id });
        }
    }
    context
}

/// The entries that count: all of them, or from the latest compaction on what it kept, then everything after it. Its
/// system message stands for all earlier ones; compactions among what it kept are part of its summary.
pub(crate) fn select<'a>(path: &[&'a Entry]) -> Vec<&'a Entry> {
    let latest = path.iter().enumerate().rev().find_map(|(at, entry)| match &entry.payload {
        Payload::Compaction(compaction) => Some((at, compaction)),
        _ => None,
    });
    let Some((at, Compaction { first_kept_entry_id, .. })) = latest else {
        return path.to_vec();
    };
    let (before, rest) = path.split_at(at);
    let (latest, after) = rest.split_at(1);
    let first_kept = first_kept_entry_id.as_ref().and_then(|id| before.iter().position(|entry| entry.id == *id));
    let kept = first_kept.and_then(|first| before.get(first..)).unwrap_or_default();
    let kept = kept.iter().filter(|entry| match &entry.payload {
        Payload::Message(message) => !matches!(**message, Message::System(_)),
        payload => !matches!(payload, Payload::Compaction(_)),
    });
    latest.iter().chain(kept).chain(after).copied().collect()
}

/// The last edit of each target among the entries that count.
pub(crate) fn edits<'a>(selected: &[&'a Entry]) -> HashMap<&'a EntryId, Option<&'a Replacement>> {
    let mut edits = HashMap::new();
    for entry in selected {
        if let Payload::ContextEdit(edit) = &entry.payload {
            edits.insert(&edit.target_id, edit.replacement.as_ref());
        }
    }
    edits
}

fn messages_of(entry: &Entry, edits: &HashMap<&EntryId, Option<&Replacement>>) -> Vec<SharedMessage> {
    let timestamp = entry.written_at();
    match &entry.payload {
        Payload::Message(message) => match edits.get(&entry.id) {
            Some(edit) if is_editable(message) => {
                edit.map(|replacement| SharedMessage::new(edited(message, replacement))).into_iter().collect()
            }
            Some(_) | None => vec![message.clone()],
        },
        Payload::CustomMessage(custom) => {
            let content = match edits.get(&entry.id) {
                Some(None) => return Vec::new(),
                Some(Some(replacement)) => &replacement.content,
                None => &custom.content,
            };
            let (custom_type, display) = (&custom.custom_type, custom.display);
            let details = custom.details.as_ref();
            other(&Role::Custom { custom_type, content, display, details, timestamp }).into_iter().collect()
        }
        Payload::BranchSummary(branch) if !branch.summary.is_empty() => {
            let (summary, from_id) = (&branch.summary, &branch.from_id);
            other(&Role::BranchSummary { summary, from_id, timestamp }).into_iter().collect()
        }
        Payload::Compaction(compaction) => {
            let Compaction { summary, tokens_before, .. } = compaction;
            let summary = other(&Role::CompactionSummary { summary, tokens_before: *tokens_before, timestamp });
            compaction.system_message.clone().into_iter().chain(summary).collect()
        }
        Payload::BranchSummary(_)
        | Payload::ModelChange(_)
        | Payload::ThinkingLevelChange(_)
        | Payload::Usage(_)
        | Payload::ContextEdit(_)
        | Payload::Custom(_)
        | Payload::Label(_)
        | Payload::SessionInfo(_)
        | Payload::Other { .. } => Vec::new(),
    }
}

/// Whether an edit of this entry counts.
pub(crate) fn takes_edits(entry: &Entry) -> bool {
    match &entry.payload {
        Payload::Message(message) => is_editable(message),
        payload => matches!(payload, Payload::CustomMessage(_)),
    }
}

/// Prompt and tools cannot be edited away.
fn is_editable(message: &Message) -> bool {
    match message {
        Message::User(_) | Message::Assistant(_) | Message::ToolResult(_) => true,
        Message::System(_) => false,
        Message::Other(other) => other.role == "custom",
    }
}

fn edited(message: &Message, replacement: &Replacement) -> Message {
    let blocks = || match &replacement.content {
        UserContent::Text(text) => vec![Block::text(text.as_str())],
        UserContent::Blocks(blocks) => blocks.clone(),
    };
    let mut message = message.clone();
    match &mut message {
        Message::User(user) => user.content = replacement.content.clone(),
        Message::Assistant(assistant) => assistant.content = blocks(),
        Message::ToolResult(result) => result.content = blocks(),
        Message::Other(other) => {
            let mut value = other.json.to_value();
            if let (Some(fields), Ok(content)) = (value.as_object_mut(), Json::from_serialize(&replacement.content)) {
                fields.insert("content".to_owned(), content.to_value());
                other.json = Json::from_value(&value);
            }
        }
        Message::System(_) => {}
    }
    message
}

/// The roles that a session adds to those of a model.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Role<'a> {
    Custom {
        custom_type: &'a str,
        content: &'a UserContent,
        display: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        details: Option<&'a Json>,
        timestamp: u64,
    },
    BranchSummary {
        summary: &'a str,
        from_id: &'a str,
        timestamp: u64,
    },
    CompactionSummary {
        summary: &'a str,
        tokens_before: u64,
        timestamp: u64,
    },
}

fn other(role: &Role<'_>) -> Option<SharedMessage> {
    let name = match role {
        Role::Custom { .. } => "custom",
        Role::BranchSummary { .. } => "branchSummary",
        Role::CompactionSummary { .. } => "compactionSummary",
    };
    let json = Json::from_serialize(role).ok()?;
    Some(SharedMessage::new(Message::Other(OtherMessage { role: name.to_owned(), json })))
}

/// The messages a model can be sent: its four roles as they are, a session's own roles as user messages, unknown roles
/// left out.
pub fn for_model(messages: &[SharedMessage]) -> Vec<SharedMessage> {
    let messages = messages.iter().filter_map(|message| match &**message {
        Message::System(_) | Message::User(_) | Message::Assistant(_) | Message::ToolResult(_) => Some(message.clone()),
        Message::Other(other) => as_user(other).map(|user| SharedMessage::new(Message::User(user))),
    });
    messages.collect()
}

/// The fields of all of a session's own roles.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct OtherFields {
    content: Option<Json>,
    summary: Option<String>,
    command: Option<String>,
    output: Option<String>,
    exit_code: Option<i64>,
    cancelled: Option<bool>,
    truncated: Option<bool>,
    full_output_path: Option<String>,
    exclude_from_context: Option<bool>,
    timestamp: f64,
}

fn as_user(other: &OtherMessage) -> Option<UserMessage> {
    let fields: OtherFields = serde_json::from_str(other.json.as_str()).ok()?;
    let timestamp = fields.timestamp as u64;
    let blocks = match other.role.as_str() {
        "custom" => content_blocks(fields.content.as_ref()?)?,
        "compactionSummary" => {
            let lead = "The conversation history before this point was compacted into the following summary:";
            vec![Block::text(format!("{lead}\n\n<summary>\n{}\n</summary>", fields.summary?))]
        }
        "branchSummary" => {
            let lead = "The following is a summary of a branch that this conversation came back from:";
            vec![Block::text(format!("{lead}\n\n<summary>\n{}</summary>", fields.summary?))]
        }
        "bashExecution" if fields.exclude_from_context != Some(true) => vec![Block::text(shell_text(&fields))],
        _ => return None,
    };
    Some(UserMessage { content: UserContent::Blocks(blocks), timestamp, ..UserMessage::default() })
}

fn content_blocks(content: &Json) -> Option<Vec<Block>> {
    match serde_json::from_str::<String>(content.as_str()) {
        Ok(text) => Some(vec![Block::text(text)]),
        Err(_) => serde_json::from_str(content.as_str()).ok(),
    }
}

/// A command that a person ran, with what it printed.
fn shell_text(fields: &OtherFields) -> String {
    let command = fields.command.as_deref().unwrap_or_default();
    let output = fields.output.as_deref().unwrap_or_default();
    let mut text = format!("Ran `{command}`\n");
    if output.is_empty() {
        text.push_str("(no output)");
    } else {
        text.push_str(&format!("```\n{output}\n```"));
    }
    match fields.exit_code {
        _ if fields.cancelled == Some(true) => text.push_str("\n\n(command cancelled)"),
        Some(code) if code != 0 => text.push_str(&format!("\n\nCommand exited with code {code}")),
        Some(_) | None => {}
    }
    if let (Some(true), Some(path)) = (fields.truncated, &fields.full_output_path) {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    text
}
