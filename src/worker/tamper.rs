//! What a person does to a run: faults that were switched on, and edits. The decisions are `vitrine_tamper`'s; here they meet
//! the host's outputs.

mod order;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::{Either, LocalBoxFuture, select};
use vitrine::platform::clock;
use vitrine_agent::event::Event;
use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, Message, SharedMessage, StopReason, ToolCall, UserContent};
use vitrine_agent::model::{ModelEvent, ModelRequest, ModelStream};
use vitrine_agent::run::AfterTool;
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput};
use vitrine_protocol::edit::{Edit, Edited, EditedPart};
use vitrine_protocol::fault::{Fault, FaultActed, FaultKind};
use vitrine_protocol::notification::{Notification, Problem};
use vitrine_protocol::part::Part;
use vitrine_session::ids::EntryId;
use vitrine_session::session::{Session, SessionError};
use vitrine_tamper::edits::{EditError, Edits, Given, Stage};
use vitrine_tamper::fault::{Admitted, Asked, Faults};
use vitrine_teach::Happening;

use crate::desk::Desk;
use crate::outbox::Answer;
use crate::{lesson, models, parts, requests, sessions};
use order::Order;

/// How much longer a slow call takes.
const SLOW_MS: u32 = 3000;
/// How long after it has settled a tool shows progress.
const LATE_MS: u32 = 50;

/// What a person has done to the session's runs.
#[derive(Default)]
pub struct Tamper {
    faults: RefCell<Faults>,
    edits: RefCell<Edits>,
    order: Rc<RefCell<Order>>,
    /// A result in the history was edited: the next request takes the projection anew.
    is_stale: Cell<bool>,
    is_modified: Cell<bool>,
}

impl Tamper {
    /// The faults that wait.
    pub fn armed(&self) -> Vec<Fault> {
        self.faults.borrow().armed().cloned().collect()
    }

    /// Whether anything in the session is not the model's and the host's alone.
    pub fn is_modified(&self) -> bool {
        self.is_modified.get()
    }

    /// Another session is open: nothing was done to it.
    pub fn reset(&self) {
        self.faults.borrow_mut().reset();
        self.edits.replace(Edits::default());
        self.is_stale.set(false);
        self.is_modified.set(false);
    }
}

impl Tamper {
    /// The session went back to where only these messages are: what was done after them is undone.
    pub fn went_back(&self, messages: &[SharedMessage]) {
        let is_there = |call_id: &str| {
            messages.iter().any(|message| match &**message {
                Message::ToolResult(result) => *result.tool_call_id == *call_id,
                _ => false,
            })
        };
        self.faults.borrow_mut().keep_dropped(is_there);
        self.edits.borrow_mut().begin_run();
        self.is_stale.set(true);
    }

    /// An event tells where a call is: one that happens, or that had happened before where the session went back to.
    pub fn see_calls(&self, event: &Event) {
        let mut edits = self.edits.borrow_mut();
        match event {
            Event::MessageEnd { message } => match &**message {
                Message::Assistant(assistant) => {
                    assistant.tool_calls().for_each(|call| edits.reached(&call.id, Stage::Asked));
                }
                Message::ToolResult(result) => edits.reached(&result.tool_call_id, Stage::Recorded),
                Message::System(_) | Message::User(_) | Message::Other(_) => {}
            },
            Event::ToolExecutionEnd { tool_call_id, .. } => edits.reached(tool_call_id, Stage::Over),
            _ => {}
        }
    }
}

/// Puts something in place of what was.
pub async fn edit(desk: &Desk, edit: &Json) -> Result<Answer, Problem> {
    let edit = serde_json::from_str(edit.as_str())
        .map_err(|error| Problem::new("invalid-argument", error.to_string(), "see vitrine.d.ts for what an edit is"))?;
    let edits = &desk.tamper.edits;
    let edited = match edit {
        Edit::Args { call_id, args } => {
            edits.borrow_mut().set_arguments(&call_id, args.clone()).map_err(|error| problem(&error))?;
            Edited { what: EditedPart::Args, call_id: Some(call_id), value: args }
        }
        Edit::Result { call_id, result, is_error } => {
            let value = json(&result)?;
            let content = blocks(result);
            let given = Given { content: content.clone(), is_error };
            if !edits.borrow_mut().set_result(&call_id, given) {
                edit_history(desk, &call_id, content).await?;
            }
            Edited { what: EditedPart::Result, call_id: Some(call_id), value }
        }
        Edit::System { system } => {
            let value = json(&system)?;
            edits.borrow_mut().set_system(Some(system));
            Edited { what: EditedPart::System, call_id: None, value }
        }
        Edit::Request { request } => {
            if request.messages.is_empty() {
                return Err(Problem::new(
                    "invalid-argument",
                    "a request without messages",
                    "give at least one message",
                ));
            }
            let value = json(&request)?;
            edits.borrow_mut().set_request(request.messages);
            Edited { what: EditedPart::Request, call_id: None, value }
        }
    };
    told(desk, &edited);
    Ok(Answer::done())
}

