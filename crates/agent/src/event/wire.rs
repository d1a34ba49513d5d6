//! Events as pi's JSON mode writes them. Read through flat structs: serde's tagged enums buffer, which would lose the raw
//! text that [`Json`] keeps.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{AssistantUpdate, Event};
use crate::json::write::{flag, head, key, list, number, text};
use crate::json::{Json, present};
use crate::message::write::raw;
use crate::message::{Block, SharedMessage, Usage};
use crate::tool::ToolOutput;

impl Event {
    /// Appends it as JSON.
    pub fn write_json(&self, out: &mut String) {
        self.write_in(&mut Whole, out);
    }

    pub(super) fn write_in(&self, words: &mut impl Words, out: &mut String) {
        match self {
            Self::AgentStart => head!(out, "agent_start"),
            Self::TurnStart => head!(out, "turn_start"),
            Self::MessageStart { message } => {
                head!(out, "message_start", "message");
                words.message(message, out);
            }
            Self::MessageEnd { message } => {
                head!(out, "message_end", "message");
                words.message(message, out);
            }
            Self::MessageUpdate { usage, update } => {
                head!(out, "message_update");
                if words.usage(usage) {
                    key!(out, "usage");
                    usage.write_json(out);
                }
                key!(out, "assistantMessageEvent");
                update.write_json(out);
            }
            Self::ToolExecutionStart { tool_call_id, tool_name, args } => {
                head!(out, "tool_execution_start", "toolCallId");
                write_call(out, tool_call_id, tool_name, Some(args));
            }
            Self::ToolExecutionUpdate { tool_call_id, tool_name, args, partial_result } => {
                head!(out, "tool_execution_update", "toolCallId");
                write_call(out, tool_call_id, tool_name, Some(args));
                key!(out, "partialResult");
                partial_result.write_json(out);
            }
            Self::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms } => {
                head!(out, "tool_execution_end", "toolCallId");
                write_call(out, tool_call_id, tool_name, None);
                key!(out, "result");
                result.write_json(out);
                key!(out, "isError");
                flag(out, *is_error);
                if let Some(duration_ms) = duration_ms {
                    key!(out, "durationMs");
                    number(out, *duration_ms);
                }
            }
            Self::TurnEnd { message, tool_results } => {
                head!(out, "turn_end", "message");
                words.message(message, out);
                key!(out, "toolResults");
                list(out, tool_results.iter(), |out, result| words.message(result, out));
            }
            Self::AgentEnd { messages } => {
                head!(out, "agent_end", "messages");
                list(out, messages.iter(), |out, message| words.message(message, out));
            }
        }
        out.push('}');
    }
}

/// How much is said of what was said before.
pub(super) trait Words {
    /// Appends a message.
    fn message(&mut self, message: &SharedMessage, out: &mut String);

    /// Whether the usage is told.
    fn usage(&mut self, usage: &Arc<Usage>) -> bool;
}

/// All of it, each time.
struct Whole;

impl Words for Whole {
    fn message(&mut self, message: &SharedMessage, out: &mut String) {
        message.write_json(out);
    }

    fn usage(&mut self, _: &Arc<Usage>) -> bool {
        true
    }
}

/// Behind the key of the id.
fn write_call(out: &mut String, id: &str, name: &str, args: Option<&Json>) {
    text(out, id);
    key!(out, "toolName");
    text(out, name);
    if let Some(args) = args {
        key!(out, "args");
        out.push_str(args.as_str());
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(|out| self.write_json(out), serializer)
    }
}

impl AssistantUpdate {
    fn write_json(&self, out: &mut String) {
        match self {
            Self::TextStart { index } => {
                head!(out, "text_start", "contentIndex");
                number(out, *index as u64);
            }
            Self::TextDelta { index, delta } => {
                head!(out, "text_delta", "contentIndex");
                write_piece(out, *index, delta);
            }
            Self::TextEnd { index, content } => {
                head!(out, "text_end", "contentIndex");
                number(out, *index as u64);
                key!(out, "content");
                text(out, content);
            }
            Self::ThinkingStart { index } => {
                head!(out, "thinking_start", "contentIndex");
                number(out, *index as u64);
            }
            Self::ThinkingDelta { index, delta } => {
                head!(out, "thinking_delta", "contentIndex");
                write_piece(out, *index, delta);
            }
            Self::ThinkingEnd { index, content } => {
                head!(out, "thinking_end", "contentIndex");
                number(out, *index as u64);
                key!(out, "content");
                text(out, content);
            }
            Self::ToolCallStart { index, id, name } => {
                head!(out, "toolcall_start", "contentIndex");
                number(out, *index as u64);
                key!(out, "id");
                text(out, id);
                key!(out, "toolName");
                text(out, name);
            }
            Self::ToolCallDelta { index, delta } => {
                head!(out, "toolcall_delta", "contentIndex");
                write_piece(out, *index, delta);
            }
            Self::ToolCallEnd { index, tool_call } => {
                head!(out, "toolcall_end", "contentIndex");
                number(out, *index as u64);
                key!(out, "toolCall");
                tool_call.write_json(out);
            }
        }
        out.push('}');
    }
}

/// Behind the key of the index.
fn write_piece(out: &mut String, index: usize, delta: &str) {
    number(out, index as u64);
    key!(out, "delta");
    text(out, delta);
}

