//! [`Gate`]: where a run waits for a person. Pause, step, breakpoints.

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use futures_core::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

use crate::event::{AssistantUpdate, Event};
use crate::json::Json;
use crate::message::Message;
use crate::run::Output;

pub mod glob;

/// Where a run pauses by itself: all given fields must match, and the run holds before the event is told.
///
/// A breakpoint that names no event passes over `message_update`, which would stop it at every token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Breakpoint {
    /// An event's type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The tool of the call that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A glob over the `path` argument of that call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The stop reason of the assistant message that the event carries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Only the n-th match of a run, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
}

/// What a paused run is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PausedAt {
    /// The output's name: an event's type, or a question such as `call_model`.
    pub output: String,
    /// The tool, where it is about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The call's id, where it is about a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

/// The debugger's state. Clones share it: a command handler resumes while `drive` waits.
#[derive(Clone, Debug, Default)]
pub struct Gate(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    until: Until,
    paused: Option<PausedAt>,
    /// Counts holds, so that a dropped one does not undo a later one.
    hold: u64,
    waker: Option<Waker>,
    breakpoints: Vec<(Breakpoint, u32)>,
    /// The path argument of each call of the turn by its id: later events of a call do not carry it.
    paths: HashMap<String, String>,
}

/// How far the run may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Until {
    /// To the end.
    #[default]
    End,
    /// To the next output.
    Output,
    /// To the next event that is not an update.
    Event,
    /// To the next turn.
    Turn,
}

impl Gate {
    /// A gate that lets everything through.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds the run before its next output.
    pub fn pause(&self) {
        self.0.borrow_mut().until = Until::Output;
    }

    /// Lets a paused run go on, to its next breakpoint.
    pub fn resume(&self) {
        self.go(Until::End);
    }

    /// Lets the run go on, and holds it before the next event that is not a `message_update`.
    pub fn step(&self) {
        self.go(Until::Event);
    }

    /// Lets the run go on, and holds it before the next turn, or before its end.
    pub fn step_turn(&self) {
        self.go(Until::Turn);
    }

    /// Replaces all breakpoints; their counts begin anew.
    pub fn set_breakpoints(&self, breakpoints: Vec<Breakpoint>) {
        self.0.borrow_mut().breakpoints = breakpoints.into_iter().map(|breakpoint| (breakpoint, 0)).collect();
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> Vec<Breakpoint> {
        self.0.borrow().breakpoints.iter().map(|(breakpoint, _)| breakpoint.clone()).collect()
    }

    /// What the run is held before; `None` when it goes.
    pub fn paused_at(&self) -> Option<PausedAt> {
        self.0.borrow().paused.clone()
    }

    /// Whether this output is held, and until when. Ask once for each output, in order: breakpoints count.
    ///
    /// Dropping the future lets go, as an abort does.
    pub fn check(&self, output: &Output) -> Option<LocalBoxFuture<'static, ()>> {
        let mut state = self.0.borrow_mut();
        if state.until == Until::End && state.breakpoints.is_empty() {
            return None;
        }
        if !state.holds(output) {
            return None;
        }
        state.until = Until::End;
        state.hold += 1;
        state.paused = Some(paused_at(output));
        Some(Box::pin(Hold { gate: self.clone(), hold: state.hold }))
    }

