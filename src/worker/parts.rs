//! A person in the place of the model, or of the harness: the run waits for their answer, which then is one like any other.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::{Either, select};
use serde_json::Value;
use vitrine::platform::random;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, StopReason, ToolCall};
use vitrine_agent::model::{ModelEvent, ModelRequest, ModelStream};
use vitrine_agent::replay::replay;
use vitrine_agent::run::BeforeTool;
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::ToolError;
use vitrine_protocol::notification::{Notification, Problem};
use vitrine_protocol::part::{HarnessAction, Part, PartRequest};
use vitrine_tamper::edits::Given;
use vitrine_teach::Happening;

use crate::desk::Desk;
use crate::outbox::Answer;
use crate::{lesson, requests, tamper};

/// Whose part is played, and what is waited for.
#[derive(Default)]
pub struct Parts {
    part: Cell<Part>,
    waiting: RefCell<Option<Waiting>>,
}

enum Waiting {
    Model(oneshot::Sender<Vec<ModelEvent>>),
    Harness { call_id: Arc<str>, sender: oneshot::Sender<BeforeTool>, arguments: Value },
}

impl Parts {
    /// Whose.
    pub fn part(&self) -> Part {
        self.part.get()
    }

    /// Whether the run waits for the person.
    pub fn is_waiting(&self) -> bool {
        self.waiting.borrow().is_some()
    }
}

/// Puts a person in a place, from the next question on. One that waits is still theirs.
pub fn play(desk: &Desk, part: Part) -> Answer {
    desk.parts.part.set(part);
    lesson::happened(desk, &Happening::Part(part));
    desk.tell_state();
    Answer::done()
}

/// The request goes to the person.
pub fn model(desk: &Rc<Desk>, request: &ModelRequest) -> ModelStream {
    let (sender, receiver) = oneshot::channel();
    desk.parts.waiting.replace(Some(Waiting::Model(sender)));
    let tools = replay(&request.history.messages()).tools;
    let number = requests::note_unsent(desk, request);
    tell(desk, &PartRequest { part: Part::Model, request: number, tools, call_id: None, tool: None, args: None });
    let (desk, signal) = (desk.clone(), request.signal.clone());
    let answer = async move {
        let events = {
            let aborted = std::pin::pin!(signal.aborted());
            match select(aborted, receiver).await {
                Either::Right((Ok(events), _)) => events,
                Either::Left(_) | Either::Right((Err(_), _)) => {
                    let message = "Request was aborted".to_owned();
                    vec![ModelEvent::Error { reason: StopReason::Aborted, message }]
                }
            }
        };
        over(&desk);
        events
    };
    Box::pin(answer.into_stream())
}

/// The person has answered as the model.
pub fn answer_as_model(desk: &Desk, content: &Json, stop_reason: Option<StopReason>) -> Result<Answer, Problem> {
    let content = serde_json::from_str(content.as_str()).map_err(|error| {
        Problem::new("invalid-argument", error.to_string(), "give a list of text and toolCall blocks")
    })?;
    let events = response(content, stop_reason)?;
    match desk.parts.waiting.borrow_mut().take_if(|waiting| matches!(waiting, Waiting::Model(_))) {
        Some(Waiting::Model(sender)) => {
            // A run that was aborted waits no more.
            let _ = sender.send(events);
            Ok(Answer::done())
        }
        Some(Waiting::Harness { .. }) | None => Err(not_asked("no request waits for your answer")),
    }
}

