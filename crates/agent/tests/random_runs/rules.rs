//! What holds in every run, whatever comes in.

use std::sync::Arc;

use vitrine_agent::event::Event;
use vitrine_agent::message::{Message, SharedMessage, StopReason};
use vitrine_agent::run::{About, Input, Output, Run};

/// Follows a run's outputs, and panics at the first that breaks a rule.
#[derive(Default)]
pub struct Rules {
    /// Every message that was told to its end.
    messages: Vec<SharedMessage>,
    has_begun: bool,
    has_ended: bool,
    in_turn: bool,
    /// The message between its start and its end.
    open_message: Option<SharedMessage>,
    /// The turn's response, and its calls.
    response: Option<SharedMessage>,
    calls: Vec<Call>,
    /// Calls whose result is in the history.
    results: Vec<SharedMessage>,
    /// After a response that failed or was aborted only the end may come.
    is_ending: bool,
    /// Since the host failed: what still came.
    since_failure: Option<Vec<&'static str>>,
    n_traces: u64,
}

/// How far a call has come.
#[derive(Default)]
struct Call {
    id: Arc<str>,
    is_started: bool,
    asked: Vec<&'static str>,
    is_ended: bool,
}

impl Rules {
    /// Before an input goes in.
    pub fn hear(&mut self, input: &Input, run: &Run) {
        if matches!(input, Input::Fail(_)) && !run.is_done() && self.since_failure.is_none() {
            self.since_failure = Some(Vec::new());
        }
    }

    pub fn see(&mut self, output: &Output, run: &Run) {
        assert!(!self.has_ended, "{} after the end", output.kind());
        let is_last = output.kind() == "agent_end" && self.since_failure.is_none();
        assert!(run.is_done() == is_last, "over with its last output, and not before");
        if let Some(came) = &mut self.since_failure {
            came.push(output.kind());
            self.has_ended = output.kind() == "agent_end";
            return;
        }
        match output {
            Output::Emit(event) => self.event(event, run),
            Output::Trace(trace) => {
                assert_eq!(trace.seq, self.n_traces);
                self.n_traces += 1;
            }
            Output::Prepare { call, .. }
            | Output::BeforeTool { call, .. }
            | Output::Execute { call, .. }
            | Output::AfterTool { call, .. } => {
                self.call_question(*call, output.kind());
                let history = run.history().messages();
                let response = &history[history.len() - 1 - self.results.len()];
                assert!(
                    self.response.as_ref().is_some_and(|asks| SharedMessage::ptr_eq(asks, response)),
                    "hooks see who asks"
                );
            }
            Output::CallModel(_) => assert!(self.in_turn && self.response.is_none() && !self.is_ending),
            Output::FinishTurn(turn) => {
                self.all_recorded();
                assert!(self.response.as_ref().is_some_and(|response| SharedMessage::ptr_eq(response, &turn.message)));
                assert_eq!(turn.tool_results.len(), self.results.len());
            }
            Output::PollSteering | Output::PollFollowUps | Output::PrepareNextTurn(_) => assert!(!self.is_ending),
            Output::PrepareRequest { .. } | Output::TransformContext { .. } => assert!(self.response.is_none()),
        }
    }

    pub fn end(&self, run: &Run) {
        if let Some(came) = &self.since_failure {
            let whole = ["message_start", "message_end", "turn_end", "agent_end"];
            // A host that fails again gets no more to do.
            assert!(whole.starts_with(came), "after a failure: {came:?}");
            return;
        }
        assert!(self.has_ended && !self.in_turn && self.open_message.is_none());
        assert!(same(&run.new_messages().messages(), &self.messages));
        let (history, new) = (run.history().messages(), run.new_messages().messages());
        assert!(history.len() <= new.len() || same(&history[history.len() - new.len()..], &new));
    }

