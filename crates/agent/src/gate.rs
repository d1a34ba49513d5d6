//! [`Gate`]: where a run waits for a person. Pause, step, breakpoints; and answers put in place of the host's.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::host::Held;
use crate::run::{Input, Output};

mod answer;
mod breakpoint;
pub mod glob;

pub use breakpoint::Breakpoint;

pub(crate) use answer::Question;
use breakpoint::{Breakpoints, Subject};

/// What a paused run is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PausedAt {
    /// The output's name: an event's type, or a question such as `call_model`.
    pub output: String,
    /// The tool, where it is about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The call's id, where it is about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// It has been done, and its answer is about to go in.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub answer: bool,
}

/// The input does not answer what the run is held at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run is not held at what this answers")]
pub struct NoSuchQuestion;

/// The debugger's state. Clones share it: a command handler resumes while `drive` waits.
#[derive(Clone, Debug, Default)]
pub struct Gate(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    until: Until,
    paused: Option<PausedAt>,
    /// What the run is held at wants an answer: which.
    question: Option<Question>,
    /// The answer that has come, where that is what is held.
    answer: Option<Input>,
    /// What goes in instead.
    replacement: Option<Input>,
    /// Hold when the answer to this has come.
    awaited: Option<(Question, PausedAt)>,
    /// Counts holds, so that a dropped one does not undo a later one.
    hold: u64,
    waker: Option<Waker>,
    breakpoints: Breakpoints,
}

/// How far the run may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Until {
    /// To the end.
    #[default]
    End,
    /// To the next output.
    Output,
    /// To the next event that is not an update.
    Event,
    /// To the next turn.
    Turn,
}

impl Gate {
    /// A gate that lets everything through.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds the run before its next output.
    pub fn pause(&self) {
        self.0.borrow_mut().until = Until::Output;
    }

    /// Lets a paused run go on, to its next breakpoint.
    pub fn resume(&self) {
        self.go(Until::End);
    }

    /// Lets the run go on, and holds it before the next event that is not a `message_update`.
    pub fn step(&self) {
        self.go(Until::Event);
    }

    /// Lets the run go on, and holds it before the next turn, or before its end.
    pub fn step_turn(&self) {
        self.go(Until::Turn);
    }

    /// Lets a run that is held at a question go on, and holds it again when the answer has come, before it goes in. A
    /// response comes in pieces: from there this leads to the next. Without a question it is [`resume`](Self::resume).
    pub fn step_to_answer(&self) {
        {
            let mut state = self.0.borrow_mut();
            state.awaited = state.question.zip(state.paused.clone());
        }
        self.go(Until::End);
    }

    /// The answer that the run is held at, as it has come or as it was replaced.
    pub fn answer(&self) -> Option<Input> {
        let state = self.0.borrow();
        state.replacement.clone().or_else(|| state.answer.clone())
    }

    /// Puts an answer in place of the host's. The run stays held; when it goes on, this goes in.
    ///
    /// Held at a question, the question is never asked: no request is made, no tool runs, no queue is emptied. A whole
    /// response is `Input::Answer`. Held at an answer, it goes in instead. The last replacement counts; an abort drops it.
    pub fn replace(&self, input: Input) -> Result<(), NoSuchQuestion> {
        let mut state = self.0.borrow_mut();
        if !state.question.is_some_and(|question| question.takes(&input)) {
            return Err(NoSuchQuestion);
        }
        state.replacement = Some(input);
        Ok(())
    }

    /// Replaces all breakpoints; their counts begin anew.
    pub fn set_breakpoints(&self, breakpoints: Vec<Breakpoint>) {
        self.0.borrow_mut().breakpoints.set(breakpoints);
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> Vec<Breakpoint> {
        self.0.borrow().breakpoints.list()
    }

    /// What the run is held before; `None` when it goes.
    pub fn paused_at(&self) -> Option<PausedAt> {
        self.0.borrow().paused.clone()
    }

    /// Whether this output is held, and until when. Ask once for each output, in order: breakpoints count.
    ///
    /// Dropping the future lets go, as an abort does.
    pub fn check(&self, output: &Output) -> Option<Held> {
        let mut state = self.0.borrow_mut();
        if matches!(output, Output::Emit(Event::AgentStart)) {
            // What another run was waited for is nothing of this one.
            state.awaited = None;
        }
        if state.until == Until::End && state.breakpoints.is_empty() {
            return None;
        }
        if !state.holds(output) {
            return None;
        }
        Some(self.hold(&mut state, paused_at(output), Question::of(output), None))
    }

    /// Whether this answer is held before it goes in. Ask for each that has come.
    pub fn check_answer(&self, input: &Input) -> Option<Held> {
        let mut state = self.0.borrow_mut();
        let (question, at) = state.awaited.take_if(|(question, _)| question.takes(input))?;
        Some(self.hold(&mut state, PausedAt { answer: true, ..at }, Some(question), Some(input.clone())))
    }

    fn hold(&self, state: &mut State, at: PausedAt, question: Option<Question>, answer: Option<Input>) -> Held {
        state.until = Until::End;
        state.hold += 1;
        state.paused = Some(at);
        state.question = question;
        state.answer = answer;
        state.replacement = None;
        Box::pin(Hold { gate: self.clone(), hold: state.hold })
    }

    fn go(&self, until: Until) {
        let waker = {
            let mut state = self.0.borrow_mut();
            state.until = until;
            state.paused = None;
            state.question = None;
            state.answer = None;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl State {
    fn holds(&mut self, output: &Output) -> bool {
        let event = match output {
            Output::Trace(_) => return false,
            Output::Emit(event) => Some(event),
            _ => None,
        };
        let reached = match (self.until, event) {
            (Until::End, _) | (Until::Event | Until::Turn, None) => false,
            (Until::Output, _) => true,
            (Until::Event, Some(event)) => !matches!(event, Event::MessageUpdate { .. }),
            (Until::Turn, Some(event)) => matches!(event, Event::TurnStart | Event::AgentEnd { .. }),
        };
        // Every breakpoint looks at every output, also when another holds already: its count must be right.
        self.breakpoints.hit(output) | reached
    }
}

fn paused_at(output: &Output) -> PausedAt {
    let subject = Subject::of(output);
    let (tool, call_id) = (subject.tool.map(str::to_owned), subject.call_id.map(str::to_owned));
    PausedAt { output: output.kind().to_owned(), tool, call_id, answer: false }
}

/// One hold: ready when someone lets the run go on.
struct Hold {
    gate: Gate,
    hold: u64,
}

impl Future for Hold {
    type Output = Option<Input>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Input>> {
        let mut state = self.gate.0.borrow_mut();
        if state.hold != self.hold {
            return Poll::Ready(None);
        }
        if state.paused.is_none() {
            return Poll::Ready(state.replacement.take());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = self.gate.0.borrow_mut();
        if state.hold == self.hold {
            state.paused = None;
            state.question = None;
            state.answer = None;
            state.replacement = None;
            state.waker = None;
        }
    }
}
