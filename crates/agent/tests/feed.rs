//! Events that are told to one listener, who is told nothing twice.
#![cfg(test)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use vitrine_agent::event::{AssistantUpdate, Event, EventReader, EventWriter};
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Message, SharedMessage, StopReason, ToolCall, Usage};
use vitrine_agent::tool::ToolOutput;

fn user(text: &str) -> SharedMessage {
    SharedMessage::new(Message::user(text, 0))
}

fn answer(stop_reason: StopReason) -> SharedMessage {
    SharedMessage::new(Message::Assistant(AssistantMessage {
        stop_reason,
        ..AssistantMessage::pending("scripted", "scripted", "m", 0)
    }))
}

fn write(writer: &mut EventWriter, event: &Event) -> String {
    let mut text = String::new();
    writer.write(event, &mut text);
    text
}

/// The demo's events and the same ones as they are told: the page's own reader is held to the same two files.
#[test]
fn the_demo_is_told_as_it_is_written_down() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let whole = fs::read_to_string(here.join("../lesson/tests/demo/calculator.events.json")).unwrap();
    let events: Vec<Event> = serde_json::from_str(&whole).unwrap();
    // As in a run, an event that is about a message has the very same one.
    let mut known: Vec<SharedMessage> = Vec::new();
    let mut same = |message: &SharedMessage| {
        if let Some(same) = known.iter().find(|known| *known == message) {
            return same.clone();
        }
        known.push(message.clone());
        message.clone()
    };
    let mut writer = EventWriter::default();
    let mut lines = String::new();
    for event in &events {
        let event = match event {
            Event::MessageStart { message } => Event::MessageStart { message: same(message) },
            Event::MessageEnd { message } => Event::MessageEnd { message: same(message) },
            Event::TurnEnd { message, tool_results } => {
                Event::TurnEnd { message: same(message), tool_results: tool_results.iter().map(&mut same).collect() }
            }
            Event::AgentEnd { messages } => Event::AgentEnd { messages: messages.iter().map(&mut same).collect() },
            other => other.clone(),
        };
        writer.write(&event, &mut lines);
        lines.push('\n');
    }
    let file = here.join("tests/feed/calculator.jsonl");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, &lines).unwrap();
    }
    let written = fs::read_to_string(file).unwrap();
    assert_eq!(lines, written);

    let mut reader = EventReader::default();
    let read: Vec<Event> = written.lines().map(|line| reader.read(line).unwrap()).collect();
    assert_eq!(read, events);
}

