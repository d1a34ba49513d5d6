//! The answer that grows: its row, its parts, and where its calls are.

use std::collections::BTreeMap;

use vitrine_agent::event::{AssistantUpdate, CallState, CallTrace};
use vitrine_agent::message::{AssistantMessage, Block, StopReason};

use super::super::subject::SubjectScanner;
use super::super::{AssistantRow, CallCard, Changes, Part, RowContent, Transcript};
use crate::notification::Status;

/// What is remembered of it beside its row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Streaming {
    pub(super) row: usize,
    /// Part by index in the message's `content`.
    pub(super) parts: BTreeMap<usize, usize>,
    /// By part.
    pub(super) scanners: BTreeMap<usize, SubjectScanner>,
}

/// What an update does with a part of the message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// Begins it, whatever is there.
    Begins,
    /// Goes on with it.
    GoesOn,
}

impl Transcript {
    /// The row of the message that grows; an update without a start begins one.
    pub(super) fn streaming_row(&mut self, changes: &mut Changes) -> usize {
        if let Some(streaming) = &self.fold.streaming {
            return streaming.row;
        }
        let row = self.open_assistant(changes);
        self.fold.streaming = Some(Streaming { row, ..Streaming::default() });
        row
    }

    /// A new assistant row, below the rule of its turn.
    pub(super) fn open_assistant(&mut self, changes: &mut Changes) -> usize {
        if std::mem::take(&mut self.fold.turn_due) {
            self.push(RowContent::Turn { number: self.fold.turn }, changes);
        }
        let before = std::mem::replace(&mut self.fold.requests, self.state.requests);
        self.fold.counted = (self.state.status != Status::Idle).then_some(self.state.requests > before);
        let asked = self.fold.counted != Some(false);
        let row = AssistantRow { streaming: true, asked, ..AssistantRow::default() };
        self.push(RowContent::Assistant(row), changes)
    }

    /// Whether a request left for a response of which nothing came: the last turn of an aborted run asks nobody. Told by
    /// the worker's count while a run goes on. In a history only an aborted call right before shows it; where the call
    /// came to its own end all the same, the two cannot be told apart, and the response counts as asked for.
    pub(super) fn was_asked(&self, row: usize) -> bool {
        self.fold.counted.unwrap_or_else(|| {
            let before = self.rows.iter().take(row).rev().map(|row| &row.content);
            let before = before.into_iter().find(|content| !matches!(content, RowContent::Turn { .. }));
            let is_aborted = |part: &Part| matches!(part, Part::Call(card) if card.state == CallState::Aborted);
            !matches!(before, Some(RowContent::Assistant(answer)) if answer.parts.iter().any(is_aborted))
        })
    }

    pub(super) fn close_streaming(&mut self, changes: &mut Changes) {
        if let Some(Streaming { row, .. }) = self.fold.streaming.take() {
            if let Some(assistant) = self.assistant(row) {
                assistant.streaming = false;
            }
            self.touch(row, changes);
        }
    }

    pub(super) fn update(&mut self, update: &AssistantUpdate, row: usize) {
        match update {
            AssistantUpdate::TextStart { index } => {
                self.part(row, *index, Part::Text(String::new()), Growth::Begins);
            }
            AssistantUpdate::ThinkingStart { index } => {
                self.part(row, *index, Part::Thinking(String::new()), Growth::Begins);
            }
            AssistantUpdate::TextDelta { index, delta } => {
                if let Some(Part::Text(text)) = self.part(row, *index, Part::Text(String::new()), Growth::GoesOn) {
                    text.push_str(delta);
                }
            }
            AssistantUpdate::ThinkingDelta { index, delta } => {
                if let Some(Part::Thinking(text)) =
                    self.part(row, *index, Part::Thinking(String::new()), Growth::GoesOn)
                {
                    text.push_str(delta);
                }
            }
            AssistantUpdate::TextEnd { index, content } => {
                if let Some(Part::Text(text)) = self.part(row, *index, Part::Text(String::new()), Growth::GoesOn)
                    && text != content
                {
                    text.clone_from(content);
                }
            }
            AssistantUpdate::ThinkingEnd { index, content } => {
                if let Some(Part::Thinking(text)) =
                    self.part(row, *index, Part::Thinking(String::new()), Growth::GoesOn)
                    && text != content
                {
                    text.clone_from(content);
                }
            }
            AssistantUpdate::ToolCallStart { index, id, name } => {
                self.part(row, *index, Part::Call(CallCard::new(id, name)), Growth::Begins);
                self.place_call(row, *index, id);
            }
            AssistantUpdate::ToolCallDelta { index, delta } => self.arguments(row, *index, delta),
            AssistantUpdate::ToolCallEnd { index, tool_call } => {
                let new = Part::Call(CallCard::new(&tool_call.id, &tool_call.name));
                if let Some(Part::Call(card)) = self.part(row, *index, new, Growth::GoesOn) {
                    card.complete(tool_call);
                }
                self.place_call(row, *index, &tool_call.id);
            }
        }
    }

    fn arguments(&mut self, row: usize, index: usize, delta: &str) {
        let Some(Part::Call(card)) = self.part(row, index, Part::Call(CallCard::new("", "")), Growth::GoesOn) else {
            return;
        };
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
    fn part(&mut self, row: usize, index: usize, new: Part, growth: Growth) -> Option<&mut Part> {
        let known = self.fold.streaming.as_ref()?.parts.get(&index).copied();
        let parts = &mut self.assistant(row)?.parts;
        let same = known.filter(|part| {
            let there = parts.get(*part);
            growth == Growth::GoesOn
                && there.is_some_and(|there| std::mem::discriminant(there) == std::mem::discriminant(&new))
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
        let early: Vec<CallTrace> = self.fold.early.extract_if(.., |trace| *trace.call_id == *id).collect();
        if let Some(Part::Call(card)) = self.assistant(row).and_then(|assistant| assistant.parts.get_mut(part)) {
            for trace in &early {
                card.traced(trace);
            }
        }
    }

    /// Makes the parts what the message says, keeping cards of calls that are there already.
    pub(super) fn finish_parts(&mut self, row: usize, message: &AssistantMessage) {
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
                        Some(Part::Call(card)) if *card.id == *call.id => part.take(),
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
}

/// Whether a response ended before anything of it came.
pub(super) fn is_silent(message: &AssistantMessage) -> bool {
    let is_empty = |block: &Block| matches!(block, Block::Text(block) if block.text.is_empty());
    matches!(message.stop_reason, StopReason::Error | StopReason::Aborted)
        && message.content.iter().all(is_empty)
        && message.usage.input + message.usage.output == 0
}
