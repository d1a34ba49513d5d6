//! What happened: pi's agent events, to the name, the payload and the order; and beside them the trace of each call.

use std::sync::Arc;

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::Json;
use crate::message::{Block, SharedMessage, ToolCall, Usage};
use crate::tool::ToolOutput;

/// One event of a run. Serialises as pi's JSON mode writes it.
///
/// `MessageUpdate` carries the delta alone (pi's JSON mode does the same): a copy of the partial message an update would
/// make a stream quadratic. Fold updates to get it, or wait for `MessageEnd`, which is authoritative.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A run begins.
    AgentStart,
    /// A turn begins.
    TurnStart,
    /// A message begins; an assistant's is still empty and `pending`.
    MessageStart {
        /// The message.
        message: SharedMessage,
    },
    /// An assistant message grows.
    MessageUpdate {
        /// Usage so far; may stay zero until the end.
        usage: Usage,
        /// What was added.
        update: AssistantUpdate,
    },
    /// A message is final.
    MessageEnd {
        /// The message that the history holds.
        message: SharedMessage,
    },
    /// The host takes up a call. It has not run yet.
    ToolExecutionStart {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        tool_name: String,
        /// Arguments as the model wrote them.
        args: Json,
    },
    /// A running tool shows progress.
    ToolExecutionUpdate {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        tool_name: String,
        /// Arguments as the model wrote them.
        args: Json,
        /// The result so far.
        partial_result: ToolOutput,
    },
    /// A call has its result.
    ToolExecutionEnd {
        /// The call's id.
        tool_call_id: String,
        /// The tool's name.
        tool_name: String,
        /// The whole result.
        result: ToolOutput,
        /// Whether it failed.
        is_error: bool,
        /// Milliseconds of execution; absent unless the tool ran.
        duration_ms: Option<u64>,
    },
    /// A turn is over.
    TurnEnd {
        /// The assistant message of the turn.
        message: SharedMessage,
        /// Results in source order.
        tool_results: Vec<SharedMessage>,
    },
    /// The run is over.
    AgentEnd {
        /// Every message this run made, prompts included.
        messages: Arc<[SharedMessage]>,
    },
}

/// What a `message_update` adds. Field names as pi's assistant message events.
#[derive(Clone, Debug, PartialEq)]
pub enum AssistantUpdate {
    /// A text block opens.
    TextStart {
        /// Index in `content`.
        index: usize,
    },
    /// More text.
    TextDelta {
        /// Index in `content`.
        index: usize,
        /// The new text alone.
        delta: String,
    },
    /// A text block is complete.
    TextEnd {
        /// Index in `content`.
        index: usize,
        /// The whole text.
        content: String,
    },
    /// A thinking block opens.
    ThinkingStart {
        /// Index in `content`.
        index: usize,
    },
    /// More reasoning.
    ThinkingDelta {
        /// Index in `content`.
        index: usize,
        /// The new text alone.
        delta: String,
    },
    /// A thinking block is complete.
    ThinkingEnd {
        /// Index in `content`.
        index: usize,
        /// The whole text.
        content: String,
    },
    /// A tool call opens.
    ToolCallStart {
        /// Index in `content`.
        index: usize,
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// More of the arguments' raw text.
    ToolCallDelta {
        /// Index in `content`.
        index: usize,
        /// The new text alone.
        delta: String,
    },
    /// A tool call is complete.
    ToolCallEnd {
        /// Index in `content`.
        index: usize,
        /// The call.
        tool_call: ToolCall,
    },
}

/// A step in the life of a call, beside pi's events and never inside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallTrace {
    /// Counts up by one through a run.
    pub seq: u64,
    /// Monotonic milliseconds.
    pub at: f64,
    /// The call's id.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// What it reached.
    pub state: CallState,
    /// Why, for the ends that are not good.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// Where a call is. The first eight in order; the rest end it early and are still followed by `Recorded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallState {
    /// The model has asked; nothing has happened.
    Requested,
    /// A tool of that name exists.
    Found,
    /// The tool's shim has run over the arguments.
    Prepared,
    /// The arguments fit the schema.
    Valid,
    /// The before hook let it pass.
    Admitted,
    /// It runs.
    Executing,
    /// It has a result, after the after hook.
    Finalized,
    /// Its tool result is in the history.
    Recorded,
    /// No tool of that name.
    NotFound,
    /// The arguments do not fit.
    Invalid,
    /// The hook refused it.
    Blocked,
    /// The response hit its limit, so it was not run.
    Truncated,
    /// The run was aborted.
    Aborted,
    /// The tool threw.
    Threw,
}

impl CallState {
    /// The name as `data-state` and the trace spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Found => "found",
            Self::Prepared => "prepared",
            Self::Valid => "valid",
            Self::Admitted => "admitted",
            Self::Executing => "executing",
            Self::Finalized => "finalized",
            Self::Recorded => "recorded",
            Self::NotFound => "not-found",
            Self::Invalid => "invalid",
            Self::Blocked => "blocked",
            Self::Truncated => "truncated",
            Self::Aborted => "aborted",
            Self::Threw => "threw",
        }
    }
}

impl Event {
    /// The `type` field.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::AgentStart => "agent_start",
            Self::TurnStart => "turn_start",
            Self::MessageStart { .. } => "message_start",
            Self::MessageUpdate { .. } => "message_update",
            Self::MessageEnd { .. } => "message_end",
            Self::ToolExecutionStart { .. } => "tool_execution_start",
            Self::ToolExecutionUpdate { .. } => "tool_execution_update",
            Self::ToolExecutionEnd { .. } => "tool_execution_end",
            Self::TurnEnd { .. } => "turn_end",
            Self::AgentEnd { .. } => "agent_end",
        }
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
    details: Option<Json>,
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
