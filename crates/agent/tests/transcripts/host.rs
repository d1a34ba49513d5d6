//! The host of a scripted run: it answers from the script, and writes down what it is told.
//!
//! Keys of questions, and their answers beside `later` and `throw TEXT`:
//! `prepare CALL` (args JSON, invalid TEXT) · `before CALL` (allow JSON, block REASON, block-terminate REASON;
//! the reason `default` is none) ·
//! `after CALL` ({replacements as JSON}) · `steering`, `follow-ups` (messages) · `next-turn`, `request`
//! ({thinkingLevel, tools, model, messages, history}) · `context` (only TEXT) · `finish` (end, continue) · `model` ·
//! `emit KIND` (go) · `execute CALL` (TEXT: the tool shows `half` and gives this, both at once).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use futures_channel::{mpsc, oneshot};
use futures_core::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};
use vitrine_agent::event::{CallTrace, Event};
use vitrine_agent::gate::{Gate, PausedAt};
use vitrine_agent::history::History;
use vitrine_agent::host::{Answer, Held, Host, HostError, Reply};
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, Message, SharedMessage, ToolCall};
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest, ModelStream};
use vitrine_agent::queue::Queues;
use vitrine_agent::run::{
    AfterTool, BeforeTool, Changes, FinishTurn, Input, NextTurn, Now, Output, PrepareError, RunTool, Turn,
};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, ToolError, ToolOutput};

use crate::render;

/// What the script and the host share.
#[derive(Default)]
pub struct Shared {
    pub log: Vec<String>,
    pub trace: Vec<String>,
    /// Each event as a line of JSON.
    pub payloads: Vec<String>,
    pub shows: HashSet<String>,
    pub now: Now,
    pub has_grace: bool,
    pub grace: Option<oneshot::Sender<()>>,
    pub model: Option<mpsc::UnboundedSender<Vec<ModelEvent>>>,
    pub executions: Vec<Execution>,
    /// Answers for the next question of a key.
    pub rules: Vec<(String, String)>,
    /// Questions that wait for `answer`.
    pub questions: HashMap<String, Question>,
    pub queues: Queues,
    pub gate: Gate,
    pub signal: AbortSignal,
    pub tools: Vec<RunTool>,
}

/// Takes its answer.
pub type Question = Box<dyn FnOnce(&str)>;

pub struct Execution {
    pub call: usize,
    pub id: String,
    pub settle: Option<oneshot::Sender<Result<ToolOutput, ToolError>>>,
    pub on_update: Box<dyn Fn(ToolOutput)>,
}

impl Execution {
    pub fn is(&self, call: &str) -> bool {
        self.id == call || call.strip_prefix('#') == Some(&self.call.to_string())
    }
}

impl Shared {
    pub fn execution(&self, call: &str) -> &Execution {
        self.executions.iter().rfind(|execution| execution.is(call)).unwrap()
    }

    pub fn enqueue(&mut self, queue: &str, text: &str) {
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
            model: text("model")
                .map(|id| ModelInfo { api: "scripted".into(), id: id.into(), ..ModelInfo::default() }.into()),
            reasoning: text("thinkingLevel"),
        }
    }
}

pub struct TestHost(pub Rc<RefCell<Shared>>);

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
            let payload = render::json_event(&event);
            let line = if shared.shows.contains("json") { payload.clone() } else { render::event(&event) };
            shared.log.push(line);
            shared.payloads.push(payload);
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
        if request.model.id != "m1".into() {
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
                reason: (rest != "default").then(|| rest.to_owned()),
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
        if let Some(text) = shared.rule(&format!("execute {id}")) {
            return Box::pin(async move {
                on_update(ToolOutput::text("half"));
                Ok(ToolOutput::text(text))
            });
        }
        shared.executions.push(Execution { call, id: id.to_string(), settle: Some(sender), on_update });
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
                usage: value.get("usage").map(|usage| serde_json::from_value(usage.clone()).unwrap()),
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
            let message = |value: &Value| match value.as_str() {
                Some(text) => user(text),
                None => serde_json::from_value(value.clone()).unwrap(),
            };
            NextTurn { changes: shared.borrow().changes(&value), messages: messages.map(message).collect() }
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

    fn gate(&mut self, output: &Output) -> Option<Held> {
        let gate = self.0.borrow().gate.clone();
        let held = gate.check(output)?;
        self.0.borrow_mut().log.push(paused(&gate.paused_at().unwrap()));
        Some(held)
    }

    fn gate_answer(&mut self, input: &Input) -> Option<Held> {
        let gate = self.0.borrow().gate.clone();
        let held = gate.check_answer(input)?;
        let answer = serde_json::to_string(&gate.answer().unwrap()).unwrap();
        self.0.borrow_mut().log.push(format!("{}: {answer}", paused(&gate.paused_at().unwrap())));
        Some(held)
    }

    fn grace(&mut self) -> LocalBoxFuture<'static, ()> {
        let mut shared = self.0.borrow_mut();
        assert!(shared.signal.is_aborted(), "there is no grace before an abort");
        if !shared.has_grace {
            return std::future::pending().boxed_local();
        }
        let (sender, receiver) = oneshot::channel();
        shared.grace = Some(sender);
        receiver.map(|_| ()).boxed_local()
    }
}

pub fn paused(at: &PausedAt) -> String {
    let call = at.call_id.iter().chain(&at.tool).map(|word| format!(" {word}")).collect::<String>();
    let what = if at.answer { "the answer to " } else { "" };
    format!("paused before {what}{}{call}", at.output)
}

pub fn user(text: &str) -> SharedMessage {
    SharedMessage::new(Message::user(text, 1))
}
