//! The fold itself: each kind of notification, and a whole history.

mod answer;

use std::collections::BTreeMap;

use vitrine_agent::event::{CallState, CallTrace, Event};
use vitrine_agent::message::{Block, Message, SharedMessage, StopReason, ToolResultMessage, UserContent, join_text};

use super::{AssistantRow, CallCard, CallResult, Changes, Part, Row, RowContent, RowId, Transcript};
use crate::notification::Notification;
use answer::{Streaming, is_silent};

/// Traces kept for calls that are not on screen yet.
const MAX_EARLY: usize = 256;

/// What the fold remembers beside the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fold {
    next_id: RowId,
    /// Where calls are, by id: row and part. The latest of an id.
    calls: BTreeMap<String, (usize, usize)>,
    /// The assistant message that grows.
    streaming: Option<Streaming>,
    /// The user row that waits for its message's end.
    user: Option<usize>,
    /// Turns of the run so far.
    turn: u32,
    /// The turn has begun, but not its assistant message: what comes before that belongs above the rule.
    turn_due: bool,
    /// Requests of the session, as told when the run or its latest answer began.
    requests: u32,
    /// Whether a request was counted for the latest answer; `None` where nobody counts, as in a history.
    counted: Option<bool>,
    early: Vec<CallTrace>,
}

