//! The log: every event of the visit by its number, which row and which call each belongs to, and what of them a filter
//! leaves.
//!
//! Folded event by event; nothing is read again when one more comes. A line is made for what is in view alone.

use std::collections::BTreeMap;

use vitrine_agent::event::{AssistantUpdate, Event};
use vitrine_agent::message::{Message, join_text};

use crate::notification::Notification;
use crate::transcript::{Changes, RowId};

/// Characters of a line's detail.
const DETAIL: usize = 160;

/// The types of events, as pi names them, in the order in which a run tells them first.
pub const KINDS: [&str; 10] = [
    "agent_start",
    "turn_start",
    "message_start",
    "message_update",
    "message_end",
    "tool_execution_start",
    "tool_execution_update",
    "tool_execution_end",
    "turn_end",
    "agent_end",
];

/// All events of the visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    events: Vec<Event>,
    /// Where each row of the transcript began; ids grow.
    rows: Vec<(RowId, usize)>,
    calls: BTreeMap<String, CallEvents>,
    runs: Vec<Run>,
    /// Goes up whenever events were taken away: what was found before is found no more.
    epoch: u64,
}

/// The numbers of the events of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallEvents {
    /// The model asked for it.
    pub asked: Option<usize>,
    /// `tool_execution_start`.
    pub started: Option<usize>,
    /// `tool_execution_end`.
    pub ended: Option<usize>,
    /// The end of the message that is its result.
    pub recorded: Option<usize>,
}

/// A run of the visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// `agent_start`.
    pub start: usize,
    /// `agent_end`.
    pub end: Option<usize>,
    /// The session has settled after it.
    pub settled: bool,
}

impl Log {
    /// Takes a notification in, with what it changed in the transcript. Costs no more than that.
    pub fn apply(&mut self, notification: &Notification, changes: &Changes) {
        if changes.replaced {
            self.rows.clear();
        }
        match notification {
            Notification::SessionOpened { .. } => *self = Self { epoch: self.epoch + 1, ..Self::default() },
            Notification::Rewound(rewound) => self.cut(rewound.events),
            Notification::Settled { .. } => {
                if let Some(run) = self.runs.last_mut() {
                    run.settled = true;
                }
            }
            Notification::Event(event) => {
                let number = self.events.len();
                self.note(number, event);
                self.rows.extend(changes.added.iter().map(|id| (*id, number)));
                self.events.push(event.clone());
            }
            Notification::Ready
            | Notification::Trace(_)
            | Notification::State(_)
            | Notification::Sessions(_)
            | Notification::File(_)
            | Notification::Request(_)
            | Notification::Edited(_)
            | Notification::Lesson(_)
            | Notification::Toy(_)
            | Notification::Fault(_)
            | Notification::Approval(_)
            | Notification::Part(_)
            | Notification::Problem(_)
            | Notification::Reply(_) => {}
        }
    }

