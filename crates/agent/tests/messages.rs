//! Messages as JSON: what was read is written back, field for field and with what we do not know (§1).
#![cfg(test)]

use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, Message};
use vitrine_agent::model::ModelInfo;

fn usage() -> Value {
    json!({
        "input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "cacheWrite1h": 1, "reasoning": 1, "totalTokens": 10,
        "cost": {"input": 0.5, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5, "totalFromProvider": true},
    })
}

/// Every field of every role and block, each with one that nobody knows.
fn whole_messages() -> Vec<Value> {
    let call = json!({
        "type": "toolCall", "id": "c", "name": "n", "arguments": {"b": 1, "a": 12345678901234567890_u64},
        "thoughtSignature": "t", "namespace": "s", "argumentsError": "e", "later": null,
    });
    let content = json!([
        {"type": "text", "text": "a", "textSignature": "s", "later": 1},
        {"type": "thinking", "thinking": "b", "thinkingSignature": "s", "redacted": true, "later": [1]},
        {"type": "image", "data": "AA==", "mimeType": "image/png", "later": {}},
        call,
        {"type": "audio", "text": 7},
        // Not what a text block is: kept as it came.
        {"type": "text", "text": 7},
    ]);
    vec![
        json!({
            "role": "system", "content": "p", "sections": {"b": "1", "a": null}, "toolsAdded": [
                {"name": "n", "description": "d", "parameters": {"type": "object"}, "constrainedSampling": false},
                {"name": "m", "description": "d", "parameters": {}, "constrainedSampling": {"type": "json_schema", "strict": "prefer"}},
            ], "toolsRemoved": [{"name": "o"}], "timestamp": 0, "later": 1,
        }),
        json!({"role": "user", "content": "text", "timestamp": 1, "later": "x"}),
        json!({"role": "user", "content": content, "timestamp": 1}),
        json!({
            "role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m", "responseModel": "r",
            "responseId": "i", "providerThinkingLevel": "max", "thinkingLevel": "high",
            "diagnostics": [{"type": "retry", "timestamp": 1, "error": {"message": "m", "code": 5}}],
            "usage": usage(), "stopReason": "deferred",
            "deferred": {"provider": "p", "modelId": "m", "api": "a", "id": "d", "data": {"z": 1, "y": 2}},
            "errorMessage": "e", "rawStopReason": "end", "endTurn": false, "timestamp": 2, "durationMs": 3, "later": [],
        }),
        json!({
            "role": "toolResult", "toolCallId": "c", "toolName": "n", "content": content, "details": {"z": 1, "y": 2},
            "usage": usage(), "nestedCalls": {"calls": [{"id": "c/1", "name": "n", "status": "ok"}], "complete": true},
            "isError": true, "durationMs": 0, "timestamp": 2, "later": false,
        }),
        json!({"role": "bashExecution", "command": "ls", "timestamp": 5}),
        json!({"type": "no role at all"}),
    ]
}

#[test]
fn what_is_read_is_written_back() {
    for message in whole_messages() {
        let read: Message = serde_json::from_value(message.clone()).unwrap();
        let written = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), message, "{written}");
        // Again: what we have written ourselves does not change any more, to the byte.
        let again: Message = serde_json::from_str(&written).unwrap();
        assert_eq!(again, read);
        assert_eq!(serde_json::to_string(&again).unwrap(), written);
    }
}

#[test]
fn order_and_numbers_of_what_is_not_ours_survive() {
    let text = r#"{"role":"user","content":"a","timestamp":1,"z":{"b":1,"a":12345678901234567890.5},"y":1e400}"#;
    let message: Message = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&message).unwrap(), text);
    let Message::User(user) = message else { panic!("a user message") };
    assert_eq!(user.more.get("y").map(Json::as_str), Some("1e400"));
    assert!(user.more.get("x").is_none() && !user.more.is_empty());
}

