//! The model port: what the loop asks of a model and what comes back.

use std::sync::Arc;

use futures_core::stream::LocalBoxStream;
use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::json::{Json, present};
use crate::message::{StopReason, ToolCall, Usage, as_javascript_writes_it};
use crate::signal::AbortSignal;

/// Which model, and where. Field names as in pi's model objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelInfo {
    /// The wire: `scripted`, `openai-completions`, …
    pub api: Arc<str>,
    /// The model's id, as the provider names it.
    pub id: Arc<str>,
    /// A name for people; empty when the id is all there is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Whose API; free text, shown and recorded.
    pub provider: Arc<str>,
    /// Where it is; no trailing slash needed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub base_url: String,
    /// Whether it reasons.
    pub reasoning: bool,
    /// What each of our reasoning levels is called there; `null` for a level that it does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level_map: Option<Json>,
    /// What it reads: `text`, `image`; empty = not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<String>,
    /// What it costs; absent = not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Prices>,
    /// Tokens it can read; 0 = not known.
    pub context_window: u64,
    /// Tokens it may write; 0 = not known.
    pub max_tokens: u64,
    /// What is different about this server, by the names of pi's compat flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compat: Option<Json>,
}

impl ModelInfo {
    /// Whether it reads images. A model of which that is not known is given them: its server will say.
    pub fn reads_images(&self) -> bool {
        self.input.is_empty() || self.input.iter().any(|kind| kind == "image")
    }
}

/// US dollars for a million tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prices {
    /// Of the prompt.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub input: f64,
    /// Of the answer.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub output: f64,
    /// Of what the provider's cache had.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub cache_read: f64,
    /// Of what went into it.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub cache_write: f64,
    /// Other prices for long prompts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<PriceTier>,
}

/// The prices of a request whose prompt, cached or not, is longer than a number of tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PriceTier {
    /// Longer than this.
    pub input_tokens_above: u64,
    /// Of the prompt.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub input: f64,
    /// Of the answer.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub output: f64,
    /// Of what the provider's cache had.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub cache_read: f64,
    /// Of what went into it.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub cache_write: f64,
}

/// One request to a model. A snapshot: cheap to clone.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Which model.
    pub model: Arc<ModelInfo>,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ModelEvent {
    /// The response has begun.
    Start,
    /// Facts of the response as they become known.
    Meta(Box<Facts>),
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
        /// The provider hid the text: the payload is the signature.
        redacted: bool,
    },
    /// A tool call opens. Id and name may be corrected by `ToolCallEnd`.
    ToolCallStart {
        /// Index in `content`.
        index: usize,
        /// The call's id.
        id: Arc<str>,
        /// The tool's name.
        name: Arc<str>,
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
        /// The call, with everything that the provider says of it.
        #[serde(with = "as_block")]
        tool_call: Arc<ToolCall>,
    },
    /// Usage so far; replaces the last.
    Usage(Arc<Usage>),
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

/// What a response says of itself beside its content. A field that is given replaces the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Facts {
    /// The server's id of the response.
    pub response_id: Option<String>,
    /// The name of the model that answers, if not the one asked for.
    pub response_model: Option<String>,
    /// The provider's own word for the effort it used.
    pub provider_thinking_level: Option<String>,
    /// The server's own word for why it stopped, where it is not ours.
    pub raw_stop_reason: Option<String>,
    /// Whether the model ended its turn on purpose.
    pub end_turn: Option<bool>,
    /// Where a deferred answer can be fetched.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub deferred: Option<Json>,
    /// What went wrong on the way and was survived: a list, as messages carry it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub diagnostics: Option<Json>,
}

/// Batches of events, as they arrive: one item a network chunk, so a chunk costs one hop however many events it holds.
pub type ModelStream = LocalBoxStream<'static, Vec<ModelEvent>>;

/// A model. `stream` must not fail: failures are events.
pub trait Model {
    /// Starts one response. Dropping the stream cancels it; the signal firing ends it with `Error { Aborted }`.
    fn stream(&self, request: ModelRequest) -> ModelStream;
}

/// A call as the content block that it will be.
mod as_block {
    use std::sync::Arc;

    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    use crate::message::{Block, ToolCall};

    pub(super) fn serialize<S: Serializer>(call: &ToolCall, serializer: S) -> Result<S::Ok, S::Error> {
        call.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<ToolCall>, D::Error> {
        match Block::deserialize(deserializer)? {
            Block::ToolCall(call) => Ok(call),
            Block::Text(_) | Block::Thinking(_) | Block::Image(_) | Block::Other(_) => {
                Err(D::Error::custom("not a tool call"))
            }
        }
    }
}
