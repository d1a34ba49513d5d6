//! What happened: pi's agent events, to the name, the payload and the order; and beside them the trace of each call.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::message::{SharedMessage, ToolCall, Usage};
use crate::tool::ToolOutput;

mod feed;
mod wire;

pub use feed::{EventReader, EventWriter};

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
        usage: Arc<Usage>,
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
        tool_call_id: Arc<str>,
        /// The tool's name.
        tool_name: Arc<str>,
        /// Arguments as the model wrote them.
        args: Json,
    },
    /// A running tool shows progress.
    ToolExecutionUpdate {
        /// The call's id.
        tool_call_id: Arc<str>,
        /// The tool's name.
        tool_name: Arc<str>,
        /// Arguments as the model wrote them.
        args: Json,
        /// The result so far.
        partial_result: Arc<ToolOutput>,
    },
    /// A call has its result.
    ToolExecutionEnd {
        /// The call's id.
        tool_call_id: Arc<str>,
        /// The tool's name.
        tool_name: Arc<str>,
        /// The whole result.
        result: Arc<ToolOutput>,
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
        tool_results: Arc<[SharedMessage]>,
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
        id: Arc<str>,
        /// The tool's name.
        name: Arc<str>,
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
        tool_call: Arc<ToolCall>,
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
    pub call_id: Arc<str>,
    /// The tool's name.
    pub name: Arc<str>,
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
