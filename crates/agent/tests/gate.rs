//! A paused run costs nothing and breaks nothing: nobody polls, no time is asked for, and what arrives is kept. And a
//! run that was edited under the debugger can be recorded and replayed like any other.
#![cfg(test)]

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use futures_channel::mpsc;
use futures_core::future::LocalBoxFuture;
use futures_util::StreamExt;
use serde_json::Value;
use vitrine_agent::drive::{drive, drive_recorded};
use vitrine_agent::event::{AssistantUpdate, Event};
use vitrine_agent::gate::{Breakpoint, Gate};
use vitrine_agent::history::History;
use vitrine_agent::host::{Answer, Held, Host, HostError, Reply, ready};
use vitrine_agent::message::{Message, SharedMessage, StopReason, ToolCall};
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest, ModelStream};
use vitrine_agent::record::{Recorder, Recording};
use vitrine_agent::run::{Input, Now, Output, PrepareError, Run, RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, Invocation, ToolError, ToolOutput, ToolSpec};

type Chunks = mpsc::UnboundedSender<Vec<ModelEvent>>;

/// What a run did to its host.
#[derive(Default)]
struct Seen {
    events: RefCell<Vec<Event>>,
    chunks: RefCell<Option<Chunks>>,
    n_times: Cell<usize>,
    n_executions: Cell<usize>,
}

struct Desk {
    gate: Gate,
    seen: Rc<Seen>,
}

impl Host for Desk {
    fn now(&mut self) -> Now {
        self.seen.n_times.set(self.seen.n_times.get() + 1);
        Now { wall_ms: 1, monotonic_ms: self.seen.n_times.get() as f64 / 3.0 }
    }

    fn emit(&mut self, event: Event) -> Reply<()> {
        self.seen.events.borrow_mut().push(event);
        ready(())
    }

    fn call_model(&mut self, _: ModelRequest) -> Result<ModelStream, HostError> {
        let (sender, receiver) = mpsc::unbounded();
        self.seen.chunks.replace(Some(sender));
        Ok(receiver.boxed_local())
    }

    fn prepare(&mut self, _: usize, tool_call: &ToolCall) -> Answer<Result<Value, PrepareError>> {
        Answer::Now(Ok(tool_call.arguments.to_value()))
    }

