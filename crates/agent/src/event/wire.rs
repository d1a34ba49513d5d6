//! Events as pi's JSON mode writes them. Read through flat structs: serde's tagged enums buffer, which would lose the raw
//! text that [`Json`] keeps.

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{AssistantUpdate, Event};
use crate::json::{Json, present};
use crate::message::{Block, SharedMessage, Usage};
use crate::tool::ToolOutput;

impl Event {
    /// Writes it as JSON, as `Serialize` would. Compiled here once, with this crate's care for speed.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        // Writing to memory cannot fail, and an event is plain data with string keys.
        let written = serde_json::to_writer(&mut *out, self);
        debug_assert!(written.is_ok(), "an event is plain data");
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind())?;
        match self {
            Self::AgentStart | Self::TurnStart => {}
            Self::MessageStart { message } | Self::MessageEnd { message } => map.serialize_entry("message", message)?,
            Self::MessageUpdate { usage, update } => {
                map.serialize_entry("usage", usage)?;
                map.serialize_entry("assistantMessageEvent", update)?;
            }
            Self::ToolExecutionStart { tool_call_id, tool_name, args } => {
                map.serialize_entry("toolCallId", tool_call_id)?;
                map.serialize_entry("toolName", tool_name)?;
                map.serialize_entry("args", args)?;
            }
            Self::ToolExecutionUpdate { tool_call_id, tool_name, args, partial_result } => {
                map.serialize_entry("toolCallId", tool_call_id)?;
                map.serialize_entry("toolName", tool_name)?;
                map.serialize_entry("args", args)?;
                map.serialize_entry("partialResult", partial_result)?;
            }
            Self::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms } => {
                map.serialize_entry("toolCallId", tool_call_id)?;
                map.serialize_entry("toolName", tool_name)?;
                map.serialize_entry("result", result)?;
                map.serialize_entry("isError", is_error)?;
                if let Some(duration_ms) = duration_ms {
                    map.serialize_entry("durationMs", duration_ms)?;
                }
            }
            Self::TurnEnd { message, tool_results } => {
                map.serialize_entry("message", message)?;
                map.serialize_entry("toolResults", tool_results)?;
            }
            Self::AgentEnd { messages } => map.serialize_entry("messages", messages)?,
        }
        map.end()
    }
}

impl Serialize for AssistantUpdate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
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
        map.serialize_entry("type", kind)?;
        map.serialize_entry("contentIndex", index)?;
        match self {
            Self::TextStart { .. } | Self::ThinkingStart { .. } => {}
            Self::TextDelta { delta, .. } | Self::ThinkingDelta { delta, .. } | Self::ToolCallDelta { delta, .. } => {
                map.serialize_entry("delta", delta)?;
            }
            Self::TextEnd { content, .. } | Self::ThinkingEnd { content, .. } => {
                map.serialize_entry("content", content)?;
            }
            Self::ToolCallStart { id, name, .. } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("toolName", name)?;
            }
            Self::ToolCallEnd { tool_call, .. } => {
                map.serialize_entry("toolCall", &Block::ToolCall(tool_call.clone()))?;
            }
        }
        map.end()
    }
}

impl Serialize for ToolOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("content", &self.content)?;
        if let Some(details) = &self.details {
            map.serialize_entry("details", details)?;
        }
        if let Some(structured_content) = &self.structured_content {
            map.serialize_entry("structuredContent", structured_content)?;
        }
        if let Some(usage) = &self.usage {
            map.serialize_entry("usage", usage)?;
        }
        if self.is_error {
            map.serialize_entry("isError", &true)?;
        }
        if self.terminate {
            map.serialize_entry("terminate", &true)?;
        }
        map.end()
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