#[test]
fn a_message_is_written_once_a_run() {
    let (question, begun, end) = (user("go"), answer(StopReason::Pending), answer(StopReason::Stop));
    let run = [
        Event::AgentStart,
        Event::TurnStart,
        Event::MessageStart { message: question.clone() },
        Event::MessageEnd { message: question.clone() },
        Event::MessageStart { message: begun },
        Event::MessageEnd { message: end.clone() },
        Event::TurnEnd { message: end.clone(), tool_results: Arc::default() },
        Event::AgentEnd { messages: [question, end].into() },
    ];
    let (mut writer, mut reader) = (EventWriter::default(), EventReader::default());
    for _ in 0..2 {
        // A run that begins forgets the one before: its numbers begin again, and nothing is held for ever.
        let told: Vec<String> = run.iter().map(|event| write(&mut writer, event)).collect();
        assert_eq!(told[3], r#"{"type":"message_end","message":0}"#);
        assert_eq!(told[6], r#"{"type":"turn_end","message":2,"toolResults":[]}"#);
        assert_eq!(told[7], r#"{"type":"agent_end","messages":[0,2]}"#);
        assert_eq!(told.iter().filter(|text| text.contains(r#""role""#)).count(), 3);
        let read: Vec<Event> = told.iter().map(|text| reader.read(text).unwrap()).collect();
        assert_eq!(read, run);
    }
}

/// The results of a turn are told in source order, and begun and ended before it: so is its message, however many they are.
#[test]
fn a_turn_of_many_results_names_them_all() {
    let results: Vec<_> = (0..50).map(|call| user(&format!("result {call}"))).collect();
    let end = answer(StopReason::ToolUse);
    let mut writer = EventWriter::default();
    write(&mut writer, &Event::MessageEnd { message: end.clone() });
    for message in &results {
        write(&mut writer, &Event::MessageStart { message: message.clone() });
        write(&mut writer, &Event::MessageEnd { message: message.clone() });
    }
    let told = write(&mut writer, &Event::TurnEnd { message: end, tool_results: results.into() });
    let numbers: Vec<String> = (1..=50).map(|number| number.to_string()).collect();
    assert_eq!(told, format!(r#"{{"type":"turn_end","message":0,"toolResults":[{}]}}"#, numbers.join(",")));
}

/// Every event and every update, whole and told.
#[test]
fn what_is_written_is_read() {
    let text = |text: &str| text.to_owned();
    let call = || ToolCall { id: "c".into(), name: "read".into(), ..ToolCall::default() };
    let updates = [
        AssistantUpdate::TextStart { index: 0 },
        AssistantUpdate::TextDelta { index: 0, delta: text("a") },
        AssistantUpdate::TextEnd { index: 0, content: text("ab") },
        AssistantUpdate::ThinkingStart { index: 1 },
        AssistantUpdate::ThinkingDelta { index: 1, delta: text("c") },
        AssistantUpdate::ThinkingEnd { index: 1, content: text("cd") },
        AssistantUpdate::ToolCallStart { index: 2, id: "c".into(), name: "read".into() },
        AssistantUpdate::ToolCallDelta { index: 2, delta: text("{") },
        AssistantUpdate::ToolCallEnd { index: 2, tool_call: call().into() },
    ];
    let result = ToolOutput {
        details: Some(Json::parse("null").unwrap()),
        structured_content: Some(Json::parse("[1]").unwrap()),
        usage: Some(Arc::new(Usage { input: 1, ..Usage::default() })),
        is_error: true,
        terminate: true,
        ..ToolOutput::text("out")
    };
    let mut events: Vec<Event> =
        updates.into_iter().map(|update| Event::MessageUpdate { usage: Arc::default(), update }).collect();
    events.extend([
        Event::AgentStart,
        Event::TurnStart,
        Event::ToolExecutionStart { tool_call_id: "c".into(), tool_name: "read".into(), args: Json::empty_object() },
        Event::ToolExecutionUpdate {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            args: Json::empty_object(),
            partial_result: Arc::new(result.clone()),
        },
        Event::ToolExecutionEnd {
            tool_call_id: "c".into(),
            tool_name: "read".into(),
            result: Arc::new(result),
            is_error: true,
            duration_ms: Some(7),
        },
    ]);
    let (mut writer, mut reader) = (EventWriter::default(), EventReader::default());
    for event in events {
        let (mut whole, told) = (String::new(), write(&mut writer, &event));
        event.write_json(&mut whole);
        assert_eq!(serde_json::from_str::<Event>(&whole).unwrap(), event, "{whole}");
        assert_eq!(reader.read(&told).unwrap(), event, "{told}");
    }
}

#[test]
fn usage_is_told_when_it_has_changed() {
    let update = |usage: &Arc<Usage>| Event::MessageUpdate {
        usage: usage.clone(),
        update: AssistantUpdate::TextDelta { index: 0, delta: "x".to_owned() },
    };
    let (none, some) = (Arc::new(Usage::default()), Arc::new(Usage { output: 3, ..Usage::default() }));
    let (mut writer, mut reader) = (EventWriter::default(), EventReader::default());
    let mut is_told = Vec::new();
    for usage in [&none, &some, &Arc::new(Usage::clone(&some)), &none] {
        let text = write(&mut writer, &update(usage));
        is_told.push(text.contains("usage"));
        assert_eq!(reader.read(&text).unwrap(), update(usage));
    }
    assert_eq!(is_told, [false, true, false, true]);
}

/// Someone who begins to listen in the middle gets whole what the writer has not told them.
#[test]
fn what_was_not_told_is_written_whole() {
    let (question, end) = (user("go"), answer(StopReason::Stop));
    let (mut writer, mut reader) = (EventWriter::default(), EventReader::default());
    for event in [
        Event::MessageEnd { message: question.clone() },
        Event::TurnEnd { message: end.clone(), tool_results: [question.clone()].into() },
        Event::AgentEnd { messages: [user("before"), question, end].into() },
    ] {
        let text = write(&mut writer, &event);
        assert_eq!(reader.read(&text).unwrap(), event, "{text}");
    }
}

#[test]
fn a_reader_refuses_what_it_cannot_know() {
    let mut reader = EventReader::default();
    for text in [
        r#"{"type":"message_end","message":0}"#,
        r#"{"type":"message_end","message":-1}"#,
        r#"{"type":"message_end","message":1e30}"#,
        r#"{"type":"message_end","message":"0"}"#,
        r#"{"type":"message_end"}"#,
        r#"{"type":"turn_end","message":{"role":"user","content":"x"},"toolResults":[7]}"#,
        r#"{"type":"no_such_event"}"#,
        "",
    ] {
        assert!(reader.read(text).is_err(), "{text}");
    }
}
