//! The loop itself: what follows what.
//!
//! One step at a time, so that the run can stop between any two outputs. The phases in order, for one turn:
//! declare → inject → prepare request → transform context → model → batch → finish turn → turn end → steering; then, when
//! there is more, prepare next turn → steering again → turn start, and round; else follow-ups, and the end.

use std::sync::Arc;

use crate::event::Event;
use crate::message::{AssistantMessage, Block, Message, SharedMessage, StopReason};
use crate::model::ModelRequest;
use crate::replay::{ToolSet, systems};

use super::batch::{Batch, Step};
use super::declare::declare_tool_changes;
use super::response::{Applied, Response};
use super::{About, Changes, FinishTurn, Input, NextTurn, Output, Phase, Poll, Run, Then, Turn};

impl Run {
    /// Goes on by one step. `false` when only an input can bring the run on.
    pub(super) fn advance(&mut self) -> bool {
        match &mut self.phase {
            Phase::Opening => {
                self.outbox.emit(Event::AgentStart, About::Run);
                self.outbox.emit(Event::TurnStart, About::Run);
                // A run that continues declares its tools with its first request.
                let has_prompts = !self.pending.is_empty();
                self.phase =
                    if has_prompts { Phase::Declare(Then::FirstPoll) } else { Phase::PollSteering(Poll::AtStart) };
            }
            Phase::Declare(then) => {
                let then = *then;
                self.declaration = if self.is_declared && systems(self.pending.make_contiguous()).next().is_none() {
                    None
                } else {
                    declare_tool_changes(&self.declared, &self.tools, &mut self.pending, self.now.wall_ms)
                };
                // A declaration, ours or another's, is told first, and then compared once more.
                self.is_declared = self.declaration.is_none();
                self.phase = Phase::Inject(then);
            }
            Phase::Inject(then) => match (self.pending.pop_front(), *then) {
                (Some(message), _) => {
                    let made_here = self.declaration.as_ref().is_some_and(|made| SharedMessage::ptr_eq(made, &message));
                    self.outbox.emit_message(message, if made_here { About::Declaration } else { About::Given });
                }
                (None, Then::FirstPoll) => self.phase = Phase::PollSteering(Poll::AtStart),
                (None, Then::Request) => self.phase = Phase::AskRequest,
            },
            Phase::PollSteering(poll) => {
                let poll = *poll;
                self.ask(Output::PollSteering, Phase::Steering(poll));
            }
            Phase::AskNextTurn => match self.turn.clone() {
                Some(turn) => self.ask(Output::PrepareNextTurn(turn), Phase::NextTurn),
                None => self.phase = Phase::TurnStart,
            },
            Phase::TurnStart => {
                self.outbox.emit(Event::TurnStart, About::Run);
                self.phase = Phase::Declare(Then::Request);
            }
            Phase::AskRequest => {
                let history = self.history.clone();
                let (model, reasoning) = (self.model.clone(), self.reasoning.clone());
                self.ask(Output::PrepareRequest { history, model, reasoning }, Phase::Request);
            }
            Phase::AskContext => {
                self.ask(Output::TransformContext { history: self.history.clone() }, Phase::Context);
            }
            Phase::CallModel => {
                let request = ModelRequest {
                    model: self.model.clone(),
                    history: self.sent.take().unwrap_or_else(|| self.history.clone()),
                    reasoning: self.reasoning.clone(),
                    signal: self.signal.clone(),
                };
                let response = Box::new(Response::new(&self.model, self.now));
                self.ask(Output::CallModel(request), Phase::Streaming(response));
            }
            Phase::Streaming(response) => match response.next(self.aborted) {
                None => return false,
                Some(Applied::Nothing) => {}
                Some(Applied::Started(message)) => self.outbox.emit(Event::MessageStart { message }, About::Response),
                Some(Applied::Update(update)) => {
                    self.outbox.emit(Event::MessageUpdate { usage: response.usage(), update }, About::Response);
                }
                Some(Applied::Finished) => {
                    let (message, about) = response.finish(self.level.clone(), self.now);
                    if !response.has_started() {
                        self.outbox.emit(Event::MessageStart { message: message.clone() }, about);
                    }
                    self.outbox.emit(Event::MessageEnd { message: message.clone() }, about);
                    self.phase = Phase::Answered(message);
                }
            },
            Phase::Answered(message) => {
                let message = message.clone();
                self.take_up_calls(message);
            }
            Phase::Batch(message, batch) => match batch.advance(self.aborted, &mut self.outbox) {
                Step::Progress => {}
                Step::Blocked => return false,
                Step::Record(call, result) => {
                    self.outbox.emit_message(result, batch.about(call));
                    batch.trace_recorded(call, &mut self.outbox);
                }
                Step::Over(results) => {
                    let message = message.clone();
                    self.more = !results.terminates;
                    self.end_turn(message, results.tool_results);
                }
            },
            Phase::AskFinish => match self.turn.clone() {
                Some(turn) => self.ask(Output::FinishTurn(turn), Phase::Finish),
                None => self.phase = Phase::Closing,
            },
            Phase::TurnEnd => {
                if let Some(turn) = &self.turn {
                    let (message, tool_results) = (turn.message.clone(), turn.tool_results.clone());
                    self.outbox.emit(Event::TurnEnd { message, tool_results }, About::Run);
                }
                self.phase = if self.ending { Phase::Closing } else { Phase::PollSteering(Poll::AfterTurn) };
            }
            Phase::PollFollowUps => self.ask(Output::PollFollowUps, Phase::FollowUps),
            Phase::Closing => {
                let messages = (*self.new_messages.messages()).into();
                self.outbox.emit(Event::AgentEnd { messages }, About::Run);
                self.phase = Phase::Done;
            }
            Phase::Failed => self.phase = Phase::Done,
            Phase::Steering(_)
            | Phase::NextTurn
            | Phase::Request
            | Phase::Context
            | Phase::Finish
            | Phase::FollowUps
            | Phase::Done => return false,
        }
        true
    }

