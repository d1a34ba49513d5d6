//! The model port: what the loop asks of a model and what comes back.

use futures_core::stream::LocalBoxStream;
use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::json::Json;
use crate::message::{StopReason, Usage};
use crate::signal::AbortSignal;

/// Which model, and where. Field names as in pi's model objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelInfo {
    /// The wire: `scripted`, `openai-completions`, …
    pub api: String,
    /// The model's id, as the provider names it.
    pub id: String,
    /// Whose API; free text, shown and recorded.
    pub provider: String,
    /// Where it is; no trailing slash needed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base_url: String,
    /// Whether it reasons.
    pub reasoning: bool,
    /// Tokens it can read; 0 = not known.
    pub context_window: u64,
    /// Tokens it may write; 0 = not known.
    pub max_tokens: u64,
    /// What is different about this server, by the names of pi's compat flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compat: Option<Json>,
}

/// One request to a model. A snapshot: cheap to clone.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Which model.
    pub model: ModelInfo,
    /// The whole context, system messages first. Prompt and tools are the replay of its system messages.
    pub history: History,
    /// The reasoning level asked for; `None` is off.
    pub reasoning: Option<String>,
    /// The run's signal.
    pub signal: AbortSignal,
}

/// What a model stream says. A stream is: at most one `Start`, block events, then exactly one `Done` or `Error`.
///
/// Failures are events: a stream never panics, and never ends without `Done` or `Error` unless it was dropped.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    /// The response has begun.
    Start,
    /// Facts of the response as they become known; each field replaces the last.
    Meta {
        /// The server's id of the response.
        response_id: Option<String>,
        /// The name of the model that answers, if not the one asked for.
        response_model: Option<String>,
    },
    /// A text block opens at this index of `content`.
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
    /// The text block is complete.
    TextEnd {
        /// Index in `content`.
        index: usize,
        /// Opaque signature, if any.
        signature: Option<String>,
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
    /// The thinking block is complete.
    ThinkingEnd {
        /// Index in `content`.
        index: usize,
        /// Opaque signature, or the field's name.
        signature: Option<String>,
    },
    /// A tool call opens. Id and name may be corrected by `ToolCallEnd`.
    ToolCallStart {
        /// Index in `content`.
        index: usize,
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// More of the arguments' raw JSON text.
    ToolCallDelta {
        /// Index in `content`.
        index: usize,
        /// The new text alone.
        delta: String,
    },
    /// The call is complete.
    ToolCallEnd {
        /// Index in `content`.
        index: usize,
        /// The call's id.
        id: String,
        /// The tool's name.
        name: String,
        /// A JSON object; `{}` when refused.
        arguments: Json,
        /// Why the arguments were refused.
        arguments_error: Option<String>,
    },
    /// Usage so far; replaces the last.
    Usage(Usage),
    /// The response is whole.
    Done {
        /// `Stop`, `Length`, `ToolUse` or `Deferred`.
        reason: StopReason,
    },
    /// The response failed or was cancelled; what came before is kept.
    Error {
        /// `Error` or `Aborted`.
        reason: StopReason,
        /// In words, without any key.
        message: String,
    },
}

/// Batches of events, as they arrive: one item a network chunk, so a chunk costs one hop however many events it holds.
pub type ModelStream = LocalBoxStream<'static, Vec<ModelEvent>>;

/// A model. `stream` must not fail: failures are events.
pub trait Model {
    /// Starts one response. Dropping the stream cancels it; the signal firing ends it with `Error { Aborted }`.
    fn stream(&self, request: ModelRequest) -> ModelStream;
}
