//! [`Calls`]: which call a delta belongs to, and what the calls are in the end (rules 5 to 7 of the cases).

use std::collections::HashSet;
use std::sync::Arc;

use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Message, ToolCall};
use vitrine_agent::model::ModelEvent;

use super::arguments::{Progress, judge};
use super::wire::CallDelta;

/// More calls than this in one answer are a runaway.
const MAX_CALLS: usize = 256;
/// More argument text than this in one answer is a runaway.
const MAX_ARGUMENT_BYTES: usize = 64 << 20;

/// Prefixes that providers put before a tool's name (case b15).
const NAME_PREFIXES: &[&str] =
    &["functions.", "functions:", "function.", "tools.", "tool.", "default_api.", "default_api:"];

/// An answer asks for more than any real one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer has more than {MAX_CALLS} tool calls or {MAX_ARGUMENT_BYTES} bytes of arguments")]
pub(super) struct RunawayError;

/// The calls of one answer, while they stream.
#[derive(Debug)]
pub(super) struct Calls {
    calls: Vec<Call>,
    argument_bytes: usize,
    tools: Vec<String>,
    history: History,
}

#[derive(Debug, Default)]
struct Call {
    wire_index: Option<i64>,
    id: String,
    name: String,
    arguments: String,
    progress: Progress,
    /// Its index in `content`, and the id it was shown with, once it has been opened.
    opened: Option<(usize, String)>,
}

impl Call {
    fn is_blank(&self) -> bool {
        self.id.is_empty() && self.name.is_empty() && self.arguments.trim().is_empty()
    }
}

/// What a delta says, with absent and null as empty.
struct Piece<'a> {
    wire_index: Option<i64>,
    id: &'a str,
    name: &'a str,
    arguments: &'a str,
    /// Not the first of its chunk.
    is_later_in_chunk: bool,
}

/// What a call came to.
pub(super) struct FinalCall {
    pub(super) index: usize,
    pub(super) is_cut_off: bool,
    pub(super) events: Vec<ModelEvent>,
}

impl Calls {
    pub(super) fn new(tools: Vec<String>, history: History) -> Self {
        Self { calls: Vec::new(), argument_bytes: 0, tools, history }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.iter().all(Call::is_blank)
    }

