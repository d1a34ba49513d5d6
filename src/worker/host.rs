//! The worker as the world of a run: what each output of the loop does here.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde_json::Value;
use vitrine::platform::clock;
use vitrine_agent::event::{CallTrace, Event};
use vitrine_agent::gate::Gate;
use vitrine_agent::history::History;
use vitrine_agent::host::{Answer, Held, Host, HostError, Reply, ready};
use vitrine_agent::message::{AssistantMessage, Message, SharedMessage, ToolCall};
use vitrine_agent::model::{ModelInfo, ModelRequest, ModelStream};
use vitrine_agent::run::{AfterTool, BeforeTool, Changes, Input, NextTurn, Now, Output, PrepareError, RunTool, Turn};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, ToolError, ToolOutput};
use vitrine_protocol::notification::Notification;
use vitrine_protocol::part::Part;
use vitrine_tamper::fault::Admitted;
use vitrine_teach::Happening;
use vitrine_tools::Switch;

use crate::approval::Judged;
use crate::desk::Desk;
use crate::{approval, lesson, parts, sessions, tamper};

/// How long an aborted run waits for a tool to stop by itself.
const GRACE_MS: u32 = 200;

/// The host of one run.
pub struct RunHost {
    desk: Rc<Desk>,
    gate: Gate,
    /// The run's.
    signal: AbortSignal,
    /// Which tools were offered when the run was told of them last.
    offered: Vec<String>,
    /// The last assistant message that ended.
    pub last: Rc<RefCell<Option<AssistantMessage>>>,
}

impl RunHost {
    /// For one run.
    pub fn new(desk: Rc<Desk>, gate: Gate, signal: AbortSignal) -> Self {
        let offered = offered(&desk);
        Self { desk, gate, signal, offered, last: Rc::default() }
    }