    /// Takes the answer to what the run waits for, and ignores any other.
    pub(super) fn answer(&mut self, input: Input) {
        match (&mut self.phase, input) {
            (Phase::Streaming(response), Input::Model(events)) => response.push(events),
            (Phase::Streaming(response), Input::Answer(message)) => response.take_answer(message),
            (Phase::Streaming(response), Input::ModelClosed) => response.close(),
            (Phase::Batch(_, batch), input) => batch.answer(input, self.aborted, &mut self.outbox),
            (Phase::Steering(poll), Input::Steering(messages)) => {
                let poll = *poll;
                self.pending.extend(messages);
                self.phase = match poll {
                    Poll::AtStart => Phase::Declare(Then::Request),
                    Poll::BeforeTurn => Phase::TurnStart,
                    Poll::AfterTurn if self.more || !self.pending.is_empty() => Phase::AskNextTurn,
                    Poll::AfterTurn => Phase::PollFollowUps,
                };
            }
            (Phase::FollowUps, Input::FollowUps(messages)) => {
                self.pending.extend(messages);
                self.phase =
                    if self.explicit || !self.pending.is_empty() { Phase::AskNextTurn } else { Phase::Closing };
            }
            (Phase::NextTurn, Input::NextTurn(NextTurn { changes, messages })) => {
                self.change(changes);
                let poll_again = self.pending.is_empty();
                for message in messages.into_iter().rev() {
                    self.pending.push_front(message);
                }
                self.phase = if poll_again { Phase::PollSteering(Poll::BeforeTurn) } else { Phase::TurnStart };
            }
            (Phase::Request, Input::Request(changes)) => {
                self.change(changes);
                self.phase = Phase::AskContext;
            }
            (Phase::Context, Input::Context(sent)) => {
                self.sent = sent;
                self.phase = Phase::CallModel;
            }
            (Phase::Finish, Input::FinishTurn(decision)) => {
                self.ending |= decision == FinishTurn::End;
                self.explicit = decision == FinishTurn::Continue;
                self.phase = Phase::TurnEnd;
            }
            _ => {}
        }
    }

