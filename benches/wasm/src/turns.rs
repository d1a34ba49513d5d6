//! Turns of the loop against a model that answers at once and a tool that does nothing.

use std::fmt::Write as _;
use std::sync::Arc;

use futures_core::future::LocalBoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, future, stream};
use js_sys::Function;
use serde_json::Value;
use vitrine_agent::drive::drive;
use vitrine_agent::event::{Event, EventWriter};
use vitrine_agent::history::History;
use vitrine_agent::host::{Answer, Host, HostError, Reply, ready};
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Block, Message, SharedMessage, StopReason, ToolCall};
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest, ModelStream};
use vitrine_agent::run::{Now, PrepareError, Run, RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, Invocation, ToolError, ToolOutput, ToolSpec};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Performance, window};

/// As in the worker's line to the page.
const BATCH_BYTES: usize = 96 << 10;

/// The name of the one tool.
const TOOL: &str = "noop";

/// What it is called with.
const ARGUMENTS: &str = r#"{"path":"src/greet.ts"}"#;

/// A context of a given length, and runs from it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TurnBench {
    history: History,
    clock: Option<Performance>,
}

#[wasm_bindgen]
impl TurnBench {
    /// With `messages` messages in the context: questions and answers in turn.
    #[wasm_bindgen(constructor)]
    pub fn new(messages: usize) -> Self {
        let clock = window().and_then(|window| window.performance());
        Self { history: (0..messages).map(message).collect(), clock }
    }

    /// One run of `turns` turns with `calls` calls each and a last turn without. Its events go to `deliver` as the page gets
    /// them: JSON, in texts of the size at which the worker sends one off. Gives whether it came to its end.
    pub fn run(&self, turns: usize, calls: usize, deliver: Function) -> bool {
        let config = RunConfig {
            start: Start::Prompts(vec![SharedMessage::new(Message::user("go", 0))]),
            history: self.history.clone(),
            model: ModelInfo {
                api: "bench".into(),
                id: "bench".into(),
                provider: "bench".into(),
                ..ModelInfo::default()
            },
            reasoning: None,
            tools: vec![RunTool { spec: spec(), execution: ExecutionMode::Parallel }],
            execution: ExecutionMode::Parallel,
            signal: AbortSignal::default(),
        };
        let mut host = BenchHost {
            clock: self.clock.clone(),
            turns_left: turns,
            calls,
            n_calls: 0,
            id: String::new(),
            arguments: Json::parse(ARGUMENTS).unwrap_or_default(),
            writer: EventWriter::default(),
            lines: String::new(),
            deliver,
            tool: TOOL.into(),
        };
        // pi has no traces.
        let Ok(run) = Run::new(config, host.now()) else { return false };
        let mut run = run.without_traces();
        // Every answer is there at once, so one poll is the whole run.
        let is_whole = drive(&mut run, &mut host).now_or_never().is_some();
        host.deliver_lines();
        is_whole
    }
}

fn message(index: usize) -> SharedMessage {
    let text = format!("message {index} of a conversation that has gone on for a while");
    SharedMessage::new(if index.is_multiple_of(2) {
        Message::user(text, index as u64)
    } else {
        let mut answer = AssistantMessage::pending("bench", "bench", "bench", index as u64);
        answer.stop_reason = StopReason::Stop;
        answer.content.push(Block::text(text));
        Message::Assistant(answer)
    })
}

fn spec() -> ToolSpec {
    let parameters = Json::from_serialize(&serde_json::json!({
        "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"],
    }));
    ToolSpec {
        name: TOOL.into(),
        description: "Does nothing.".into(),
        parameters: parameters.unwrap_or_else(|_| Json::empty_object()),
        constrained_sampling: None,
    }
}

struct BenchHost {
    clock: Option<Performance>,
    turns_left: usize,
    calls: usize,
    n_calls: usize,
    /// Of the last call.
    id: String,
    /// Of every call: the peer's model does not parse them either.
    arguments: Json,
    writer: EventWriter,
    lines: String,
    deliver: Function,
    /// The tool's name.
    tool: Arc<str>,
}

impl BenchHost {
    fn deliver_lines(&mut self) {
        // A listener that fails has not counted what it got.
        let _ = self.deliver.call1(&JsValue::NULL, &JsValue::from_str(&self.lines));
        self.lines.clear();
    }
}

impl Host for BenchHost {
    fn now(&mut self) -> Now {
        Now { wall_ms: js_sys::Date::now() as u64, monotonic_ms: self.clock.as_ref().map_or(0.0, Performance::now) }
    }

    fn emit(&mut self, event: Event) -> Reply<()> {
        self.writer.write(&event, &mut self.lines);
        self.lines.push('\n');
        if self.lines.len() > BATCH_BYTES {
            self.deliver_lines();
        }
        ready(())
    }

    fn call_model(&mut self, _: ModelRequest) -> Result<ModelStream, HostError> {
        let mut events = Vec::with_capacity(3 * self.calls + 2);
        events.push(ModelEvent::Start);
        let reason = match self.turns_left.checked_sub(1) {
            Some(left) => {
                self.turns_left = left;
                for index in 0..self.calls {
                    self.n_calls += 1;
                    self.id.clear();
                    // A text takes whatever is written to it.
                    let _ = write!(self.id, "call_{}", self.n_calls);
                    let (id, name): (Arc<str>, _) = (self.id.as_str().into(), self.tool.clone());
                    events.push(ModelEvent::ToolCallStart { index, id: id.clone(), name: name.clone() });
                    events.push(ModelEvent::ToolCallDelta { index, delta: ARGUMENTS.to_owned() });
                    let tool_call = ToolCall { id, name, arguments: self.arguments.clone(), ..ToolCall::default() };
                    events.push(ModelEvent::ToolCallEnd { index, tool_call: tool_call.into() });
                }
                StopReason::ToolUse
            }
            None => StopReason::Stop,
        };
        events.push(ModelEvent::Done { reason });
        Ok(stream::once(future::ready(events)).boxed_local())
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
        future::ready(Ok(ToolOutput::text("ok"))).boxed_local()
    }
}
