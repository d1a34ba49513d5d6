//! What a model reads in place of the result of a call that was cut short.
//!
//! Written by the loop and by the session, and recognised again where a session is read: its log keeps a call's result
//! and not how far the call had come.

use crate::message::{Message, SharedMessage, StopReason, join_text};

/// The run was aborted before the call was executed. pi's words.
pub const ABORTED: &str = "Operation aborted";

/// The run was aborted while the call was executed, and did not wait for its end.
pub const INTERRUPTED: &str = "Interrupted by the user. The tool may have partly run.";

/// The run ended without a word. Nothing in a session says whether the call had begun, so this says both.
pub const LOST: &str = "No result: the page was closed before this call ended. The tool may not have run at all, or may \
                        have run in part; check before relying on it.";

/// Whether an error result of a call without a duration is one of these.
pub fn says_cut_short(text: &str) -> bool {
    [ABORTED, INTERRUPTED, LOST].contains(&text)
}

/// How many requests a transcript shows. The empty answer that closes an aborted run asked nobody; a log shows that by a call
/// that was cut short in the response right before. Where all its calls ended by themselves, it counts as a request.
pub fn requests_in(messages: &[SharedMessage]) -> usize {
    let mut was_cut_short = false;
    let mut requests = 0;
    for message in messages {
        match &**message {
            Message::ToolResult(result) => {
                was_cut_short |=
                    result.is_error && result.duration_ms.is_none() && says_cut_short(&join_text(&result.content));
            }
            Message::Assistant(answer) => {
                let closes = was_cut_short && answer.stop_reason == StopReason::Aborted && answer.content.is_empty();
                requests += usize::from(!closes);
                was_cut_short = false;
            }
            Message::System(_) | Message::User(_) | Message::Other(_) => was_cut_short = false,
        }
    }
    requests
}
