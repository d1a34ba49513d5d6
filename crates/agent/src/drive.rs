//! [`drive`]: joins a run to its host. The only asynchronous code of the loop.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_core::Stream as _;
use futures_core::future::LocalBoxFuture;
use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::future::{Either, poll_fn, select};
use futures_util::stream::FuturesUnordered;

use crate::host::{Answer, Held, Host, HostError, Reply};
use crate::model::ModelStream;
use crate::record::Recorder;
use crate::run::{Input, Now, Output, Run};
use crate::signal::AbortSignal;
use crate::tool::{Invocation, ToolOutput};

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
    let mut intake = Intake(told);
    let mut flight = Flight::new(signal.clone());
    loop {
        intake.notice_abort(run, host, &signal);
        if let Some(output) = run.poll_output() {
            let gate = if signal.is_aborted() { None } else { host.gate(&output) };
            let answer = match gate {
                Some(gate) => flight.hold(gate, host).await,
                None => None,
            };
            match answer {
                Some(answer) => {
                    if matches!(output, Output::CallModel(_)) {
                        // What is left of the last response is no part of this one.
                        flight.model = None;
                    }
                    intake.take(answer, run, host);
                }
                None => flight.act(output, run, host, &mut intake).await,
            }
        } else if run.is_done() {
            return;
        } else {
            let input = flight.next(run, host).await;
            intake.answer(input, run, host, &mut flight).await;
        }
    }
}

/// The one way into the run, and who is told of what goes in. A type of its own for each, so that a program that records
/// nothing has no code for it.
struct Intake<F>(F);

impl<F: FnMut(&Run, &Input, Now)> Intake<F> {
    fn take(&mut self, input: Input, run: &mut Run, host: &mut dyn Host) {
        let now = host.now();
        (self.0)(run, &input, now);
        run.handle(input, now);
    }

    /// What has come from the host, unless someone puts another in its place.
    async fn answer(&mut self, input: Input, run: &mut Run, host: &mut dyn Host, flight: &mut Flight) {
        let gate = if flight.signal.is_aborted() { None } else { host.gate_answer(&input) };
        let replacement = match gate {
            Some(gate) => flight.hold(gate, host).await,
            None => None,
        };
        self.take(replacement.unwrap_or(input), run, host);
    }

    fn notice_abort(&mut self, run: &mut Run, host: &mut dyn Host, signal: &AbortSignal) {
        if signal.is_aborted() && !run.is_aborted() {
            self.take(Input::Abort, run, host);
        }
    }
}

/// What has been begun and has not answered.
struct Flight {
    signal: AbortSignal,
    model: Option<ModelStream>,
    answers: FuturesUnordered<LocalBoxFuture<'static, Arrival>>,
    /// An answer that waits for the updates that were sent before it.
    arrived: Option<Input>,
    updates: (UnboundedSender<Update>, UnboundedReceiver<Update>),
    grace: Option<LocalBoxFuture<'static, ()>>,
    /// How long the run was held so far: a tool is not polled meanwhile, so that is no time it took.
    held_ms: Rc<Cell<f64>>,
}

type Update = (usize, ToolOutput);

/// Makes the input of an answer that has come, knowing the time.
type Arrival = Box<dyn FnOnce(Now) -> Input>;

impl Flight {
    fn new(signal: AbortSignal) -> Self {
        Self {
            signal,
            model: None,
            answers: FuturesUnordered::new(),
            arrived: None,
            updates: unbounded(),
            grace: None,
            held_ms: Rc::default(),
        }
    }

