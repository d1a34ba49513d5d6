//! [`Run`]: the loop, from a prompt to idle, as a machine that takes inputs and gives outputs.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::history::History;
use crate::message::{Message, SharedMessage};
use crate::model::ModelInfo;
use crate::replay::ToolSet;
use crate::signal::AbortSignal;
use crate::tool::{ExecutionMode, ToolSpec};

mod batch;
mod call_run;
mod declare;
mod input;
mod outbox;
mod output;
mod response;
mod turns;

pub use call_run::{CallOutcome, CallRun};
pub use input::{AfterTool, BeforeTool, Changes, FinishTurn, Input, NextTurn, Now, PrepareError};
pub use output::{About, Output, Turn};

use batch::Batch;
use outbox::Outbox;
use response::Response;

/// What a run starts with.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// With new messages, or from the history as it is.
    pub start: Start,
    /// The context before the run. The run appends to it; a handle that is at the end is not copied.
    pub history: History,
    /// The model to ask.
    pub model: ModelInfo,
    /// The reasoning level; `None` is off.
    pub reasoning: Option<String>,
    /// The tools that can be called. What the history declares is brought in line with them before each request.
    pub tools: Vec<RunTool>,
    /// Whether calls of one response may run together. One sequential tool among them is enough to forbid it.
    pub execution: ExecutionMode,
    /// Handed on to the model; the run itself learns of an abort by [`Input::Abort`].
    pub signal: AbortSignal,
}

/// What a message says of the reasoning that was asked for.
fn level(reasoning: Option<&str>) -> Arc<str> {
    reasoning.unwrap_or("off").into()
}

/// How a run starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Start {
    /// With these messages, in order.
    Prompts(Vec<SharedMessage>),
    /// From the history as it is, which must end with something for the model to answer.
    Continue,
}

/// A tool as the loop sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunTool {
    /// What the model is told.
    pub spec: ToolSpec,
    /// Whether its calls may run beside others.
    pub execution: ExecutionMode,
}

/// Why a run cannot start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// There is nothing to continue.
    #[error("Cannot continue: no messages in context")]
    NoMessages,
    /// The model has had its word.
    #[error("Cannot continue from message role: assistant")]
    AssistantLast,
}

/// One run of the loop: prompt to idle.
///
/// # Contract
/// Call [`poll_output`](Self::poll_output) until it gives `None` and act on each output in order; then wait for something
/// to happen, [`handle`](Self::handle) it, and begin again, until [`is_done`](Self::is_done). Every output that asks has
/// one input that answers it. The run decides late: nothing after an output is settled before that output has been taken,
/// so an abort between two outputs counts from there on.
///
/// The run never waits, reads no clock and makes no id. The same inputs give the same outputs. It cannot panic or loop
/// for ever, whatever the model or a tool sends.
///
/// ```
/// use vitrine_agent::history::History;
/// use vitrine_agent::message::{Message, SharedMessage, StopReason};
/// use vitrine_agent::model::{ModelEvent, ModelInfo};
/// use vitrine_agent::run::{Input, Now, Output, Run, RunConfig, Start};
///
/// let mut run = Run::new(
///     RunConfig {
///         start: Start::Prompts(vec![SharedMessage::new(Message::user("hello", 0))]),
///         history: History::new(),
///         model: ModelInfo::default(),
///         reasoning: None,
///         tools: Vec::new(),
///         execution: Default::default(),
///         signal: Default::default(),
///     },
///     Now::default(),
/// )?;
/// let mut kinds = Vec::new();
/// while let Some(output) = run.poll_output() {
///     let answer = match output {
///         Output::Emit(event) => {
///             kinds.push(event.kind());
///             continue;
///         }
///         Output::PollSteering => Input::Steering(Vec::new()),
///         Output::PollFollowUps => Input::FollowUps(Vec::new()),
///         Output::PrepareRequest { .. } => Input::Request(Default::default()),
///         Output::TransformContext { .. } => Input::Context(None),
///         Output::CallModel(_) => Input::Model(vec![ModelEvent::Start, ModelEvent::Done { reason: StopReason::Stop }]),
///         Output::FinishTurn(_) => Input::FinishTurn(Default::default()),
///         _ => continue,
///     };
///     run.handle(answer, Now::default());
/// }
/// assert!(run.is_done());
/// assert_eq!(kinds.join(" "), "agent_start turn_start message_start message_end message_start message_end turn_end agent_end");
/// # Ok::<(), vitrine_agent::run::StartError>(())
/// ```
#[derive(Debug)]
pub struct Run {
    history: History,
    new_messages: History,
    tools: Vec<RunTool>,
    /// What the history declares; kept in step with it, message by message.
    declared: ToolSet,
    /// What is declared has been compared with the tools, and neither has changed since.
    is_declared: bool,
    model: Arc<ModelInfo>,
    /// The model that the run was started with: a message about a failure of the host is not any later one's.
    first_model: Arc<ModelInfo>,
    reasoning: Option<String>,
    /// The level, as messages bear it.
    level: Arc<str>,
    execution: ExecutionMode,
    signal: AbortSignal,
    now: Now,
    aborted: bool,
    phase: Phase,
    outbox: Outbox,
    /// Messages that go into the history before the next request.
    pending: VecDeque<SharedMessage>,
    /// The one of them that the run has made itself.
    declaration: Option<SharedMessage>,
    /// Whom the output that was taken last is about.
    about: About,
    n_outputs: u64,
    /// The last thing it said was that there is nothing to do.
    is_waiting: bool,
    /// What this one request sends in place of the history.
    sent: Option<History>,
    turn: Option<Turn>,
    /// The last turn's calls want an answer from the model.
    more: bool,
    /// A hook wants one more request.
    explicit: bool,
    /// The last response failed or was aborted: the run ends with this turn.
    ending: bool,
}

