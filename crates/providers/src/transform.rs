//! History to what may be sent: every wire begins here (§6.1), so that each call is followed by exactly one result.
//!
//! The log is never changed. Answers that failed or were aborted are left out with their results; a call without a result
//! gets one; a result without a call is left out; calls that share an id are told apart.

mod ids;

use vitrine_agent::message::{AssistantMessage, Message, SharedMessage, StopReason, ToolCall, ToolResultMessage};
use vitrine_agent::model::ModelInfo;

pub use ids::{IdRule, short_hash, wire_ids};

/// The text of a result that never came.
pub const NO_RESULT: &str = "No result provided";

/// One message to be sent, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<'a> {
    /// A system message; those between a call and its results are moved behind the results.
    System(&'a SharedMessage),
    /// A user message.
    User(&'a SharedMessage),
    /// An answer.
    Assistant {
        /// The message.
        message: &'a SharedMessage,
        /// Its content.
        assistant: &'a AssistantMessage,
        /// Whether this very model wrote it; reasoning and signatures of another are not sent.
        is_own: bool,
        /// The ids to send for its calls, in order, each once.
        call_ids: Vec<String>,
    },
    /// The result of a call of the answer before it.
    Result {
        /// The message.
        message: &'a SharedMessage,
        /// Its content.
        result: &'a ToolResultMessage,
        /// The id to send.
        id: String,
    },
    /// A call whose result is missing; send [`NO_RESULT`], as an error.
    Missing {
        /// The tool's name.
        name: &'a str,
        /// The id to send.
        id: String,
    },
}

/// Whether this model wrote the message: provider, api and the id that was asked for are equal.
pub fn is_own(assistant: &AssistantMessage, model: &ModelInfo) -> bool {
    assistant.provider == model.provider && assistant.api == model.api && assistant.model == model.id
}

/// Arranges a history for a request. Pure, and the same for the same history.
pub fn arrange<'a>(messages: &'a [SharedMessage], model: &ModelInfo, rule: IdRule) -> Vec<Item<'a>> {
    let mut items = Vec::with_capacity(messages.len());
    let mut open = Open::default();
    for message in messages {
        match &**message {
            Message::System(_) if open.calls.is_empty() => items.push(Item::System(message)),
            Message::System(_) => open.held.push(message),
            Message::User(_) => {
                open.close(&mut items);
                items.push(Item::User(message));
            }
            Message::Assistant(assistant) => {
                open.close(&mut items);
                if matches!(assistant.stop_reason, StopReason::Error | StopReason::Aborted) {
                    continue;
                }
                let is_own = is_own(assistant, model);
                let call_ids = wire_ids(assistant, is_own, rule);
                let calls = assistant.tool_calls().zip(&call_ids);
                open.calls.extend(calls.map(|(call, id)| OpenCall { call, id: id.clone(), result: None }));
                items.push(Item::Assistant { message, assistant, is_own, call_ids });
            }
            Message::ToolResult(result) => open.take(message, result),
            Message::Other(_) => {}
        }
    }
    open.close(&mut items);
    items
}

/// The calls of the last answer, until something else than a result comes.
#[derive(Default)]
struct Open<'a> {
    calls: Vec<OpenCall<'a>>,
    held: Vec<&'a SharedMessage>,
}

struct OpenCall<'a> {
    call: &'a ToolCall,
    id: String,
    result: Option<(&'a SharedMessage, &'a ToolResultMessage)>,
}

impl<'a> Open<'a> {
    /// A result belongs to the first call of its id that has none; a second result for a call is left out.
    fn take(&mut self, message: &'a SharedMessage, result: &'a ToolResultMessage) {
        let mut waiting = self.calls.iter_mut().filter(|open| open.result.is_none());
        if let Some(open) = waiting.find(|open| open.call.id == result.tool_call_id) {
            open.result = Some((message, result));
        }
    }

    fn close(&mut self, items: &mut Vec<Item<'a>>) {
        for OpenCall { call, id, result } in self.calls.drain(..) {
            items.push(match result {
                Some((message, result)) => Item::Result { message, result, id },
                None => Item::Missing { name: &call.name, id },
            });
        }
        items.extend(self.held.drain(..).map(Item::System));
    }
}
