//! The smallest demonstration of the loop: one prompt, a response that calls a calculator, a response with the answer.
//! Also compiled for the browser, where it must come to the same fingerprint.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_core::future::LocalBoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde::Deserialize;
use serde_json::Value;
use vitrine_agent::drive::drive;
use vitrine_agent::event::Event;
use vitrine_agent::host::{Answer, Host, HostError, Reply, ready};
use vitrine_agent::message::{Message, SharedMessage, ToolCall};
use vitrine_agent::model::{ModelInfo, ModelRequest, ModelStream};
use vitrine_agent::replay::create_initial_system_message;
use vitrine_agent::run::{Now, PrepareError, Run, RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, Invocation, ToolError, ToolOutput, ToolSpec};
use vitrine_providers::scripted::{Script, Scripted};

/// What is in `calculator.json`.
#[derive(Deserialize)]
pub struct Demo {
    prompt: String,
    system: String,
    model: ModelInfo,
    tool: ToolSpec,
    script: Script,
    /// The order of events, in the notation of the article that the demonstration is from.
    pub trace: String,
    /// What it comes to.
    pub fingerprint: String,
}

impl Demo {
    pub fn read() -> Self {
        serde_json::from_str(include_str!("calculator.json")).unwrap()
    }

    /// The same demonstration whose model calls its call otherwise.
    #[allow(dead_code, reason = "the browser's test does not need it")]
    pub fn with_call_id(mut self, id: &str) -> Self {
        self.script.turns[0].calls[0].id = Some(id.to_owned());
        self
    }

    /// The events of a run that begins at a time, and in which every look at the clock takes some of it.
    pub fn run(&self, wall_ms: u64, tick_ms: f64) -> Vec<Event> {
        let events = Rc::new(RefCell::new(Vec::new()));
        let clock = Cell::new(Now { wall_ms, monotonic_ms: 0.0 });
        let mut host = Desk { scripted: Scripted::new(self.script.clone()), clock, tick_ms, events: events.clone() };
        let config = RunConfig {
            start: Start::Prompts(vec![SharedMessage::new(Message::user(self.prompt.clone(), wall_ms))]),
            history: create_initial_system_message(&self.system, std::slice::from_ref(&self.tool))
                .into_iter()
                .collect(),
            model: self.model.clone(),
            reasoning: None,
            tools: vec![RunTool { spec: self.tool.clone(), execution: ExecutionMode::Parallel }],
            execution: ExecutionMode::Parallel,
            signal: AbortSignal::new(),
        };
        let mut run = Run::new(config, host.now()).unwrap();
        // Nothing in it waits, so that no executor is needed.
        drive(&mut run, &mut host).now_or_never().unwrap();
        assert!(run.is_done() && host.scripted.pending_turns() == 0);
        drop(host);
        Rc::try_unwrap(events).unwrap().into_inner()
    }
}

struct Desk {
    scripted: Scripted,
    clock: Cell<Now>,
    tick_ms: f64,
    events: Rc<RefCell<Vec<Event>>>,
}

impl Host for Desk {
    fn now(&mut self) -> Now {
        let Now { wall_ms, monotonic_ms } = self.clock.get();
        self.clock.set(Now { wall_ms: wall_ms + self.tick_ms as u64, monotonic_ms: monotonic_ms + self.tick_ms });
        self.clock.get()
    }

    fn emit(&mut self, event: Event) -> Reply<()> {
        self.events.borrow_mut().push(event);
        ready(())
    }

    fn call_model(&mut self, request: ModelRequest) -> Result<ModelStream, HostError> {
        let batches: Vec<_> = self.scripted.play(&request).map(|batch| batch.events).collect();
        Ok(stream::iter(batches).boxed_local())
    }

    fn prepare(&mut self, _: usize, tool_call: &ToolCall) -> Answer<Result<Value, PrepareError>> {
        Answer::Now(Ok(tool_call.arguments.to_value()))
    }

    fn execute(
        &mut self,
        _: usize,
        _: &ToolCall,
        invocation: Invocation,
    ) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let expression = invocation.arguments["expression"].as_str().unwrap_or_default().to_owned();
        Box::pin(async move {
            match calculate(&expression) {
                Some(number) => Ok(ToolOutput::text(number.to_string())),
                None => Err(ToolError(format!("not an expression: {expression}"))),
            }
        })
    }
}

/// The value of an expression of numbers, `+ - * /` and parentheses.
pub fn calculate(expression: &str) -> Option<f64> {
    let mut rest = expression.trim_start();
    let value = sum(&mut rest)?;
    rest.is_empty().then_some(value)
}

fn sum(rest: &mut &str) -> Option<f64> {
    let mut value = product(rest)?;
    loop {
        match take(rest, &['+', '-']) {
            Some('+') => value += product(rest)?,
            Some(_) => value -= product(rest)?,
            None => return Some(value),
        }
    }
}

fn product(rest: &mut &str) -> Option<f64> {
    let mut value = term(rest)?;
    loop {
        match take(rest, &['*', '/']) {
            Some('*') => value *= term(rest)?,
            Some(_) => value /= term(rest)?,
            None => return Some(value),
        }
    }
}

fn term(rest: &mut &str) -> Option<f64> {
    if take(rest, &['(']).is_some() {
        let value = sum(rest)?;
        return take(rest, &[')']).map(|_| value);
    }
    let length = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
    let (number, after) = rest.split_at(length);
    *rest = after.trim_start();
    number.parse().ok()
}

/// The sign that comes next, if it is one of these.
fn take(rest: &mut &str, signs: &[char]) -> Option<char> {
    let sign = rest.chars().next().filter(|sign| signs.contains(sign))?;
    *rest = rest.get(1..)?.trim_start();
    Some(sign)
}