    /// After an abort: gives everything that is waited for its default answer.
    pub(super) fn stop_waiting(&mut self) {
        if !self.aborted {
            return;
        }
        match &mut self.phase {
            Phase::Streaming(response) => response.abort(),
            Phase::Batch(_, batch) => batch.stop_waiting(&mut self.outbox),
            Phase::Steering(_) => self.answer(Input::Steering(Vec::new())),
            Phase::FollowUps => self.answer(Input::FollowUps(Vec::new())),
            Phase::NextTurn => self.answer(Input::NextTurn(NextTurn::default())),
            Phase::Request => self.answer(Input::Request(Changes::default())),
            Phase::Context => self.answer(Input::Context(None)),
            Phase::Finish => self.answer(Input::FinishTurn(FinishTurn::Default)),
            _ => {}
        }
    }

    /// Closes the run with a message that says why. A host that fails at that too gets no more to do.
    pub(super) fn fail(&mut self, error: String) {
        self.outbox.clear();
        if matches!(self.phase, Phase::Failed | Phase::Done) {
            self.phase = Phase::Done;
            return;
        }
        let model = &self.first_model;
        let mut message =
            AssistantMessage::pending(model.api.clone(), model.provider.clone(), model.id.clone(), self.now.wall_ms);
        message.content.push(Block::text(""));
        message.stop_reason = if self.aborted { StopReason::Aborted } else { StopReason::Error };
        message.error_message = Some(error);
        let message: SharedMessage = SharedMessage::new(Message::Assistant(message));
        self.outbox.emit_message(message.clone(), About::Failure);
        self.outbox.emit(Event::TurnEnd { message: message.clone(), tool_results: Arc::default() }, About::Run);
        self.outbox.emit(Event::AgentEnd { messages: [message].into() }, About::Run);
        self.phase = Phase::Failed;
    }

    fn ask(&mut self, question: Output, waiting: Phase) {
        self.outbox.push(question);
        self.phase = waiting;
    }

    fn take_up_calls(&mut self, message: SharedMessage) {
        self.more = false;
        let Message::Assistant(assistant) = &*message else { return self.end_turn(message, Vec::new()) };
        self.ending = matches!(assistant.stop_reason, StopReason::Error | StopReason::Aborted);
        let batch = if self.ending {
            None
        } else {
            let is_void = assistant.stop_reason == StopReason::Length;
            Batch::new(assistant.shared_tool_calls(), is_void, &self.tools, self.execution, &mut self.outbox)
        };
        match batch {
            Some(batch) => self.phase = Phase::Batch(message, batch),
            None => self.end_turn(message, Vec::new()),
        }
    }

    fn end_turn(&mut self, message: SharedMessage, tool_results: Vec<SharedMessage>) {
        let tool_results = tool_results.into();
        let (history, new_messages) = (self.history.clone(), self.new_messages.clone());
        self.turn = Some(Turn { message, tool_results, history, new_messages });
        self.phase = Phase::AskFinish;
    }

    fn change(&mut self, changes: Changes) {
        if let Some(history) = changes.history {
            self.declared = ToolSet::of(&history.messages());
            self.is_declared = false;
            self.history = history;
        }
        if let Some(tools) = changes.tools {
            self.tools = tools;
            self.is_declared = false;
        }
        if let Some(model) = changes.model {
            self.model = model;
        }
        if let Some(level) = changes.reasoning {
            self.reasoning = Some(level).filter(|level| level != "off");
            self.level = super::level(self.reasoning.as_deref());
        }
    }
}
