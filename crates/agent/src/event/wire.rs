//! Events as pi's JSON mode writes them. Read through flat structs: serde's tagged enums buffer, which would lose the raw
//! text that [`Json`] keeps.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{AssistantUpdate, Event};
use crate::json::write::{flag, key, list, number, text};
use crate::json::{Json, present};
use crate::message::write::raw;
use crate::message::{Block, SharedMessage, Usage};
use crate::tool::ToolOutput;

impl Event {
    /// Appends it as JSON.
    pub fn write_json(&self, out: &mut String) {
        key!(out, first "type");
        text(out, self.kind());
        match self {
            Self::AgentStart | Self::TurnStart => {}
            Self::MessageStart { message } | Self::MessageEnd { message } => {
                key!(out, "message");
                message.write_json(out);
            }
            Self::MessageUpdate { usage, update } => {
                key!(out, "usage");
                usage.write_json(out);
                key!(out, "assistantMessageEvent");
                update.write_json(out);
            }
            Self::ToolExecutionStart { tool_call_id, tool_name, args } => {
                write_call(out, tool_call_id, tool_name, Some(args))
            }
            Self::ToolExecutionUpdate { tool_call_id, tool_name, args, partial_result } => {
                write_call(out, tool_call_id, tool_name, Some(args));
                key!(out, "partialResult");
                partial_result.write_json(out);
            }
            Self::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms } => {
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
                key!(out, "message");
                message.write_json(out);
                key!(out, "toolResults");
                list(out, tool_results, |out, result| result.write_json(out));
            }
            Self::AgentEnd { messages } => {
                key!(out, "messages");
                list(out, messages.iter(), |out, message| message.write_json(out));
            }
        }
        out.push('}');
    }
}

fn write_call(out: &mut String, id: &str, name: &str, args: Option<&Json>) {
    key!(out, "toolCallId");
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
        let (kind, index) = match self {
            Self::TextStart { index } => ("text_start", index),
            Self::TextDelta { index, .. } => ("text_delta", index),
            Self::TextEnd { index, .. } => ("text_end", index),
            Self::ThinkingStart { index } => ("thinking_start", index),
            Self::ThinkingDelta { index, .. } => ("thinking_delta", index),
            Self::ThinkingEnd { index, .. } => ("thinking_end", index),
            Self::ToolCallStart { index, .. } => ("toolcall_start", index),
            Self::ToolCallDelta { index, .. } => ("toolcall_delta", index),
            Self::ToolCallEnd { index, .. } => ("toolcall_end", index),
        };
        key!(out, first "type");
        text(out, kind);
        key!(out, "contentIndex");
        number(out, *index as u64);
        match self {
            Self::TextStart { .. } | Self::ThinkingStart { .. } => {}
            Self::TextDelta { delta, .. } | Self::ThinkingDelta { delta, .. } | Self::ToolCallDelta { delta, .. } => {
                key!(out, "delta");
                text(out, delta);
            }
            Self::TextEnd { content, .. } | Self::ThinkingEnd { content, .. } => {
                key!(out, "content");
                text(out, content);
            }
            Self::ToolCallStart { id, name, .. } => {
                key!(out, "id");
                text(out, id);
                key!(out, "toolName");
                text(out, name);
            }
            Self::ToolCallEnd { tool_call, .. } => {
                key!(out, "toolCall");
                tool_call.write_json(out);
            }
        }
        out.push('}');
    }
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
    usage: Option<Usage>,
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
    id: String,
    #[serde(default)]
    tool_name: String,
    tool_call: Option<Block>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlatEvent {
    #[serde(rename = "type")]
    kind: String,
    message: Option<SharedMessage>,
    usage: Option<Usage>,
    assistant_message_event: Option<FlatUpdate>,
    #[serde(default)]
    tool_call_id: String,
    #[serde(default)]
    tool_name: String,
    args: Option<Json>,
    partial_result: Option<ToolOutput>,
    result: Option<ToolOutput>,
    #[serde(default)]
    is_error: bool,
    duration_ms: Option<u64>,
    #[serde(default)]
    tool_results: Vec<SharedMessage>,
    #[serde(default)]
    messages: Vec<SharedMessage>,
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let flat = FlatEvent::deserialize(deserializer)?;
        let message = || flat.message.clone().ok_or_else(|| D::Error::missing_field("message"));
        let (tool_call_id, tool_name) = (flat.tool_call_id.clone(), flat.tool_name.clone());
        let args = flat.args.clone().unwrap_or_default();
        Ok(match flat.kind.as_str() {
            "agent_start" => Self::AgentStart,
            "turn_start" => Self::TurnStart,
            "message_start" => Self::MessageStart { message: message()? },
            "message_end" => Self::MessageEnd { message: message()? },
            "message_update" => Self::MessageUpdate {
                usage: flat.usage.unwrap_or_default(),
                update: flat
                    .assistant_message_event
                    .and_then(update)
                    .ok_or_else(|| D::Error::missing_field("assistantMessageEvent"))?,
            },
            "tool_execution_start" => Self::ToolExecutionStart { tool_call_id, tool_name, args },
            "tool_execution_update" => Self::ToolExecutionUpdate {
                tool_call_id,
                tool_name,
                args,
                partial_result: flat.partial_result.unwrap_or_default(),
            },
            "tool_execution_end" => Self::ToolExecutionEnd {
                tool_call_id,
                tool_name,
                result: flat.result.unwrap_or_default(),
                is_error: flat.is_error,
                duration_ms: flat.duration_ms,
            },
            "turn_end" => Self::TurnEnd { message: message()?, tool_results: flat.tool_results },
            "agent_end" => Self::AgentEnd { messages: flat.messages.into() },
            other => return Err(D::Error::custom(format_args!("unknown event type {other}"))),
        })
    }
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