    /// A message is final: it is counted, and stored before the run goes on.
    fn record(&self, message: SharedMessage, number: usize) -> Reply<()> {
        self.desk.tally.borrow_mut().add(&message);
        if let Message::Assistant(assistant) = &*message {
            self.last.replace(Some(assistant.clone()));
        }
        self.desk.tell_state();
        let desk = self.desk.clone();
        Answer::Later(Box::pin(async move {
            let mut session = desk.sessions.current.lock().await;
            let was_stored = session.is_stored();
            let result_of = match &*message {
                Message::ToolResult(result) => Some(result.tool_call_id.clone()),
                _ => None,
            };
            let mut written = session.append_message(message, clock::wall_ms()).await;
            if let (Ok(entry), Some(call_id)) = (&written, &result_of) {
                let edited = tamper::stored(&desk, &mut session, call_id, entry).await;
                written = edited.and(written);
            }
            let is_stored = session.is_stored();
            drop(session);
            match (was_stored, is_stored) {
                (false, true) => sessions::tell_list(&desk).await,
                (_, true) => desk.outbox.tell_grown(),
                (_, false) => {}
            }
            if let Ok(entry) = &written {
                desk.visit.stored(number, entry.clone(), desk.workspace.snapshot());
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
        let number = self.desk.visit.event(&event, self.desk.workspace.snapshot());
        tamper::happened(&self.desk, &event);
        lesson::happened(&self.desk, &Happening::Event(&event));
        match (&event, ended.as_deref()) {
            (_, Some(Message::Assistant(assistant))) => self.desk.approvals.batch(assistant),
            (Event::TurnEnd { .. }, _) => approval::close(&self.desk),
            _ => {}
        }
        match ended {
            Some(message) => self.record(message, number),
            None => ready(()),
        }
    }

    fn trace(&mut self, trace: CallTrace) {
        self.desk.visit.trace(&trace);
        lesson::happened(&self.desk, &Happening::Trace(&trace));
        self.desk.outbox.tell(&Notification::Trace(trace));
    }

    fn call_model(&mut self, request: ModelRequest) -> Result<ModelStream, HostError> {
        // The closing turn of an aborted run asks nobody.
        if !request.signal.is_aborted() {
            self.desk.tally.borrow_mut().begin_request();
            self.desk.visit.script(self.desk.scripts.place());
            self.desk.tell_state();
        }
        Ok(tamper::model(&self.desk, request))
    }

    fn prepare(&mut self, _: usize, tool_call: &ToolCall) -> Answer<Result<Value, PrepareError>> {
        let Some(tool) = self.desk.tools.named(&tool_call.name) else {
            // The run looks the name up first; a tool that vanished in between reads the same to the model.
            let text = format!("Tool {} not found", tool_call.name);
            return Answer::Now(Err(PrepareError::Invalid(text)));
        };
        let edited = tamper::arguments(&self.desk, tool_call);
        let arguments = edited.as_ref().unwrap_or(&tool_call.arguments);
        Answer::Now(tool.prepare(arguments).map_err(PrepareError::Invalid))
    }

    /// A fault, a person who plays the harness, the policy: in this order.
    fn before_tool(
        &mut self,
        _: usize,
        tool_call: &ToolCall,
        arguments: Value,
    ) -> Answer<Result<BeforeTool, ToolError>> {
        if let Admitted::Blocked(reason) = tamper::admit(&self.desk, tool_call) {
            return Answer::Now(Ok(BeforeTool::Block { reason, terminate: false }));
        }
        let (desk, call, signal) = (self.desk.clone(), tool_call.clone(), self.signal.clone());
        if desk.parts.part() == Part::Harness {
            return Answer::Later(Box::pin(parts::harness(desk, call, arguments, signal)));
        }
        match approval::judge(&desk, tool_call, arguments) {
            Judged::Now(decided) => Answer::Now(decided),
            Judged::Ask(arguments) => Answer::Later(Box::pin(approval::ask(desk, call, arguments, signal))),
        }
    }

    fn execute(
        &mut self,
        call: usize,
        tool_call: &ToolCall,
        invocation: Invocation,
    ) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        match self.desk.tools.named(&tool_call.name) {
            Some(tool) => tamper::execute(&self.desk, &*tool, call, invocation),
            None => {
                let error = ToolError(format!("Tool {} not found", tool_call.name));
                Box::pin(std::future::ready(Err(error)))
            }
        }
    }

    fn after_tool(
        &mut self,
        _: usize,
        tool_call: &ToolCall,
        _: &ToolOutput,
        _: bool,
    ) -> Answer<Result<AfterTool, ToolError>> {
        Answer::Now(Ok(tamper::after(&self.desk, tool_call)))
    }

    /// The projection anew, if what the history shows of it was edited.
    fn prepare_request(&mut self, _: &History, _: &ModelInfo, _: Option<&str>) -> Reply<Changes> {
        if !tamper::take_stale(&self.desk) {
            return ready(Changes::default());
        }
        let desk = self.desk.clone();
        Answer::Later(Box::pin(async move {
            let messages = desk.sessions.current.lock().await.context().messages;
            Ok(Changes { history: Some(messages.into_iter().collect()), ..Changes::default() })
        }))
    }

    fn transform_context(&mut self, history: &History) -> Reply<Option<History>> {
        ready(tamper::context(&self.desk, history))
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
        let now = offered(&self.desk);
        let tools = (self.offered != now).then(|| run_tools(&self.desk));
        self.offered = now;
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

/// The names of the tools that the model is told of.
fn offered(desk: &Desk) -> Vec<String> {
    let on = desk.tools.switches().into_iter().filter(|(_, switch)| *switch == Switch::On).map(|(name, _)| name);
    on.filter(|name| desk.approvals.offers(name)).collect()
}

/// The tools that the model is told of, as a run takes them.
pub fn run_tools(desk: &Desk) -> Vec<RunTool> {
    let tools = desk.tools.tools().into_iter().filter(|tool| desk.approvals.offers(&tool.spec().name));
    tools.map(|tool| RunTool { spec: tool.spec().clone(), execution: tool.execution_mode() }).collect()
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
