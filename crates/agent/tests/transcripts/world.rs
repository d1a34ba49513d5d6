//! The world of a scripted run: a host that answers from the script, and the run's own pace.
//!
//! Keys of questions, and their answers beside `later` and `throw TEXT`:
//! `prepare CALL` (args JSON, invalid TEXT) · `before CALL` (allow JSON, block REASON, block-terminate REASON) ·
//! `after CALL` ({replacements as JSON}) · `steering`, `follow-ups` (messages) · `next-turn`, `request`
//! ({thinkingLevel, tools, model, messages, history}) · `context` (only TEXT) · `finish` (end, continue) · `model` ·
//! `emit` (go).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_channel::{mpsc, oneshot};
use futures_core::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use vitrine_agent::drive::drive;
use vitrine_agent::event::{CallTrace, Event};
use vitrine_agent::gate::Gate;
use vitrine_agent::history::History;
use vitrine_agent::host::{Answer, Host, HostError, Reply};
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Block, Message, SharedMessage, StopReason, ToolCall, Usage};
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest, ModelStream};
use vitrine_agent::queue::{QueueMode, Queues};
use vitrine_agent::replay::create_initial_system_message;
use vitrine_agent::run::{
    AfterTool, BeforeTool, Changes, FinishTurn, NextTurn, Now, Output, PrepareError, Run, RunConfig, RunTool, Start,
    Turn,
};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, Invocation, ToolError, ToolOutput, ToolSpec};

use crate::render;

/// What the script and the host share.
#[derive(Default)]
struct Shared {
    log: Vec<String>,
    trace: Vec<String>,
    shows: HashSet<String>,
    now: Now,
    has_grace: bool,
    grace: Option<oneshot::Sender<()>>,
    model: Option<mpsc::UnboundedSender<Vec<ModelEvent>>>,
    executions: Vec<Execution>,
    /// Answers for the next question of a key.
    rules: Vec<(String, String)>,
    /// Questions that wait for `answer`.
    questions: HashMap<String, Question>,
    queues: Queues,
    gate: Gate,
    signal: AbortSignal,
    tools: Vec<RunTool>,
}

/// Takes its answer.
type Question = Box<dyn FnOnce(&str)>;