/// Tells what was edited.
pub fn told(desk: &Desk, edited: &Edited) {
    desk.tamper.is_modified.set(true);
    desk.outbox.tell_unread(edited, Notification::Edited);
    lesson::happened(desk, &Happening::Edited(edited.what));
    desk.tell_state();
}

/// A result was stored. If a person gave another one after it was made, later requests carry theirs.
pub async fn stored(desk: &Desk, session: &mut Session, call_id: &str, entry: &EntryId) -> Result<(), SessionError> {
    let given = desk.tamper.edits.borrow_mut().take_result(call_id);
    match given {
        Some(given) => replace(desk, session, entry, given.content).await,
        None => Ok(()),
    }
}

/// Later requests carry this in place of what an entry holds.
async fn replace(desk: &Desk, session: &mut Session, entry: &EntryId, content: Vec<Block>) -> Result<(), SessionError> {
    session.append_context_edit(entry, Some(UserContent::Blocks(content)), clock::wall_ms()).await?;
    desk.tamper.is_stale.set(true);
    Ok(())
}

/// The result is in the history, which stays as it is; what later requests show of it does not.
async fn edit_history(desk: &Desk, call_id: &str, content: Vec<Block>) -> Result<(), Problem> {
    let mut session = desk.sessions.current.lock().await;
    let entry = session.tree().path().into_iter().rev().find_map(|entry| {
        let Message::ToolResult(result) = &**entry.message()? else { return None };
        (*result.tool_call_id == *call_id).then(|| entry.id.clone())
    });
    let Some(entry) = entry else { return Err(problem(&EditError::UnknownCall(call_id.to_owned()))) };
    let edited = replace(desk, &mut session, &entry, content).await;
    edited.map_err(|error| sessions::session_problem(&error))
}

