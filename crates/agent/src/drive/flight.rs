//! [`Flight`]: what a run's host has begun and not answered, and what of it comes next.

use std::cell::Cell;
use std::collections::VecDeque;
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
use serde_json::Value;

use crate::host::{Answer, Held, Host, HostError, Reply};
use crate::message::ToolCall;
use crate::model::{ModelEvent, ModelStream};
use crate::run::{Input, Now, Output, Run};
use crate::signal::AbortSignal;
use crate::tool::{Invocation, ToolOutput};

/// What acting on an output came to.
pub(super) enum Acted {
    /// There is no more to do, or the answer is in flight.
    Done,
    /// The run goes on when everyone has been told.
    Telling(LocalBoxFuture<'static, Result<(), HostError>>),
    /// The host could not.
    Failed(HostError),
    /// The answer is here.
    Answered(Input),
}

/// What has been begun and has not answered.
pub(super) struct Flight {
    signal: AbortSignal,
    model: Option<ModelStream>,
    answers: FuturesUnordered<LocalBoxFuture<'static, Arrival>>,
    /// Results of tools that had settled by the time they were begun.
    settled: VecDeque<(Input, Now)>,
    /// When the last of them settled, if the host has been asked for nothing since: the next one begins at that time.
    just_now: Option<Now>,
    /// An answer that waits for the updates that were sent before it.
    arrived: Option<(Input, Now)>,
    updates: (UnboundedSender<Update>, UnboundedReceiver<Update>),
    grace: Option<LocalBoxFuture<'static, ()>>,
    /// How long the run was held so far: a tool is not polled meanwhile, so that is no time it took.
    held_ms: Rc<Cell<f64>>,
}

type Update = (usize, ToolOutput);

/// Makes the input of an answer that has come, knowing the time.
type Arrival = Box<dyn FnOnce(Now) -> Input>;

impl Flight {
    pub(super) fn new(signal: AbortSignal) -> Self {
        Self {
            signal,
            model: None,
            answers: FuturesUnordered::new(),
            settled: VecDeque::new(),
            just_now: None,
            arrived: None,
            updates: unbounded(),
            grace: None,
            held_ms: Rc::default(),
        }
    }

    /// Whether the run is to end.
    pub(super) fn is_aborted(&self) -> bool {
        self.signal.is_aborted()
    }

    /// Waits until the run is let go, or aborted; gives the answer that was put in.
    pub(super) async fn hold(&mut self, gate: Held, host: &mut dyn Host) -> Option<Input> {
        self.just_now = None;
        let held_from = host.now().monotonic_ms;
        let answer = match select(gate, pin!(self.signal.aborted())).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => None,
        };
        self.held_ms.set(self.held_ms.get() + host.now().monotonic_ms - held_from);
        answer
    }

    /// Goes on hearing a response that had begun to arrive.
    pub(super) fn resume_stream(&mut self, rest: Vec<Vec<ModelEvent>>) {
        self.model = Some(Box::pin(futures_util::stream::iter(rest)));
    }

    /// Hears no more of the response that streams.
    pub(super) fn drop_stream(&mut self) {
        self.model = None;
    }

    /// What holds an answer back, if anything does.
    pub(super) fn gate(&self, input: &Input, host: &mut dyn Host) -> Option<Held> {
        if self.signal.is_aborted() { None } else { host.gate_answer(input) }
    }

