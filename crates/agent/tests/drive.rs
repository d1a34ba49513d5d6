//! The driver's own promises: no trip through the executor for what is ready, none per event, and a tool's time is its own.
#![cfg(test)]

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_core::future::LocalBoxFuture;
use futures_util::future::poll_fn;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use vitrine_agent::drive::drive;
use vitrine_agent::event::{CallState, CallTrace, Event};
use vitrine_agent::history::History;
use vitrine_agent::host::{Answer, Held, Host, HostError, Reply, ready};
use vitrine_agent::json::Json;
use vitrine_agent::message::{Message, SharedMessage, StopReason, ToolCall};
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest, ModelStream};
use vitrine_agent::run::{Now, Output, PrepareError, Run, RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, Invocation, ToolError, ToolOutput, ToolSpec};

/// A host that has every answer at once: one call or a few, then a long text.
#[derive(Default)]
struct ReadyHost {
    n_requests: usize,
    n_events: usize,
    /// Calls beside the one.
    more_calls: usize,
    execution: ExecutionMode,
    /// How long everyone who is told of an event takes over it.
    event_ms: f64,
    /// How often the model stream had to be waited for.
    n_waits: Rc<Cell<usize>>,
    waits_for_model: bool,
    /// Milliseconds that passed.
    clock: Rc<Cell<f64>>,
    /// The tool tells progress half-way, and each half takes some time.
    tool_ms: Option<[f64; 2]>,
    /// The tool is done as soon as it is begun, after this time.
    at_once_ms: Option<f64>,
    /// What each reading of the clock takes, and what had happened before it: an event, a question.
    reading_ms: f64,
    readings: Vec<&'static str>,
    last: &'static str,
    /// When each state of the call was reached.
    states: Vec<(CallState, f64)>,
    /// The event that is held back, and for how long.
    holds: Option<(&'static str, f64)>,
    /// What each call is said to have taken.
    durations: Vec<Option<u64>>,
}

impl Host for ReadyHost {
    fn now(&mut self) -> Now {
        self.readings.push(self.last);
        self.clock.set(self.clock.get() + self.reading_ms);
        Now { monotonic_ms: self.clock.get(), ..Now::default() }
    }

    fn trace(&mut self, trace: CallTrace) {
        self.states.push((trace.state, trace.at));
    }

    fn emit(&mut self, event: Event) -> Reply<()> {
        self.n_events += 1;
        self.clock.set(self.clock.get() + self.event_ms);
        if let Event::ToolExecutionEnd { duration_ms, .. } = event {
            self.durations.push(duration_ms);
        }
        ready(())
    }

    fn call_model(&mut self, _: ModelRequest) -> Result<ModelStream, HostError> {
        self.n_requests += 1;
        let (id, name) = ("A".to_owned(), "read".to_owned());
        let events = if self.n_requests == 1 {
            let calls = (0..=self.more_calls).flat_map(|index| {
                let (id, name): (Arc<str>, Arc<str>) = (id.as_str().into(), name.as_str().into());
                let tool_call = ToolCall { id: id.clone(), name: name.clone(), ..ToolCall::default() }.into();
                [ModelEvent::ToolCallStart { index, id, name }, ModelEvent::ToolCallEnd { index, tool_call }]
            });
            let done = ModelEvent::Done { reason: StopReason::ToolUse };
            [ModelEvent::Start].into_iter().chain(calls).chain([done]).collect()
        } else {
            let delta = ModelEvent::TextDelta { index: 0, delta: "word ".to_owned() };
            let mut events = vec![ModelEvent::Start, ModelEvent::TextStart { index: 0 }];
            events.extend(std::iter::repeat_n(delta, 1_000));
            events.push(ModelEvent::Done { reason: StopReason::Stop });
            events
        };
        if !self.waits_for_model {
            return Ok(stream::iter([events]).boxed_local());
        }
        // One wait before the only batch, as for a network chunk.
        let n_waits = self.n_waits.clone();
        let mut events = Some(events);
        let mut has_waited = false;
        Ok(stream::poll_fn(move |context| {
            if !std::mem::replace(&mut has_waited, true) {
                n_waits.set(n_waits.get() + 1);
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(events.take())
        })
        .boxed_local())
    }

    fn prepare(&mut self, _: usize, _: &ToolCall) -> Answer<Result<Value, PrepareError>> {
        Answer::Now(Ok(json!({})))
    }

    fn execute(
        &mut self,
        _: usize,
        _: &ToolCall,
        invocation: Invocation,
    ) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let clock = self.clock.clone();
        if let Some(ms) = self.at_once_ms {
            return Box::pin(async move {
                clock.set(clock.get() + ms);
                Ok(ToolOutput::text("x"))
            });
        }
        let mut halves = self.tool_ms.into_iter().flatten().enumerate();
        Box::pin(poll_fn(move |context| match halves.next() {
            Some((half, ms)) => {
                clock.set(clock.get() + ms);
                if half == 0 {
                    (invocation.on_update)(ToolOutput::text("half"));
                }
                context.waker().wake_by_ref();
                Poll::Pending
            }
            None => Poll::Ready(Ok(ToolOutput::text("x"))),
        }))
    }

