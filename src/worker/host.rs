//! The worker as the world of a run: what each output of the loop does here.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde_json::Value;
use vitrine::platform::clock;
use vitrine_agent::event::{CallTrace, Event};
use vitrine_agent::gate::Gate;
use vitrine_agent::host::{Answer, Held, Host, HostError, Reply, ready};
use vitrine_agent::message::{AssistantMessage, Message, SharedMessage, ToolCall};
use vitrine_agent::model::{ModelRequest, ModelStream};
use vitrine_agent::run::{Changes, Input, NextTurn, Now, Output, PrepareError, RunTool, Turn};
use vitrine_agent::tool::{Invocation, ToolError, ToolOutput};
use vitrine_protocol::notification::Notification;
use vitrine_tools::Switch;

use crate::desk::Desk;
use crate::{models, sessions};

/// How long an aborted run waits for a tool to stop by itself.
const GRACE_MS: u32 = 200;

/// The host of one run.
pub struct RunHost {
    desk: Rc<Desk>,
    gate: Gate,
    /// Which tools were on when the run was told of them last.
    switches: Vec<(String, Switch)>,
    /// The last assistant message that ended.
    pub last: Rc<RefCell<Option<AssistantMessage>>>,
}

impl RunHost {
    /// For one run.
    pub fn new(desk: Rc<Desk>, gate: Gate) -> Self {
        let switches = desk.tools.switches();
        Self { desk, gate, switches, last: Rc::default() }
    }

    /// A message is final: it is counted, and stored before the run goes on.
    fn record(&self, message: SharedMessage) -> Reply<()> {
        self.desk.tally.borrow_mut().add(&message);
        if let Message::Assistant(assistant) = &*message {
            self.last.replace(Some(assistant.clone()));
        }
        self.desk.tell_state();
        let desk = self.desk.clone();
        Answer::Later(Box::pin(async move {
            let mut session = desk.sessions.current.lock().await;
            let was_stored = session.is_stored();
            let written = session.append_message(message, clock::wall_ms()).await;
            let is_stored = session.is_stored();
            drop(session);
            match (was_stored, is_stored) {
                (false, true) => sessions::tell_list(&desk).await,
                (_, true) => desk.outbox.tell_grown(),
                (_, false) => {}
            }
            // The run goes on without its record rather than losing its work; the reader is told, and may export.
            if let Err(error) = written {
                desk.outbox.tell(&Notification::Problem(sessions::session_problem(&error)));
            }
            Ok(())
        }))
    }
}

impl Host for RunHost {
    fn now(&mut self) -> Now {
        Now { wall_ms: clock::wall_ms(), monotonic_ms: clock::monotonic_ms() }
    }

    fn emit(&mut self, event: Event) -> Reply<()> {
        let ended = match &event {
            Event::MessageEnd { message } => Some(message.clone()),
            Event::TurnStart => {
                self.desk.turn.set(self.desk.turn.get() + 1);
                None
            }
            Event::AgentStart
            | Event::MessageStart { .. }
            | Event::MessageUpdate { .. }
            | Event::ToolExecutionStart { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::ToolExecutionEnd { .. }
            | Event::TurnEnd { .. }
            | Event::AgentEnd { .. } => None,
        };
        self.desk.outbox.tell_event(&event);
        match ended {
            Some(message) => self.record(message),
            None => ready(()),
        }
    }

    fn trace(&mut self, trace: CallTrace) {
        self.desk.outbox.tell(&Notification::Trace(trace));
    }

    fn call_model(&mut self, request: ModelRequest) -> Result<ModelStream, HostError> {
        // The closing turn of an aborted run asks nobody.
        if !request.signal.is_aborted() {
            self.desk.tally.borrow_mut().begin_request();
            self.desk.tell_state();
        }
        Ok(models::stream(&self.desk, request))
    }

    fn prepare(&mut self, _: usize, tool_call: &ToolCall) -> Answer<Result<Value, PrepareError>> {
        let Some(tool) = self.desk.tools.named(&tool_call.name) else {
            // The run looks the name up first; a tool that vanished in between reads the same to the model.
            let text = format!("Tool {} not found", tool_call.name);
            return Answer::Now(Err(PrepareError::Invalid(text)));
        };
        Answer::Now(tool.prepare(&tool_call.arguments).map_err(PrepareError::Invalid))
    }

    fn execute(
        &mut self,
        _: usize,
        tool_call: &ToolCall,
        invocation: Invocation,
    ) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        match self.desk.tools.named(&tool_call.name) {
            Some(tool) => tool.execute(invocation),
            None => {
                let error = ToolError(format!("Tool {} not found", tool_call.name));
                Box::pin(std::future::ready(Err(error)))
            }
        }
    }

    fn steering(&mut self) -> Reply<Vec<SharedMessage>> {
        let taken = self.desk.queues.borrow_mut().steering.take();
        self.told(taken)
    }

    fn follow_ups(&mut self) -> Reply<Vec<SharedMessage>> {
        let taken = self.desk.queues.borrow_mut().follow_up.take();
        self.told(taken)
    }

    /// The tools that are on by now, if they were switched meanwhile: the next request declares them.
    fn prepare_next_turn(&mut self, _: &Turn) -> Reply<NextTurn> {
        let now = self.desk.tools.switches();
        let tools = (self.switches != now).then(|| run_tools(&self.desk));
        self.switches = now;
        ready(NextTurn { changes: Changes { tools, ..Changes::default() }, ..NextTurn::default() })
    }

    fn gate(&mut self, output: &Output) -> Option<Held> {
        Some(self.holding(self.gate.check(output)?))
    }

    fn gate_answer(&mut self, input: &Input) -> Option<Held> {
        Some(self.holding(self.gate.check_answer(input)?))
    }

    fn grace(&mut self) -> LocalBoxFuture<'static, ()> {
        Box::pin(clock::sleep(GRACE_MS))
    }
}

/// The tools that are on, as a run takes them.
pub fn run_tools(desk: &Desk) -> Vec<RunTool> {
    let tools = desk.tools.tools();
    tools.iter().map(|tool| RunTool { spec: tool.spec().clone(), execution: tool.execution_mode() }).collect()
}

/// Tells the page that a hold is over, however it ended: an abort drops it unfinished.
struct Released(Rc<Desk>);

impl Drop for Released {
    fn drop(&mut self) {
        self.0.tell_state();
    }
}

impl RunHost {
    /// A hold that the page is told of, when it begins and when it is over.
    fn holding(&self, hold: Held) -> Held {
        self.desk.tell_state();
        let released = Released(self.desk.clone());
        Box::pin(async move {
            let answer = hold.await;
            drop(released);
            answer
        })
    }

    fn told(&self, taken: Vec<SharedMessage>) -> Reply<Vec<SharedMessage>> {
        if !taken.is_empty() {
            self.desk.tell_state();
        }
        ready(taken)
    }
}
