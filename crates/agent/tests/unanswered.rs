//! How many requests a transcript shows: the answer that closes an aborted run asked nobody.
#![cfg(test)]

use serde_json::{Value, json};
use vitrine_agent::message::SharedMessage;
use vitrine_agent::unanswered::{ABORTED, INTERRUPTED, LOST, requests_in};

fn answer(stop_reason: &str, content: &Value) -> Value {
    json!({
        "role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m", "stopReason": stop_reason, "timestamp": 1,
    })
}

fn result(text: &str, is_error: bool) -> Value {
    json!({
        "role": "toolResult", "toolCallId": "k", "toolName": "read", "isError": is_error, "timestamp": 1,
        "content": [{ "type": "text", "text": text }],
    })
}

#[test]
fn only_what_was_asked_counts() {
    let calls = || answer("toolUse", &json!([{ "type": "toolCall", "id": "k", "name": "read", "arguments": {} }]));
    let closing = || answer("aborted", &json!([]));
    let user = || json!({ "role": "user", "content": "go", "timestamp": 1 });
    let cases = [
        ("nothing", vec![], 0),
        ("a round trip", vec![user(), calls(), result("ok", false), answer("stop", &json!([]))], 2),
        ("aborted before its call", vec![user(), calls(), result(ABORTED, true), closing()], 1),
        ("aborted inside it", vec![user(), calls(), result(INTERRUPTED, true), closing()], 1),
        ("lost with the page", vec![user(), calls(), result(LOST, true), closing()], 1),
        (
            "one of three, whichever",
            vec![calls(), result("ok", false), result(ABORTED, true), result("ok", false), closing()],
            1,
        ),
        ("all ended by themselves", vec![user(), calls(), result("ok", false), closing()], 2),
        ("a file that holds the words", vec![user(), calls(), result(ABORTED, false), closing()], 2),
        ("asked anew afterwards", vec![calls(), result(ABORTED, true), user(), closing()], 2),
        (
            "some words had come",
            vec![calls(), result(ABORTED, true), answer("aborted", &json!([{ "type": "text", "text": "a" }]))],
            2,
        ),
    ];
    for (what, messages, expected) in cases {
        let messages: Vec<SharedMessage> =
            messages.into_iter().map(|message| serde_json::from_value(message).unwrap()).collect();
        assert_eq!(requests_in(&messages), expected, "{what}");
    }
}