    fn event(&mut self, event: &Event, run: &Run) {
        assert_eq!(self.has_begun, !matches!(event, Event::AgentStart), "agent_start is first, and once");
        match event {
            Event::AgentStart => self.has_begun = true,
            Event::TurnStart => {
                assert!(!self.in_turn && !self.is_ending);
                self.in_turn = true;
                self.response = None;
                self.calls.clear();
                self.results.clear();
            }
            Event::MessageStart { message } => {
                assert!(self.in_turn && self.open_message.is_none(), "messages do not nest");
                self.open_message = Some(message.clone());
            }
            Event::MessageUpdate { .. } => {
                assert!(self.open_message.as_ref().is_some_and(|message| message.role() == "assistant"));
            }
            Event::MessageEnd { message } => {
                let started = self.open_message.take().expect("an end has its start");
                assert_eq!(started.role(), message.role());
                self.message(message, &started, run.about());
            }
            Event::ToolExecutionStart { tool_call_id, .. } => {
                let call = place(run.about());
                assert!(call == 0 || self.calls[call - 1].is_started, "calls start in source order");
                assert_eq!(&self.calls[call].id, tool_call_id);
                assert!(!std::mem::replace(&mut self.calls[call].is_started, true));
            }
            Event::ToolExecutionUpdate { .. } => {
                let call = &self.calls[place(run.about())];
                assert!(call.asked.last() == Some(&"execute") && !call.is_ended, "updates come while it runs");
            }
            Event::ToolExecutionEnd { duration_ms, .. } => {
                let call = &mut self.calls[place(run.about())];
                assert!(call.is_started && !std::mem::replace(&mut call.is_ended, true), "one end a call");
                let has_run = call.asked.contains(&"after_tool");
                assert_eq!(duration_ms.is_some(), has_run, "a duration is that of an execution that settled");
            }
            Event::TurnEnd { message, tool_results } => {
                assert!(std::mem::replace(&mut self.in_turn, false) && self.open_message.is_none());
                assert!(self.response.as_ref().is_some_and(|response| SharedMessage::ptr_eq(response, message)));
                self.all_recorded();
                assert!(same(tool_results, &self.results));
            }
            Event::AgentEnd { messages } => {
                assert!(!self.in_turn);
                assert!(same(messages, &self.messages), "all messages of the run, in order");
                self.has_ended = true;
            }
        }
    }

    fn message(&mut self, message: &SharedMessage, started: &SharedMessage, about: About) {
        self.messages.push(message.clone());
        match &**message {
            Message::Assistant(assistant) => {
                assert!(self.response.is_none(), "one response a turn");
                assert_ne!(assistant.stop_reason, StopReason::Pending);
                self.is_ending = matches!(assistant.stop_reason, StopReason::Error | StopReason::Aborted);
                if !self.is_ending {
                    let call = |id: &Arc<str>| Call { id: id.clone(), ..Call::default() };
                    self.calls = assistant.tool_calls().map(|tool_call| call(&tool_call.id)).collect();
                }
                self.response = Some(message.clone());
            }
            Message::ToolResult(result) => {
                let call = place(about);
                assert_eq!(call, self.results.len(), "results come in source order, one a call");
                assert_eq!(self.calls[call].id, result.tool_call_id);
                assert!(self.calls[call].is_ended, "a result comes after its execution's end");
                // In one window all are over before the first is recorded; else the next has not begun.
                let rest = &self.calls[call + 1..];
                assert!(rest.iter().all(|call| call.is_ended) || rest.iter().all(|call| !call.is_started));
                self.results.push(message.clone());
            }
            Message::System(_) | Message::User(_) | Message::Other(_) => {
                assert!(SharedMessage::ptr_eq(message, started));
                assert!(self.response.is_none(), "nothing comes between a call and its result");
            }
        }
    }

    fn call_question(&mut self, call: usize, kind: &'static str) {
        let order = ["prepare", "before_tool", "execute", "after_tool"];
        let place = self.calls[call].asked.len();
        assert_eq!(order.get(place), Some(&kind), "in this order, each once");
        assert!(self.calls[call].is_started && !self.calls[call].is_ended);
        self.calls[call].asked.push(kind);
        if kind == "execute" {
            let started = self.calls.iter().filter(|call| call.is_started).count();
            let is_alone = started == call + 1 && self.results.len() == call;
            assert!(is_alone || started == self.calls.len(), "a whole batch is prepared before any of it runs");
        }
    }

    fn all_recorded(&self) {
        assert_eq!(self.results.len(), self.calls.len(), "every call has its result");
    }
}

/// Which call an event is about.
fn place(about: About) -> usize {
    match about {
        About::Call { call, .. } => call,
        other => panic!("about a call and not {other:?}"),
    }
}

fn same(some: &[SharedMessage], others: &[SharedMessage]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| SharedMessage::ptr_eq(one, other))
}
