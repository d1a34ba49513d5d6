//! [`drive`]: joins a run to its host. The only asynchronous code of the loop.

use crate::host::{Host, HostError};
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

/// Knows no type of its caller's, and so is compiled here once, with this crate's care for speed.
async fn drive_unrecorded(run: &mut Run, host: &mut dyn Host) {
    drive_to_end(run, host, |_: &Run, _: &Input, _| ()).await;
}

/// [`drive`], with everything that goes into the run written down before it does. The recorder must have been made with
/// the run.
pub async fn drive_recorded(run: &mut Run, host: &mut impl Host, recorder: &mut Recorder) {
    drive_to_end(run, host, |run: &Run, input: &Input, now| recorder.record(run, input, now)).await;
}

async fn drive_to_end(run: &mut Run, host: &mut dyn Host, told: impl FnMut(&Run, &Input, Now)) {
    let signal = run.signal().clone();
    let mut intake = Intake { told, now: host.now() };
    let mut flight = Flight::new(signal.clone());
    loop {
        if signal.is_aborted() && !run.is_aborted() {
            intake.take(Input::Abort, run, host);
        }
        if let Some(output) = run.poll_output() {
            let gate = if signal.is_aborted() { None } else { host.gate(&output) };
            let answer = match gate {
                Some(gate) => flight.hold(gate, host).await,
                None => None,
            };
            let acted = match answer {
                Some(answer) => {
                    if matches!(output, Output::CallModel(_)) {
                        // What is left of the last response is no part of this one.
                        flight.drop_stream();
                    }
                    intake.take(answer, run, host);
                    continue;
                }
                None => flight.act(output, host),
            };
            match acted {
                Acted::Done => {}
                Acted::Telling(told) => {
                    if let Err(HostError(message)) = told.await {
                        intake.take(Input::Fail(message), run, host);
                    }
                }
                Acted::Failed(HostError(message)) => intake.take(Input::Fail(message), run, host),
                Acted::Answered(input) => match flight.gate(&input, host) {
                    None if is_idle(&input) => intake.take_at(intake.now, input, run),
                    None => intake.take(input, run, host),
                    Some(gate) => {
                        let replacement = flight.hold(gate, host).await;
                        intake.take(replacement.unwrap_or(input), run, host);
                    }
                },
            }
        } else if run.is_done() {
            return;
        } else {
            let (input, came) = flight.next(run, host).await;
            match (flight.gate(&input, host), came) {
                (Some(gate), _) => {
                    let replacement = flight.hold(gate, host).await;
                    intake.take(replacement.unwrap_or(input), run, host);
                }
                (None, Some(now)) => intake.take_at(now, input, run),
                (None, None) => intake.take(input, run, host),
            }
        }
    }
}

/// The one way into the run, and who is told of what goes in. A type of its own for each, so that a program that records
/// nothing has no code for it.
struct Intake<F> {
    told: F,
    /// The time of the last input.
    now: Now,
}

impl<F: FnMut(&Run, &Input, Now)> Intake<F> {
    fn take(&mut self, input: Input, run: &mut Run, host: &mut dyn Host) {
        self.take_at(host.now(), input, run);
    }

    fn take_at(&mut self, now: Now, input: Input, run: &mut Run) {
        self.now = now;
        (self.told)(run, &input, now);
        run.handle(input, now);
    }
}

/// Whether it answers a question of the loop, at once, with nothing to say: no time has passed, and a clock is a call out
/// of the module.
fn is_idle(input: &Input) -> bool {
    match input {
        Input::Steering(messages) | Input::FollowUps(messages) => messages.is_empty(),
        Input::Context(history) => history.is_none(),
        Input::Request(_) | Input::FinishTurn(_) | Input::Admission { result: Ok(BeforeTool::Allow(_)), .. } => true,
        Input::Finalized { result, .. } => result.as_ref().is_ok_and(|after| *after == AfterTool::default()),
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
