//! [`Batch`]: the calls of one response, from asked to recorded.
//!
//! A batch goes through windows of calls: one window of all of them, or, sequentially, one window a call. In a window all
//! calls are prepared in source order, then all that passed are executed, then all results are recorded in source order.
//! Calls are told apart by their place, never by the model's id.
//!
//! What a call goes through before it runs is in `preflight`, what comes after in `execution`.

use std::sync::Arc;

use serde_json::Value;

use crate::event::{CallState, Event};
use crate::json::Json;
use crate::message::{Message, SharedMessage, ToolCall, ToolResultMessage};
use crate::tool::{ExecutionMode, ToolOutput};
use crate::unanswered::{ABORTED, INTERRUPTED};

use super::outbox::Outbox;
use super::{About, AfterTool, Input, RunTool};

mod execution;
mod preflight;

#[derive(Debug)]
pub(super) struct Batch {
    slots: Vec<Slot>,
    mode: ExecutionMode,
    /// The response was cut off: no call may run.
    is_void: bool,
    /// How many calls, from the first, are prepared; launched or over; recorded.
    prepared: usize,
    launched: usize,
    recorded: usize,
    /// How many are executing or wait for the after hook.
    running: usize,
    results: Vec<SharedMessage>,
    terminates: bool,
}

#[derive(Debug)]
struct Slot {
    tool_call: Arc<ToolCall>,
    exists: bool,
    /// Its result is an error that stands here and not in the tool.
    is_refused: bool,
    stage: Stage,
}

/// Where a call is.
#[derive(Debug)]
enum Stage {
    Waiting,
    Started,
    Preparing,
    Prepared(Value),
    Asked,
    Admitted(Value),
    Executing,
    Settled(Outcome),
    Ended(Outcome),
    Recorded,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) output: Arc<ToolOutput>,
    pub(super) is_error: bool,
    /// Absent unless the tool ran.
    pub(super) duration_ms: Option<u64>,
    /// It threw, which the trace says in place of `finalized`.
    threw: bool,
}

/// What the batch comes to next.
#[derive(Debug)]
pub(super) enum Step {
    /// It has gone on.
    Progress,
    /// Only an input brings it on.
    Blocked,
    /// This result goes into the history; then say so with `trace_recorded`.
    Record(usize, SharedMessage),
    /// All calls are recorded.
    Over(Results),
}

/// The end of a batch.
#[derive(Debug)]
pub(super) struct Results {
    /// In source order.
    pub(super) tool_results: Vec<SharedMessage>,
    /// Every result hints that the run may stop.
    pub(super) terminates: bool,
}