    /// The calls of one chunk.
    pub(super) fn push(
        &mut self,
        deltas: &[CallDelta<'_>],
        next_index: &mut usize,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), RunawayError> {
        for (place, delta) in deltas.iter().enumerate() {
            let arguments = delta.function.as_ref().map(|function| function.arguments()).unwrap_or_default();
            let name = delta.function.as_ref().map_or("", |function| &*function.name.0);
            let piece = Piece {
                wire_index: delta.index(),
                id: &delta.id.0,
                name,
                arguments: &arguments,
                is_later_in_chunk: place > 0,
            };
            self.push_piece(&piece, next_index, events)?;
        }
        Ok(())
    }

    /// A piece of the one call that the old `function_call` field can hold.
    pub(super) fn push_function(
        &mut self,
        name: &str,
        arguments: &str,
        next_index: &mut usize,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), RunawayError> {
        let piece = Piece { wire_index: Some(0), id: "", name, arguments, is_later_in_chunk: false };
        self.push_piece(&piece, next_index, events)
    }

    fn push_piece(
        &mut self,
        piece: &Piece<'_>,
        next_index: &mut usize,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), RunawayError> {
        self.argument_bytes += piece.arguments.len();
        let place = match self.find(piece) {
            Some(place) => place,
            None => {
                self.calls.push(Call { wire_index: piece.wire_index, ..Call::default() });
                self.calls.len() - 1
            }
        };
        if self.calls.len() > MAX_CALLS || self.argument_bytes > MAX_ARGUMENT_BYTES {
            return Err(RunawayError);
        }
        let Self { calls, tools, .. } = self;
        let Some(call) = calls.get_mut(place) else { return Ok(()) };
        if call.id.is_empty() {
            call.id.push_str(piece.id);
        }
        let is_settled = tools.contains(&call.name) || !call.arguments.is_empty();
        if call.name.is_empty() {
            call.name.push_str(piece.name);
        } else if piece.name != call.name && !is_settled {
            // A name that comes in pieces.
            call.name.push_str(piece.name);
        }
        call.arguments.push_str(piece.arguments);
        call.progress.push(piece.arguments);
        if let Some((index, _)) = call.opened {
            // Also where it says nothing, as pi does: whoever looks on sees that the call is still coming.
            events.push(ModelEvent::ToolCallDelta { index, delta: piece.arguments.to_owned() });
        } else if !call.name.is_empty() && (tools.contains(&call.name) || !call.arguments.is_empty()) {
            self.open_through(place, next_index, events);
        }
        Ok(())
    }

    /// The open call that a piece continues; `None` opens a new one.
    fn find(&self, piece: &Piece<'_>) -> Option<usize> {
        let place = match piece.wire_index {
            Some(index) => self.calls.iter().rposition(|call| call.wire_index == Some(index))?,
            None if piece.id.is_empty() => self.calls.len().checked_sub(1)?,
            None => self.calls.iter().rposition(|call| call.id == piece.id)?,
        };
        let call = self.calls.get(place)?;
        let is_settled = self.tools.contains(&call.name) || !call.arguments.is_empty();
        let other_id = !piece.id.is_empty() && !call.id.is_empty() && piece.id != call.id;
        let repeats = !piece.name.is_empty() && !piece.arguments.trim().is_empty() && call.progress.is_complete();
        let is_new = (other_id && !piece.name.is_empty() && is_settled)
            || (piece.id.is_empty() && repeats)
            || (piece.wire_index.is_none() && repeats)
            || (piece.wire_index.is_none() && piece.is_later_in_chunk && !piece.name.is_empty());
        (!is_new).then_some(place)
    }

    /// Opens this call and those before it that are not open yet, so that `content` keeps the order of the calls.
    fn open_through(&mut self, place: usize, next_index: &mut usize, events: &mut Vec<ModelEvent>) {
        for earlier in 0..=place {
            if self.calls.get(earlier).is_none_or(|call| call.opened.is_some() || call.is_blank()) {
                continue;
            }
            let id = self.unique_id(earlier);
            let Some(call) = self.calls.get_mut(earlier) else { return };
            let index = *next_index;
            *next_index += 1;
            events.push(ModelEvent::ToolCallStart { index, id: id.as_str().into(), name: call.name.as_str().into() });
            events.push(ModelEvent::ToolCallDelta { index, delta: call.arguments.clone() });
            call.opened = Some((index, id));
        }
    }

    /// The call's own id if no other call has it, in this answer or before; else an invented one.
    fn unique_id(&self, place: usize) -> String {
        let taken = |id: &str| {
            let here = self
                .calls
                .iter()
                .enumerate()
                .any(|(other, call)| other != place && call.opened.as_ref().is_some_and(|(_, shown)| shown == id));
            here || is_in_history(&self.history, id)
        };
        let own = self.calls.get(place).map_or("", |call| call.id.as_str());
        if !own.trim().is_empty() && !taken(own) {
            return own.to_owned();
        }
        let stem = if own.trim().is_empty() { format!("call_{}", self.history.len()) } else { own.to_owned() };
        (place + 1..).map(|number| format!("{stem}_{number}")).find(|id| !taken(id)).unwrap_or(stem)
    }

    /// Every call with its last event. Glued calls are taken apart here; each gets a start and an end of its own.
    pub(super) fn finish(&mut self, next_index: &mut usize, events: &mut Vec<ModelEvent>) -> Vec<FinalCall> {
        if let Some(last) = self.calls.len().checked_sub(1) {
            self.open_through(last, next_index, events);
        }
        let mut used: HashSet<String> =
            self.calls.iter().filter_map(|call| call.opened.as_ref().map(|(_, id)| id.clone())).collect();
        let mut finals = Vec::new();
        let mut glued = Vec::new();
        for call in std::mem::take(&mut self.calls) {
            let Some((index, id)) = call.opened else { continue };
            let name = self.tool_name(&call.name);
            let (arguments, arguments_error, is_cut_off) = match judge(&call.arguments) {
                Ok(objects) => {
                    let mut objects = objects.into_iter();
                    let first = objects.next().unwrap_or_default();
                    glued.extend(objects.map(|arguments| (id.clone(), name.clone(), arguments)));
                    (first, None, false)
                }
                Err(refusal) => (Json::empty_object(), Some(refusal.message), refusal.is_cut_off),
            };
            let tool_call =
                ToolCall { id: id.into(), name: name.into(), arguments, arguments_error, ..ToolCall::default() };
            let events = vec![ModelEvent::ToolCallEnd { index, tool_call: tool_call.into() }];
            finals.push(FinalCall { index, is_cut_off, events });
        }
        for (stem, name, arguments) in glued {
            let index = *next_index;
            *next_index += 1;
            let is_free = |id: &String| !used.contains(id) && !is_in_history(&self.history, id);
            let id = (2..).map(|number| format!("{stem}_{number}")).find(is_free).unwrap_or(stem);
            used.insert(id.clone());
            let (id, name): (Arc<str>, Arc<str>) = (id.into(), name.into());
            let events = vec![
                ModelEvent::ToolCallStart { index, id: id.clone(), name: name.clone() },
                ModelEvent::ToolCallDelta { index, delta: arguments.as_str().to_owned() },
                ModelEvent::ToolCallEnd {
                    index,
                    tool_call: ToolCall { id, name, arguments, ..ToolCall::default() }.into(),
                },
            ];
            finals.push(FinalCall { index, is_cut_off: false, events });
        }
        finals
    }

    /// The name without a provider's prefix, if only that makes it the name of a declared tool.
    fn tool_name(&self, name: &str) -> String {
        let is_tool = |name: &str| self.tools.iter().any(|tool| tool == name);
        if is_tool(name) {
            return name.to_owned();
        }
        let trimmed = name.trim();
        let stripped = NAME_PREFIXES.iter().filter_map(|prefix| trimmed.strip_prefix(prefix));
        stripped.chain([trimmed]).find(|rest| is_tool(rest)).unwrap_or(name).to_owned()
    }
}

fn is_in_history(history: &History, id: &str) -> bool {
    history.messages().iter().any(|message| match message.as_ref() {
        Message::Assistant(assistant) => assistant.tool_calls().any(|call| *call.id == *id),
        Message::System(_) | Message::User(_) | Message::ToolResult(_) | Message::Other(_) => false,
    })
}