fn problem(error: &EditError) -> Problem {
    match error {
        EditError::UnknownCall(_) => {
            Problem::new("call-not-found", error.to_string(), "give the id of a call that is in the transcript")
        }
        EditError::HasBegun(_) => Problem::new(
            "too-late",
            error.to_string(),
            "edit its result instead, or go back to before it and edit its arguments there",
        ),
    }
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> Result<Json, Problem> {
    Json::from_serialize(value).map_err(|error| Problem::new("internal", error.to_string(), "report this as a bug"))
}

fn blocks(content: UserContent) -> Vec<Block> {
    match content {
        UserContent::Text(text) => vec![Block::text(text)],
        UserContent::Blocks(blocks) => blocks,
    }
}

/// Breaks something.
pub fn fault(desk: &Desk, fault: Fault) -> Result<Answer, Problem> {
    let armed = desk.tamper.faults.borrow_mut().arm(fault);
    armed.map_err(|error| Problem::new("too-many", error.to_string(), "clear them first"))?;
    desk.tell_state();
    Ok(Answer::done())
}

/// Takes back what has not broken anything.
pub fn clear_faults(desk: &Desk) -> Answer {
    desk.tamper.faults.borrow_mut().clear();
    desk.tell_state();
    Answer::done()
}

/// The run has come this far.
pub fn happened(desk: &Desk, event: &Event) {
    let tamper = &desk.tamper;
    match event {
        Event::AgentStart => tamper.edits.borrow_mut().begin_run(),
        Event::MessageEnd { message } => {
            if let Message::Assistant(assistant) = &**message {
                let calls: Vec<Arc<str>> = assistant.tool_calls().map(|call| call.id.clone()).collect();
                tamper.order.replace(Order::default());
                tamper.faults.borrow_mut().batch(&calls);
                acted(desk);
            }
        }
        _ => {}
    }
    tamper.see_calls(event);
}

/// Tells which faults have acted.
fn acted(desk: &Desk) {
    let acted = desk.tamper.faults.borrow_mut().take_acted();
    if acted.is_empty() {
        return;
    }
    desk.tamper.is_modified.set(true);
    for fault in acted {
        tell_fault(desk, fault);
    }
    desk.tell_state();
}

fn tell_fault(desk: &Desk, acted: FaultActed) {
    lesson::happened(desk, &Happening::Fault(acted.kind));
    desk.outbox.tell(&Notification::Fault(acted));
}

/// The response to a request: the model's, the person's who plays it, or what was switched on.
pub fn model(desk: &Rc<Desk>, request: ModelRequest) -> ModelStream {
    let asked = desk.tamper.faults.borrow_mut().request();
    acted(desk);
    if let Asked::Refused(words) = asked {
        requests::note_unsent(desk, &request);
        let refusal = ModelEvent::Error { reason: StopReason::Error, message: words.to_owned() };
        return Box::pin(futures_util::stream::iter([vec![ModelEvent::Start, refusal]]));
    }
    let stream = match desk.parts.part() {
        Part::Model => parts::model(desk, &request),
        Part::None | Part::Harness => models::stream(desk, request),
    };
    if !desk.tamper.faults.borrow().rewrites() {
        return stream;
    }
    let desk = desk.clone();
    Box::pin(stream.map(move |events| {
        let events = desk.tamper.faults.borrow_mut().answer(events);
        acted(&desk);
        events
    }))
}

/// The arguments of a call: the model's or a person's.
pub fn arguments(desk: &Desk, tool_call: &ToolCall) -> Option<Json> {
    desk.tamper.edits.borrow_mut().take_arguments(&tool_call.id)
}

/// Whether a call may run, as far as faults are concerned.
pub fn admit(desk: &Desk, tool_call: &ToolCall) -> Admitted {
    if desk.tamper.faults.borrow().is_idle() {
        return Admitted::Yes;
    }
    let admitted = desk.tamper.faults.borrow_mut().admit(&tool_call.id);
    acted(desk);
    admitted
}

/// A person gave a call its result: its tool does not run.
pub fn give(desk: &Desk, call_id: &str, given: Given) -> bool {
    desk.tamper.is_modified.set(true);
    desk.tamper.edits.borrow_mut().set_result(call_id, given)
}

/// Runs a call, with what was switched on and edited.
pub fn execute(
    desk: &Rc<Desk>,
    tool: &dyn Tool,
    call: usize,
    mut invocation: Invocation,
) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
    let tamper = &desk.tamper;
    let call_id = invocation.call_id.clone();
    let given = tamper.edits.borrow_mut().take_result(&call_id);
    if let Some(Given { content, is_error }) = given {
        let output = ToolOutput { content, is_error: is_error.unwrap_or(false), ..ToolOutput::default() };
        return Box::pin(std::future::ready(Ok(output)));
    }
    if let Some(arguments) = tamper.edits.borrow_mut().take_arguments(&call_id) {
        match tool.prepare(&arguments) {
            Ok(arguments) => invocation.arguments = arguments,
            Err(text) => return Box::pin(std::future::ready(Err(ToolError(text)))),
        }
    }
    tamper.edits.borrow_mut().reached(&call_id, Stage::Running);
    if tamper.faults.borrow().is_idle() {
        return tool.execute(invocation);
    }
    let execution = tamper.faults.borrow().execution(&call_id);
    let signal = invocation.signal.clone();
    if execution.aborts {
        signal.abort();
    }
    if let Some(text) = execution.throws {
        return Box::pin(std::future::ready(Err(ToolError(text))));
    }
    let on_update: Rc<dyn Fn(ToolOutput)> = invocation.on_update.into();
    let shared = on_update.clone();
    invocation.on_update = Box::new(move |output| shared(output));
    let order = execution.settles_last.then(|| tamper.order.clone());
    if let Some(order) = &order {
        order.borrow_mut().begin(call);
    }
    let running = tool.execute(invocation);
    let desk = desk.clone();
    Box::pin(async move {
        let result = running.await;
        if execution.is_slow {
            unless_aborted(&signal, clock::sleep(SLOW_MS)).await;
        }
        if let Some(order) = order {
            // A tool may settle as it is begun; those after it must have begun, too.
            clock::sleep(1).await;
            unless_aborted(&signal, Order::turn(order, call)).await;
        }
        if execution.updates_late {
            wasm_bindgen_futures::spawn_local(async move {
                clock::sleep(LATE_MS).await;
                on_update(ToolOutput::text("late"));
                let acted = FaultActed { kind: FaultKind::LateUpdate, call_id: Some(call_id.to_string()) };
                desk.tamper.is_modified.set(true);
                tell_fault(&desk, acted);
            });
        }
        result
    })
}

async fn unless_aborted(signal: &AbortSignal, wait: impl Future<Output = ()>) {
    let (aborted, wait) = (std::pin::pin!(signal.aborted()), std::pin::pin!(wait));
    match select(aborted, wait).await {
        Either::Left(_) | Either::Right(_) => {}
    }
}

/// What of a result is another one.
pub fn after(desk: &Desk, tool_call: &ToolCall) -> AfterTool {
    let given = desk.tamper.edits.borrow_mut().take_result(&tool_call.id);
    let terminates = desk.tamper.faults.borrow().terminates(&tool_call.id);
    let mut after = AfterTool { terminate: terminates.then_some(true), ..AfterTool::default() };
    if let Some(Given { content, is_error }) = given {
        after.content = Some(content);
        after.is_error = is_error;
    }
    after
}

/// What a request carries in place of the history, if anything.
pub fn context(desk: &Desk, history: &History) -> Option<History> {
    let faults = desk.tamper.faults.borrow();
    let drops: &dyn Fn(&str) -> bool = &|call_id| faults.drops(call_id);
    desk.tamper.edits.borrow_mut().context(history, faults.drops_any().then_some(drops))
}

/// Whether the history that the run works with is not the projection any more; asked once.
pub fn take_stale(desk: &Desk) -> bool {
    desk.tamper.is_stale.replace(false)
}