#[test]
fn a_message_that_lacks_something_is_read_all_the_same() {
    let zero = json!({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}});
    for (read, written) in [
        (json!({"role": "user"}), json!({"role": "user", "content": [], "timestamp": 0})),
        (
            json!({"role": "user", "content": null, "timestamp": -1}),
            json!({"role": "user", "content": [], "timestamp": 0}),
        ),
        (
            json!({"role": "toolResult", "content": null, "details": null}),
            json!({"role": "toolResult", "toolCallId": "", "toolName": "", "content": [], "isError": false, "timestamp": 0}),
        ),
        // A stop reason, a usage and facts of a later version do not cost the message.
        (
            json!({"role": "assistant", "stopReason": "later", "usage": 7, "endTurn": "yes", "providerThinkingLevel": 3}),
            json!({"role": "assistant", "content": [], "api": "", "provider": "", "model": "", "usage": zero,
                "stopReason": "stop", "timestamp": 0}),
        ),
    ] {
        let message: Message = serde_json::from_value(read.clone()).unwrap();
        assert_eq!(serde_json::to_value(&message).unwrap(), written, "{read}");
    }
    assert!(serde_json::from_str::<Message>("[]").is_err() && serde_json::from_str::<Message>("7").is_err());
}

#[test]
fn a_field_that_is_there_twice_counts_once_and_a_hostile_one_costs_nothing() {
    let message: Message =
        serde_json::from_str(r#"{"role":"user","content":"a","content":"b","timestamp":1}"#).unwrap();
    assert_eq!(serde_json::to_value(&message).unwrap(), json!({"role": "user", "content": "b", "timestamp": 1}));
    let many: String = (0..20_000).map(|n| format!(r#","k{n}":0"#)).collect();
    let block: Block = serde_json::from_str(&format!(r#"{{"type":"text","text":"a"{many}}}"#)).unwrap();
    let Block::Text(text) = block else { panic!("a text block") };
    assert_eq!(text.more.get("k19999").map(Json::as_str), Some("0"));
}

#[test]
fn a_model_keeps_pi_s_fields() {
    let model = json!({
        "api": "a", "id": "i", "name": "n", "provider": "p", "baseUrl": "http://x", "reasoning": true,
        "thinkingLevelMap": {"high": "max", "off": null}, "input": ["text", "image"],
        "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75,
            "tiers": [{"inputTokensAbove": 200000, "input": 6, "output": 22.5, "cacheRead": 0.6, "cacheWrite": 7.5}]},
        "contextWindow": 200000, "maxTokens": 64000, "compat": {"supportsStore": false},
    });
    let read: ModelInfo = serde_json::from_value(model.clone()).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap().parse::<Value>().unwrap(), model);
    for (input, reads) in [(json!([]), true), (json!(["text"]), false), (json!(["text", "image"]), true)] {
        let model: ModelInfo = serde_json::from_value(json!({"input": input})).unwrap();
        assert_eq!(model.reads_images(), reads, "{input}");
    }
}

/// Whatever stands in a text, at whatever place of it, is escaped as JSON wants it and as serde_json does it.
#[test]
fn texts_are_escaped() {
    let characters = (0..0x300).chain([0x2028, 0xd7ff, 0xe000, 0xffff, 0x1_0000, 0x10_ffff]).filter_map(char::from_u32);
    for character in characters {
        for (place, behind) in
            (0..18).map(|place| (place, 17 - place)).chain((0..9).flat_map(|at| (0..9).map(move |n| (at, n))))
        {
            let text = format!("{}{character}{}", "é".repeat(place / 2) + &"a".repeat(place % 2), "b".repeat(behind));
            let written = serde_json::to_string(&Block::text(&*text)).unwrap();
            let expected = format!(r#"{{"type":"text","text":{}}}"#, serde_json::to_string(&text).unwrap());
            assert_eq!(written, expected);
        }
    }
}