impl ToolOutput {
    fn write_json(&self, out: &mut String) {
        key!(out, first "content");
        list(out, &self.content, |out, block| block.write_json(out));
        if let Some(details) = &self.details {
            key!(out, "details");
            out.push_str(details.as_str());
        }
        if let Some(structured_content) = &self.structured_content {
            key!(out, "structuredContent");
            out.push_str(structured_content.as_str());
        }
        if let Some(usage) = &self.usage {
            key!(out, "usage");
            usage.write_json(out);
        }
        if self.is_error {
            out.push_str(r#","isError":true"#);
        }
        if self.terminate {
            out.push_str(r#","terminate":true"#);
        }
        out.push('}');
    }
}

impl Serialize for ToolOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(|out| self.write_json(out), serializer)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlatOutput {
    content: Option<Vec<Block>>,
    #[serde(default, deserialize_with = "present")]
    details: Option<Json>,
    #[serde(default, deserialize_with = "present")]
    structured_content: Option<Json>,
    usage: Option<Arc<Usage>>,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    terminate: bool,
}

impl<'de> Deserialize<'de> for ToolOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let flat = FlatOutput::deserialize(deserializer)?;
        Ok(Self {
            content: flat.content.unwrap_or_default(),
            details: flat.details,
            structured_content: flat.structured_content,
            usage: flat.usage,
            is_error: flat.is_error,
            terminate: flat.terminate,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlatUpdate {
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "contentIndex", default)]
    index: usize,
    #[serde(default)]
    delta: String,
    #[serde(default)]
    content: String,
    #[serde(default)]
    id: Arc<str>,
    #[serde(default)]
    tool_name: Arc<str>,
    tool_call: Option<Block>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlatEvent<M> {
    #[serde(rename = "type")]
    kind: String,
    message: Option<M>,
    pub(super) usage: Option<Arc<Usage>>,
    assistant_message_event: Option<FlatUpdate>,
    #[serde(default)]
    tool_call_id: Arc<str>,
    #[serde(default)]
    tool_name: Arc<str>,
    args: Option<Json>,
    partial_result: Option<Arc<ToolOutput>>,
    result: Option<Arc<ToolOutput>>,
    #[serde(default)]
    is_error: bool,
    duration_ms: Option<u64>,
    #[serde(default = "Vec::new")]
    tool_results: Vec<M>,
    #[serde(default = "Vec::new")]
    messages: Vec<M>,
}

impl<M> FlatEvent<M> {
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        event(FlatEvent::deserialize(deserializer)?, Ok)
    }
}

/// The event, its messages made of what stands for them.
pub(super) fn event<M, E: serde::de::Error>(
    flat: FlatEvent<M>,
    mut message: impl FnMut(M) -> Result<SharedMessage, E>,
) -> Result<Event, E> {
    let FlatEvent { tool_call_id, tool_name, .. } = flat;
    let args = flat.args.unwrap_or_default();
    let the_message = || message(flat.message.ok_or_else(|| E::missing_field("message"))?);
    Ok(match flat.kind.as_str() {
        "agent_start" => Event::AgentStart,
        "turn_start" => Event::TurnStart,
        "message_start" => Event::MessageStart { message: the_message()? },
        "message_end" => Event::MessageEnd { message: the_message()? },
        "message_update" => Event::MessageUpdate {
            usage: flat.usage.unwrap_or_default(),
            update: (flat.assistant_message_event.and_then(update))
                .ok_or_else(|| E::missing_field("assistantMessageEvent"))?,
        },
        "tool_execution_start" => Event::ToolExecutionStart { tool_call_id, tool_name, args },
        "tool_execution_update" => Event::ToolExecutionUpdate {
            tool_call_id,
            tool_name,
            args,
            partial_result: flat.partial_result.unwrap_or_default(),
        },
        "tool_execution_end" => Event::ToolExecutionEnd {
            tool_call_id,
            tool_name,
            result: flat.result.unwrap_or_default(),
            is_error: flat.is_error,
            duration_ms: flat.duration_ms,
        },
        "turn_end" => Event::TurnEnd {
            message: the_message()?,
            tool_results: flat.tool_results.into_iter().map(message).collect::<Result<_, _>>()?,
        },
        "agent_end" => Event::AgentEnd { messages: flat.messages.into_iter().map(message).collect::<Result<_, _>>()? },
        other => return Err(E::custom(format_args!("unknown event type {other}"))),
    })
}

/// `None` for an update type we do not know.
fn update(flat: FlatUpdate) -> Option<AssistantUpdate> {
    let FlatUpdate { kind, index, delta, content, id, tool_name: name, tool_call } = flat;
    Some(match kind.as_str() {
        "text_start" => AssistantUpdate::TextStart { index },
        "text_delta" => AssistantUpdate::TextDelta { index, delta },
        "text_end" => AssistantUpdate::TextEnd { index, content },
        "thinking_start" => AssistantUpdate::ThinkingStart { index },
        "thinking_delta" => AssistantUpdate::ThinkingDelta { index, delta },
        "thinking_end" => AssistantUpdate::ThinkingEnd { index, content },
        "toolcall_start" => AssistantUpdate::ToolCallStart { index, id, name },
        "toolcall_delta" => AssistantUpdate::ToolCallDelta { index, delta },
        "toolcall_end" => match tool_call {
            Some(Block::ToolCall(tool_call)) => AssistantUpdate::ToolCallEnd { index, tool_call },
            _ => return None,
        },
        _ => return None,
    })
}
