//! Before a call runs: may it? Look-up, arguments, the before hook; and the end of a call that may not (§5.2).

use serde_json::Value;

use crate::event::{CallState, Event};
use crate::tool::ToolError;
use crate::unanswered::ABORTED;

use super::{Batch, Stage, Step};
use crate::run::outbox::Outbox;
use crate::run::{About, BeforeTool, Output, PrepareError};

const BLOCKED: &str = "Tool execution was blocked";

impl Batch {
    /// Preflight of one call, a step at a time: an abort between two steps counts.
    pub(super) fn prepare(&mut self, call: usize, aborted: bool, out: &mut Outbox) -> Step {
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
        slot.stage = Stage::Preparing;
        out.push(Output::Prepare { call, tool_call });
    }

    pub(super) fn take_prepared(&mut self, call: usize, result: Result<Value, PrepareError>, out: &mut Outbox) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Preparing = slot.stage else { return };
        let tool_call = slot.tool_call.clone();
        if let Err(PrepareError::Threw(text)) = &result {
            return self.refuse(call, CallState::Threw, text, false, out);
        }
        out.trace(&tool_call, CallState::Prepared, None);
        // Arguments that were no JSON object never pass, whatever the shim and the schema make of the empty one.
        let result = match (&tool_call.arguments_error, result) {
            (Some(error), _) => Err(format!("Invalid arguments for tool \"{}\": {error}", tool_call.name)),
            (None, Ok(arguments)) => Ok(arguments),
            (None, Err(PrepareError::Invalid(text) | PrepareError::Threw(text))) => Err(text),
        };
        match result {
            Ok(arguments) => {
                slot.stage = Stage::Prepared(arguments);
                out.trace(&tool_call, CallState::Valid, None);
            }
            Err(text) => self.refuse(call, CallState::Invalid, &text, false, out),
        }
    }

    pub(super) fn take_admission(
        &mut self,
        call: usize,
        result: Result<BeforeTool, ToolError>,
        aborted: bool,
        out: &mut Outbox,
    ) {
        let Some(slot) = self.slots.get_mut(call) else { return };
        let Stage::Asked = slot.stage else { return };
        match result {
            Err(ToolError(text)) => self.refuse(call, CallState::Blocked, &text, false, out),
            Ok(_) if aborted => self.refuse(call, CallState::Aborted, ABORTED, false, out),
            Ok(BeforeTool::Block { reason, terminate }) => {
                let reason = reason.as_deref().filter(|reason| !reason.is_empty()).unwrap_or(BLOCKED);
                self.refuse(call, CallState::Blocked, reason, terminate, out);
            }
            Ok(BeforeTool::Allow(arguments)) => {
                slot.stage = Stage::Admitted(arguments);
                out.trace(&slot.tool_call, CallState::Admitted, None);
            }
        }
    }
}