struct Execution {
    call: usize,
    id: String,
    settle: Option<oneshot::Sender<Result<ToolOutput, ToolError>>>,
    on_update: Box<dyn Fn(ToolOutput)>,
}

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
            "pause" | "step" | "step-turn" | "resume" => {
                let gate = self.shared.borrow().gate.clone();
                match verb {
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
            model: ModelInfo { api: "scripted".to_owned(), id: "m1".to_owned(), ..ModelInfo::default() },
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

    fn stream(&mut self, rest: &str) {
        let mut batch = Vec::new();
        for item in rest.split("; ") {
            let (word, rest) = item.split_once(' ').unwrap_or((item, ""));
            let index = self.blocks;
            match word {
                "start" => {
                    self.blocks = 0;
                    batch.push(ModelEvent::Start);
                }
                "text" => {
                    batch.push(ModelEvent::TextStart { index });
                    batch.extend(rest.split('|').map(|delta| ModelEvent::TextDelta { index, delta: delta.to_owned() }));
                    batch.push(ModelEvent::TextEnd { index, signature: None });
                    self.blocks += 1;
                }
                "thinking" => {
                    batch.push(ModelEvent::ThinkingStart { index });
                    batch.push(ModelEvent::ThinkingDelta { index, delta: rest.to_owned() });
                    batch.push(ModelEvent::ThinkingEnd { index, signature: Some("s".to_owned()) });
                    self.blocks += 1;
                }
                "call" | "bad-call" => {
                    let mut words = rest.splitn(3, ' ').map(str::to_owned);
                    let (id, name) = (words.next().unwrap(), words.next().unwrap());
                    let text = words.next().unwrap_or("{}".to_owned());
                    batch.push(ModelEvent::ToolCallStart { index, id: id.clone(), name: name.clone() });
                    let is_bad = word == "bad-call";
                    batch.push(ModelEvent::ToolCallEnd {
                        index,
                        id,
                        name,
                        arguments: if is_bad { Json::empty_object() } else { Json::parse(text.clone()).unwrap() },
                        arguments_error: is_bad.then_some(text),
                    });
                    self.blocks += 1;
                }
                "usage" => batch.push(ModelEvent::Usage(Usage { output: rest.parse().unwrap(), ..Usage::default() })),
                "meta" => batch.push(ModelEvent::Meta { response_id: Some(rest.to_owned()), response_model: None }),
                "done" => batch.push(ModelEvent::Done { reason: stop_reason(rest) }),
                "error" => batch.push(ModelEvent::Error { reason: StopReason::Error, message: rest.to_owned() }),
                "aborted" => batch.push(ModelEvent::Error { reason: StopReason::Aborted, message: rest.to_owned() }),
                "closed" => {
                    let mut shared = self.shared.borrow_mut();
                    if !batch.is_empty() {
                        shared.model.as_ref().unwrap().unbounded_send(std::mem::take(&mut batch)).unwrap();
                    }
                    shared.model = None;
                    return;
                }
                raw => {
                    let (index, delta) = rest.split_once(' ').unwrap_or((rest, ""));
                    let (index, delta) = (index.parse().unwrap(), delta.to_owned());
                    batch.push(match raw {
                        "text_start" => ModelEvent::TextStart { index },
                        "text_delta" => ModelEvent::TextDelta { index, delta },
                        "text_end" => ModelEvent::TextEnd { index, signature: None },
                        "thinking_start" => ModelEvent::ThinkingStart { index },
                        "thinking_delta" => ModelEvent::ThinkingDelta { index, delta },
                        "thinking_end" => ModelEvent::ThinkingEnd { index, signature: None },
                        "toolcall_start" => ModelEvent::ToolCallStart { index, id: delta.clone(), name: delta },
                        "toolcall_delta" => ModelEvent::ToolCallDelta { index, delta },
                        _ => panic!("unknown model event: {item}"),
                    });
                }
            }
        }
        let mut shared = self.shared.borrow_mut();
        if shared.model.as_ref().unwrap().unbounded_send(batch).is_err() {
            shared.log.push("nobody listens".to_owned());
        }
    }
}

impl Execution {
    fn is(&self, call: &str) -> bool {
        self.id == call || call.strip_prefix('#') == Some(&self.call.to_string())
    }
}

impl Shared {
    fn execution(&self, call: &str) -> &Execution {
        self.executions.iter().rfind(|execution| execution.is(call)).unwrap()
    }

    fn enqueue(&mut self, queue: &str, text: &str) {
        let queue = if queue == "steer" { &mut self.queues.steering } else { &mut self.queues.follow_up };
        queue.push(user(text));
    }

    fn rule(&mut self, key: &str) -> Option<String> {
        let index = self.rules.iter().position(|(rule, _)| rule == key)?;
        Some(self.rules.remove(index).1)
    }

    fn changes(&self, value: &Value) -> Changes {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let texts = |name: &str| value[name].as_array().map(|texts| texts.iter().map(|text| text.as_str().unwrap()));
        Changes {
            history: texts("history").map(|texts| texts.map(user).collect()),
            tools: texts("tools")
                .map(|names| names.map(|name| self.tools.iter().find(|tool| tool.spec.name == name).unwrap().clone()))
                .map(Iterator::collect),
            model: text("model").map(|id| ModelInfo { api: "scripted".to_owned(), id, ..ModelInfo::default() }),
            reasoning: text("thinkingLevel"),
        }
    }
}

struct TestHost(Rc<RefCell<Shared>>);

impl TestHost {
    /// The answer of the script to a question, or the default.
    fn answer<T: 'static>(&self, key: &str, default: T, parse: impl FnOnce(&str, &str) -> T + 'static) -> Answer<T> {
        let mut shared = self.0.borrow_mut();
        if shared.shows.contains("asks") {
            shared.log.push(format!("ask {key}"));
        }
        let parse = move |answer: &str| {
            let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
            parse(word, rest)
        };
        match shared.rule(key).as_deref() {
            None => Answer::Now(default),
            Some("later") => {
                let (sender, receiver) = oneshot::channel();
                let answer = Box::new(move |answer: &str| drop(sender.send(parse(answer))));
                shared.questions.insert(key.to_owned(), answer);
                Answer::Later(receiver.map(Result::unwrap).boxed_local())
            }
            Some(answer) => {
                // Without the borrow: a parser may look at the shared state.
                let answer = answer.to_owned();
                drop(shared);
                Answer::Now(parse(&answer))
            }
        }
    }

    fn reply<T: 'static>(&self, key: &str, default: T, parse: impl FnOnce(&str, &str) -> T + 'static) -> Reply<T> {
        self.answer(key, Ok(default), move |word, rest| match word {
            "throw" => Err(HostError(rest.to_owned())),
            _ => Ok(parse(word, rest)),
        })
    }
}

