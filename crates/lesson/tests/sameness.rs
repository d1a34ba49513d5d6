//! What a fingerprint is about: every value of an event list counts but those that are named here.
#![cfg(test)]

use serde_json::{Map, Value, json};
use vitrine_lesson::{Files, canonicalize, fingerprint};

/// Events with every field that may be left out or numbered anew, and the same names where they are a tool's own.
fn events() -> Vec<Value> {
    let usage = json!({"input": 1, "output": 2, "cost": {"total": 0.25}});
    let data = json!({"id": "x", "timestamp": 3, "durationMs": 4, "toolCallId": "c1", "content": [{"type": "toolCall", "id": "c1"}]});
    let call = json!({"type": "toolCall", "id": "c1", "name": "read", "arguments": data});
    let assistant = json!({
        "role": "assistant", "content": [{"type": "text", "text": "t"}, call], "usage": usage, "stopReason": "toolUse",
        "responseId": "r1", "timestamp": 5, "durationMs": 6, "thinkingLevel": "off",
        "diagnostics": [{"type": "retry", "timestamp": 7, "error": {"message": "m"}}]
    });
    let result = json!({
        "role": "toolResult", "toolCallId": "c1", "toolName": "read", "content": [{"type": "text", "text": "x"}],
        "details": data, "isError": false, "durationMs": 8, "timestamp": 9,
        "nestedCalls": {"calls": [{"id": "c1/1", "name": "ls", "arguments": data, "status": "ok", "durationMs": 10}], "complete": true}
    });
    let output = json!({"content": [{"type": "text", "text": "x"}], "details": data, "structuredContent": data});
    let entry = json!({"type": "message", "id": "e2", "parentId": "e1", "timestamp": "t", "message": assistant});
    let told = json!({"type": "text_delta", "contentIndex": 0, "delta": "t", "partial": {"role": "assistant"}});
    let opened = json!({"type": "toolcall_start", "contentIndex": 1, "id": "c1", "toolName": "read"});
    vec![
        json!({"type": "session", "version": 3, "id": "e1", "timestamp": "t", "cwd": "/"}),
        json!({"type": "agent_start"}),
        json!({"type": "message_start", "message": {"role": "user", "content": "u", "timestamp": 1}}),
        json!({"type": "message_update", "usage": usage, "message": assistant, "assistantMessageEvent": told}),
        json!({"type": "message_update", "assistantMessageEvent": opened}),
        json!({"type": "message_update", "assistantMessageEvent": {"type": "toolcall_end", "contentIndex": 1, "toolCall": call}}),
        json!({"type": "message_end", "message": assistant}),
        json!({"type": "entry_appended", "entry": entry}),
        json!({"type": "tool_execution_start", "toolCallId": "c1", "toolName": "read", "args": data}),
        json!({"type": "tool_execution_start", "toolCallId": "c1/1", "parentToolCallId": "c1", "toolName": "ls", "args": data}),
        json!({"type": "tool_execution_update", "toolCallId": "c1", "toolName": "read", "args": data, "partialResult": output}),
        json!({"type": "tool_execution_end", "toolCallId": "c1", "toolName": "read", "result": output, "isError": false, "durationMs": 8}),
        json!({"type": "turn_end", "message": assistant, "toolResults": [result]}),
        json!({"type": "compaction_end", "result": {"summary": "s", "firstKeptEntryId": "e2"}, "aborted": false}),
        json!({"type": "agent_end", "messages": [assistant, result], "willRetry": false}),
    ]
}

/// Fields that tell when, or repeat: the place is the path without indices.
const OMITTED: [&str; 20] = [
    "timestamp",
    "durationMs",
    "usage/input",
    "usage/output",
    "usage/cost/total",
    "assistantMessageEvent/partial/role",
    "assistantMessageEvent/id",
    "assistantMessageEvent/toolName",
    "message/timestamp",
    "message/durationMs",
    "message/diagnostics/timestamp",
    "messages/timestamp",
    "messages/durationMs",
    "messages/diagnostics/timestamp",
    "messages/nestedCalls/calls/durationMs",
    "toolResults/timestamp",
    "toolResults/durationMs",
    "toolResults/nestedCalls/calls/durationMs",
    "entry/timestamp",
    "entry/message/timestamp",
];
const ALSO_OMITTED: [&str; 2] = ["entry/message/durationMs", "entry/message/diagnostics/timestamp"];

fn form(events: &[Value]) -> String {
    canonicalize(events).unwrap()
}

/// The JSON pointer of every value that is no container.
fn leaves(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| leaves(value, format!("{path}/{key}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| leaves(value, format!("{path}/{index}"), found));
        }
        _ => found.push(path),
    }
}

