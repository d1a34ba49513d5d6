//! A call's card: where it is, from its trace, and without one from what events and results show.

use vitrine_agent::event::{CallState, CallTrace};
use vitrine_agent::message::{StopReason, ToolCall, ToolResultMessage, join_text};
use vitrine_agent::unanswered;

use super::subject::SubjectScanner;
use super::{CallCard, CallResult, Executed};
use crate::visible::visible;

/// States kept of one call; the loop makes at most eight.
const MAX_TRACE: usize = 32;

impl CallCard {
    /// Whether the tool did anything (case c01): of calls that an abort ended, some had begun and some had not. The text
    /// that the model reads is pi's, and the same for both where the loop did not wait; this is for the reader.
    pub fn executed(&self) -> Executed {
        let began = self.trace.iter().any(|(state, _)| *state == CallState::Executing);
        match self.state {
            CallState::Executing | CallState::Finalized | CallState::Recorded | CallState::Threw => Executed::Yes,
            CallState::Aborted if self.evidence.has_duration => Executed::Yes,
            CallState::Aborted if began || self.result.as_ref().is_some_and(CallResult::may_have_run) => {
                Executed::Perhaps
            }
            CallState::Requested
            | CallState::Found
            | CallState::Prepared
            | CallState::Valid
            | CallState::Admitted
            | CallState::NotFound
            | CallState::Invalid
            | CallState::Blocked
            | CallState::Truncated
            | CallState::Aborted => Executed::No,
        }
    }

    pub(super) fn new(id: &str, name: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: visible(name).into_owned(),
            arguments: String::new(),
            arguments_complete: false,
            subject: None,
            state: CallState::Requested,
            trace: Vec::new(),
            reason: None,
            progress: None,
            result: None,
            evidence: super::Evidence::default(),
        }
    }

    /// The call is whole. Refused arguments stay as the model wrote them: the call itself then only has `{}`.
    pub(super) fn complete(&mut self, call: &ToolCall) {
        self.name = visible(&call.name).into_owned();
        self.id = call.id.to_string();
        self.arguments_complete = true;
        if call.arguments_error.is_some() {
            self.reason.clone_from(&call.arguments_error);
            if !self.arguments.is_empty() {
                return;
            }
        }
        if self.arguments != call.arguments.as_str() {
            call.arguments.as_str().clone_into(&mut self.arguments);
        }
        self.subject = SubjectScanner::subject_of(&self.arguments);
    }

    /// The trace is the truth: it overrules what was concluded without it.
    pub(super) fn traced(&mut self, trace: &CallTrace) {
        let first = self.trace.is_empty();
        if self.trace.len() < MAX_TRACE {
            self.trace.push((trace.state, trace.at));
        }
        if trace.reason.is_some() {
            self.reason.clone_from(&trace.reason);
        }
        let new = rank(trace.state);
        if new == EARLY_END
            || (first && self.result.is_none())
            || (rank(self.state) != EARLY_END && new > rank(self.state))
        {
            self.state = trace.state;
        }
    }

    /// What an event lets conclude where there is no trace: never back, never over an early end.
    pub(super) fn concluded(&mut self, state: CallState) {
        if self.trace.is_empty() && rank(self.state) != EARLY_END && rank(state) > rank(self.state) {
            self.state = state;
        }
    }

    /// The host has a result. `stop_reason` is that of the message the call is in.
    pub(super) fn ended(&mut self, result: CallResult, stop_reason: Option<StopReason>) {
        self.evidence.ended = Some(!result.is_error);
        self.evidence.has_duration = result.duration_ms.is_some();
        self.concluded(end_state(self, &result, stop_reason));
        self.result = Some(result);
    }

    /// The result is in the history.
    pub(super) fn recorded(&mut self, message: &ToolResultMessage, stop_reason: Option<StopReason>) {
        let result = CallResult {
            text: join_text(&message.content),
            is_error: message.is_error,
            duration_ms: message.duration_ms,
        };
        self.evidence.in_history = true;
        self.evidence.has_duration = result.duration_ms.is_some();
        self.concluded(end_state(self, &result, stop_reason));
        self.concluded(CallState::Recorded);
        self.result = Some(result);
    }
}

impl CallResult {
    /// Whether it says itself that the tool may have run in part.
    fn may_have_run(&self) -> bool {
        self.is_error && [unanswered::INTERRUPTED, unanswered::LOST].contains(&self.text.as_str())
    }
}

/// The rank of every early end.
const EARLY_END: u8 = 8;

/// Order of the states; an early end comes after all of them, so that it stays.
fn rank(state: CallState) -> u8 {
    match state {
        CallState::Requested => 0,
        CallState::Found => 1,
        CallState::Prepared => 2,
        CallState::Valid => 3,
        CallState::Admitted => 4,
        CallState::Executing => 5,
        CallState::Finalized => 6,
        CallState::Recorded => 7,
        CallState::NotFound
        | CallState::Invalid
        | CallState::Blocked
        | CallState::Truncated
        | CallState::Aborted
        | CallState::Threw => EARLY_END,
    }
}

/// Where a call ended, from its result alone. A duration says that the tool ran; the words of a failure say nothing about
/// that, for a hook may say anything. Among the calls that never ran, the loop's own fixed texts tell them apart.
fn end_state(card: &CallCard, result: &CallResult, stop_reason: Option<StopReason>) -> CallState {
    if !result.is_error {
        return CallState::Finalized;
    }
    if result.duration_ms.is_some() {
        return CallState::Threw;
    }
    let text = result.text.as_str();
    if stop_reason == Some(StopReason::Length) {
        CallState::Truncated
    } else if text.strip_prefix("Tool ").and_then(|text| text.strip_suffix(" not found")) == Some(&card.name) {
        CallState::NotFound
    } else if card.reason.is_some() || text.starts_with("Validation failed for tool \"") {
        CallState::Invalid
    } else if unanswered::says_cut_short(text) {
        CallState::Aborted
    } else {
        CallState::Blocked
    }
}