    fn go(&self, until: Until) {
        let waker = {
            let mut state = self.0.borrow_mut();
            state.until = until;
            state.paused = None;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl State {
    fn holds(&mut self, output: &Output) -> bool {
        let event = match output {
            Output::Trace(_) => return false,
            Output::Emit(event) => Some(event),
            _ => None,
        };
        let reached = match (self.until, event) {
            (Until::End, _) | (Until::Event | Until::Turn, None) => false,
            (Until::Output, _) => true,
            (Until::Event, Some(event)) => !matches!(event, Event::MessageUpdate { .. }),
            (Until::Turn, Some(event)) => matches!(event, Event::TurnStart | Event::AgentEnd { .. }),
        };
        // Every breakpoint looks at every event, also when another holds already: its count must be right.
        event.is_some_and(|event| self.breaks(event)) | reached
    }

    fn breaks(&mut self, event: &Event) -> bool {
        match event {
            Event::AgentStart => self.breakpoints.iter_mut().for_each(|(_, hits)| *hits = 0),
            Event::TurnStart => self.paths.clear(),
            Event::ToolExecutionStart { tool_call_id, args, .. } => {
                if self.breakpoints.iter().any(|(breakpoint, _)| breakpoint.path.is_some())
                    && let Some(path) = path_argument(args)
                {
                    self.paths.insert(tool_call_id.clone(), path);
                }
            }
            _ => {}
        }
        let paths = &self.paths;
        let subject = Subject::of(event);
        let mut breaks = false;
        for (breakpoint, hits) in &mut self.breakpoints {
            if breakpoint.matches(event, &subject, paths) {
                *hits = hits.saturating_add(1);
                breaks |= breakpoint.nth.is_none_or(|nth| nth == *hits);
            }
        }
        breaks
    }
}

impl Breakpoint {
    fn matches(&self, event: &Event, subject: &Subject<'_>, paths: &HashMap<String, String>) -> bool {
        let kind = match &self.event {
            Some(kind) => kind == event.kind(),
            None => !matches!(event, Event::MessageUpdate { .. }),
        };
        let path = || subject.call_id.and_then(|id| paths.get(id));
        kind && self.tool.as_deref().is_none_or(|tool| subject.tool == Some(tool))
            && self.stop_reason.as_deref().is_none_or(|reason| subject.stop_reason == Some(reason))
            && self.path.as_deref().is_none_or(|glob| path().is_some_and(|path| glob::matches(glob, path)))
    }
}

/// Whom an event is about.
#[derive(Default)]
struct Subject<'a> {
    tool: Option<&'a str>,
    call_id: Option<&'a str>,
    stop_reason: Option<&'a str>,
}

impl<'a> Subject<'a> {
    fn of(event: &'a Event) -> Self {
        match event {
            Event::ToolExecutionStart { tool_call_id, tool_name, .. }
            | Event::ToolExecutionUpdate { tool_call_id, tool_name, .. }
            | Event::ToolExecutionEnd { tool_call_id, tool_name, .. } => Self::call(tool_call_id, tool_name),
            Event::MessageStart { message } | Event::MessageEnd { message } | Event::TurnEnd { message, .. } => {
                match &**message {
                    Message::Assistant(assistant) => {
                        Self { stop_reason: Some(assistant.stop_reason.as_str()), ..Self::default() }
                    }
                    Message::ToolResult(result) => Self::call(&result.tool_call_id, &result.tool_name),
                    Message::System(_) | Message::User(_) | Message::Other(_) => Self::default(),
                }
            }
            Event::MessageUpdate { update: AssistantUpdate::ToolCallStart { id, name, .. }, .. } => {
                Self::call(id, name)
            }
            Event::MessageUpdate { update: AssistantUpdate::ToolCallEnd { tool_call, .. }, .. } => {
                Self::call(&tool_call.id, &tool_call.name)
            }
            Event::MessageUpdate { .. } | Event::AgentStart | Event::TurnStart | Event::AgentEnd { .. } => {
                Self::default()
            }
        }
    }

    fn call(call_id: &'a str, tool: &'a str) -> Self {
        Self { tool: Some(tool), call_id: Some(call_id), stop_reason: None }
    }
}

fn path_argument(args: &Json) -> Option<String> {
    #[derive(Deserialize)]
    struct Arguments {
        path: String,
    }
    serde_json::from_str::<Arguments>(args.as_str()).ok().map(|arguments| arguments.path)
}

fn paused_at(output: &Output) -> PausedAt {
    let (tool, call_id) = match output {
        Output::Emit(event) => {
            let subject = Subject::of(event);
            (subject.tool, subject.call_id)
        }
        Output::Prepare { tool_call, .. }
        | Output::BeforeTool { tool_call, .. }
        | Output::Execute { tool_call, .. }
        | Output::AfterTool { tool_call, .. } => (Some(tool_call.name.as_str()), Some(tool_call.id.as_str())),
        _ => (None, None),
    };
    PausedAt { output: output.kind().to_owned(), tool: tool.map(str::to_owned), call_id: call_id.map(str::to_owned) }
}

/// One hold: ready when someone lets the run go on.
struct Hold {
    gate: Gate,
    hold: u64,
}

impl Future for Hold {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.gate.0.borrow_mut();
        if state.paused.is_none() || state.hold != self.hold {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut state = self.gate.0.borrow_mut();
        if state.hold == self.hold {
            state.paused = None;
            state.waker = None;
        }
    }
}