    fn gate(&mut self, output: &Output) -> Option<Held> {
        self.last = output.kind();
        let (_, ms) = self.holds.filter(|(event, _)| *event == output.kind())?;
        let clock = self.clock.clone();
        Some(Box::pin(async move {
            clock.set(clock.get() + ms);
            None
        }))
    }
}

/// How often the executor has to poll a whole run.
fn polls(host: &mut ReadyHost) -> usize {
    let parameters = Json::empty_object();
    let spec = ToolSpec { name: "read".to_owned(), parameters, ..ToolSpec::default() };
    let config = RunConfig {
        start: Start::Prompts(vec![SharedMessage::new(Message::user("go", 0))]),
        history: History::new(),
        model: ModelInfo::default(),
        reasoning: None,
        tools: vec![RunTool { spec, execution: ExecutionMode::Parallel }],
        execution: host.execution,
        signal: AbortSignal::new(),
    };
    let mut run = Run::new(config, Now::default()).unwrap();
    let mut driven = pin!(drive(&mut run, host));
    let mut n_polls = 1;
    while driven.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
        n_polls += 1;
        assert!(n_polls < 100, "the run does not end");
    }
    n_polls
}

#[test]
fn what_is_ready_costs_no_hop() {
    let mut host = ReadyHost::default();
    assert_eq!(polls(&mut host), 1);
    assert_eq!(host.n_requests, 2);
}

#[test]
fn a_chunk_costs_one_hop_however_many_events_it_holds() {
    let mut host = ReadyHost { waits_for_model: true, ..ReadyHost::default() };
    assert_eq!(polls(&mut host), 3);
    assert_eq!(host.n_waits.get(), 2);
    assert!(host.n_events > 1_000);
}

/// A run that is held while a tool is at work: the tool took what it took.
#[test]
fn time_under_the_debugger_is_no_time_of_the_tool() {
    for held in ["tool_execution_start", "execute", "tool_execution_update", "tool_execution_end"] {
        let mut host = ReadyHost { tool_ms: Some([3.0, 4.0]), holds: Some((held, 1_000.0)), ..ReadyHost::default() };
        polls(&mut host);
        assert_eq!((host.durations, host.clock.get()), (vec![Some(7)], 1_007.0), "held at {held}");
    }
}

/// A tool that is done as soon as it is begun took what it took, too.
#[test]
fn the_time_of_a_tool_that_settles_at_once_is_its_own() {
    for held in ["", "execute", "after_tool", "tool_execution_end"] {
        let clock = Rc::new(Cell::new(100.0));
        let mut host = ReadyHost { at_once_ms: Some(5.0), holds: Some((held, 1_000.0)), clock, ..ReadyHost::default() };
        polls(&mut host);
        assert_eq!(host.durations, [Some(5)], "held at {held}");
    }
}

/// The next one begins when the last one has settled, or later: when its turn has come.
#[test]
fn the_times_of_tools_that_settle_at_once_are_their_own() {
    for execution in [ExecutionMode::Parallel, ExecutionMode::Sequential] {
        for held in ["", "execute", "after_tool", "tool_execution_end"] {
            let (at_once_ms, holds) = (Some(5.0), Some((held, 1_000.0)));
            let mut host =
                ReadyHost { at_once_ms, holds, execution, more_calls: 2, event_ms: 30.0, ..ReadyHost::default() };
            polls(&mut host);
            assert_eq!(host.durations, [Some(5); 3], "held at {held:?}, {execution:?}");
        }
    }
}

/// A clock is a call out of the module. It is read when something has come from outside or may have taken time: a part of a
/// response, prepared arguments, a tool's beginning and its end; not for a question that is answered at once with nothing.
#[test]
fn the_clock_is_read_where_time_passes() {
    let mut host = ReadyHost { at_once_ms: Some(5.0), reading_ms: 1.0, ..ReadyHost::default() };
    polls(&mut host);
    assert_eq!(host.readings, ["", "call_model", "prepare", "execute", "execute", "call_model"]);
    let mut three = ReadyHost { at_once_ms: Some(5.0), more_calls: 2, ..ReadyHost::default() };
    polls(&mut three);
    let (prepared, executed) = (["prepare"; 3], ["execute"; 4]);
    assert_eq!(three.readings, [&["", "call_model"], &prepared[..], &executed, &["call_model"]].concat());
    let at = |wanted| host.states.iter().find(|(state, _)| *state == wanted).map(|(_, at)| *at);
    // The last reading before each: the response's, that of the arguments, that of the tool's end.
    assert_eq!([CallState::Requested, CallState::Found].map(at), [Some(2.0); 2]);
    assert_eq!(
        [CallState::Prepared, CallState::Valid, CallState::Admitted, CallState::Executing].map(at),
        [Some(3.0); 4]
    );
    assert_eq!([CallState::Finalized, CallState::Recorded].map(at), [Some(10.0); 2]);
}
