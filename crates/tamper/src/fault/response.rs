//! [`Rewriter`]: a model's response with other words in it, event by event as it streams.

use std::sync::Arc;

use vitrine_agent::json::Json;
use vitrine_agent::message::{StopReason, ToolCall};
use vitrine_agent::model::ModelEvent;
use vitrine_protocol::fault::{FaultActed, FaultKind};

use super::Faults;

/// Faults of what the model says.
pub(super) const KINDS: [FaultKind; 4] =
    [FaultKind::UnknownTool, FaultKind::InvalidArguments, FaultKind::MissingFile, FaultKind::Length];
/// As a provider says it, so that it is judged as the real one.
pub(super) const OVERLOADED: &str = "529 overloaded_error: Overloaded. This refusal was switched on; nothing was sent.";
pub(super) const TOO_LONG: &str = "400 invalid_request_error: prompt is too long: 213462 tokens > 200000 maximum. This refusal was switched on; nothing was sent.";
const BROKEN_OFF: &str = "Stream ended without finish_reason. This failure was switched on.";

/// What of one response is different.
#[derive(Debug, Default)]
pub(super) struct Rewriter {
    /// It breaks off.
    pub(super) breaks: bool,
    n_events: usize,
    n_calls: usize,
    is_over: bool,
    /// Calls that are open and may come to be other ones.
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    index: usize,
    /// Its name is another one.
    renamed: bool,
    /// The pieces of its arguments, held back until it is known what stands in their place.
    held: Option<Vec<ModelEvent>>,
}

impl Rewriter {
    pub(super) fn rewrite(&mut self, events: Vec<ModelEvent>, faults: &mut Faults) -> Vec<ModelEvent> {
        let mut out = Vec::with_capacity(events.len());
        for event in events {
            if self.is_over {
                break;
            }
            self.one(event, faults, &mut out);
        }
        out
    }

    fn one(&mut self, event: ModelEvent, faults: &mut Faults, out: &mut Vec<ModelEvent>) {
        self.n_events += 1;
        let is_end = matches!(event, ModelEvent::Done { .. } | ModelEvent::Error { .. });
        // After the first words, so that there is something partial to be seen; at the latest in place of its end.
        if self.breaks && (is_end || self.n_events > 4) {
            self.is_over = true;
            faults.acted.push(FaultActed { kind: FaultKind::MalformedStream, call_id: None });
            out.push(ModelEvent::Error { reason: StopReason::Error, message: BROKEN_OFF.to_owned() });
            return;
        }
        match event {
            ModelEvent::ToolCallStart { index, id, name } => {
                self.n_calls += 1;
                let renamed = faults.take(FaultKind::UnknownTool).is_some();
                let name = if renamed { unknown(&name) } else { name };
                let is_awaited =
                    faults.is_armed(FaultKind::InvalidArguments) || faults.is_armed(FaultKind::MissingFile);
                self.open.push(Open { index, renamed, held: (is_awaited && !renamed).then(Vec::new) });
                out.push(ModelEvent::ToolCallStart { index, id, name });
            }
            ModelEvent::ToolCallDelta { index, .. } => {
                let open = self.open.iter_mut().find(|open| open.index == index);
                match open.and_then(|open| open.held.as_mut()) {
                    Some(held) => held.push(event),
                    None => out.push(event),
                }
            }
            ModelEvent::ToolCallEnd { index, tool_call } => {
                let at = self.open.iter().position(|open| open.index == index);
                match at.map(|at| self.open.swap_remove(at)) {
                    Some(open) => end(open, &tool_call, faults, out),
                    None => out.push(ModelEvent::ToolCallEnd { index, tool_call }),
                }
            }
            ModelEvent::Done { reason } => {
                let is_cut = self.n_calls > 0 && faults.take(FaultKind::Length).is_some();
                if is_cut {
                    faults.acted.push(FaultActed { kind: FaultKind::Length, call_id: None });
                }
                out.push(ModelEvent::Done { reason: if is_cut { StopReason::Length } else { reason } });
            }
            event => out.push(event),
        }
    }
}

/// The call is whole, and so are the words in the place of its own.
fn end(open: Open, tool_call: &Arc<ToolCall>, faults: &mut Faults, out: &mut Vec<ModelEvent>) {
    let Open { index, renamed, held } = open;
    let mut call = (**tool_call).clone();
    let acted = |faults: &mut Faults, kind, id: &str| {
        faults.acted.push(FaultActed { kind, call_id: Some(id.to_owned()) });
    };
    if renamed {
        call.name = unknown(&call.name);
        acted(faults, FaultKind::UnknownTool, &call.id);
    }
    if let Some(held) = held {
        let found = elsewhere(&call.arguments).filter(|_| faults.take(FaultKind::MissingFile).is_some());
        let changed = match found {
            Some(arguments) => Some((FaultKind::MissingFile, arguments)),
            None => faults.take(FaultKind::InvalidArguments).map(|fault| (fault.kind, misfit(&call.arguments))),
        };
        match changed {
            Some((kind, arguments)) => {
                acted(faults, kind, &call.id);
                out.push(ModelEvent::ToolCallDelta { index, delta: arguments.as_str().to_owned() });
                call.arguments = arguments;
                call.arguments_error = None;
            }
            None => out.extend(held),
        }
    }
    out.push(ModelEvent::ToolCallEnd { index, tool_call: Arc::new(call) });
}

/// The name of a tool that does not exist.
fn unknown(name: &str) -> Arc<str> {
    format!("{name}_that_does_not_exist").into()
}

/// Arguments with an object where none belongs: whatever schema a tool has, and whatever it converts, these do not fit.
fn misfit(arguments: &Json) -> Json {
    let mut value = arguments.to_value();
    let wrong = serde_json::json!({ "not": "what the schema says" });
    match value.as_object_mut() {
        Some(fields) if !fields.is_empty() => fields.values_mut().for_each(|field| *field = wrong.clone()),
        Some(_) | None => value = serde_json::json!({ "path": wrong }),
    }
    Json::from_value(&value)
}

/// Arguments about a file that is not there.
fn elsewhere(arguments: &Json) -> Option<Json> {
    let mut value = arguments.to_value();
    let path = value.get_mut("path").filter(|path| path.is_string())?;
    let missing = format!("{}.missing", path.as_str()?);
    *path = serde_json::Value::String(missing);
    Some(Json::from_value(&value))
}