impl Transcript {
    pub(super) fn fold(&mut self, notification: &Notification) -> Changes {
        let mut changes = Changes::default();
        match notification {
            Notification::Event(event) => self.event(event, &mut changes),
            Notification::Trace(trace) => {
                if self.change_call(&trace.call_id, &mut changes, |card, _| card.traced(trace)).is_none()
                    && self.fold.early.len() < MAX_EARLY
                {
                    self.fold.early.push(trace.clone());
                }
            }
            Notification::State(state) => {
                if self.state != **state {
                    self.state.clone_from(state);
                    changes.state = true;
                }
            }
            Notification::SessionOpened { messages, .. } => self.replace(messages, &mut changes),
            Notification::Rewound(rewound) => self.replace(&rewound.messages, &mut changes),
            // The worker says so after every run: whatever still looked open is not.
            Notification::Settled { .. } => self.close_streaming(&mut changes),
            Notification::Ready
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
        changes
    }

    fn event(&mut self, event: &Event, changes: &mut Changes) {
        match event {
            Event::AgentStart => {
                self.left_unanswered = false;
                self.close_streaming(changes);
                self.fold.turn = 0;
                self.fold.requests = self.state.requests;
                self.fold.early.clear();
            }
            Event::TurnStart => self.begin_turn(),
            Event::MessageStart { message } => self.message_start(message, changes),
            Event::MessageUpdate { usage, update } => {
                let row = self.streaming_row(changes);
                if let Some(assistant) = self.assistant(row) {
                    assistant.usage = (**usage).clone();
                }
                self.update(update, row);
                self.touch(row, changes);
            }
            Event::MessageEnd { message } => self.message_end(message, changes),
            Event::ToolExecutionStart { tool_call_id, .. } => {
                self.change_call(tool_call_id, changes, |card, _| {
                    card.evidence.started = true;
                    // "Checking" is all that is known of it.
                    card.concluded(CallState::Found);
                });
            }
            Event::ToolExecutionUpdate { tool_call_id, partial_result, .. } => {
                self.change_call(tool_call_id, changes, |card, _| {
                    card.progress = Some(join_text(&partial_result.content));
                    card.concluded(CallState::Executing);
                });
            }
            Event::ToolExecutionEnd { tool_call_id, result, is_error, duration_ms, .. } => {
                self.change_call(tool_call_id, changes, |card, stop_reason| {
                    let text = join_text(&result.content);
                    card.ended(CallResult { text, is_error: *is_error, duration_ms: *duration_ms }, stop_reason);
                });
            }
            Event::TurnEnd { tool_results, .. } => {
                self.close_streaming(changes);
                for result in tool_results.iter() {
                    if let Message::ToolResult(result) = &**result
                        && self.call(&result.tool_call_id).is_some_and(|card| !card.evidence.in_history)
                    {
                        self.record(result, changes);
                    }
                }
            }
            Event::AgentEnd { .. } => self.close_streaming(changes),
        }
    }

    fn begin_turn(&mut self) {
        self.fold.turn = self.fold.turn.saturating_add(1);
        self.fold.turn_due = true;
    }

    fn message_start(&mut self, message: &SharedMessage, changes: &mut Changes) {
        match &**message {
            Message::User(user) => {
                self.fold.user = Some(self.push(user_row(&user.content), changes));
            }
            Message::Assistant(assistant) => {
                self.close_streaming(changes);
                let row = self.open_assistant(changes);
                self.finish_parts(row, assistant);
                let parts = self.assistant(row).map_or(0, |assistant| assistant.parts.len());
                self.fold.streaming = Some(Streaming {
                    row,
                    parts: (0..parts).map(|index| (index, index)).collect(),
                    scanners: BTreeMap::new(),
                });
            }
            Message::System(_) | Message::ToolResult(_) | Message::Other(_) => {}
        }
    }

    fn message_end(&mut self, message: &SharedMessage, changes: &mut Changes) {
        match &**message {
            Message::User(user) => {
                let new = user_row(&user.content);
                let Some(index) = self.fold.user.take() else {
                    self.push(new, changes);
                    return;
                };
                if let Some(row) = self.rows.get_mut(index)
                    && row.content != new
                {
                    row.content = new;
                    self.touch(index, changes);
                }
            }
            Message::Assistant(assistant) => {
                let row = match self.fold.streaming.take() {
                    Some(streaming) => streaming.row,
                    None => self.open_assistant(changes),
                };
                self.finish_parts(row, assistant);
                let asked = !is_silent(assistant) || self.was_asked(row);
                if let Some(shown) = self.assistant(row) {
                    shown.streaming = false;
                    shown.asked = asked;
                    shown.stop_reason = Some(assistant.stop_reason).filter(|reason| *reason != StopReason::Pending);
                    shown.error_message.clone_from(&assistant.error_message);
                    shown.usage = assistant.usage.clone();
                }
                self.touch(row, changes);
            }
            Message::ToolResult(result) => self.record(result, changes),
            Message::System(_) | Message::Other(_) => {}
        }
    }

    fn record(&mut self, result: &ToolResultMessage, changes: &mut Changes) {
        self.change_call(&result.tool_call_id, changes, |card, stop_reason| card.recorded(result, stop_reason));
    }

    /// A history in place of what is on screen. What only events say is concluded from it: a result in the history had a
    /// start and an end; a user message right after an answer began a run (a follow-up looks the same), one after tool
    /// results was put into it.
    fn replace(&mut self, messages: &[SharedMessage], changes: &mut Changes) {
        let next_id = self.fold.next_id;
        self.rows.clear();
        self.fold = Fold { next_id, ..Fold::default() };
        let mut run_over = true;
        self.left_unanswered = false;
        for message in messages {
            match &**message {
                Message::User(_) | Message::ToolResult(_) => self.left_unanswered = true,
                Message::Assistant(_) => self.left_unanswered = false,
                Message::System(_) | Message::Other(_) => {}
            }
            match &**message {
                Message::User(_) if run_over => (self.fold.turn, run_over) = (0, false),
                Message::Assistant(assistant) => {
                    self.begin_turn();
                    let stopped = matches!(assistant.stop_reason, StopReason::Error | StopReason::Aborted);
                    run_over = stopped || assistant.tool_calls().next().is_none();
                }
                Message::User(_) | Message::ToolResult(_) | Message::System(_) | Message::Other(_) => {}
            }
            self.message_end(message, changes);
            if let Message::ToolResult(result) = &**message {
                self.change_call(&result.tool_call_id, changes, |card, _| {
                    card.evidence.started = true;
                    card.evidence.ended = Some(!result.is_error);
                });
            }
        }
        changes.replaced = true;
    }

    /// Changes a card and says so; `None` if there is no such call. The closure also gets its message's stop reason.
    fn change_call(
        &mut self,
        call_id: &str,
        changes: &mut Changes,
        change: impl FnOnce(&mut CallCard, Option<StopReason>),
    ) -> Option<()> {
        let (row, part) = self.fold.calls.get(call_id).copied()?;
        let assistant = self.assistant(row)?;
        let stop_reason = assistant.stop_reason;
        match assistant.parts.get_mut(part) {
            Some(Part::Call(card)) => change(card, stop_reason),
            Some(Part::Text(_) | Part::Thinking(_)) | None => return None,
        }
        self.touch(row, changes);
        Some(())
    }

    pub(super) fn find_call(&self, call_id: &str) -> Option<&CallCard> {
        let (row, part) = self.fold.calls.get(call_id).copied()?;
        match &self.rows.get(row)?.content {
            RowContent::Assistant(assistant) => match assistant.parts.get(part)? {
                Part::Call(card) => Some(card),
                Part::Text(_) | Part::Thinking(_) => None,
            },
            RowContent::Turn { .. } | RowContent::User { .. } => None,
        }
    }

    fn assistant(&mut self, row: usize) -> Option<&mut AssistantRow> {
        match &mut self.rows.get_mut(row)?.content {
            RowContent::Assistant(assistant) => Some(assistant),
            RowContent::Turn { .. } | RowContent::User { .. } => None,
        }
    }

    fn push(&mut self, content: RowContent, changes: &mut Changes) -> usize {
        let id = self.fold.next_id;
        self.fold.next_id += 1;
        self.rows.push(Row { id, revision: 0, content });
        changes.added.push(id);
        self.rows.len() - 1
    }

    fn touch(&mut self, row: usize, changes: &mut Changes) {
        if let Some(row) = self.rows.get_mut(row) {
            row.revision += 1;
            if !changes.changed.contains(&row.id) && changes.added.binary_search(&row.id).is_err() {
                changes.changed.push(row.id);
            }
        }
    }
}

/// What a user message shows: its text, and the images the reader gave with it.
fn user_row(content: &UserContent) -> RowContent {
    let blocks = match content {
        UserContent::Text(_) => &[],
        UserContent::Blocks(blocks) => blocks.as_slice(),
    };
    let image = |block: &Block| match block {
        Block::Image(image) => Some(image.clone()),
        Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::Other(_) => None,
    };
    RowContent::User { text: content.text(), images: blocks.iter().filter_map(image).collect() }
}