    pub(super) fn act(&mut self, output: Output, host: &mut dyn Host) -> Acted {
        let just_now = self.just_now.take();
        let answer = match output {
            Output::Emit(event) => {
                return match host.emit(event) {
                    Answer::Now(Ok(())) => Acted::Done,
                    Answer::Now(Err(error)) => Acted::Failed(error),
                    Answer::Later(told) => Acted::Telling(told),
                };
            }
            Output::Trace(trace) => {
                // A note of what was done, beside it: no time that counts.
                self.just_now = just_now;
                host.trace(trace);
                return Acted::Done;
            }
            Output::CallModel(request) => {
                return match host.call_model(request) {
                    Ok(stream) => {
                        self.model = Some(stream);
                        Acted::Done
                    }
                    Err(error) => Acted::Failed(error),
                };
            }
            Output::Execute { call, tool_call, arguments } => {
                let started = just_now.unwrap_or_else(|| host.now());
                self.execute(call, &tool_call, arguments, started, host);
                return Acted::Done;
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
            Answer::Now(input) => Acted::Answered(input),
            Answer::Later(input) => {
                self.answers.push(Box::pin(input.map(|input| Box::new(move |_: Now| input) as Arrival)));
                Acted::Done
            }
        }
    }

    /// Begins an execution: it runs as far as it can at once, before the next one begins, as a JavaScript tool does.
    fn execute(&mut self, call: usize, tool_call: &ToolCall, arguments: Value, started: Now, host: &mut dyn Host) {
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
        let live = Live(is_live);
        let held_ms = self.held_ms.clone();
        let started_ms = started.monotonic_ms - held_ms.get();
        let mut execution = host.execute(call, tool_call, invocation);
        // Polled again with a waker that wakes, if this was not enough.
        if let Some(result) = (&mut execution).now_or_never() {
            drop(live);
            // Saturates at 0: `as` from a float never wraps.
            let now = host.now();
            self.just_now = Some(now);
            let duration_ms = (now.monotonic_ms - held_ms.get() - started_ms).round() as u64;
            return self.settled.push_back((Input::Executed { call, result, duration_ms }, now));
        }
        self.answers.push(Box::pin(async move {
            let result = execution.await;
            drop(live);
            Box::new(move |now: Now| {
                let duration_ms = (now.monotonic_ms - held_ms.get() - started_ms).round() as u64;
                Input::Executed { call, result, duration_ms }
            }) as Arrival
        }));
    }

    /// What is here already, in the order in which it came: updates before the result that they lead to.
    fn ready(&mut self) -> Option<(Input, Option<Now>)> {
        self.arrived = self.arrived.take().or_else(|| self.settled.pop_front());
        self.arrived.as_ref()?;
        match self.updates.1.try_recv() {
            Ok((call, output)) => Some((Input::Update { call, output }, None)),
            Err(_) => self.arrived.take().map(|(input, now)| (input, Some(now))),
        }
    }

    /// The next thing that happens, and when it did if that is known.
    pub(super) async fn next(&mut self, run: &Run, host: &mut dyn Host) -> (Input, Option<Now>) {
        if !run.is_streaming() {
            self.model = None;
        }
        if run.is_aborted() && self.grace.is_none() {
            self.grace = Some(host.grace());
        }
        if let Some(input) = self.ready() {
            return input;
        }
        poll_fn(|context| self.poll_next(run, host, context)).await
    }

    fn poll_next(&mut self, run: &Run, host: &mut dyn Host, context: &mut Context<'_>) -> Poll<(Input, Option<Now>)> {
        if !run.is_aborted() && pin!(self.signal.aborted()).poll(context).is_ready() {
            return Poll::Ready((Input::Abort, None));
        }
        if self.arrived.is_none()
            && let Poll::Ready(Some(arrival)) = self.answers.poll_next_unpin(context)
        {
            let now = host.now();
            self.arrived = Some((arrival(now), now));
        }
        if let Poll::Ready(Some((call, output))) = pin!(&mut self.updates.1).poll_next(context) {
            return Poll::Ready((Input::Update { call, output }, None));
        }
        if let Some(input) = self.arrived.take() {
            return Poll::Ready((input.0, Some(input.1)));
        }
        if run.is_streaming() {
            match self.model.as_mut().map(|stream| stream.poll_next_unpin(context)) {
                Some(Poll::Pending) => {}
                Some(Poll::Ready(Some(events))) => return Poll::Ready((Input::Model(events), None)),
                Some(Poll::Ready(None)) | None => {
                    self.model = None;
                    return Poll::Ready((Input::ModelClosed, None));
                }
            }
        }
        if let Some(grace) = &mut self.grace
            && grace.poll_unpin(context).is_ready()
        {
            // Whatever has not settled is dropped here, so nothing of it can arrive late.
            *self = Self::new(self.signal.clone());
            return Poll::Ready((Input::GraceOver, None));
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
