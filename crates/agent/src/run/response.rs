//! [`Response`]: folds a model stream into one assistant message.
//!
//! The stream is not trusted. What contradicts what came before (a delta for a block that is not open, a gap in the
//! indices) ends the response as an error: leaving it out would show a text with a hole as if it were whole. What is
//! merely superfluous (a second start, anything after the end) is ignored.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

use crate::event::AssistantUpdate;
use crate::message::{AssistantMessage, Block, Message, SharedMessage, StopReason, ThinkingBlock, ToolCall, Usage};
use crate::model::{Facts, ModelEvent, ModelInfo};

use super::{About, Now};

const ABORTED: &str = "Request was aborted";
const UNTERMINATED: &str = "Stream ended without a terminal event";
const CALL_CUT_OFF: &str = "The response ended before the arguments of this call were complete.";

#[derive(Debug)]
pub(super) struct Response {
    message: AssistantMessage,
    /// Its usage, as the updates tell it.
    usage: Arc<Usage>,
    /// For each block of the message, whether it may still grow.
    growth: Vec<Growth>,
    /// Events that have arrived and are not folded in yet.
    events: VecDeque<ModelEvent>,
    /// The response that was made elsewhere, once it is here.
    answer: Option<SharedMessage>,
    has_started: bool,
    is_closed: bool,
    is_finished: bool,
    requested_ms: f64,
}

/// What is known of a block beside what stands in the message.
#[derive(Debug)]
enum Growth {
    /// It is complete.
    Complete,
    /// It may still grow.
    Open,
    /// A call that is not whole yet: [`UNFINISHED`] holds its place.
    Call { id: Arc<str>, name: Arc<str> },
}

/// Stands in a message for every call that is not whole yet, and in none that leaves here.
static UNFINISHED: LazyLock<Arc<ToolCall>> = LazyLock::new(Arc::default);

/// What one event came to.
#[derive(Debug)]
pub(super) enum Applied {
    /// Nothing that anyone sees.
    Nothing,
    /// The message has begun; it is still empty.
    Started(SharedMessage),
    /// It has grown.
    Update(AssistantUpdate),
    /// It is over: call `finish`.
    Finished,
}

impl Response {
    pub(super) fn new(model: &ModelInfo, now: Now) -> Self {
        Self {
            message: AssistantMessage::pending(
                model.api.clone(),
                model.provider.clone(),
                model.id.clone(),
                now.wall_ms,
            ),
            usage: Arc::default(),
            growth: Vec::new(),
            events: VecDeque::new(),
            answer: None,
            has_started: false,
            is_closed: false,
            is_finished: false,
            requested_ms: now.monotonic_ms,
        }
    }

    pub(super) fn push(&mut self, events: Vec<ModelEvent>) {
        if self.answer.is_none() {
            if self.events.is_empty() {
                self.events = events.into();
            } else {
                self.events.extend(events);
            }
        }
    }

    /// Takes a whole response, which counts once the events before it are folded in.
    pub(super) fn take_answer(&mut self, message: SharedMessage) {
        if matches!(*message, Message::Assistant(_)) && self.answer.is_none() {
            self.answer = Some(message);
        }
    }

    /// No more events will come.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Ends it as aborted, with what has been folded in. A response that is whole already stays what it is.
    pub(super) fn abort(&mut self) {
        if self.answer.is_some() {
            return;
        }
        self.end(StopReason::Aborted, Some(ABORTED.to_owned()));
    }

    /// Whether `message_start` has been told.
    pub(super) fn has_started(&self) -> bool {
        self.has_started
    }

    /// Usage so far.
    pub(super) fn usage(&self) -> Arc<Usage> {
        self.usage.clone()
    }

