//! [`Outbox`]: outputs that are decided and not yet taken, whom they are about, and the trace's numbers.

use std::collections::VecDeque;

use crate::event::{CallState, CallTrace, Event};
use crate::message::{SharedMessage, ToolCall};

use super::{About, Now, Output};

#[derive(Debug)]
pub(super) struct Outbox {
    /// The time of the last input.
    pub(super) now: Now,
    outputs: VecDeque<(Output, About)>,
    traces: u64,
    /// Nobody wants traces.
    pub(super) is_untraced: bool,
}

impl Outbox {
    pub(super) fn new(now: Now) -> Self {
        Self { now, outputs: VecDeque::new(), traces: 0, is_untraced: false }
    }

    pub(super) fn push(&mut self, output: Output) {
        self.outputs.push_back((output, About::Run));
    }

    pub(super) fn emit(&mut self, event: Event, about: About) {
        self.outputs.push_back((Output::Emit(event), about));
    }

    /// Both ends of a message that is whole already.
    pub(super) fn emit_message(&mut self, message: SharedMessage, about: About) {
        self.emit(Event::MessageStart { message: message.clone() }, about);
        self.emit(Event::MessageEnd { message }, about);
    }

    pub(super) fn trace(&mut self, call: &ToolCall, state: CallState, reason: Option<String>) {
        if self.is_untraced {
            return;
        }
        let trace = CallTrace {
            seq: self.traces,
            at: self.now.monotonic_ms,
            call_id: call.id.clone(),
            name: call.name.clone(),
            state,
            reason,
        };
        self.traces += 1;
        self.push(Output::Trace(trace));
    }

    pub(super) fn pop(&mut self) -> Option<(Output, About)> {
        self.outputs.pop_front()
    }

    pub(super) fn clear(&mut self) {
        self.outputs.clear();
    }
}
