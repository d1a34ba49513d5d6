//! [`Input`]: everything the world tells a run, and the answers' own types.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::history::History;
use crate::json::{Json, present};
use crate::message::{Block, SharedMessage, Usage};
use crate::model::{ModelEvent, ModelInfo};
use crate::tool::{ToolError, ToolOutput};

use super::RunTool;

/// The time of an input. The run reads no clock: what it makes bears the time of the input that caused it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Now {
    /// Milliseconds since 1970, for messages.
    pub wall_ms: u64,
    /// Milliseconds that never go back, for traces and durations.
    pub monotonic_ms: f64,
}

/// What happened outside.
///
/// An answer that nothing waits for (late, repeated, for a call that is over) is ignored.
///
/// As JSON it is what a [recording](crate::record) is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Input {
    /// Events of the model stream, in order.
    Model(Vec<ModelEvent>),
    /// Answers `Output::CallModel` with a response that was made elsewhere, in place of events and behind those that came
    /// before it. It is final: nothing is folded into it and nothing stamped on it, it goes into the history as it is.
    /// `message_start` bears it too, unless a `ModelEvent::Start` has given one before. What is not an assistant message
    /// is no answer and is ignored; so is every event after it.
    Answer(SharedMessage),
    /// The model stream is exhausted. Harmless after its `Done` or `Error`.
    ModelClosed,
    /// Answers `Output::Prepare`.
    Prepared {
        /// Which call of the batch.
        call: usize,
        /// The validated arguments.
        result: Result<Value, PrepareError>,
    },
    /// Answers `Output::BeforeTool`.
    Admission {
        /// Which call of the batch.
        call: usize,
        /// The decision; an error becomes the call's error result.
        result: Result<BeforeTool, ToolError>,
    },
    /// A running tool shows progress. Ignored once it has settled.
    Update {
        /// Which call of the batch.
        call: usize,
        /// The result so far.
        output: ToolOutput,
    },
    /// Answers `Output::Execute`: the tool has settled.
    Executed {
        /// Which call of the batch.
        call: usize,
        /// What it gave or threw.
        result: Result<ToolOutput, ToolError>,
        /// How long it ran.
        duration_ms: u64,
    },
    /// Answers `Output::AfterTool`.
    Finalized {
        /// Which call of the batch.
        call: usize,
        /// What to replace; an error replaces the whole result.
        result: Result<AfterTool, ToolError>,
    },
    /// Answers `Output::PollSteering`.
    Steering(Vec<SharedMessage>),
    /// Answers `Output::PollFollowUps`.
    FollowUps(Vec<SharedMessage>),
    /// Answers `Output::PrepareNextTurn`.
    NextTurn(NextTurn),
    /// Answers `Output::PrepareRequest`.
    Request(Changes),
    /// Answers `Output::TransformContext`: what to send instead, if anything.
    Context(Option<History>),
    /// Answers `Output::FinishTurn`.
    FinishTurn(FinishTurn),
    /// The user ended the run. May come at any time; the run's signal has fired.
    Abort,
    /// After an abort: whatever is still waited for will not be waited for any longer. Calls that still run get an error
    /// result that says so, a response that still streams ends as aborted, a question takes its default answer.
    GraceOver,
    /// The host itself failed (a listener, a hook outside a call, a model that could not even start). The run closes with
    /// one message that says so. May come at any time.
    Fail(String),
}

/// Why a call's arguments cannot be used. The text is the whole of what the model reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "camelCase")]
pub enum PrepareError {
    /// They do not fit the schema.
    #[error("{0}")]
    Invalid(String),
    /// The tool's shim failed on them.
    #[error("{0}")]
    Threw(String),
}

/// The before hook's decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BeforeTool {
    /// Run, with these arguments: those that were asked about, or edited ones, which are not validated again.
    Allow(Value),
    /// Do not run.
    Block {
        /// What the model reads; a default text when absent or empty.
        reason: Option<String>,
        /// Whether the result hints that the run may stop.
        terminate: bool,
    },
}

/// The after hook's replacements: a field that is given replaces the whole field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AfterTool {
    /// What the model reads. Without `structured_content` beside it, that one is dropped: it described the old content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Vec<Block>>,
    /// What a person may look at.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub details: Option<Json>,
    /// The result as data.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured_content: Option<Json>,
    /// Tokens the tool used itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Arc<Usage>>,
    /// Whether it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The hint that the run may stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminate: Option<bool>,
}

impl AfterTool {
    /// Whether the result stands as it is.
    pub fn is_empty(&self) -> bool {
        let Self { content, details, structured_content, usage, is_error, terminate } = self;
        let has_content = content.is_some() || details.is_some() || structured_content.is_some() || usage.is_some();
        !has_content && is_error.is_none() && terminate.is_none()
    }
}

/// What later requests work with. `None` leaves as it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Changes {
    /// The context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
    /// The tools that can be called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<RunTool>>,
    /// The model to ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<ModelInfo>>,
    /// The reasoning level; `off` turns it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// The answer to `PrepareNextTurn`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NextTurn {
    /// What to change from here on.
    pub changes: Changes,
    /// Messages to put in before those that are queued.
    pub messages: Vec<SharedMessage>,
}

/// Whether the run goes on after a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FinishTurn {
    /// As the loop decides.
    #[default]
    Default,
    /// End now; queues are not looked at.
    End,
    /// At least one more request, even when nothing is new.
    Continue,
}
