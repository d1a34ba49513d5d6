//! The two-turn calculator, through the loop and the scripted provider: the same hash on every run.
#![cfg(test)]

#[path = "demo/calculator.rs"]
mod calculator;

use std::fs;
use std::path::Path;

use calculator::{Demo, calculate};
use vitrine_agent::event::Event;
use vitrine_agent::message::Message;
use vitrine_lesson::{canonicalize, fingerprint, fingerprint_json};

/// Events in the article's notation: messages by their end, calls by their tool.
fn trace(events: &[Event]) -> String {
    let shown = events.iter().filter_map(|event| match event {
        Event::MessageStart { .. } | Event::MessageUpdate { .. } | Event::TurnEnd { .. } => None,
        Event::MessageEnd { message } => Some(format!("message_end {}", message.role())),
        Event::ToolExecutionStart { tool_name, .. } => Some(format!("tool_execution_start {tool_name}")),
        _ => Some(event.kind().to_owned()),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[test]
fn it_comes_to_the_hash_that_is_written_down() {
    let demo = Demo::read();
    let events = demo.run(1_700_000_000_000, 3.0);
    assert_eq!(trace(&events), demo.trace);
    let Some(Event::MessageEnd { message }) = events.iter().rfind(|event| event.kind() == "message_end") else {
        panic!("no message")
    };
    let Message::Assistant(answer) = &**message else { panic!("no answer") };
    assert_eq!(vitrine_agent::message::join_text(&answer.content), "(17 + 4) * 2 is 42.");
    assert_eq!(calculate("(17 + 4) * 2"), Some(42.0));
    assert_eq!(fingerprint(&events, None).unwrap(), demo.fingerprint, "{}", canonicalize(&events).unwrap());
}

#[test]
fn neither_the_clock_nor_the_ids_count() {
    let demo = Demo::read();
    let once = demo.run(1_700_000_000_000, 3.0);
    let again = Demo::read().with_call_id("toolu_9/x").run(5, 0.5);
    assert_ne!(serde_json::to_string(&once).unwrap(), serde_json::to_string(&again).unwrap());
    assert_eq!(canonicalize(&once).unwrap(), canonicalize(&again).unwrap());
}

/// The events themselves stand beside the script, so that a host of another language can take the hash of the same ones.
/// `UPDATE_EXPECT=1` rewrites them.
#[test]
fn its_events_are_those_that_are_written_down() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/demo/calculator.events.json");
    let demo = Demo::read();
    let lines =
        demo.run(1_700_000_000_000, 3.0).iter().map(|event| serde_json::to_string(event).unwrap()).collect::<Vec<_>>();
    let events = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, &events).unwrap();
    }
    let written = fs::read_to_string(file).unwrap();
    assert_eq!(events, written);
    assert_eq!(fingerprint_json(&written, None).unwrap(), demo.fingerprint);
}