    /// Folds in the next event; `None` when more must arrive first.
    pub(super) fn next(&mut self, aborted: bool) -> Option<Applied> {
        if self.is_finished {
            return Some(Applied::Finished);
        }
        let Some(event) = self.events.pop_front() else {
            if self.answer.is_some() {
                self.is_finished = true;
                return Some(Applied::Finished);
            }
            if !self.is_closed {
                return None;
            }
            if aborted {
                self.abort();
            } else {
                self.end(StopReason::Error, Some(UNTERMINATED.to_owned()));
            }
            return Some(Applied::Finished);
        };
        if !self.has_started && opens_message(&event) {
            self.has_started = true;
            if !matches!(event, ModelEvent::Start) {
                self.events.push_front(event);
            }
            return Some(Applied::Started(SharedMessage::new(Message::Assistant(self.message.clone()))));
        }
        Some(self.apply(event).unwrap_or_else(|malformed| {
            self.end(StopReason::Error, Some(malformed.to_string()));
            Applied::Finished
        }))
    }

    /// The whole message, and whom it is about.
    pub(super) fn finish(&mut self, level: Arc<str>, now: Now) -> (SharedMessage, About) {
        if let Some(answer) = self.answer.take() {
            return (answer, About::Given);
        }
        let mut message = std::mem::take(&mut self.message);
        for (block, growth) in message.content.iter_mut().zip(self.growth.drain(..)) {
            if let Growth::Call { id, name } = growth {
                // It must never run: nobody knows what it was going to say.
                let arguments_error = Some(CALL_CUT_OFF.to_owned());
                *block = Block::ToolCall(Arc::new(ToolCall { id, name, arguments_error, ..ToolCall::default() }));
            }
        }
        message.thinking_level = Some(level);
        // Saturates at 0: `as` from a float never wraps.
        message.duration_ms = Some((now.monotonic_ms - self.requested_ms).round() as u64);
        (SharedMessage::new(Message::Assistant(message)), About::Response)
    }

    fn apply(&mut self, event: ModelEvent) -> Result<Applied, Malformed> {
        let update = match event {
            ModelEvent::Start => return Ok(Applied::Nothing),
            ModelEvent::Meta(facts) => {
                self.learn(*facts);
                return Ok(Applied::Nothing);
            }
            ModelEvent::Usage(usage) => {
                self.message.usage = Usage::clone(&usage);
                self.usage = usage;
                return Ok(Applied::Nothing);
            }
            ModelEvent::TextStart { index } => {
                self.open_block("text_start", index, Block::text(""), Growth::Open)?;
                AssistantUpdate::TextStart { index }
            }
            ModelEvent::TextDelta { index, delta } => match self.block(index) {
                Some(Block::Text(block)) => {
                    block.text.push_str(&delta);
                    AssistantUpdate::TextDelta { index, delta }
                }
                _ => return Err(Malformed { event: "text_delta", index }),
            },
            ModelEvent::TextEnd { index, signature } => match self.block(index) {
                Some(Block::Text(block)) => {
                    block.text_signature = signature;
                    let content = block.text.clone();
                    self.close_block(index);
                    AssistantUpdate::TextEnd { index, content }
                }
                _ => return Err(Malformed { event: "text_end", index }),
            },
            ModelEvent::ThinkingStart { index } => {
                self.open_block("thinking_start", index, Block::Thinking(ThinkingBlock::default()), Growth::Open)?;
                AssistantUpdate::ThinkingStart { index }
            }
            ModelEvent::ThinkingDelta { index, delta } => match self.block(index) {
                Some(Block::Thinking(block)) => {
                    block.thinking.push_str(&delta);
                    AssistantUpdate::ThinkingDelta { index, delta }
                }
                _ => return Err(Malformed { event: "thinking_delta", index }),
            },
            ModelEvent::ThinkingEnd { index, signature, redacted } => match self.block(index) {
                Some(Block::Thinking(block)) => {
                    block.thinking_signature = signature;
                    block.redacted = redacted.then_some(true);
                    let content = block.thinking.clone();
                    self.close_block(index);
                    AssistantUpdate::ThinkingEnd { index, content }
                }
                _ => return Err(Malformed { event: "thinking_end", index }),
            },
            ModelEvent::ToolCallStart { index, id, name } => {
                let growth = Growth::Call { id: id.clone(), name: name.clone() };
                self.open_block("toolcall_start", index, Block::ToolCall(UNFINISHED.clone()), growth)?;
                AssistantUpdate::ToolCallStart { index, id, name }
            }
            // The raw text stays outside the message: only whole arguments enter it.
            ModelEvent::ToolCallDelta { index, delta } => match self.block(index) {
                Some(Block::ToolCall(_)) => AssistantUpdate::ToolCallDelta { index, delta },
                _ => return Err(Malformed { event: "toolcall_delta", index }),
            },
            ModelEvent::ToolCallEnd { index, tool_call } => match self.block(index) {
                Some(Block::ToolCall(call)) => {
                    *call = tool_call.clone();
                    self.close_block(index);
                    AssistantUpdate::ToolCallEnd { index, tool_call }
                }
                _ => return Err(Malformed { event: "toolcall_end", index }),
            },
            ModelEvent::Done { reason } => {
                match reason {
                    StopReason::Stop | StopReason::Length | StopReason::ToolUse | StopReason::Deferred => {
                        self.end(reason, None);
                    }
                    StopReason::Pending | StopReason::Error | StopReason::Aborted => {
                        self.end(StopReason::Error, Some(UNTERMINATED.to_owned()));
                    }
                }
                return Ok(Applied::Finished);
            }
            ModelEvent::Error { reason, message } => {
                let reason = if reason == StopReason::Aborted { reason } else { StopReason::Error };
                self.end(reason, Some(message));
                return Ok(Applied::Finished);
            }
        };
        Ok(Applied::Update(update))
    }

