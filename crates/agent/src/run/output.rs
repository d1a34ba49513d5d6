//! [`Output`]: everything a run asks of the world, and the questions' own types.

use std::sync::Arc;

use serde_json::Value;

use crate::event::{CallTrace, Event};
use crate::history::History;
use crate::message::{SharedMessage, ToolCall};
use crate::model::{ModelInfo, ModelRequest};
use crate::tool::ToolOutput;

/// What the run wants done next.
///
/// `Emit` and `Trace` want no answer. Every other output wants exactly one: the [`Input`](super::Input) that its
/// documentation names. `call` is the index of a call within the batch of its turn, never the model's id: two calls of
/// one response may carry the same id, and both get their own result.
#[derive(Clone, Debug)]
pub enum Output {
    /// Something happened. Tell everyone, and let them finish, before the next output is acted on.
    Emit(Event),
    /// A call reached a state.
    Trace(CallTrace),
    /// Send a request. Answered by any number of `Input::Model`; `Input::ModelClosed` says the stream has no more.
    CallModel(ModelRequest),
    /// Run the tool's shim and validate the arguments. Answered by `Input::Prepared`. Asked also for a call whose
    /// arguments were no JSON object: its shim may throw; else the run refuses the call, whatever the answer.
    Prepare {
        /// Which call of the batch.
        call: usize,
        /// The call.
        tool_call: Arc<ToolCall>,
    },
    /// May this call run? Answered by `Input::Admission`, which carries the arguments back.
    BeforeTool {
        /// Which call of the batch.
        call: usize,
        /// The call, with raw arguments.
        tool_call: Arc<ToolCall>,
        /// Validated arguments.
        arguments: Value,
    },
    /// Run the tool. Answered by any number of `Input::Update`, then one `Input::Executed`.
    Execute {
        /// Which call of the batch.
        call: usize,
        /// The call, with raw arguments.
        tool_call: Arc<ToolCall>,
        /// What the tool gets.
        arguments: Value,
    },
    /// The tool has settled: may its result stand? Answered by `Input::Finalized`.
    AfterTool {
        /// Which call of the batch.
        call: usize,
        /// The call, with raw arguments.
        tool_call: Arc<ToolCall>,
        /// What the tool gave, or the error result made of what it threw.
        output: Arc<ToolOutput>,
        /// Whether it failed.
        is_error: bool,
    },
    /// Take what steering has queued. Answered by `Input::Steering`.
    PollSteering,
    /// Take what was kept for the end of the run. Answered by `Input::FollowUps`.
    PollFollowUps,
    /// Another turn will begin: change what it works with. Answered by `Input::NextTurn`.
    PrepareNextTurn(Turn),
    /// A request is about to be made: change what it works with. Answered by `Input::Request`.
    PrepareRequest {
        /// The context so far.
        history: History,
        /// The model that would be asked.
        model: Arc<ModelInfo>,
        /// The reasoning level; `None` is off.
        reasoning: Option<String>,
    },
    /// Change what this one request sends, and nothing that is kept. Answered by `Input::Context`.
    TransformContext {
        /// The context that would be sent.
        history: History,
    },
    /// A turn has all its results: does the run go on? Answered by `Input::FinishTurn`.
    FinishTurn(Turn),
}

/// A turn that has all its results, as hooks see it. Snapshots: cheap to clone.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The assistant message.
    pub message: SharedMessage,
    /// The tool results, in source order.
    pub tool_results: Arc<[SharedMessage]>,
    /// The whole context.
    pub history: History,
    /// What this run has made so far, prompts included.
    pub new_messages: History,
}

/// Whom an event is about. For a host that keeps messages, calls and results as objects of its own and has to find the
/// one that belongs to the event: ids are the model's and may repeat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// The run or one of its turns; also for an output that is no event.
    #[default]
    Run,
    /// A message that came in with an input or with the configuration, an [`Input::Answer`](super::Input::Answer) too.
    Given,
    /// A response that the run folds from a stream: its start, its updates, its end.
    Response,
    /// A system message that the run has made, or corrected, to declare a change of tools.
    Declaration,
    /// The execution of this call of the batch, or its tool result.
    Call {
        /// Which call of the batch.
        call: usize,
        /// The result is an error that the run has made, because the tool did not run to its own end. Its text is in
        /// the event. What a tool or an after hook has thrown is not meant: the host knows it.
        is_refused: bool,
    },
    /// The message that closes a run whose host has failed.
    Failure,
}

impl Output {
    /// A name for it: an event's `type`, or the question in the same spelling.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Emit(event) => event.kind(),
            Self::Trace(_) => "trace",
            Self::CallModel(_) => "call_model",
            Self::Prepare { .. } => "prepare",
            Self::BeforeTool { .. } => "before_tool",
            Self::Execute { .. } => "execute",
            Self::AfterTool { .. } => "after_tool",
            Self::PollSteering => "poll_steering",
            Self::PollFollowUps => "poll_follow_ups",
            Self::PrepareNextTurn(_) => "prepare_next_turn",
            Self::PrepareRequest { .. } => "prepare_request",
            Self::TransformContext { .. } => "transform_context",
            Self::FinishTurn(_) => "finish_turn",
        }
    }
}
