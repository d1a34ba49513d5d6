//! The driver's answers. One that the run does not wait for is ignored.

use serde_json::Value;
use vitrine_agent::model::ModelEvent;
use vitrine_agent::run::{AfterTool, BeforeTool, FinishTurn, Input, NextTurn, Now, PrepareError};
use vitrine_agent::tool::{ToolError, ToolOutput};
use wasm_bindgen::prelude::wasm_bindgen;

use super::LoopRun;
use crate::skeleton;

#[wasm_bindgen]
impl LoopRun {
    fn handle(&mut self, input: Input) {
        if let Some(run) = &mut self.run {
            // JavaScript stamps what it makes; the run needs no time.
            run.handle(input, Now::default());
        }
    }

    /// The run's signal has fired.
    pub fn abort(&mut self) {
        self.handle(Input::Abort);
    }

    /// Nothing that is waited for will be waited for any longer.
    #[wasm_bindgen(js_name = graceOver)]
    pub fn grace_over(&mut self) {
        self.handle(Input::GraceOver);
    }

    /// The arguments are valid.
    pub fn prepared(&mut self, call: usize) {
        self.handle(Input::Prepared { call, result: Ok(Value::Null) });
    }

    /// They are not, or the tool's shim has thrown; the driver keeps the text.
    #[wasm_bindgen(js_name = prepareFailed)]
    pub fn prepare_failed(&mut self, call: usize) {
        self.handle(Input::Prepared { call, result: Err(PrepareError::Invalid(String::new())) });
    }

    /// The call may run.
    pub fn admitted(&mut self, call: usize) {
        self.handle(Input::Admission { call, result: Ok(BeforeTool::Allow(Value::Null)) });
    }

    /// It may not. A reason is the driver's to keep.
    pub fn blocked(&mut self, call: usize, terminate: bool) {
        self.handle(Input::Admission { call, result: Ok(BeforeTool::Block { reason: None, terminate }) });
    }

    /// The before hook has thrown; the driver keeps the text.
    #[wasm_bindgen(js_name = admissionFailed)]
    pub fn admission_failed(&mut self, call: usize) {
        self.handle(Input::Admission { call, result: Err(ToolError(String::new())) });
    }

    /// The tool has given a result.
    pub fn executed(&mut self, call: usize, is_error: bool, terminate: bool) {
        let output = ToolOutput { is_error, terminate, ..ToolOutput::default() };
        self.handle(Input::Executed { call, result: Ok(output), duration_ms: 0 });
    }

    /// The tool has thrown; the driver keeps the text.
    pub fn threw(&mut self, call: usize) {
        self.handle(Input::Executed { call, result: Err(ToolError(String::new())), duration_ms: 0 });
    }

    /// The result is final.
    pub fn finalized(&mut self, call: usize, is_error: bool, terminate: bool) {
        let after = AfterTool { is_error: Some(is_error), terminate: Some(terminate), ..AfterTool::default() };
        self.handle(Input::Finalized { call, result: Ok(after) });
    }

    /// The after hook has thrown; the driver keeps the text.
    #[wasm_bindgen(js_name = finalizeFailed)]
    pub fn finalize_failed(&mut self, call: usize) {
        self.handle(Input::Finalized { call, result: Err(ToolError(String::new())) });
    }

    /// The response has begun.
    pub fn started(&mut self) {
        self.handle(Input::Model(vec![ModelEvent::Start]));
    }

    /// The name of the tool that the next call of the response asks for.
    #[wasm_bindgen(js_name = stageCall)]
    pub fn stage_call(&mut self, name: String) {
        self.calls.push(name);
    }

    /// The response is whole, with the staged calls.
    pub fn answer(&mut self, stop_reason: &str) {
        let calls = std::mem::take(&mut self.calls);
        self.handle(Input::Answer(skeleton::answer(skeleton::stop_reason(stop_reason), calls)));
    }

    /// The staged messages are what steering had.
    pub fn steering(&mut self) {
        let messages = std::mem::take(&mut self.messages);
        self.handle(Input::Steering(messages));
    }

    /// The staged messages are what was kept for the end.
    #[wasm_bindgen(js_name = followUps)]
    pub fn follow_ups(&mut self) {
        let messages = std::mem::take(&mut self.messages);
        self.handle(Input::FollowUps(messages));
    }

    /// With the next `nextTurn` or `request`, the staged messages become the context.
    #[wasm_bindgen(js_name = replaceContext)]
    pub fn replace_context(&mut self) {
        self.changes.history = Some(self.messages.drain(..).collect());
    }

    /// With the next `nextTurn` or `request`, the staged tools are those that can be called.
    #[wasm_bindgen(js_name = replaceTools)]
    pub fn replace_tools(&mut self) {
        self.changes.tools = Some(std::mem::take(&mut self.tools));
    }

    /// The next turn is prepared; the staged messages go in before those that are queued.
    #[wasm_bindgen(js_name = nextTurn)]
    pub fn next_turn(&mut self) {
        let next =
            NextTurn { changes: std::mem::take(&mut self.changes), messages: std::mem::take(&mut self.messages) };
        self.handle(Input::NextTurn(next));
    }

    /// The request is prepared.
    pub fn request(&mut self) {
        let changes = std::mem::take(&mut self.changes);
        self.handle(Input::Request(changes));
    }

    /// The context is transformed, which is the driver's own affair.
    pub fn context(&mut self) {
        self.handle(Input::Context(None));
    }

    /// The turn's decision: `end`, `continue`, or anything else for the loop's own.
    #[wasm_bindgen(js_name = finishTurn)]
    pub fn finish_turn(&mut self, action: &str) {
        self.handle(Input::FinishTurn(match action {
            "end" => FinishTurn::End,
            "continue" => FinishTurn::Continue,
            _ => FinishTurn::Default,
        }));
    }
}
