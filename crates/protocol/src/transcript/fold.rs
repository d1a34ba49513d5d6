//! The fold itself: each kind of notification, and a whole history.

use std::collections::BTreeMap;

use vitrine_agent::event::{AssistantUpdate, CallState, CallTrace, Event};
use vitrine_agent::message::{
    AssistantMessage, Block, Message, SharedMessage, StopReason, ToolResultMessage, join_text,
};

use super::subject::SubjectScanner;
use super::{AssistantRow, CallCard, CallResult, Changes, Part, Row, RowContent, RowId, Transcript};
use crate::notification::Notification;

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
    early: Vec<CallTrace>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Streaming {
    row: usize,
    /// Part by index in the message's `content`.
    parts: BTreeMap<usize, usize>,
    /// By part.
    scanners: BTreeMap<usize, SubjectScanner>,
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
                if self.state != *state {
                    self.state = state.clone();
                    changes.state = true;
                }
            }
            Notification::SessionOpened { messages, .. } => self.replace(messages, &mut changes),
            // The worker says so after every run: whatever still looked open is not.
            Notification::Settled { .. } => self.close_streaming(&mut changes),
            Notification::Ready
            | Notification::Sessions(_)
            | Notification::File(_)
            | Notification::Problem(_)
            | Notification::Reply(_) => {}
        }
        changes
    }

    fn event(&mut self, event: &Event, changes: &mut Changes) {
        match event {
            Event::AgentStart => {
                self.close_streaming(changes);
                self.fold.turn = 0;
                self.fold.early.clear();
            }
            Event::TurnStart => self.begin_turn(),
            Event::MessageStart { message } => self.message_start(message, changes),
            Event::MessageUpdate { usage, update } => {
                let row = self.streaming_row(changes);
                if let Some(assistant) = self.assistant(row) {
                    assistant.usage = usage.clone();
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
                for result in tool_results {
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
                self.fold.user = Some(self.push(RowContent::User { text: user.content.text() }, changes));
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
                let new = user.content.text();
                let Some(index) = self.fold.user.take() else {
                    self.push(RowContent::User { text: new }, changes);
                    return;
                };
                if let Some(RowContent::User { text }) = self.rows.get_mut(index).map(|row| &mut row.content)
                    && *text != new
                {
                    *text = new;
                    self.touch(index, changes);
                }
            }
            Message::Assistant(assistant) => {
                let row = match self.fold.streaming.take() {
                    Some(streaming) => streaming.row,
                    None => self.open_assistant(changes),
                };
                self.finish_parts(row, assistant);
                if let Some(shown) = self.assistant(row) {
                    shown.streaming = false;
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
        for message in messages {
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

    /// The row of the message that grows; an update without a start begins one.
    fn streaming_row(&mut self, changes: &mut Changes) -> usize {
        if let Some(streaming) = &self.fold.streaming {
            return streaming.row;
        }
        let row = self.open_assistant(changes);
        self.fold.streaming = Some(Streaming { row, ..Streaming::default() });
        row
    }

    /// A new assistant row, below the rule of its turn.
    fn open_assistant(&mut self, changes: &mut Changes) -> usize {
        if std::mem::take(&mut self.fold.turn_due) {
            self.push(RowContent::Turn { number: self.fold.turn }, changes);
        }
        self.push(RowContent::Assistant(AssistantRow { streaming: true, ..AssistantRow::default() }), changes)
    }

    fn close_streaming(&mut self, changes: &mut Changes) {
        if let Some(Streaming { row, .. }) = self.fold.streaming.take() {
            if let Some(assistant) = self.assistant(row) {
                assistant.streaming = false;
            }
            self.touch(row, changes);
        }
    }

    fn update(&mut self, update: &AssistantUpdate, row: usize) {
        match update {
            AssistantUpdate::TextStart { index } => {
                self.part(row, *index, Part::Text(String::new()), false);
            }
            AssistantUpdate::ThinkingStart { index } => {
                self.part(row, *index, Part::Thinking(String::new()), false);
            }
            AssistantUpdate::TextDelta { index, delta } => {
                if let Some(Part::Text(text)) = self.part(row, *index, Part::Text(String::new()), true) {
                    text.push_str(delta);
                }
            }
            AssistantUpdate::ThinkingDelta { index, delta } => {
                if let Some(Part::Thinking(text)) = self.part(row, *index, Part::Thinking(String::new()), true) {
                    text.push_str(delta);
                }
            }
            AssistantUpdate::TextEnd { index, content } => {
                if let Some(Part::Text(text)) = self.part(row, *index, Part::Text(String::new()), true)
                    && text != content
                {
                    text.clone_from(content);
                }
            }
            AssistantUpdate::ThinkingEnd { index, content } => {
                if let Some(Part::Thinking(text)) = self.part(row, *index, Part::Thinking(String::new()), true)
                    && text != content
                {
                    text.clone_from(content);
                }
            }
            AssistantUpdate::ToolCallStart { index, id, name } => {
                self.part(row, *index, Part::Call(CallCard::new(id, name)), false);
                self.place_call(row, *index, id);
            }
            AssistantUpdate::ToolCallDelta { index, delta } => self.arguments(row, *index, delta),
            AssistantUpdate::ToolCallEnd { index, tool_call } => {
                let new = Part::Call(CallCard::new(&tool_call.id, &tool_call.name));
                if let Some(Part::Call(card)) = self.part(row, *index, new, true) {
                    card.complete(tool_call);
                }
                self.place_call(row, *index, &tool_call.id);
            }
        }
    }

    fn arguments(&mut self, row: usize, index: usize, delta: &str) {
        let Some(Part::Call(card)) = self.part(row, index, Part::Call(CallCard::new("", "")), true) else { return };
        card.arguments.push_str(delta);
        // Both borrows are of `self`, so the scanner is taken out for the while.
        let Some(streaming) = &mut self.fold.streaming else { return };
        let Some(part) = streaming.parts.get(&index).copied() else { return };
        let mut scanner = streaming.scanners.remove(&part).unwrap_or_default();
        if let Some(Part::Call(card)) = self.assistant(row).and_then(|assistant| assistant.parts.get_mut(part))
            && let Some(subject) = scanner.scan(&card.arguments)
        {
            card.subject = Some(subject.to_owned());
        }
        if let Some(streaming) = &mut self.fold.streaming {
            streaming.scanners.insert(part, scanner);
        }
    }

    /// The part at this index of `content`: the one there, if it is of the kind of `new` and may go on, else `new`.
    fn part(&mut self, row: usize, index: usize, new: Part, go_on: bool) -> Option<&mut Part> {
        let known = self.fold.streaming.as_ref()?.parts.get(&index).copied();
        let parts = &mut self.assistant(row)?.parts;
        let same = known.filter(|part| {
            let there = parts.get(*part);
            go_on && there.is_some_and(|there| std::mem::discriminant(there) == std::mem::discriminant(&new))
        });
        let part = same.unwrap_or(parts.len());
        if same.is_none() {
            parts.push(new);
            self.fold.streaming.as_mut()?.parts.insert(index, part);
        }
        self.assistant(row)?.parts.get_mut(part)
    }

    /// Remembers where the call at this index of `content` is, and gives it the traces that came before it.
    fn place_call(&mut self, row: usize, index: usize, id: &str) {
        let part = self.fold.streaming.as_ref().and_then(|streaming| streaming.parts.get(&index).copied());
        if let Some(part) = part {
            self.place(row, part, id);
        }
    }

    fn place(&mut self, row: usize, part: usize, id: &str) {
        self.fold.calls.insert(id.to_owned(), (row, part));
        let early: Vec<CallTrace> = self.fold.early.extract_if(.., |trace| trace.call_id == id).collect();
        if let Some(Part::Call(card)) = self.assistant(row).and_then(|assistant| assistant.parts.get_mut(part)) {
            for trace in &early {
                card.traced(trace);
            }
        }
    }

    /// Makes the parts what the message says, keeping cards of calls that are there already.
    fn finish_parts(&mut self, row: usize, message: &AssistantMessage) {
        let Some(assistant) = self.assistant(row) else { return };
        let mut before: Vec<Option<Part>> = std::mem::take(&mut assistant.parts).into_iter().map(Some).collect();
        let mut parts = Vec::with_capacity(message.content.len());
        let mut calls = Vec::new();
        let broke_off = matches!(message.stop_reason, StopReason::Error | StopReason::Aborted);
        for block in &message.content {
            match block {
                Block::Text(block) => parts.push(Part::Text(block.text.clone())),
                Block::Thinking(block) => parts.push(Part::Thinking(block.thinking.clone())),
                Block::ToolCall(call) => {
                    let card = before.iter_mut().find_map(|part| match part {
                        Some(Part::Call(card)) if card.id == call.id => part.take(),
                        Some(_) | None => None,
                    });
                    let mut card = match card {
                        Some(Part::Call(card)) => card,
                        Some(Part::Text(_) | Part::Thinking(_)) | None => CallCard::new(&call.id, &call.name),
                    };
                    // A stream that broke off has no more of the arguments than were shown.
                    if card.arguments.is_empty() || card.arguments_complete || !broke_off {
                        card.complete(call);
                    }
                    calls.push((parts.len(), call.id.clone()));
                    parts.push(Part::Call(card));
                }
                Block::Image(_) | Block::Other(_) => {}
            }
        }
        assistant.parts = parts;
        for (part, id) in calls {
            self.place(row, part, &id);
        }
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
