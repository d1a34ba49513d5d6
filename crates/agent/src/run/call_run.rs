//! [`CallRun`]: one call by the rules of a batch, for a tool that calls other tools.

use std::sync::Arc;

use crate::message::ToolCall;
use crate::tool::{ExecutionMode, ToolOutput};

use super::batch::{Batch, Step};
use super::outbox::Outbox;
use super::{Input, Now, Output, RunTool};

/// One call that no model has made: argument shim, validation, before hook, execution and after hook as for a model's
/// call, so that what the hooks forbid is forbidden here too; but no events, no traces and no message.
///
/// # Contract
/// As [`Run`](super::Run): poll until `None`, answer every output with its input, until there is an
/// [`outcome`](Self::outcome). The outputs are `Prepare`, `BeforeTool`, `Execute` and `AfterTool`, all of call 0. The
/// inputs are their answers, `Abort` and `GraceOver`; an `Update` goes to whoever called and not in here. Whatever fails
/// is an outcome that is an error.
///
/// ```
/// use serde_json::json;
/// use vitrine_agent::message::ToolCall;
/// use vitrine_agent::run::{AfterTool, BeforeTool, CallRun, Input, Now, Output, RunTool};
/// use vitrine_agent::tool::{ToolOutput, ToolSpec};
///
/// let name = "read";
/// let tools = [RunTool { spec: ToolSpec { name: name.into(), ..ToolSpec::default() }, execution: Default::default() }];
/// let mut call = CallRun::new(&ToolCall { id: "a/1".into(), name: name.into(), ..ToolCall::default() }, &tools, Now::default());
/// while let Some(output) = call.poll_output() {
///     let answer = match output {
///         Output::Prepare { call, .. } => Input::Prepared { call, result: Ok(json!({})) },
///         Output::BeforeTool { call, arguments, .. } => {
///             Input::Admission { call, result: Ok(BeforeTool::Allow(arguments)) }
///         }
///         Output::Execute { call, .. } => Input::Executed { call, result: Ok(ToolOutput::text("x")), duration_ms: 3 },
///         Output::AfterTool { call, .. } => Input::Finalized { call, result: Ok(AfterTool::default()) },
///         _ => continue,
///     };
///     call.handle(answer, Now::default());
/// }
/// let outcome = call.outcome().ok_or("not over")?;
/// assert_eq!((outcome.is_error, outcome.duration_ms), (false, Some(3)));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug)]
pub struct CallRun {
    batch: Option<Batch>,
    outbox: Outbox,
    aborted: bool,
    outcome: Option<CallOutcome>,
}

/// What a call came to.
#[derive(Clone, Debug, PartialEq)]
pub struct CallOutcome {
    /// The tool's result, or the error in its place.
    pub output: ToolOutput,
    /// Whether it failed.
    pub is_error: bool,
    /// Milliseconds of execution; absent unless the tool ran.
    pub duration_ms: Option<u64>,
}

impl CallRun {
    /// A call that has not begun, of one of these tools.
    pub fn new(tool_call: &ToolCall, tools: &[RunTool], now: Now) -> Self {
        let mut outbox = Outbox::new(now);
        let tool_call = Arc::new(tool_call.clone());
        let calls = std::iter::once(&tool_call);
        let batch = Batch::new(calls, false, tools, ExecutionMode::Sequential, &mut outbox);
        Self { batch, outbox, aborted: false, outcome: None }
    }

    /// The next output, or `None` when only an input can bring it on, or it is over.
    pub fn poll_output(&mut self) -> Option<Output> {
        loop {
            match self.outbox.pop() {
                Some((Output::Emit(_) | Output::Trace(_), _)) => continue,
                Some((output, _)) => return Some(output),
                None => {}
            }
            let batch = self.batch.as_mut()?;
            if let Some((_, outcome)) = batch.take_outcome(0) {
                let output = Arc::unwrap_or_clone(outcome.output);
                let (is_error, duration_ms) = (outcome.is_error, outcome.duration_ms);
                self.outcome = Some(CallOutcome { output, is_error, duration_ms });
                self.batch = None;
                return None;
            }
            let Step::Progress = batch.advance(self.aborted, &mut self.outbox) else { return None };
        }
    }

    /// Takes one input. An answer that nothing waits for is ignored.
    pub fn handle(&mut self, input: Input, now: Now) {
        self.outbox.now = now;
        let Some(batch) = &mut self.batch else { return };
        match input {
            Input::Abort => self.aborted = true,
            Input::GraceOver if self.aborted => batch.stop_waiting(&mut self.outbox),
            Input::GraceOver => {}
            answer => batch.answer(answer, self.aborted, &mut self.outbox),
        }
    }

    /// What it came to, once it is over.
    pub fn outcome(&self) -> Option<&CallOutcome> {
        self.outcome.as_ref()
    }
}