    /// Waits until the run is let go, or aborted; gives the answer that was put in.
    async fn hold(&self, gate: Held, host: &mut dyn Host) -> Option<Input> {
        let held_from = host.now().monotonic_ms;
        let answer = match select(gate, pin!(self.signal.aborted())).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => None,
        };
        self.held_ms.set(self.held_ms.get() + host.now().monotonic_ms - held_from);
        answer
    }

    async fn act(
        &mut self,
        output: Output,
        run: &mut Run,
        host: &mut dyn Host,
        intake: &mut Intake<impl FnMut(&Run, &Input, Now)>,
    ) {
        let answer = match output {
            Output::Emit(event) => {
                let told = match host.emit(event) {
                    Answer::Now(told) => told,
                    Answer::Later(told) => told.await,
                };
                if let Err(HostError(message)) = told {
                    intake.take(Input::Fail(message), run, host);
                }
                return;
            }
            Output::Trace(trace) => return host.trace(trace),
            Output::CallModel(request) => {
                match host.call_model(request) {
                    Ok(stream) => self.model = Some(stream),
                    Err(HostError(message)) => intake.take(Input::Fail(message), run, host),
                }
                return;
            }
            Output::Execute { call, tool_call, arguments } => {
                let is_live = Rc::new(Cell::new(true));
                let invocation = Invocation {
                    call_id: tool_call.id.clone(),
                    arguments,
                    signal: self.signal.clone(),
                    on_update: Box::new({
                        let (is_live, updates) = (is_live.clone(), self.updates.0.clone());
                        move |output| {
                            if is_live.get() {
                                // Fails only when the run is gone.
                                let _ = updates.unbounded_send((call, output));
                            }
                        }
                    }),
                };
                let held_ms = self.held_ms.clone();
                let started_ms = host.now().monotonic_ms - held_ms.get();
                let execution = host.execute(call, &tool_call, invocation);
                let live = Live(is_live);
                self.answers.push(Box::pin(async move {
                    let result = execution.await;
                    drop(live);
                    Box::new(move |now: Now| {
                        // Saturates at 0: `as` from a float never wraps.
                        let duration_ms = (now.monotonic_ms - held_ms.get() - started_ms).round() as u64;
                        Input::Executed { call, result, duration_ms }
                    }) as Arrival
                }));
                return;
            }
            Output::Prepare { call, tool_call } => {
                map(host.prepare(call, &tool_call), move |result| Input::Prepared { call, result })
            }
            Output::BeforeTool { call, tool_call, arguments } => {
                map(host.before_tool(call, &tool_call, arguments), move |result| Input::Admission { call, result })
            }
            Output::AfterTool { call, tool_call, output, is_error } => {
                map(host.after_tool(call, &tool_call, &output, is_error), move |result| Input::Finalized {
                    call,
                    result,
                })
            }
            Output::PollSteering => map_reply(host.steering(), Input::Steering),
            Output::PollFollowUps => map_reply(host.follow_ups(), Input::FollowUps),
            Output::PrepareNextTurn(turn) => map_reply(host.prepare_next_turn(&turn), Input::NextTurn),
            Output::PrepareRequest { history, model, reasoning } => {
                map_reply(host.prepare_request(&history, &model, reasoning.as_deref()), Input::Request)
            }
            Output::TransformContext { history } => map_reply(host.transform_context(&history), Input::Context),
            Output::FinishTurn(turn) => map_reply(host.finish_turn(&turn), Input::FinishTurn),
        };
        match answer {
            Answer::Now(input) => intake.answer(input, run, host, self).await,
            Answer::Later(input) => {
                self.answers.push(Box::pin(input.map(|input| Box::new(move |_: Now| input) as Arrival)));
            }
        }
    }

    /// The next thing that happens.
    async fn next(&mut self, run: &Run, host: &mut dyn Host) -> Input {
        if !run.is_streaming() {
            self.model = None;
        }
        if run.is_aborted() && self.grace.is_none() {
            self.grace = Some(host.grace());
        }
        poll_fn(|context| self.poll_next(run, host, context)).await
    }

    fn poll_next(&mut self, run: &Run, host: &mut dyn Host, context: &mut Context<'_>) -> Poll<Input> {
        if !run.is_aborted() && pin!(self.signal.aborted()).poll(context).is_ready() {
            return Poll::Ready(Input::Abort);
        }
        if self.arrived.is_none()
            && let Poll::Ready(Some(arrival)) = self.answers.poll_next_unpin(context)
        {
            self.arrived = Some(arrival(host.now()));
        }
        if let Poll::Ready(Some((call, output))) = pin!(&mut self.updates.1).poll_next(context) {
            return Poll::Ready(Input::Update { call, output });
        }
        if let Some(input) = self.arrived.take() {
            return Poll::Ready(input);
        }
        if run.is_streaming() {
            match self.model.as_mut().map(|stream| stream.poll_next_unpin(context)) {
                Some(Poll::Pending) => {}
                Some(Poll::Ready(Some(events))) => return Poll::Ready(Input::Model(events)),
                Some(Poll::Ready(None)) | None => {
                    self.model = None;
                    return Poll::Ready(Input::ModelClosed);
                }
            }
        }
        if let Some(grace) = &mut self.grace
            && grace.poll_unpin(context).is_ready()
        {
            // Whatever has not settled is dropped here, so nothing of it can arrive late.
            *self = Self::new(self.signal.clone());
            return Poll::Ready(Input::GraceOver);
        }
        Poll::Pending
    }
}

/// Silences a tool's updates once it has settled or been dropped.
struct Live(Rc<Cell<bool>>);

impl Drop for Live {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

fn map<T: 'static>(answer: Answer<T>, input: impl FnOnce(T) -> Input + 'static) -> Answer<Input> {
    match answer {
        Answer::Now(value) => Answer::Now(input(value)),
        Answer::Later(value) => Answer::Later(value.map(input).boxed_local()),
    }
}

fn map_reply<T: 'static>(reply: Reply<T>, input: impl FnOnce(T) -> Input + 'static) -> Answer<Input> {
    map(reply, |result| match result {
        Ok(value) => input(value),
        Err(HostError(message)) => Input::Fail(message),
    })
}
