//! [`Breakpoint`]: where a run pauses by itself.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::glob;
use crate::event::{AssistantUpdate, Event};
use crate::json::Json;
use crate::message::Message;
use crate::run::Output;

/// Where a run pauses by itself: all given fields must match, and the run holds before the event is told.
///
/// A breakpoint that names no event passes over `message_update`, which would stop it at every token. One that names a
/// question of the run (`call_model`, `execute`, …) holds it before that is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Breakpoint {
    /// An event's type, or a question's [name](Output::kind).
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

/// The breakpoints of a gate, and how often each was hit.
#[derive(Debug, Default)]
pub(super) struct Breakpoints {
    all: Vec<(Breakpoint, u32)>,
    /// The path argument of each call of the turn by its id: later events of a call do not carry it.
    paths: HashMap<Arc<str>, String>,
}

impl Breakpoints {
    pub(super) fn set(&mut self, breakpoints: Vec<Breakpoint>) {
        self.all = breakpoints.into_iter().map(|breakpoint| (breakpoint, 0)).collect();
    }

    pub(super) fn list(&self) -> Vec<Breakpoint> {
        self.all.iter().map(|(breakpoint, _)| breakpoint.clone()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether one of them holds the run before this output. Shown every output, in order.
    pub(super) fn hit(&mut self, output: &Output) -> bool {
        match output {
            Output::Emit(Event::AgentStart) => self.all.iter_mut().for_each(|(_, hits)| *hits = 0),
            Output::Emit(Event::TurnStart) => self.paths.clear(),
            Output::Emit(Event::ToolExecutionStart { tool_call_id, args, .. }) => {
                if self.all.iter().any(|(breakpoint, _)| breakpoint.path.is_some())
                    && let Some(path) = path_argument(args)
                {
                    self.paths.insert(tool_call_id.clone(), path);
                }
            }
            _ => {}
        }
        let subject = Subject::of(output);
        let mut is_hit = false;
        for (breakpoint, hits) in &mut self.all {
            if breakpoint.matches(output, &subject, &self.paths) {
                *hits = hits.saturating_add(1);
                is_hit |= breakpoint.nth.is_none_or(|nth| nth == *hits);
            }
        }
        is_hit
    }
}

impl Breakpoint {
    fn matches(&self, output: &Output, subject: &Subject<'_>, paths: &HashMap<Arc<str>, String>) -> bool {
        let kind = match (&self.event, output) {
            (Some(kind), _) => kind == output.kind(),
            (None, Output::Emit(event)) => !matches!(event, Event::MessageUpdate { .. }),
            (None, _) => false,
        };
        let path = || subject.call_id.and_then(|id| paths.get(id));
        kind && self.tool.as_deref().is_none_or(|tool| subject.tool == Some(tool))
            && self.stop_reason.as_deref().is_none_or(|reason| subject.stop_reason == Some(reason))
            && self.path.as_deref().is_none_or(|glob| path().is_some_and(|path| glob::matches(glob, path)))
    }
}

/// Whom an output is about.
#[derive(Default)]
pub(super) struct Subject<'a> {
    pub(super) tool: Option<&'a str>,
    pub(super) call_id: Option<&'a str>,
    stop_reason: Option<&'a str>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(output: &'a Output) -> Self {
        match output {
            Output::Emit(event) => Self::of_event(event),
            Output::Prepare { tool_call, .. }
            | Output::BeforeTool { tool_call, .. }
            | Output::Execute { tool_call, .. }
            | Output::AfterTool { tool_call, .. } => Self::call(&tool_call.id, &tool_call.name),
            _ => Self::default(),
        }
    }

    fn of_event(event: &'a Event) -> Self {
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
