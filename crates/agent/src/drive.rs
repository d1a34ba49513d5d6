//! [`drive`]: joins a run to its host. The only asynchronous code of the loop.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures_core::future::LocalBoxFuture;
use futures_util::FutureExt as _;

use crate::host::{Held, Host, HostError};
use crate::past::{Past, Standing};
use crate::record::Recorder;
use crate::run::{AfterTool, BeforeTool, Input, Now, Output, Run};

mod flight;

use flight::{Acted, Flight};

/// Runs to the end: acts on every output in order, then waits for what is in flight, until the run is done.
///
/// An abort is noticed between any two outputs and while waiting. Dropping the future leaves the run where it is, with
/// what was in flight lost.
pub async fn drive(run: &mut Run, host: &mut impl Host) {
    drive_unrecorded(run, host).await;
}

/// Knows no type of its caller's and is no part of its caller's future, and so is compiled here once, with this crate's
/// care for speed: what is put into a function that is compiled for size is compiled for size.
#[inline(never)]
fn drive_unrecorded<'a>(run: &'a mut Run, host: &'a mut dyn Host) -> LocalBoxFuture<'a, ()> {
    drive_to_end(run, host, |_: &Run, _: &Input, _| ()).boxed_local()
}

/// [`drive`], with everything that goes into the run written down before it does. The recorder must have been made with
/// the run.
pub async fn drive_recorded(run: &mut Run, host: &mut impl Host, recorder: &mut Recorder) {
    drive_to_end(run, host, |run: &Run, input: &Input, now| recorder.record(run, input, now)).await;
}

/// [`drive`], with everything that goes into the run kept before it does. The past must have been made with the run.
pub async fn drive_kept(run: &mut Run, host: &mut impl Host, past: &RefCell<Past>) {
    drive_to_end(run, host, |run: &Run, input: &Input, now| past.borrow_mut().note(run, input, now)).await;
}

/// Goes on with a run that was brought back: what it had asked for is asked anew, and the event it stands at is told, through the
/// host's gate, before anything else comes of it. `past` is what brought it there.
pub async fn drive_returned(run: &mut Run, standing: Standing, host: &mut impl Host, past: &RefCell<Past>) {
    let Standing { open, rest, next } = standing;
    let now = host.now();
    let mut flight = Flight::new(run.signal().clone());
    if let Some(rest) = rest {
        flight.resume_stream(rest);
    }
    let told = |run: &Run, input: &Input, now| past.borrow_mut().note(run, input, now);
    Driver { run, host, flight, told, now, open: open.into(), next: Some(next) }.run_to_end().await;
}

async fn drive_to_end(run: &mut Run, host: &mut dyn Host, told: impl FnMut(&Run, &Input, Now)) {
    let now = host.now();
    let flight = Flight::new(run.signal().clone());
    Driver { run, host, flight, told, now, open: VecDeque::new(), next: None }.run_to_end().await;
}

/// A run, its host, what is between them, and who is told of what goes in. A type of its own for each of those, so that a
/// program that records nothing has no code for it.
struct Driver<'a, F> {
    run: &'a mut Run,
    host: &'a mut dyn Host,
    flight: Flight,
    told: F,
    /// The time of the last input.
    now: Now,
    /// Of a run that was brought back: what it had asked for. It went through the gate when it did.
    open: VecDeque<Output>,
    /// And the event that comes next.
    next: Option<Output>,
}