impl Host for TestHost {
    fn now(&mut self) -> Now {
        self.0.borrow().now
    }

    fn emit(&mut self, event: Event) -> Reply<()> {
        let mut failure = None;
        {
            let mut shared = self.0.borrow_mut();
            let line = if shared.shows.contains("json") { render::json_event(&event) } else { render::event(&event) };
            shared.log.push(line);
            shared.trace.extend(render::short(&event));
            let kind = format!("event {}", event.kind());
            let with_call = match &event {
                Event::ToolExecutionStart { tool_call_id, .. }
                | Event::ToolExecutionUpdate { tool_call_id, .. }
                | Event::ToolExecutionEnd { tool_call_id, .. } => format!("{kind} {tool_call_id}"),
                Event::MessageStart { message } | Event::MessageEnd { message } => format!("{kind} {}", message.role()),
                _ => kind.clone(),
            };
            let deed = shared.rule(&with_call).or_else(|| shared.rule(&kind)).unwrap_or_default();
            match deed.split_once(' ').unwrap_or((&deed, "")) {
                ("", _) => {}
                ("abort", _) => shared.signal.abort(),
                ("fail", text) => failure = Some(HostError(text.to_owned())),
                (queue, text) => shared.enqueue(queue, text),
            }
        }
        match failure {
            Some(failure) => Answer::Now(Err(failure)),
            None if self.0.borrow().rules.iter().any(|(key, _)| *key == format!("emit {}", event.kind())) => {
                self.reply(&format!("emit {}", event.kind()), (), |_, _| ())
            }
            None => Answer::Now(Ok(())),
        }
    }

    fn trace(&mut self, trace: CallTrace) {
        let mut shared = self.0.borrow_mut();
        if shared.shows.contains("traces") {
            shared.log.push(render::trace(&trace));
        }
    }

    fn call_model(&mut self, request: ModelRequest) -> Result<ModelStream, HostError> {
        let mut shared = self.0.borrow_mut();
        let mut line = String::from("request");
        for message in &*request.history.messages() {
            line.push(' ');
            line.push_str(message.role());
        }
        if request.model.id != "m1" {
            line.push_str(&format!(", model {}", request.model.id));
        }
        if let Some(reasoning) = &request.reasoning {
            line.push_str(&format!(", reasoning {reasoning}"));
        }
        if request.signal.is_aborted() {
            line.push_str(", aborted");
        }
        shared.log.push(line);
        if let Some(failure) = shared.rule("model") {
            return Err(HostError(failure.strip_prefix("throw ").unwrap().to_owned()));
        }
        let (sender, receiver) = mpsc::unbounded();
        shared.model = Some(sender);
        Ok(receiver.boxed_local())
    }

    fn prepare(&mut self, _: usize, tool_call: &ToolCall) -> Answer<Result<Value, PrepareError>> {
        let arguments = tool_call.arguments.to_value();
        self.answer(&format!("prepare {}", tool_call.id), Ok(arguments), |word, rest| match word {
            "args" => Ok(serde_json::from_str(rest).unwrap()),
            "invalid" => Err(PrepareError::Invalid(rest.to_owned())),
            "throw" => Err(PrepareError::Threw(rest.to_owned())),
            _ => panic!("unknown answer: {word}"),
        })
    }

    fn before_tool(
        &mut self,
        _: usize,
        tool_call: &ToolCall,
        arguments: Value,
    ) -> Answer<Result<BeforeTool, ToolError>> {
        let asked = arguments.clone();
        self.answer(&format!("before {}", tool_call.id), Ok(BeforeTool::Allow(arguments)), move |word, rest| match word
        {
            "allow" if rest.is_empty() => Ok(BeforeTool::Allow(asked)),
            "allow" => Ok(BeforeTool::Allow(serde_json::from_str(rest).unwrap())),
            "block" | "block-terminate" => Ok(BeforeTool::Block {
                reason: Some(rest.to_owned()).filter(|reason| !reason.is_empty()),
                terminate: word == "block-terminate",
            }),
            "throw" => Err(ToolError(rest.to_owned())),
            _ => panic!("unknown answer: {word}"),
        })
    }

