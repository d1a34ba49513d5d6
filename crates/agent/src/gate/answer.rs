//! [`Question`]: which input answers which output.

use crate::run::{Input, Output};

/// An output that wants an answer; of a call, which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    CallModel,
    Prepare(usize),
    BeforeTool(usize),
    Execute(usize),
    AfterTool(usize),
    PollSteering,
    PollFollowUps,
    PrepareNextTurn,
    PrepareRequest,
    TransformContext,
    FinishTurn,
}

impl Question {
    pub(crate) fn of(output: &Output) -> Option<Self> {
        Some(match output {
            Output::Emit(_) | Output::Trace(_) => return None,
            Output::CallModel(_) => Self::CallModel,
            Output::Prepare { call, .. } => Self::Prepare(*call),
            Output::BeforeTool { call, .. } => Self::BeforeTool(*call),
            Output::Execute { call, .. } => Self::Execute(*call),
            Output::AfterTool { call, .. } => Self::AfterTool(*call),
            Output::PollSteering => Self::PollSteering,
            Output::PollFollowUps => Self::PollFollowUps,
            Output::PrepareNextTurn(_) => Self::PrepareNextTurn,
            Output::PrepareRequest { .. } => Self::PrepareRequest,
            Output::TransformContext { .. } => Self::TransformContext,
            Output::FinishTurn(_) => Self::FinishTurn,
        })
    }

    /// Whether an input is an answer to it. An update answers nothing: the tool still runs.
    pub(crate) fn takes(self, input: &Input) -> bool {
        let answers = match input {
            Input::Model(_) | Input::Answer(_) | Input::ModelClosed => Self::CallModel,
            Input::Prepared { call, .. } => Self::Prepare(*call),
            Input::Admission { call, .. } => Self::BeforeTool(*call),
            Input::Executed { call, .. } => Self::Execute(*call),
            Input::Finalized { call, .. } => Self::AfterTool(*call),
            Input::Steering(_) => Self::PollSteering,
            Input::FollowUps(_) => Self::PollFollowUps,
            Input::NextTurn(_) => Self::PrepareNextTurn,
            Input::Request(_) => Self::PrepareRequest,
            Input::Context(_) => Self::TransformContext,
            Input::FinishTurn(_) => Self::FinishTurn,
            Input::Update { .. } | Input::Abort | Input::GraceOver | Input::Fail(_) => return false,
        };
        self == answers
    }
}
