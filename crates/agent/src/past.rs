//! [`Past`]: what went into a run, in memory, so that it can be brought back to any of its events and go on from there.
//!
//! The inputs are the run. Given to a fresh one at the places where they came, they bring it to where the first one was, and
//! nothing of the world is asked meanwhile: no request, no tool. What the run was waiting for there is asked anew, but for a
//! response that had begun to arrive, the rest of which arrives as it did.

use std::collections::VecDeque;

use crate::gate::Question;
use crate::model::ModelEvent;
use crate::run::{Input, Now, Output, Run, RunConfig, StartError};
use crate::signal::AbortSignal;

/// Inputs that are kept of one run. What came in later is not, and the run cannot be brought back to there.
pub const MAX_INPUTS: usize = 500_000;

/// What went into a run so far. Costs the inputs, whose messages are shared with the run.
#[derive(Clone, Debug)]
pub struct Past {
    config: RunConfig,
    now: Now,
    inputs: VecDeque<(u64, Input, Now)>,
    /// There were more.
    is_cut: bool,
}

/// Why a run cannot be brought back.
#[derive(Debug, thiserror::Error)]
pub enum PastError {
    /// The configuration is one that no run starts from.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The run told fewer events.
    #[error("the run told {0} events")]
    NoSuchEvent(usize),
    /// It was told after more inputs than are kept.
    #[error("only the first {MAX_INPUTS} inputs of the run are kept")]
    NotKept,
    /// The inputs do not fit the run: they are of another one.
    #[error("what was kept of the run does not lead there")]
    OutOfStep,
}

/// A run that stands just before one of its events.
#[derive(Debug)]
pub struct Returned {
    /// The run.
    pub run: Run,
    /// Where it stands.
    pub standing: Standing,
    /// What went in until here: what goes in from here on is added to it.
    pub past: Past,
}

/// Where a run that was brought back stands.
#[derive(Debug)]
pub struct Standing {
    /// What it had asked for and not been answered, in order: to be asked anew.
    pub open: Vec<Output>,
    /// The rest of a response that had begun, as it arrived.
    pub rest: Option<Vec<Vec<ModelEvent>>>,
    /// The event, which has not been told.
    pub next: Output,
}

impl Past {
    /// Of a run that [`Run::new`] makes of the same two. The signal is none of it.
    pub fn new(config: RunConfig, now: Now) -> Self {
        Self { config, now, inputs: VecDeque::new(), is_cut: false }
    }

    /// Keeps an input. Call it before the run [handles](Run::handle) the same.
    pub fn note(&mut self, run: &Run, input: &Input, now: Now) {
        self.is_cut |= self.inputs.len() >= MAX_INPUTS;
        if !self.is_cut {
            self.inputs.push_back((run.position(), input.clone(), now));
        }
    }

    /// The run just before its event of this number, from 0.
    pub fn return_to(&self, event: usize, signal: AbortSignal) -> Result<Returned, PastError> {
        let config = RunConfig { signal, ..self.config.clone() };
        let mut past = Self::new(config.clone(), self.now);
        let mut run = Run::new(config, self.now)?;
        let mut left = self.inputs.clone();
        let mut open: Vec<(Question, Output)> = Vec::new();
        let mut is_streaming = false;
        let mut n_events = 0;
        loop {
            while let Some((position, input, now)) = left.pop_front_if(|(position, ..)| *position == run.position()) {
                match &input {
                    Input::Model(events) => {
                        let is_over = end_response(events);
                        is_streaming = !is_over;
                        if is_over {
                            open.retain(|(question, _)| *question != Question::CallModel);
                        }
                    }
                    // The world's answer to an abort is none of the questions'.
                    Input::Abort => run.signal().abort(),
                    answer => {
                        is_streaming &= !Question::CallModel.takes(answer);
                        open.retain(|(question, _)| !question.takes(answer));
                    }
                }
                past.inputs.push_back((position, input.clone(), now));
                run.handle(input, now);
            }
            let reached = run.position();
            match run.poll_output() {
                Some(Output::Trace(_)) => {}
                Some(Output::Emit(next)) if n_events == event => {
                    let rest = is_streaming.then(|| rest_of_response(&left));
                    if is_streaming {
                        open.retain(|(question, _)| *question != Question::CallModel);
                    }
                    let open = open.into_iter().map(|(_, output)| output).collect();
                    return Ok(Returned { run, standing: Standing { open, rest, next: Output::Emit(next) }, past });
                }
                Some(Output::Emit(_)) => n_events += 1,
                Some(question) => {
                    if let Some(kind) = Question::of(&question) {
                        open.push((kind, question));
                    }
                }
                None if run.is_done() => return Err(PastError::NoSuchEvent(n_events)),
                // It says now that it waits, and that is another place.
                None if run.position() != reached => {}
                None if left.is_empty() && self.is_cut => return Err(PastError::NotKept),
                None if left.is_empty() => return Err(PastError::NoSuchEvent(n_events)),
                None => return Err(PastError::OutOfStep),
            }
        }
    }

    /// How many inputs.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Whether nothing went in.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }
}

/// Whether a response is whole with these, or has failed.
fn end_response(events: &[ModelEvent]) -> bool {
    events.iter().any(|event| matches!(event, ModelEvent::Done { .. } | ModelEvent::Error { .. }))
}

/// The batches of events that came until the response was whole, or cut off.
fn rest_of_response(left: &VecDeque<(u64, Input, Now)>) -> Vec<Vec<ModelEvent>> {
    let mut rest = Vec::new();
    for (_, input, _) in left {
        match input {
            Input::Model(events) => {
                rest.push(events.clone());
                if end_response(events) {
                    break;
                }
            }
            Input::ModelClosed | Input::Answer(_) | Input::Fail(_) | Input::GraceOver => break,
            _ => {}
        }
    }
    rest
}