    fn note(&mut self, number: usize, event: &Event) {
        let mut call = |id: &str, put: fn(&mut CallEvents, usize)| {
            put(self.calls.entry(id.to_owned()).or_default(), number);
        };
        match event {
            Event::AgentStart => self.runs.push(Run { start: number, end: None, settled: false }),
            Event::AgentEnd { .. } => {
                if let Some(run) = self.runs.last_mut() {
                    run.end = Some(number);
                }
            }
            // An id that comes again is another call.
            Event::MessageUpdate { update: AssistantUpdate::ToolCallStart { id, .. }, .. } => {
                call(id, |call, number| *call = CallEvents { asked: Some(number), ..CallEvents::default() });
            }
            Event::MessageEnd { message } => match &**message {
                Message::Assistant(answer) => {
                    for asked in answer.tool_calls() {
                        call(&asked.id, |call, number| {
                            // Where it was not streamed, and where the id is an earlier call's.
                            if call.asked.is_none() || call.recorded.is_some() {
                                *call = CallEvents { asked: Some(number), ..CallEvents::default() };
                            }
                        });
                    }
                }
                Message::ToolResult(result) => call(&result.tool_call_id, |call, number| call.recorded = Some(number)),
                Message::System(_) | Message::User(_) | Message::Other(_) => {}
            },
            Event::ToolExecutionStart { tool_call_id, .. } => {
                call(tool_call_id, |call, number| call.started = Some(number));
            }
            Event::ToolExecutionEnd { tool_call_id, .. } => {
                call(tool_call_id, |call, number| call.ended = Some(number));
            }
            Event::TurnStart
            | Event::MessageStart { .. }
            | Event::MessageUpdate { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::TurnEnd { .. } => {}
        }
    }

    /// Only the first `n_events` stand.
    fn cut(&mut self, n_events: usize) {
        let stands = |number: &mut Option<usize>| *number = number.filter(|number| *number < n_events);
        self.events.truncate(n_events);
        self.runs.retain_mut(|run| {
            stands(&mut run.end);
            run.settled &= run.end.is_some();
            run.start < n_events
        });
        self.calls.retain(|_, call| {
            [&mut call.asked, &mut call.started, &mut call.ended, &mut call.recorded].into_iter().for_each(stands);
            call.asked.is_some()
        });
        self.epoch += 1;
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The event of this number.
    pub fn event(&self, number: usize) -> Option<&Event> {
        self.events.get(number)
    }

    /// Another whenever events were taken away.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The runs, in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The events of a call.
    pub fn call(&self, call_id: &str) -> CallEvents {
        self.calls.get(call_id).copied().unwrap_or_default()
    }

    /// The event with which a row began; none for a row that is older than the visit.
    pub fn row_event(&self, row: RowId) -> Option<usize> {
        let at = self.rows.binary_search_by_key(&row, |(id, _)| *id).ok()?;
        self.rows.get(at).map(|(_, number)| *number)
    }

    /// The last row that had begun when this event was told.
    pub fn row_at(&self, number: usize) -> Option<RowId> {
        let after = self.rows.partition_point(|(_, began)| *began <= number);
        self.rows.get(after.checked_sub(1)?).map(|(id, _)| *id)
    }

    /// An event as a line.
    pub fn line(&self, number: usize) -> Option<Line> {
        let event = self.events.get(number)?;
        let mut detail = String::new();
        texts(event, &mut |text| {
            if detail.len() < DETAIL {
                if !detail.is_empty() {
                    detail.push(' ');
                }
                detail.extend(text.chars().take(DETAIL).map(|c| if c.is_control() { ' ' } else { c }));
            }
        });
        if let Event::AgentEnd { messages } = event {
            detail = messages.len().to_string();
        }
        let is_error = matches!(event, Event::ToolExecutionEnd { is_error: true, .. });
        Some(Line { number, kind: event.kind(), call_id: call_of(event).map(str::to_owned), detail, is_error })
    }

    /// These events as JSON, one a line, named as in pi's JSON mode.
    pub fn json_lines(&self, numbers: &[usize]) -> String {
        let mut lines = String::new();
        for event in numbers.iter().filter_map(|number| self.events.get(*number)) {
            event.write_json(&mut lines);
            lines.push('\n');
        }
        lines
    }
}

/// An event, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number.
    pub number: usize,
    /// Its type.
    pub kind: &'static str,
    /// The call it is about.
    pub call_id: Option<String>,
    /// The start of what it carries.
    pub detail: String,
    /// It tells of a failure.
    pub is_error: bool,
}

fn call_of(event: &Event) -> Option<&str> {
    match event {
        Event::ToolExecutionStart { tool_call_id, .. }
        | Event::ToolExecutionUpdate { tool_call_id, .. }
        | Event::ToolExecutionEnd { tool_call_id, .. } => Some(tool_call_id),
        Event::MessageUpdate { update: AssistantUpdate::ToolCallStart { id, .. }, .. } => Some(id),
        Event::MessageUpdate { update: AssistantUpdate::ToolCallEnd { tool_call, .. }, .. } => Some(&tool_call.id),
        Event::MessageEnd { message } | Event::MessageStart { message } => match &**message {
            Message::ToolResult(result) => Some(&result.tool_call_id),
            Message::System(_) | Message::User(_) | Message::Assistant(_) | Message::Other(_) => None,
        },
        Event::AgentStart
        | Event::TurnStart
        | Event::MessageUpdate { .. }
        | Event::TurnEnd { .. }
        | Event::AgentEnd { .. } => None,
    }
}

/// Each text of an event. Not of the ends of a turn and a run, which say once more what was told before.
fn texts(event: &Event, each: &mut dyn FnMut(&str)) {
    match event {
        Event::AgentStart | Event::TurnStart | Event::AgentEnd { .. } => {}
        Event::TurnEnd { message, .. } => {
            if let Message::Assistant(answer) = &**message {
                each(answer.stop_reason.as_str());
            }
        }
        Event::MessageStart { message } | Event::MessageEnd { message } => {
            each(message.role());
            match &**message {
                Message::Assistant(answer) => {
                    each(&join_text(&answer.content));
                    for call in answer.tool_calls() {
                        each(&call.name);
                        each(call.arguments.as_str());
                    }
                }
                Message::ToolResult(result) => each(&join_text(&result.content)),
                Message::User(user) => each(&user.content.text()),
                Message::System(_) | Message::Other(_) => {}
            }
        }
        Event::MessageUpdate { update, .. } => match update {
            AssistantUpdate::TextDelta { delta, .. }
            | AssistantUpdate::ThinkingDelta { delta, .. }
            | AssistantUpdate::ToolCallDelta { delta, .. } => each(delta),
            AssistantUpdate::TextEnd { content, .. } | AssistantUpdate::ThinkingEnd { content, .. } => each(content),
            AssistantUpdate::ToolCallStart { name, .. } => each(name),
            AssistantUpdate::ToolCallEnd { tool_call, .. } => {
                each(&tool_call.name);
                each(tool_call.arguments.as_str());
            }
            AssistantUpdate::TextStart { .. } | AssistantUpdate::ThinkingStart { .. } => {}
        },
        Event::ToolExecutionStart { tool_name, args, .. } => {
            each(tool_name);
            each(args.as_str());
        }
        Event::ToolExecutionUpdate { tool_name, partial_result, .. } => {
            each(tool_name);
            each(&join_text(&partial_result.content));
        }
        Event::ToolExecutionEnd { tool_name, result, .. } => {
            each(tool_name);
            each(&join_text(&result.content));
        }
    }
}

/// Which events are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this type; `-` before it: of every other. Empty: of all.
    pub kind: String,
    /// Only those that say this somewhere, in small or large letters.
    pub words: String,
}