/// What has to be waited for.
enum Pause {
    /// Nothing: the run is over.
    Over,
    /// The next thing that happens.
    Quiet,
    /// Everyone who is being told.
    Telling(LocalBoxFuture<'static, Result<(), HostError>>),
    /// Whoever holds this output back.
    Output(Box<Output>, Held),
    /// Whoever holds this answer back.
    Answer(Box<Input>, Held),
}

impl<F: FnMut(&Run, &Input, Now)> Driver<'_, F> {
    async fn run_to_end(mut self) {
        let mut pause = self.go();
        loop {
            let next = match pause {
                Pause::Over => return,
                Pause::Quiet => {
                    let (input, came) = self.flight.next(self.run, self.host).await;
                    match (self.flight.gate(&input, self.host), came) {
                        (Some(gate), _) => Some(Pause::Answer(Box::new(input), gate)),
                        (None, Some(now)) => self.take_at(now, input),
                        (None, None) => self.take(input),
                    }
                }
                Pause::Telling(told) => match told.await {
                    Ok(()) => None,
                    Err(HostError(message)) => self.take(Input::Fail(message)),
                },
                Pause::Output(output, gate) => match self.flight.hold(gate, self.host).await {
                    Some(answer) => {
                        if matches!(*output, Output::CallModel(_)) {
                            // What is left of the last response is no part of this one.
                            self.flight.drop_stream();
                        }
                        self.take(answer)
                    }
                    None => self.act(*output),
                },
                Pause::Answer(answer, gate) => {
                    let replacement = self.flight.hold(gate, self.host).await;
                    self.take(replacement.unwrap_or(*answer))
                }
            };
            pause = next.unwrap_or_else(|| self.go());
        }
    }

    /// Goes on for as long as there are outputs and the answers to them. No part of it waits, so that none of what it
    /// moves about has to be kept in a future.
    fn go(&mut self) -> Pause {
        loop {
            let is_aborted = self.flight.is_aborted();
            if is_aborted && !self.run.is_aborted() {
                self.take(Input::Abort);
            }
            if let Some(asked) = self.open.pop_front() {
                if let Some(pause) = self.act(asked) {
                    return pause;
                }
                continue;
            }
            let Some(output) = self.next.take().or_else(|| self.run.poll_output()) else {
                return if self.run.is_done() { Pause::Over } else { Pause::Quiet };
            };
            if !is_aborted && let Some(gate) = self.host.gate(&output) {
                return Pause::Output(Box::new(output), gate);
            }
            if let Some(pause) = self.act(output) {
                return pause;
            }
        }
    }

    fn act(&mut self, output: Output) -> Option<Pause> {
        match self.flight.act(output, self.host) {
            Acted::Done => None,
            Acted::Telling(told) => Some(Pause::Telling(told)),
            Acted::Failed(HostError(message)) => self.take(Input::Fail(message)),
            Acted::Answered(input) => match self.flight.gate(&input, self.host) {
                Some(gate) => Some(Pause::Answer(Box::new(input), gate)),
                None if is_idle(&input) => self.take_at(self.now, input),
                None => self.take(input),
            },
        }
    }

    fn take(&mut self, input: Input) -> Option<Pause> {
        let now = self.host.now();
        self.take_at(now, input)
    }

    /// The one way into the run. There is nothing to wait for then.
    fn take_at(&mut self, now: Now, input: Input) -> Option<Pause> {
        self.now = now;
        (self.told)(self.run, &input, now);
        self.run.handle(input, now);
        None
    }
}

/// Whether it answers a question of the loop, at once, with nothing to say: no time has passed, and a clock is a call out
/// of the module.
fn is_idle(input: &Input) -> bool {
    match input {
        Input::Steering(messages) | Input::FollowUps(messages) => messages.is_empty(),
        Input::Context(history) => history.is_none(),
        Input::Request(_) | Input::FinishTurn(_) | Input::Admission { result: Ok(BeforeTool::Allow(_)), .. } => true,
        Input::Finalized { result, .. } => result.as_ref().is_ok_and(AfterTool::is_empty),
        Input::NextTurn(next) => next.messages.is_empty(),
        Input::Model(_)
        | Input::Answer(_)
        | Input::ModelClosed
        | Input::Prepared { .. }
        | Input::Admission { .. }
        | Input::Update { .. }
        | Input::Executed { .. }
        | Input::Abort
        | Input::GraceOver
        | Input::Fail(_) => false,
    }
}
