//! [`Host`]: the world of a run, one method an output. [`drive`](crate::drive::drive) calls them.

use futures_core::future::LocalBoxFuture;
use serde_json::Value;

use crate::event::{CallTrace, Event};
use crate::history::History;
use crate::message::{SharedMessage, ToolCall};
use crate::model::{ModelInfo, ModelRequest, ModelStream};
use crate::run::{AfterTool, BeforeTool, Changes, FinishTurn, Input, NextTurn, Now, Output, PrepareError, Turn};
use crate::tool::{Invocation, ToolError, ToolOutput};

/// An answer that is here, or one that will be. What is here costs no trip through the executor.
pub enum Answer<T> {
    /// Here.
    Now(T),
    /// Will be. Dropped, unfinished, when an aborted run stops waiting for it.
    Later(LocalBoxFuture<'static, T>),
}

impl<T> std::fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Now(_) => "Now",
            Self::Later(_) => "Later",
        })
    }
}

/// The host itself failed, outside any call: the run closes with this text as its error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HostError(pub String);

/// A run that is held, until the future is ready. An input is the answer to what is held, in place of the host's.
pub type Held = LocalBoxFuture<'static, Option<Input>>;

/// The answer of a host that may fail.
pub type Reply<T> = Answer<Result<T, HostError>>;

/// A reply that is here and good.
pub fn ready<T>(value: T) -> Reply<T> {
    Answer::Now(Ok(value))
}

/// The world of a run. Methods are called one at a time, in the order of the run's outputs; their futures run together.
///
/// Only a tool's execution, a Later answer and the model stream are waited for; everything else is done when the method
/// returns. `call` is the index of the call in its batch and tells two calls with one id apart.
pub trait Host {
    /// The time. Asked once for each input.
    fn now(&mut self) -> Now;

    /// Something happened. The run goes on once the answer is there, so a listener that is slow holds the run, not the
    /// stream's buffer. It is waited for even after an abort: what must be told is told.
    fn emit(&mut self, event: Event) -> Reply<()>;

    /// A call reached a state.
    fn trace(&mut self, trace: CallTrace) {
        let _ = trace;
    }

    /// Starts one response. The stream keeps what arrives while nobody polls it.
    fn call_model(&mut self, request: ModelRequest) -> Result<ModelStream, HostError>;

    /// Shim and validation of a call of a tool that exists.
    fn prepare(&mut self, call: usize, tool_call: &ToolCall) -> Answer<Result<Value, PrepareError>>;

    /// May the call run? An error becomes its error result.
    fn before_tool(
        &mut self,
        call: usize,
        tool_call: &ToolCall,
        arguments: Value,
    ) -> Answer<Result<BeforeTool, ToolError>> {
        let _ = (call, tool_call);
        Answer::Now(Ok(BeforeTool::Allow(arguments)))
    }

    /// Runs the tool. The future is polled only after this returns, and dropped when an aborted run stops waiting.
    fn execute(
        &mut self,
        call: usize,
        tool_call: &ToolCall,
        invocation: Invocation,
    ) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>>;

    /// May the result stand? An error replaces it.
    fn after_tool(
        &mut self,
        call: usize,
        tool_call: &ToolCall,
        output: &ToolOutput,
        is_error: bool,
    ) -> Answer<Result<AfterTool, ToolError>> {
        let _ = (call, tool_call, output, is_error);
        Answer::Now(Ok(AfterTool::default()))
    }

    /// Takes the messages that steering put in.
    fn steering(&mut self) -> Reply<Vec<SharedMessage>> {
        ready(Vec::new())
    }

    /// Takes the messages kept for the end of the run.
    fn follow_ups(&mut self) -> Reply<Vec<SharedMessage>> {
        ready(Vec::new())
    }

    /// Changes what the next turn works with.
    fn prepare_next_turn(&mut self, turn: &Turn) -> Reply<NextTurn> {
        let _ = turn;
        ready(NextTurn::default())
    }

    /// Changes what this and later requests work with.
    fn prepare_request(&mut self, history: &History, model: &ModelInfo, reasoning: Option<&str>) -> Reply<Changes> {
        let _ = (history, model, reasoning);
        ready(Changes::default())
    }

    /// Changes what this one request sends.
    fn transform_context(&mut self, history: &History) -> Reply<Option<History>> {
        let _ = history;
        ready(None)
    }

    /// Whether the run goes on after this turn.
    fn finish_turn(&mut self, turn: &Turn) -> Reply<FinishTurn> {
        let _ = turn;
        ready(FinishTurn::Default)
    }

    /// Holds an output back until the future is ready; then it is acted on, or its answer goes in and it is not. Nothing
    /// is polled meanwhile, and the time is not counted in a tool's `durationMs`. An abort lets go of it, and of all that
    /// follow.
    fn gate(&mut self, output: &Output) -> Option<Held> {
        let _ = output;
        None
    }

    /// Holds an answer back that has come, in the same way: then it goes in, or what is given in its place. Asked for each
    /// piece of a response too.
    fn gate_answer(&mut self, input: &Input) -> Option<Held> {
        let _ = input;
        None
    }

    /// After an abort: ready when the run should wait no longer for what has not settled. Asked anew for each wait that
    /// was cut short. The default never is, which is pi's rule: stopping is the tool's own business.
    fn grace(&mut self) -> LocalBoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}