    fn execute(
        &mut self,
        call: usize,
        tool_call: &ToolCall,
        invocation: Invocation,
    ) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let (sender, receiver) = oneshot::channel();
        let mut shared = self.0.borrow_mut();
        let aborted = if invocation.signal.is_aborted() { ", aborted" } else { "" };
        let line =
            format!("execute #{call} {} {} {}{aborted}", invocation.call_id, tool_call.name, invocation.arguments);
        shared.log.push(line);
        let (id, on_update) = (tool_call.id.clone(), invocation.on_update);
        shared.executions.push(Execution { call, id, settle: Some(sender), on_update });
        receiver.map(Result::unwrap).boxed_local()
    }

    fn after_tool(
        &mut self,
        _: usize,
        tool_call: &ToolCall,
        _: &ToolOutput,
        _: bool,
    ) -> Answer<Result<AfterTool, ToolError>> {
        self.answer(&format!("after {}", tool_call.id), Ok(AfterTool::default()), |word, rest| {
            if word == "throw" {
                return Err(ToolError(rest.to_owned()));
            }
            let value: Value = serde_json::from_str(&format!("{word} {rest}")).unwrap();
            let field = |name: &str| value.get(name).map(Json::from_value);
            Ok(AfterTool {
                content: value["content"].as_str().map(|text| vec![Block::text(text)]),
                details: field("details"),
                structured_content: field("structuredContent"),
                usage: None,
                is_error: value["isError"].as_bool(),
                terminate: value["terminate"].as_bool(),
            })
        })
    }

    fn steering(&mut self) -> Reply<Vec<SharedMessage>> {
        let queued = self.0.borrow_mut().queues.steering.take();
        self.reply("steering", queued, |_, text| vec![user(text)])
    }

    fn follow_ups(&mut self) -> Reply<Vec<SharedMessage>> {
        let queued = self.0.borrow_mut().queues.follow_up.take();
        self.reply("follow-ups", queued, |_, text| vec![user(text)])
    }

    fn prepare_next_turn(&mut self, turn: &Turn) -> Reply<NextTurn> {
        assert_eq!(turn.history.len(), turn.history.messages().len());
        let shared = self.0.clone();
        self.reply("next-turn", NextTurn::default(), move |word, rest| {
            let value: Value = serde_json::from_str(&format!("{word} {rest}")).unwrap_or(json!({}));
            let messages = value["messages"].as_array().into_iter().flatten();
            NextTurn {
                changes: shared.borrow().changes(&value),
                messages: messages.map(|text| user(text.as_str().unwrap())).collect(),
            }
        })
    }

    fn prepare_request(&mut self, _: &History, _: &ModelInfo, _: Option<&str>) -> Reply<Changes> {
        let shared = self.0.clone();
        self.reply("request", Changes::default(), move |word, rest| {
            let value: Value = serde_json::from_str(&format!("{word} {rest}")).unwrap();
            shared.borrow().changes(&value)
        })
    }

    fn transform_context(&mut self, _: &History) -> Reply<Option<History>> {
        self.reply("context", None, |_, text| Some([user(text)].into_iter().collect()))
    }

    fn finish_turn(&mut self, _: &Turn) -> Reply<FinishTurn> {
        self.reply("finish", FinishTurn::Default, |word, _| match word {
            "end" => FinishTurn::End,
            "continue" => FinishTurn::Continue,
            _ => FinishTurn::Default,
        })
    }

    fn gate(&mut self, output: &Output) -> Option<LocalBoxFuture<'static, ()>> {
        let gate = self.0.borrow().gate.clone();
        let held = gate.check(output)?;
        let paused = gate.paused_at().unwrap();
        let call = paused.call_id.map(|id| format!(" {id} {}", paused.tool.unwrap())).unwrap_or_default();
        self.0.borrow_mut().log.push(format!("paused before {}{call}", paused.output));
        Some(held)
    }

    fn grace(&mut self) -> LocalBoxFuture<'static, ()> {
        let mut shared = self.0.borrow_mut();
        if !shared.has_grace {
            return std::future::pending().boxed_local();
        }
        let (sender, receiver) = oneshot::channel();
        shared.grace = Some(sender);
        receiver.map(|_| ()).boxed_local()
    }
}

fn user(text: &str) -> SharedMessage {
    Arc::new(Message::user(text, 1))
}

fn assistant(text: &str) -> SharedMessage {
    let mut message = AssistantMessage::pending("scripted", "", "m1", 1);
    message.content.push(Block::text(text));
    message.stop_reason = StopReason::Stop;
    Arc::new(Message::Assistant(message))
}

fn stop_reason(word: &str) -> StopReason {
    serde_json::from_value(Value::String(word.to_owned())).unwrap()
}
