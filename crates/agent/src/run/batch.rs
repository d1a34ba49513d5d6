//! [`Batch`]: the calls of one response, from asked to recorded.
//!
//! A batch goes through windows of calls: one window of all of them, or, sequentially, one window a call. In a window all
//! calls are prepared in source order, then all that passed are executed, then all results are recorded in source order.
//! Calls are told apart by their place, never by the model's id.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use crate::event::{CallState, Event};
use crate::json::Json;
use crate::message::{AssistantMessage, Message, SharedMessage, StopReason, ToolCall, ToolResultMessage};
use crate::tool::{ExecutionMode, ToolError, ToolOutput};
use crate::unanswered::{ABORTED, INTERRUPTED};

use super::outbox::Outbox;
use super::{About, AfterTool, BeforeTool, Input, Output, PrepareError, RunTool};

const BLOCKED: &str = "Tool execution was blocked";

#[derive(Debug)]
pub(super) struct Batch {
    message: SharedMessage,
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
    tool_call: Rc<ToolCall>,
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

#[derive(Clone, Debug)]
struct Outcome {
    output: Rc<ToolOutput>,
    is_error: bool,
    /// Absent unless the tool ran.
    duration_ms: Option<u64>,
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
    pub(super) message: SharedMessage,
    /// In source order.
    pub(super) tool_results: Vec<SharedMessage>,
    /// Every result hints that the run may stop.
    pub(super) terminates: bool,
}

impl Batch {
    /// The calls of a response; `None` when it has none.
    pub(super) fn new(
        message: &SharedMessage,
        assistant: &AssistantMessage,
        tools: &[RunTool],
        mode: ExecutionMode,
        out: &mut Outbox,
    ) -> Option<Self> {
        let mut batch = Self {
            message: message.clone(),
            slots: Vec::new(),
            mode,
            is_void: assistant.stop_reason == StopReason::Length,
            prepared: 0,
            launched: 0,
            recorded: 0,
            running: 0,
            results: Vec::new(),
            terminates: true,
        };
        for call in assistant.tool_calls() {
            let tool = tools.iter().find(|tool| tool.spec.name == call.name);
            if batch.is_void || tool.is_some_and(|tool| tool.execution == ExecutionMode::Sequential) {
                batch.mode = ExecutionMode::Sequential;
            }
            out.trace(call, CallState::Requested, None);
            batch.slots.push(Slot {
                tool_call: Rc::new(call.clone()),
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
            Step::Over(Results {
                message: self.message.clone(),
                tool_results: std::mem::take(&mut self.results),
                terminates: self.terminates,
            })
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

    /// Preflight of one call, a step at a time: an abort between two steps counts.
    fn prepare(&mut self, call: usize, aborted: bool, out: &mut Outbox) -> Step {
        let Some(slot) = self.slots.get_mut(call) else { return Step::Blocked };
        let tool_call = slot.tool_call.clone();
        match &mut slot.stage {
            Stage::Waiting => {
                slot.stage = Stage::Started;
                let event = Event::ToolExecutionStart {
                    tool_call_id: tool_call.id.clone(),
                    tool_name: tool_call.name.clone(),
                    args: tool_call.arguments.clone(),
                };
                out.emit(event, About::Call { call, is_refused: false });
            }
            Stage::Started => self.look_up(call, aborted, out),
            Stage::Prepared(_) if aborted => self.refuse(call, CallState::Aborted, ABORTED, false, out),
            Stage::Prepared(arguments) => {
                let arguments = arguments.take();
                slot.stage = Stage::Asked;
                out.push(Output::BeforeTool { call, tool_call, arguments });
            }
            Stage::Preparing | Stage::Asked => return Step::Blocked,
            Stage::Admitted(_) | Stage::Executing | Stage::Settled(_) | Stage::Ended(_) | Stage::Recorded => {
                self.prepared += 1;
            }
        }
        Step::Progress
    }

    fn look_up(&mut self, call: usize, aborted: bool, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let tool_call = slot.tool_call.clone();
        let name = &tool_call.name;
        if self.is_void {
            let text = format!(
                "Tool call \"{name}\" was not executed: the response hit the output token limit, so its arguments may \
                 be truncated. Re-issue the tool call with complete arguments."
            );
            return self.refuse(call, CallState::Truncated, &text, false, out);
        }
        if aborted {
            return self.refuse(call, CallState::Aborted, ABORTED, false, out);
        }
        if !slot.exists {
            return self.refuse(call, CallState::NotFound, &format!("Tool {name} not found"), false, out);
        }
        out.trace(&tool_call, CallState::Found, None);
        if let Some(error) = &tool_call.arguments_error {
            let text = format!("Invalid arguments for tool \"{name}\": {error}");
            return self.refuse(call, CallState::Invalid, &text, false, out);
        }
        slot.stage = Stage::Preparing;
        out.push(Output::Prepare { call, tool_call });
    }

    fn launch(&mut self, call: usize, aborted: bool, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Admitted(arguments) = &mut slot.stage else { return };
        if aborted {
            return self.refuse(call, CallState::Aborted, ABORTED, false, out);
        }
        let arguments = arguments.take();
        slot.stage = Stage::Executing;
        self.running += 1;
        out.trace(&slot.tool_call, CallState::Executing, None);
        out.push(Output::Execute { call, tool_call: slot.tool_call.clone(), arguments });
    }

    fn record(&mut self, call: usize, out: &Outbox) -> Step {
        let Some(slot) = self.slots.get_mut(call) else { return Step::Blocked };
        let Stage::Ended(outcome) = std::mem::replace(&mut slot.stage, Stage::Recorded) else { return Step::Blocked };
        let output = Rc::unwrap_or_clone(outcome.output);
        self.terminates &= output.terminate;
        let message = Arc::new(Message::ToolResult(ToolResultMessage {
            tool_call_id: slot.tool_call.id.clone(),
            tool_name: slot.tool_call.name.clone(),
            content: output.content,
            details: output.details,
            usage: output.usage,
            is_error: outcome.is_error,
            duration_ms: outcome.duration_ms,
            timestamp: out.now.wall_ms,
            ..ToolResultMessage::default()
        }));
        self.results.push(message.clone());
        Step::Record(call, message)
    }

    fn take_prepared(&mut self, call: usize, result: Result<Value, PrepareError>, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Preparing = slot.stage else { return };
        match result {
            Ok(arguments) => {
                slot.stage = Stage::Prepared(arguments);
                out.trace(&slot.tool_call, CallState::Prepared, None);
                out.trace(&slot.tool_call, CallState::Valid, None);
            }
            Err(PrepareError::Invalid(text)) => {
                out.trace(&slot.tool_call, CallState::Prepared, None);
                self.refuse(call, CallState::Invalid, &text, false, out);
            }
            Err(PrepareError::Threw(text)) => self.refuse(call, CallState::Threw, &text, false, out),
        }
    }

    fn take_admission(&mut self, call: usize, result: Result<BeforeTool, ToolError>, aborted: bool, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Asked = slot.stage else { return };
        match result {
            Err(ToolError(text)) => self.refuse(call, CallState::Blocked, &text, false, out),
            Ok(_) if aborted => self.refuse(call, CallState::Aborted, ABORTED, false, out),
            Ok(BeforeTool::Block { reason, terminate }) => {
                self.refuse(call, CallState::Blocked, reason.as_deref().unwrap_or(BLOCKED), terminate, out);
            }
            Ok(BeforeTool::Allow(arguments)) => {
                slot.stage = Stage::Admitted(arguments);
                out.trace(&slot.tool_call, CallState::Admitted, None);
            }
        }
    }

    fn take_update(&self, call: usize, partial_result: ToolOutput, out: &mut Outbox) {
        let Some(slot) = self.slots.get(call) else { return };
        let Stage::Executing = slot.stage else { return };
        let event = Event::ToolExecutionUpdate {
            tool_call_id: slot.tool_call.id.clone(),
            tool_name: slot.tool_call.name.clone(),
            args: slot.tool_call.arguments.clone(),
            partial_result,
        };
        out.emit(event, About::Call { call, is_refused: false });
    }

    fn take_executed(
        &mut self,
        call: usize,
        result: Result<ToolOutput, ToolError>,
        duration_ms: u64,
        out: &mut Outbox,
    ) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Executing = slot.stage else { return };
        let threw = result.is_err();
        let output = result.unwrap_or_else(|ToolError(text)| {
            out.trace(&slot.tool_call, CallState::Threw, Some(text.clone()));
            error_output(text, false)
        });
        let is_error = threw || output.is_error;
        let output = Rc::new(output);
        let outcome = Outcome { output: output.clone(), is_error, duration_ms: Some(duration_ms), threw };
        slot.stage = Stage::Settled(outcome);
        out.push(Output::AfterTool { call, tool_call: slot.tool_call.clone(), output, is_error });
    }

    fn take_finalized(&mut self, call: usize, result: Result<AfterTool, ToolError>, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Settled(outcome) = &slot.stage else { return };
        let mut outcome = outcome.clone();
        match result {
            Ok(after) if after == AfterTool::default() => {}
            Ok(after) => {
                outcome.is_error = after.is_error.unwrap_or(outcome.is_error);
                outcome.output = Rc::new(replaced(&outcome.output, after));
            }
            Err(ToolError(text)) => {
                if !outcome.threw {
                    out.trace(&slot.tool_call, CallState::Threw, Some(text.clone()));
                }
                outcome =
                    Outcome { output: Rc::new(error_output(text, false)), is_error: true, threw: true, ..outcome };
            }
        }
        if !outcome.threw {
            out.trace(&slot.tool_call, CallState::Finalized, None);
        }
        self.running -= 1;
        self.end(call, outcome, out);
    }

    /// Ends a call that did not run to its own end.
    fn refuse(&mut self, call: usize, state: CallState, text: &str, terminate: bool, out: &mut Outbox) {
        if let Some(slot) = self.slots.get_mut(call) {
            slot.is_refused = true;
            out.trace(&slot.tool_call, state, Some(text.to_owned()));
        }
        let output = Rc::new(error_output(text.to_owned(), terminate));
        self.end(call, Outcome { output, is_error: true, duration_ms: None, threw: false }, out);
    }

    fn end(&mut self, call: usize, outcome: Outcome, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let event = Event::ToolExecutionEnd {
            tool_call_id: slot.tool_call.id.clone(),
            tool_name: slot.tool_call.name.clone(),
            result: (*outcome.output).clone(),
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

/// The after hook's fields over the tool's. Structured content that described replaced content goes with it.
fn replaced(output: &ToolOutput, after: AfterTool) -> ToolOutput {
    let keeps_content = after.content.is_none();
    ToolOutput {
        content: after.content.unwrap_or_else(|| output.content.clone()),
        details: after.details.or_else(|| output.details.clone()),
        structured_content: (after.structured_content)
            .or_else(|| output.structured_content.clone().filter(|_| keeps_content)),
        usage: after.usage.or_else(|| output.usage.clone()),
        is_error: output.is_error,
        terminate: after.terminate.unwrap_or(output.terminate),
    }
}