    fn learn(&mut self, facts: Facts) {
        let message = &mut self.message;
        message.response_id = facts.response_id.or(message.response_id.take());
        message.response_model = facts.response_model.or(message.response_model.take());
        message.provider_thinking_level = facts.provider_thinking_level.or(message.provider_thinking_level.take());
        message.raw_stop_reason = facts.raw_stop_reason.or(message.raw_stop_reason.take());
        message.end_turn = facts.end_turn.or(message.end_turn);
        message.deferred = facts.deferred.or(message.deferred.take());
        message.diagnostics = facts.diagnostics.or(message.diagnostics.take());
    }

    fn end(&mut self, reason: StopReason, error: Option<String>) {
        self.answer = None;
        self.message.stop_reason = reason;
        self.message.error_message = error;
        self.is_finished = true;
    }

    fn open_block(&mut self, event: &'static str, index: usize, block: Block, growth: Growth) -> Result<(), Malformed> {
        if index != self.message.content.len() {
            return Err(Malformed { event, index });
        }
        self.message.content.push(block);
        self.growth.push(growth);
        Ok(())
    }

    /// The block at an index, if it may still grow.
    fn block(&mut self, index: usize) -> Option<&mut Block> {
        match self.growth.get(index)? {
            Growth::Complete => None,
            Growth::Open | Growth::Call { .. } => self.message.content.get_mut(index),
        }
    }

    fn close_block(&mut self, index: usize) {
        if let Some(growth) = self.growth.get_mut(index) {
            *growth = Growth::Complete;
        }
    }
}

/// A block before any start begins the message as well: dropping it would lose what it says.
fn opens_message(event: &ModelEvent) -> bool {
    match event {
        ModelEvent::Start
        | ModelEvent::TextStart { .. }
        | ModelEvent::ThinkingStart { .. }
        | ModelEvent::ToolCallStart { .. } => true,
        ModelEvent::Meta(_)
        | ModelEvent::TextDelta { .. }
        | ModelEvent::TextEnd { .. }
        | ModelEvent::ThinkingDelta { .. }
        | ModelEvent::ThinkingEnd { .. }
        | ModelEvent::ToolCallDelta { .. }
        | ModelEvent::ToolCallEnd { .. }
        | ModelEvent::Usage(_)
        | ModelEvent::Done { .. }
        | ModelEvent::Error { .. } => false,
    }
}

#[derive(Debug, thiserror::Error)]
#[error("Malformed model stream: unexpected {event} for content block {index}")]
struct Malformed {
    event: &'static str,
    index: usize,
}