/// An answer as a stream gives it.
fn response(content: Vec<Block>, stop_reason: Option<StopReason>) -> Result<Vec<ModelEvent>, Problem> {
    let invalid = |message: &str| Problem::new("invalid-argument", message, "give text and toolCall blocks");
    if content.is_empty() {
        return Err(invalid("an answer without content"));
    }
    let mut events = vec![ModelEvent::Start];
    let mut n_calls = 0;
    for (index, block) in content.into_iter().enumerate() {
        match block {
            Block::Text(text) => events.extend([
                ModelEvent::TextStart { index },
                ModelEvent::TextDelta { index, delta: text.text },
                ModelEvent::TextEnd { index, signature: None },
            ]),
            Block::ToolCall(call) => {
                let mut call = ToolCall::clone(&call);
                if call.id.is_empty() {
                    call.id =
                        format!("call_{}", random::bytes::<4>().map(|byte| format!("{byte:02x}")).concat()).into();
                }
                if !call.arguments.as_str().trim_start().starts_with('{') {
                    return Err(invalid("the arguments of a call are no JSON object"));
                }
                n_calls += 1;
                events.extend([
                    ModelEvent::ToolCallStart { index, id: call.id.clone(), name: call.name.clone() },
                    ModelEvent::ToolCallDelta { index, delta: call.arguments.as_str().to_owned() },
                    ModelEvent::ToolCallEnd { index, tool_call: call.into() },
                ]);
            }
            Block::Thinking(_) | Block::Image(_) | Block::Other(_) => {
                return Err(invalid("a model answers with text and calls"));
            }
        }
    }
    let reason = stop_reason.unwrap_or(if n_calls > 0 { StopReason::ToolUse } else { StopReason::Stop });
    events.push(match reason {
        StopReason::Error | StopReason::Aborted => ModelEvent::Error { reason, message: "The model failed".to_owned() },
        reason => ModelEvent::Done { reason },
    });
    Ok(events)
}

/// The call goes to the person: may it run?
pub async fn harness(
    desk: Rc<Desk>,
    tool_call: ToolCall,
    arguments: Value,
    signal: AbortSignal,
) -> Result<BeforeTool, ToolError> {
    let (sender, receiver) = oneshot::channel();
    let args = Json::from_value(&arguments);
    desk.parts.waiting.replace(Some(Waiting::Harness { call_id: tool_call.id.clone(), sender, arguments }));
    tell(
        &desk,
        &PartRequest {
            part: Part::Harness,
            request: None,
            tools: Vec::new(),
            call_id: Some(tool_call.id.to_string()),
            tool: Some(tool_call.name.to_string()),
            args: Some(args),
        },
    );
    let answer = {
        let aborted = std::pin::pin!(signal.aborted());
        match select(aborted, receiver).await {
            Either::Right((Ok(answer), _)) => answer,
            // The loop itself says that it was aborted.
            Either::Left(_) | Either::Right((Err(_), _)) => BeforeTool::Block { reason: None, terminate: false },
        }
    };
    over(&desk);
    Ok(answer)
}

/// The person has said what becomes of the call.
pub fn answer_as_harness(
    desk: &Desk,
    call_id: &str,
    action: HarnessAction,
    text: Option<String>,
    is_error: bool,
) -> Result<Answer, Problem> {
    let waiting = desk
        .parts
        .waiting
        .borrow_mut()
        .take_if(|waiting| matches!(waiting, Waiting::Harness { call_id: waits, .. } if **waits == *call_id));
    let Some(Waiting::Harness { sender, arguments, .. }) = waiting else {
        return Err(not_asked(&format!("call {call_id} does not wait for your answer")));
    };
    let answer = match action {
        HarnessAction::Reject => BeforeTool::Block { reason: text, terminate: false },
        HarnessAction::Run => BeforeTool::Allow(arguments),
        HarnessAction::Result => {
            let content = vec![Block::text(text.unwrap_or_default())];
            tamper::give(desk, call_id, Given { content, is_error: Some(is_error) });
            BeforeTool::Allow(arguments)
        }
    };
    // A run that was aborted waits no more.
    let _ = sender.send(answer);
    Ok(Answer::done())
}

fn tell(desk: &Desk, request: &PartRequest) {
    desk.outbox.tell_unread(&request, |request| Notification::Part(Some(request)));
    desk.tell_state();
}

fn over(desk: &Desk) {
    desk.parts.waiting.replace(None);
    desk.outbox.tell(&Notification::Part(None));
    desk.tell_state();
}

fn not_asked(message: &str) -> Problem {
    Problem::new("not-asked", message, "wait until `state.status` is \"waiting\"")
}
