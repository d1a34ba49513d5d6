//! The world of a scripted run: does what the margin lines say, and polls the run as an executor would.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_core::future::LocalBoxFuture;
use vitrine_agent::drive::drive;
use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Block, Message, SharedMessage, StopReason};
use vitrine_agent::model::ModelInfo;
use vitrine_agent::queue::QueueMode;
use vitrine_agent::replay::create_initial_system_message;
use vitrine_agent::run::{Now, Run, RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, ToolError, ToolOutput, ToolSpec};

use crate::host::{Shared, TestHost, paused, user};
use crate::stream;

/// A run and what surrounds it.
pub struct World {
    shared: Rc<RefCell<Shared>>,
    history: History,
    seed: Vec<SharedMessage>,
    is_declared: bool,
    execution: ExecutionMode,
    reasoning: Option<String>,
    /// Blocks of the response that streams.
    blocks: usize,
    running: Option<LocalBoxFuture<'static, History>>,
    woken: Arc<Woken>,
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl World {
    pub fn new() -> Self {
        let now = Now { wall_ms: 1_000, monotonic_ms: 0.0 };
        Self {
            shared: Rc::new(RefCell::new(Shared { now, ..Shared::default() })),
            history: History::new(),
            seed: Vec::new(),
            is_declared: true,
            execution: ExecutionMode::Parallel,
            reasoning: None,
            blocks: 0,
            running: None,
            woken: Arc::default(),
        }
    }

    pub fn take_log(&mut self) -> Vec<String> {
        std::mem::take(&mut self.shared.borrow_mut().log)
    }

    pub fn take_trace(&mut self) -> Vec<String> {
        std::mem::take(&mut self.shared.borrow_mut().trace)
    }

    pub fn take_payloads(&mut self) -> Vec<String> {
        std::mem::take(&mut self.shared.borrow_mut().payloads)
    }

    /// Does what a margin line says, and lets the run go as far as it can.
    pub fn act(&mut self, line: &str) {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        match verb {
            "tool" if rest.contains(": ") => self.settle(rest),
            "tool" => self.declare(rest),
            "no-tool" => self.shared.borrow_mut().tools.retain(|tool| tool.spec.name != rest),
            "undeclared" => self.is_declared = false,
            "history" => self.seed.push(match rest.split_once(' ').unwrap() {
                ("user", text) => user(text),
                ("assistant", text) => assistant(text),
                ("json", text) => serde_json::from_str(text).unwrap(),
                other => panic!("unknown history: {other:?}"),
            }),
            "sequential" => self.execution = ExecutionMode::Sequential,
            "reasoning" => self.reasoning = Some(rest.to_owned()),
            "steering" => self.shared.borrow_mut().queues.steering.mode = QueueMode::All,
            "follow-ups" => self.shared.borrow_mut().queues.follow_up.mode = QueueMode::All,
            "show" => drop(self.shared.borrow_mut().shows.insert(rest.to_owned())),
            "grace" if rest == "over" => drop(self.shared.borrow_mut().grace.take().unwrap().send(())),
            "grace" => self.shared.borrow_mut().has_grace = true,
            "on" => {
                let (key, answer) = rest.split_once(": ").unwrap();
                self.shared.borrow_mut().rules.push((key.to_owned(), answer.to_owned()));
            }
            "answer" => {
                let (key, answer) = rest.split_once(": ").unwrap();
                let question = self.shared.borrow_mut().questions.remove(key);
                question.unwrap_or_else(|| panic!("nobody asks {key}"))(answer);
            }
            "prompt" if rest.starts_with('[') => self.start(Start::Prompts(serde_json::from_str(rest).unwrap())),
            "prompt" => self.start(Start::Prompts(vec![user(rest)])),
            "continue" => self.start(Start::Continue),
            "model" => self.stream(rest),
            "update" => {
                let (call, text) = rest.split_once(' ').unwrap();
                let shared = self.shared.borrow();
                (shared.execution(call).on_update)(ToolOutput::text(text));
            }
            "wait" => {
                let now = &mut self.shared.borrow_mut().now;
                now.monotonic_ms += rest.parse::<f64>().unwrap();
                now.wall_ms += rest.parse::<u64>().unwrap();
            }
            "abort" => {
                let signal = self.shared.borrow().signal.clone();
                signal.abort();
            }
            "steer" | "follow-up" => self.shared.borrow_mut().enqueue(verb, rest),
            "break" => {
                let gate = self.shared.borrow().gate.clone();
                let mut breakpoints = gate.breakpoints();
                breakpoints.push(serde_json::from_str(rest).unwrap());
                gate.set_breakpoints(breakpoints);
            }
            "where" => {
                let at = self.shared.borrow().gate.paused_at();
                let line = at.map_or("going".to_owned(), |at| paused(&at));
                self.shared.borrow_mut().log.push(line);
            }
            "replace" => {
                let gate = self.shared.borrow().gate.clone();
                if let Err(refused) = gate.replace(serde_json::from_str(rest).unwrap()) {
                    self.shared.borrow_mut().log.push(refused.to_string());
                }
            }
            "pause" | "step" | "step-turn" | "step-to-answer" | "resume" => {
                let gate = self.shared.borrow().gate.clone();
                match verb {
                    "step-to-answer" => gate.step_to_answer(),
                    "pause" => gate.pause(),
                    "step" => gate.step(),
                    "step-turn" => gate.step_turn(),
                    _ => gate.resume(),
                }
            }
            _ => panic!("unknown line: {line}"),
        }
        self.go();
    }

    fn declare(&mut self, rest: &str) {
        let (name, mode) = rest.split_once(' ').unwrap_or((rest, ""));
        let spec = ToolSpec {
            name: name.to_owned(),
            description: format!("Does {name}"),
            parameters: Json::parse("{\"type\":\"object\"}").unwrap(),
            ..ToolSpec::default()
        };
        let execution = if mode == "sequential" { ExecutionMode::Sequential } else { ExecutionMode::Parallel };
        self.shared.borrow_mut().tools.push(RunTool { spec, execution });
    }

    fn start(&mut self, start: Start) {
        assert!(self.running.is_none(), "a run is on");
        let tools = self.shared.borrow().tools.clone();
        if self.history.is_empty() && self.is_declared {
            let specs: Vec<_> = tools.iter().map(|tool| tool.spec.clone()).collect();
            self.history = create_initial_system_message("", &specs).into_iter().collect();
        }
        self.seed.drain(..).for_each(|message| self.history.push(message));
        let signal = AbortSignal::new();
        self.shared.borrow_mut().signal = signal.clone();
        let config = RunConfig {
            start,
            history: self.history.clone(),
            model: ModelInfo { api: "scripted".into(), id: "m1".into(), ..ModelInfo::default() },
            reasoning: self.reasoning.clone(),
            tools,
            execution: self.execution,
            signal,
        };
        let now = self.shared.borrow().now;
        match Run::new(config, now) {
            Err(error) => self.shared.borrow_mut().log.push(format!("error: {error}")),
            Ok(mut run) => {
                let mut host = TestHost(self.shared.clone());
                self.woken.0.store(true, Ordering::Relaxed);
                self.running = Some(Box::pin(async move {
                    drive(&mut run, &mut host).await;
                    run.history().clone()
                }));
            }
        }
    }

    /// Polls the run as an executor would: only when something woke it.
    fn go(&mut self) {
        let waker = Waker::from(self.woken.clone());
        while let Some(running) = &mut self.running
            && self.woken.0.swap(false, Ordering::Relaxed)
        {
            if let Poll::Ready(history) = running.as_mut().poll(&mut Context::from_waker(&waker)) {
                self.history = history;
                self.running = None;
                self.shared.borrow_mut().log.push("idle".to_owned());
            }
        }
    }

    fn settle(&mut self, rest: &str) {
        let (call, rest) = rest.split_once(": ").unwrap();
        let result = match rest.split_once(' ').unwrap_or((rest, "")) {
            ("ok", text) => Ok(ToolOutput::text(text)),
            ("error", text) => Ok(ToolOutput::error(text)),
            ("throw", text) => Err(ToolError(text.to_owned())),
            _ => Ok(serde_json::from_str(rest).unwrap()),
        };
        let mut shared = self.shared.borrow_mut();
        let execution = shared.executions.iter_mut().rfind(|execution| execution.is(call)).unwrap();
        // Fails when the run has stopped waiting: the late result goes nowhere.
        if execution.settle.take().unwrap().send(result).is_err() {
            shared.log.push("nobody waits for it".to_owned());
        }
    }

    fn stream(&mut self, line: &str) {
        let (batch, is_closed) = stream::batch(line, &mut self.blocks);
        let mut shared = self.shared.borrow_mut();
        if !batch.is_empty() && shared.model.as_ref().unwrap().unbounded_send(batch).is_err() {
            shared.log.push("nobody listens".to_owned());
        }
        if is_closed {
            shared.model = None;
        }
    }
}

fn assistant(text: &str) -> SharedMessage {
    let mut message = AssistantMessage::pending("scripted", "", "m1", 1);
    message.content.push(Block::text(text));
    message.stop_reason = StopReason::Stop;
    SharedMessage::new(Message::Assistant(message))
}