/// What the run does next, or what it waits for.
#[derive(Debug)]
enum Phase {
    Opening,
    Declare(Then),
    Inject(Then),
    PollSteering(Poll),
    Steering(Poll),
    AskNextTurn,
    NextTurn,
    TurnStart,
    AskRequest,
    Request,
    AskContext,
    Context,
    CallModel,
    Streaming(Box<Response>),
    Answered(SharedMessage),
    /// The calls of this message.
    Batch(SharedMessage, Batch),
    AskFinish,
    Finish,
    TurnEnd,
    PollFollowUps,
    FollowUps,
    Closing,
    Failed,
    Done,
}

/// What follows the messages that go in.
#[derive(Clone, Copy, Debug)]
enum Then {
    FirstPoll,
    Request,
}

/// When steering is polled.
#[derive(Clone, Copy, Debug)]
enum Poll {
    AtStart,
    AfterTurn,
    /// Once more after the hook of the next turn, when there was nothing before it.
    BeforeTurn,
}

impl Run {
    /// A run that has not begun. Fails only for `Start::Continue` from a history that the model has nothing to answer to.
    pub fn new(config: RunConfig, now: Now) -> Result<Self, StartError> {
        let RunConfig { start, history, model, reasoning, tools, execution, signal } = config;
        let model = Arc::new(model);
        let declared = ToolSet::of(&history.messages());
        let pending = match start {
            Start::Prompts(prompts) => prompts.into(),
            Start::Continue => match history.last().as_deref() {
                None => return Err(StartError::NoMessages),
                Some(Message::Assistant(_)) => return Err(StartError::AssistantLast),
                Some(_) => VecDeque::new(),
            },
        };
        Ok(Self {
            history,
            new_messages: History::new(),
            tools,
            declared,
            is_declared: false,
            first_model: model.clone(),
            model,
            level: level(reasoning.as_deref()),
            reasoning,
            execution,
            signal,
            now,
            aborted: false,
            phase: Phase::Opening,
            outbox: Outbox::new(now),
            pending,
            declaration: None,
            about: About::Run,
            n_outputs: 0,
            is_waiting: false,
            sent: None,
            turn: None,
            more: false,
            explicit: false,
            ending: false,
        })
    }

    /// The same run without `Output::Trace`, for a host that shows none.
    pub fn without_traces(mut self) -> Self {
        self.outbox.is_untraced = true;
        self
    }

    /// Whether it gives `Output::Trace`.
    pub fn is_traced(&self) -> bool {
        !self.outbox.is_untraced
    }

    /// The next output, or `None` when only an input can bring the run on.
    pub fn poll_output(&mut self) -> Option<Output> {
        loop {
            if let Some((output, about)) = self.outbox.pop() {
                self.about = about;
                if let Output::Emit(Event::MessageEnd { message }) = &output {
                    self.remember(message);
                }
                self.n_outputs += 1;
                self.is_waiting = false;
                return Some(output);
            }
            if !self.advance() {
                self.is_waiting = true;
                return None;
            }
        }
    }

    /// How far the run has come: twice the number of its outputs, and one more while it has said that it waits. What goes
    /// in at one position of a run does the same at that position of another run that was given the same.
    pub fn position(&self) -> u64 {
        self.n_outputs * 2 + u64::from(self.is_waiting)
    }

    /// Whom the output that [`poll_output`](Self::poll_output) gave last is about.
    pub fn about(&self) -> About {
        self.about
    }

    /// Takes one input. An answer that nothing waits for is ignored.
    pub fn handle(&mut self, input: Input, now: Now) {
        self.now = now;
        self.outbox.now = now;
        self.is_waiting = false;
        match input {
            Input::Abort => self.aborted = true,
            Input::GraceOver => self.stop_waiting(),
            Input::Fail(message) => self.fail(message),
            answer => self.answer(answer),
        }
    }

    /// Whether the run is over: it has no more outputs and takes no more inputs.
    pub fn is_done(&self) -> bool {
        // The last event goes out in the same step that ends the run, so nothing is left in the outbox.
        matches!(self.phase, Phase::Done)
    }

    /// Whether it listens to the model stream; if not, the stream can be dropped.
    pub fn is_streaming(&self) -> bool {
        matches!(self.phase, Phase::Streaming(_))
    }

    /// The run's signal.
    pub fn signal(&self) -> &AbortSignal {
        &self.signal
    }

    /// Whether it has been told of an abort.
    pub fn is_aborted(&self) -> bool {
        self.aborted
    }

    /// The context, with every message whose `message_end` has been given out.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The messages this run has made, prompts included.
    pub fn new_messages(&self) -> &History {
        &self.new_messages
    }

    fn remember(&mut self, message: &SharedMessage) {
        if let Message::System(system) = &**message {
            self.declared.apply(system);
            self.is_declared = false;
        }
        self.history.push(message.clone());
        self.new_messages.push(message.clone());
    }
}
