//! While a call runs and after: updates, what it gave or threw, the after hook (§5.3).

use std::sync::Arc;

use crate::event::{CallState, Event};
use crate::tool::{ToolError, ToolOutput};
use crate::unanswered::ABORTED;

use super::{Batch, Outcome, Stage, error_output};
use crate::run::outbox::Outbox;
use crate::run::{About, AfterTool, Output};

impl Batch {
    pub(super) fn launch(&mut self, call: usize, aborted: bool, out: &mut Outbox) {
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

    pub(super) fn take_update(&self, call: usize, partial_result: ToolOutput, out: &mut Outbox) {
        let Some(slot) = self.slots.get(call) else { return };
        let Stage::Executing = slot.stage else { return };
        let event = Event::ToolExecutionUpdate {
            tool_call_id: slot.tool_call.id.clone(),
            tool_name: slot.tool_call.name.clone(),
            args: slot.tool_call.arguments.clone(),
            partial_result: Arc::new(partial_result),
        };
        out.emit(event, About::Call { call, is_refused: false });
    }

    pub(super) fn take_executed(
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
        let output = Arc::new(output);
        let outcome = Outcome { output: output.clone(), is_error, duration_ms: Some(duration_ms), threw };
        slot.stage = Stage::Settled(outcome);
        out.push(Output::AfterTool { call, tool_call: slot.tool_call.clone(), output, is_error });
    }

    pub(super) fn take_finalized(&mut self, call: usize, result: Result<AfterTool, ToolError>, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Settled(outcome) = &slot.stage else { return };
        let mut outcome = outcome.clone();
        match result {
            Ok(after) if after.is_empty() => {}
            Ok(after) => {
                outcome.is_error = after.is_error.unwrap_or(outcome.is_error);
                outcome.output = Arc::new(replaced(&outcome.output, after));
            }
            Err(ToolError(text)) => {
                if !outcome.threw {
                    out.trace(&slot.tool_call, CallState::Threw, Some(text.clone()));
                }
                outcome =
                    Outcome { output: Arc::new(error_output(text, false)), is_error: true, threw: true, ..outcome };
            }
        }
        if !outcome.threw {
            out.trace(&slot.tool_call, CallState::Finalized, None);
        }
        self.running -= 1;
        self.end(call, outcome, out);
    }
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