#[test]
fn every_value_counts_but_those_that_are_left_out() {
    let events = events();
    let mut found = Vec::new();
    leaves(&Value::from(events.clone()), String::new(), &mut found);
    assert!(found.len() > 150, "{} values", found.len());
    let mut omitted = std::collections::BTreeSet::new();
    for pointer in found {
        let mut steps = pointer.split('/').skip(1);
        let kind = events[steps.next().unwrap().parse::<usize>().unwrap()]["type"].as_str().unwrap();
        let place = steps.filter(|step| step.parse::<usize>().is_err()).collect::<Vec<_>>().join("/");
        let is_omitted = OMITTED.contains(&place.as_str())
            || ALSO_OMITTED.contains(&place.as_str())
            || (kind == "message_update" && place.starts_with("message/"));
        let mut changed = Value::from(events.clone());
        *changed.pointer_mut(&pointer).unwrap() = json!("another");
        assert_eq!(form(changed.as_array().unwrap()) == form(&events), is_omitted, "{kind}: {pointer}");
        if is_omitted {
            omitted.insert(place);
        }
    }
    for place in OMITTED.iter().chain(&ALSO_OMITTED) {
        assert!(omitted.contains(*place), "no event has {place}");
    }
}

#[test]
fn the_order_of_keys_does_not_count_and_that_of_items_does() {
    fn turned(value: &Value) -> Value {
        match value {
            Value::Object(members) => Value::Object(
                members.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect::<Map<_, _>>(),
            ),
            Value::Array(items) => items.iter().map(turned).collect(),
            other => other.clone(),
        }
    }
    let events = events();
    let other: Vec<_> = events.iter().map(turned).collect();
    assert_ne!(serde_json::to_string(&other).unwrap(), serde_json::to_string(&events).unwrap());
    assert_eq!(form(&other), form(&events));
    let backwards: Vec<_> = events.iter().rev().cloned().collect();
    assert_ne!(form(&backwards), form(&events));
    assert_ne!(form(&events[1..]), form(&events));
}

#[test]
fn ids_may_be_any_as_long_as_they_tell_the_same_apart() {
    let renamed = |pairs: &[(&str, &str)]| {
        let mut text = serde_json::to_string(&events()).unwrap();
        // A tool's own data keeps its ids: they are no ids to the loop.
        text = text.replace(r#""toolCallId":"c1","content":[{"type":"toolCall","id":"c1"}]"#, "\"mine\":0");
        for (id, other) in pairs {
            text = text.replace(&format!("\"{id}"), &format!("\"{other}"));
        }
        serde_json::from_str::<Vec<Value>>(&text).unwrap()
    };
    let once = renamed(&[]);
    assert_eq!(form(&renamed(&[("c1", "toolu_01|fc/x"), ("r1", "resp"), ("e1", "0a"), ("e2", "0b")])), form(&once));
    // A parent whose own id looks like a nested one, and one that is called like an answer of ours.
    assert_eq!(form(&renamed(&[("c1", "p/7")])), form(&once));
    assert_eq!(form(&once).matches("\"call-1/1\"").count(), 3);
    assert_eq!(form(&renamed(&[("c1", "call-9")])), form(&once));
    // Two entries that become one are another session.
    assert_ne!(form(&renamed(&[("e1", "e2")])), form(&once));

    let calls = |a: &str, b: &str| {
        form(
            &[a, b, a].map(|id| json!({"type": "tool_execution_start", "toolCallId": id, "toolName": "t", "args": {}})),
        )
    };
    assert_eq!(calls("a", "b"), calls("z", "y"));
    assert_ne!(calls("a", "b"), calls("a", "a"), "two calls under one id");
    assert_ne!(calls("a", "a/1"), calls("a", "b"), "a nested call is another than a second one");
    assert_ne!(calls("a", "a/1"), calls("a", "a/2"));
    assert_ne!(calls("a", "a/1"), calls("a", "a/01"));
    assert_eq!(calls("a", "a/x"), calls("a", "b"), "no number, no nesting");
    assert_eq!(calls("a", "a/"), calls("a", "b"));
    assert_eq!(calls("a/1", "a"), calls("b", "a"), "nested in a call that has not come");
    assert!(calls("a/", "/1").contains("call-1\""), "no digits, no nesting");
    // Numbered in the order in which they come.
    assert!(calls("z", "a").find("call-1").unwrap() < calls("z", "a").find("call-2").unwrap());
}

#[test]
fn files_are_a_path_and_what_is_in_it() {
    let files = |list: &[(&str, &str)]| {
        let mut files = Files::new();
        list.iter().for_each(|(path, contents)| files.add(*path, contents.as_bytes()));
        fingerprint(&events(), Some(&files)).unwrap()
    };
    let one = files(&[("a.txt", "x"), ("b.txt", "y")]);
    assert_eq!(one, files(&[("b.txt", "y"), ("a.txt", "old"), ("a.txt", "x")]));
    let others = [
        files(&[]),
        files(&[("a.txt", "x")]),
        files(&[("a.txt", "y"), ("b.txt", "x")]),
        fingerprint(&events(), None).unwrap(),
    ];
    assert!(!others.contains(&one));
    assert_ne!(others[0], others[3], "an empty workspace is not none");
}

/// From outside: `printf '[]' | sha256sum`, and the same of the form with a file of one `x`.
#[test]
fn the_hash_is_sha_256_of_the_form() {
    let none: [Value; 0] = [];
    assert_eq!(fingerprint(&none, None).unwrap(), "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
    let mut files = Files::new();
    files.add("a.txt", b"x");
    assert_eq!(
        fingerprint(&none, Some(&files)).unwrap(),
        "252d45eb331872016b7aba44af2970e8997f7ada5f83d3255c26fcb76f895445"
    );
}