    fn execute(
        &mut self,
        _: usize,
        _: &ToolCall,
        _: Invocation,
    ) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        self.seen.n_executions.set(self.seen.n_executions.get() + 1);
        Box::pin(async { Ok(ToolOutput::text("the tool's")) })
    }

    fn gate(&mut self, output: &Output) -> Option<Held> {
        self.gate.check(output)
    }

    fn gate_answer(&mut self, input: &Input) -> Option<Held> {
        self.gate.check_answer(input)
    }
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Wakes {
    fn take(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

fn config() -> RunConfig {
    let spec = ToolSpec { name: "read".to_owned(), ..ToolSpec::default() };
    RunConfig {
        start: Start::Prompts(vec![SharedMessage::new(Message::user("go", 0))]),
        history: History::new(),
        model: ModelInfo::default(),
        reasoning: None,
        tools: vec![RunTool { spec, execution: ExecutionMode::Parallel }],
        execution: ExecutionMode::Parallel,
        signal: AbortSignal::new(),
    }
}

fn at(event: &str) -> Vec<Breakpoint> {
    vec![Breakpoint { event: Some(event.to_owned()), ..Breakpoint::default() }]
}

/// A response with two calls.
fn calls() -> Vec<ModelEvent> {
    let call = |id: &str| ToolCall { id: id.to_owned().into(), name: "read".into(), ..ToolCall::default() };
    let mut events = vec![ModelEvent::Start];
    for (index, tool_call) in ["A", "B"].map(call).into_iter().enumerate() {
        let (id, name) = (tool_call.id.clone(), tool_call.name.clone());
        events.extend([
            ModelEvent::ToolCallStart { index, id, name },
            ModelEvent::ToolCallEnd { index, tool_call: tool_call.into() },
        ]);
    }
    events.push(ModelEvent::Done { reason: StopReason::ToolUse });
    events
}

fn delta(n: usize) -> ModelEvent {
    ModelEvent::TextDelta { index: 0, delta: format!("{n} ") }
}

fn send(seen: &Seen, chunk: Vec<ModelEvent>) {
    seen.chunks.borrow().as_ref().unwrap().unbounded_send(chunk).unwrap();
}

#[test]
fn a_paused_run_is_left_alone_and_loses_nothing() {
    let (gate, seen) = (Gate::new(), Rc::new(Seen::default()));
    gate.set_breakpoints(at("message_start"));
    let mut run = Run::new(config(), Now::default()).unwrap();
    let mut host = Desk { gate: gate.clone(), seen: seen.clone() };
    let mut driven = pin!(drive(&mut run, &mut host));
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(wakes.clone());
    let mut poll = || driven.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
    // Past the prompt's message and into the response's.
    assert!(!poll());
    gate.resume();
    while wakes.take() > 0 {
        assert!(!poll());
        if gate.paused_at().is_some() {
            gate.resume();
        }
    }
    send(&seen, vec![ModelEvent::Start, ModelEvent::TextStart { index: 0 }]);
    assert_eq!(wakes.take(), 1);
    assert!(!poll());
    assert_eq!(gate.paused_at().unwrap().output, "message_start");
    assert_eq!(wakes.take(), 0, "a run that is held wakes nobody");

    let (n_times, n_events) = (seen.n_times.get(), seen.events.borrow().len());
    for n in 0..1_000 {
        send(&seen, vec![delta(n)]);
    }
    send(&seen, vec![ModelEvent::Done { reason: StopReason::Stop }]);
    assert!(wakes.take() <= 1, "what arrives may wake it once, and not for each piece");
    // An executor that polls all the same changes nothing.
    for _ in 0..100 {
        assert!(!poll());
    }
    assert_eq!((seen.n_times.get(), seen.events.borrow().len()), (n_times, n_events), "it asks and does nothing");
    assert_eq!(wakes.take(), 0);

    gate.resume();
    assert_eq!(wakes.take(), 1);
    assert!(poll());
    let mut text = String::new();
    for event in &*seen.events.borrow() {
        if let Event::MessageUpdate { update: AssistantUpdate::TextDelta { delta, .. }, .. } = event {
            text.push_str(delta);
        }
    }
    assert_eq!(text, (0..1_000).map(|n| format!("{n} ")).collect::<String>());
}

/// Everything of the debugger at once: answers replaced before and after they are asked for, and an abort.
#[test]
fn an_edited_run_is_recorded_as_it_went() {
    let (gate, seen) = (Gate::new(), Rc::new(Seen::default()));
    let second = |breakpoint| Breakpoint { nth: Some(2), ..breakpoint };
    let second = at("before_tool").into_iter().map(second).collect();
    gate.set_breakpoints([at("call_model"), at("execute"), second].concat());
    let now = Now { wall_ms: 0, monotonic_ms: 0.25 };
    let config = RunConfig { execution: ExecutionMode::Sequential, ..config() };
    let again_config = RunConfig { signal: AbortSignal::new(), ..config.clone() };
    let mut recorder = Recorder::new(&config, now);
    let signal = config.signal.clone();
    let mut run = Run::new(config, now).unwrap();
    let mut host = Desk { gate: gate.clone(), seen: seen.clone() };
    {
        let mut driven = pin!(drive_recorded(&mut run, &mut host, &mut recorder));
        let mut poll = || driven.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        assert!(!poll());
        gate.step_to_answer();
        assert!(!poll());
        send(&seen, vec![ModelEvent::Start]);
        assert!(!poll());
        assert!(matches!(gate.answer(), Some(Input::Model(_))));
        gate.replace(Input::Model(calls())).unwrap();
        gate.resume();
        assert!(!poll());
        assert_eq!(gate.paused_at().unwrap().output, "execute");
        let result = Ok(ToolOutput::text("mine"));
        gate.replace(Input::Executed { call: 0, result, duration_ms: 2 }).unwrap();
        gate.resume();
        assert!(!poll());
        assert_eq!(gate.paused_at().unwrap().output, "before_tool");
        signal.abort();
        assert!(!poll());
        send(&seen, vec![ModelEvent::Error { reason: StopReason::Aborted, message: "stopped".to_owned() }]);
        assert!(poll());
    }
    assert_eq!(seen.n_executions.get(), 0, "what is answered is not done");
    let events: Vec<_> = seen.events.borrow().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    assert!(events.iter().any(|event| event.contains("\"mine\"")));
    assert!(events.iter().any(|event| event.contains("Operation aborted")));

    let mut replay = Recording::parse(recorder.text().unwrap()).unwrap().replay(again_config).unwrap();
    let mut again = Vec::new();
    while let Some(output) = replay.poll_output().unwrap() {
        if let Output::Emit(event) = output {
            again.push(serde_json::to_string(&event).unwrap());
        }
    }
    assert_eq!(again, events);
    assert!(replay.run().is_done() && replay.run().is_aborted());
}
