//! What becomes of tool calls that never got a result, because the page was closed while a run went on.
//!
//! Repairs with one text. Calls at the end of the log can still be answered in it: [`open_calls`] gives the results
//! to append. Calls further up, and results without a call, are part of what happened and stay as they are; [`pair`]
//! mends them in each projection, and [`fill`] answers the calls for a person, both with the same outcome each time.

use std::collections::HashMap;
use std::sync::Arc;

use vitrine_agent::message::{
    AssistantMessage, Block, Message, SharedMessage, StopReason, ToolCall, ToolResultMessage,
};

pub use vitrine_agent::unanswered::LOST as LOST_RESULT;

/// The error results that the last response still waits for, in the order of its calls; empty when it waits for none or
/// when the conversation has gone on after it.
pub fn open_calls(messages: &[SharedMessage], now_ms: u64) -> Vec<SharedMessage> {
    let mut answered: HashMap<&str, usize> = HashMap::new();
    for message in messages.iter().rev() {
        match &**message {
            Message::ToolResult(result) => *answered.entry(&result.tool_call_id).or_default() += 1,
            Message::Assistant(assistant) => {
                return awaited(assistant)
                    .filter(|call| match answered.get_mut(&*call.id) {
                        Some(left) if *left > 0 => {
                            *left -= 1;
                            false
                        }
                        Some(_) | None => true,
                    })
                    .map(|call| lost_result(call, now_ms))
                    .collect();
            }
            Message::User(_) => return Vec::new(),
            Message::System(_) | Message::Other(_) => {}
        }
    }
    Vec::new()
}

/// Puts after each response exactly one result for each of its calls: the recorded ones in their order, then an error
/// for each that is missing. Results that answer no call are dropped; they are a tool's words and must not become a
/// person's. A failed or aborted response has no calls that count: wires leave it out whole, and so its results go.
pub fn pair(messages: Vec<SharedMessage>) -> Vec<SharedMessage> {
    let mut places: Vec<(SharedMessage, Vec<SharedMessage>)> = Vec::with_capacity(messages.len());
    // Where the result of a call belongs. The latest response with an id has it, as providers reuse them.
    let mut open: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for message in messages {
        match &*message {
            Message::ToolResult(result) => {
                let place = open.get_mut(&*result.tool_call_id).and_then(Vec::pop);
                if let Some((_, results)) = place.and_then(|place| places.get_mut(place)) {
                    results.push(message);
                }
                continue;
            }
            Message::Assistant(assistant) => {
                for call in awaited(assistant) {
                    open.entry(call.id.clone()).or_default().push(places.len());
                }
            }
            Message::System(_) | Message::User(_) | Message::Other(_) => {}
        }
        places.push((message, Vec::new()));
    }
    let mut paired = Vec::with_capacity(places.len());
    for (message, results) in places {
        paired.push(message.clone());
        if let Message::Assistant(assistant) = &*message {
            let lost = open_calls(&[std::slice::from_ref(&message), &results].concat(), assistant.timestamp);
            paired.extend(results);
            paired.extend(lost);
        }
    }
    paired
}

/// All messages as they were, and after each response an error for each of its calls that has no result: what a person
/// reads, so that no call looks as if it were still to come.
pub fn fill(messages: &[SharedMessage]) -> Vec<SharedMessage> {
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, message) in messages.iter().enumerate() {
        match &**message {
            Message::ToolResult(result) => {
                open.get_mut(&*result.tool_call_id).and_then(Vec::pop);
            }
            Message::Assistant(assistant) => {
                for call in awaited(assistant) {
                    open.entry(&call.id).or_default().push(place);
                }
            }
            Message::System(_) | Message::User(_) | Message::Other(_) => {}
        }
    }
    let mut n_lost: HashMap<(usize, &str), usize> = HashMap::new();
    for (id, places) in open {
        for place in places {
            *n_lost.entry((place, id)).or_default() += 1;
        }
    }
    let mut filled = Vec::with_capacity(messages.len() + n_lost.len());
    for (place, message) in messages.iter().enumerate() {
        filled.push(message.clone());
        let Message::Assistant(assistant) = &**message else { continue };
        for call in awaited(assistant) {
            if let Some(left) = n_lost.get_mut(&(place, &*call.id)).filter(|left| **left > 0) {
                *left -= 1;
                filled.push(lost_result(call, assistant.timestamp));
            }
        }
    }
    filled
}

/// The calls of a response that somebody has to answer.
fn awaited(assistant: &AssistantMessage) -> impl Iterator<Item = &ToolCall> {
    let counts = match assistant.stop_reason {
        StopReason::Error | StopReason::Aborted => false,
        StopReason::Pending | StopReason::Stop | StopReason::Length | StopReason::ToolUse | StopReason::Deferred => {
            true
        }
    };
    assistant.tool_calls().filter(move |_| counts)
}

fn lost_result(call: &ToolCall, timestamp: u64) -> SharedMessage {
    SharedMessage::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: vec![Block::text(LOST_RESULT)],
        is_error: true,
        timestamp,
        ..ToolResultMessage::default()
    }))
}