impl Batch {
    /// The calls of a response; `None` when it has none. Those of a response that was cut off are void: none may run.
    pub(super) fn new<'a>(
        calls: impl Iterator<Item = &'a Arc<ToolCall>>,
        is_void: bool,
        tools: &[RunTool],
        mode: ExecutionMode,
        out: &mut Outbox,
    ) -> Option<Self> {
        let mut batch = Self {
            slots: Vec::new(),
            mode: if is_void { ExecutionMode::Sequential } else { mode },
            is_void,
            prepared: 0,
            launched: 0,
            recorded: 0,
            running: 0,
            results: Vec::new(),
            terminates: true,
        };
        for call in calls {
            let tool = tools.iter().find(|tool| *tool.spec.name == *call.name);
            if tool.is_some_and(|tool| tool.execution == ExecutionMode::Sequential) {
                batch.mode = ExecutionMode::Sequential;
            }
            out.trace(call, CallState::Requested, None);
            batch.slots.push(Slot {
                tool_call: call.clone(),
                exists: tool.is_some(),
                is_refused: false,
                stage: Stage::Waiting,
            });
        }
        (!batch.slots.is_empty()).then_some(batch)
    }

    pub(super) fn advance(&mut self, aborted: bool, out: &mut Outbox) -> Step {
        let window_end = match self.mode {
            ExecutionMode::Sequential => self.slots.len().min(self.recorded + 1),
            ExecutionMode::Parallel => self.slots.len(),
        };
        if self.prepared < window_end {
            self.prepare(self.prepared, aborted, out)
        } else if self.launched < window_end {
            self.launch(self.launched, aborted, out);
            self.launched += 1;
            Step::Progress
        } else if self.running > 0 {
            Step::Blocked
        } else if self.recorded < window_end {
            self.recorded += 1;
            self.record(self.recorded - 1, out)
        } else {
            Step::Over(Results { tool_results: std::mem::take(&mut self.results), terminates: self.terminates })
        }
    }

    pub(super) fn trace_recorded(&self, call: usize, out: &mut Outbox) {
        if let Some(slot) = self.slots.get(call) {
            out.trace(&slot.tool_call, CallState::Recorded, None);
        }
    }

    /// For the events about a call.
    pub(super) fn about(&self, call: usize) -> About {
        About::Call { call, is_refused: self.slots.get(call).is_some_and(|slot| slot.is_refused) }
    }

    /// Takes an answer. One that its call does not wait for is ignored.
    pub(super) fn answer(&mut self, input: Input, aborted: bool, out: &mut Outbox) {
        match input {
            Input::Prepared { call, result } => self.take_prepared(call, result, out),
            Input::Admission { call, result } => self.take_admission(call, result, aborted, out),
            Input::Update { call, output } => self.take_update(call, output, out),
            Input::Executed { call, result, duration_ms } => self.take_executed(call, result, duration_ms, out),
            Input::Finalized { call, result } => self.take_finalized(call, result, out),
            _ => {}
        }
    }

    /// Gives every call that waits for something an end.
    pub(super) fn stop_waiting(&mut self, out: &mut Outbox) {
        for call in 0..self.slots.len() {
            match self.slots.get(call).map(|slot| &slot.stage) {
                Some(Stage::Preparing | Stage::Asked) => self.refuse(call, CallState::Aborted, ABORTED, false, out),
                Some(Stage::Executing) => {
                    self.running -= 1;
                    self.refuse(call, CallState::Aborted, INTERRUPTED, false, out);
                }
                Some(Stage::Settled(_)) => self.take_finalized(call, Ok(AfterTool::default()), out),
                _ => {}
            }
        }
    }

    fn record(&mut self, call: usize, out: &Outbox) -> Step {
        let Some((tool_call, outcome)) = self.take_outcome(call) else { return Step::Blocked };
        let output = Arc::unwrap_or_clone(outcome.output);
        self.terminates &= output.terminate;
        let message = SharedMessage::new(Message::ToolResult(ToolResultMessage {
            tool_call_id: tool_call.id.clone(),
            tool_name: tool_call.name.clone(),
            content: output.content,
            details: output.details,
            usage: output.usage.map(Arc::unwrap_or_clone),
            is_error: outcome.is_error,
            duration_ms: outcome.duration_ms,
            timestamp: out.now.wall_ms,
            ..ToolResultMessage::default()
        }));
        self.results.push(message.clone());
        Step::Record(call, message)
    }

    /// What a call came to, once.
    pub(super) fn take_outcome(&mut self, call: usize) -> Option<(Arc<ToolCall>, Outcome)> {
        let slot = self.slots.get_mut(call)?;
        match std::mem::replace(&mut slot.stage, Stage::Recorded) {
            Stage::Ended(outcome) => Some((slot.tool_call.clone(), outcome)),
            other => {
                slot.stage = other;
                None
            }
        }
    }

    /// Ends a call that did not run to its own end.
    fn refuse(&mut self, call: usize, state: CallState, text: &str, terminate: bool, out: &mut Outbox) {
        if let Some(slot) = self.slots.get_mut(call) {
            slot.is_refused = true;
            out.trace(&slot.tool_call, state, Some(text.to_owned()));
        }
        let output = Arc::new(error_output(text.to_owned(), terminate));
        self.end(call, Outcome { output, is_error: true, duration_ms: None, threw: false }, out);
    }

    fn end(&mut self, call: usize, outcome: Outcome, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let event = Event::ToolExecutionEnd {
            tool_call_id: slot.tool_call.id.clone(),
            tool_name: slot.tool_call.name.clone(),
            result: outcome.output.clone(),
            is_error: outcome.is_error,
            duration_ms: outcome.duration_ms,
        };
        out.emit(event, About::Call { call, is_refused: slot.is_refused });
        slot.stage = Stage::Ended(outcome);
    }
}

/// The result of a call that failed outside its tool: text and empty details. That it is an error stands beside it.
fn error_output(text: String, terminate: bool) -> ToolOutput {
    ToolOutput { details: Some(Json::empty_object()), terminate, ..ToolOutput::text(text) }
}