impl Filter {
    /// Whether an event is shown.
    pub fn fits(&self, event: &Event) -> bool {
        let kind = event.kind();
        let is_kind = match self.kind.strip_prefix('-') {
            Some(other) => kind != other,
            None => self.kind.is_empty() || kind == self.kind,
        };
        if !is_kind || self.words.is_empty() {
            return is_kind;
        }
        let mut found = finds(kind, &self.words) || call_of(event).is_some_and(|id| finds(id, &self.words));
        if !found {
            texts(event, &mut |text| found = found || finds(text, &self.words));
        }
        found
    }
}

/// Whether a text has these words, in small or large letters.
fn finds(text: &str, words: &str) -> bool {
    let Some(first) = words.chars().next() else { return true };
    let is_same = |a: char, b: char| a == b || a.to_lowercase().eq(b.to_lowercase());
    text.char_indices().any(|(at, c)| {
        is_same(c, first)
            && text.get(at..).is_some_and(|rest| {
                let mut rest = rest.chars();
                words.chars().all(|word| rest.next().is_some_and(|c| is_same(c, word)))
            })
    })
}

/// The numbers of the events that a filter leaves, kept while the log grows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    filter: Filter,
    epoch: u64,
    seen: usize,
    numbers: Vec<usize>,
}

impl Hits {
    /// Looks at what is new; at everything only if the filter is another or events were taken away.
    pub fn update(&mut self, log: &Log, filter: &Filter) {
        if self.filter != *filter || self.epoch != log.epoch {
            *self = Self { filter: filter.clone(), epoch: log.epoch, ..Self::default() };
        }
        for (number, event) in log.events.iter().enumerate().skip(self.seen) {
            if filter.fits(event) {
                self.numbers.push(number);
            }
        }
        self.seen = log.events.len();
    }

    /// The numbers, in order.
    pub fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// The place of the last one that is not after `number`.
    pub fn place_of(&self, number: usize) -> Option<usize> {
        self.numbers.partition_point(|hit| *hit <= number).checked_sub(1)
    }
}

#[cfg(test)]
mod tests;
