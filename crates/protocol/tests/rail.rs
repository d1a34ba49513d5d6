//! The rail, case by case (product.md 4.2: what a node stands for, which failures look different).
//!
//! A case is a file of `tests/rail`: its first line says what it shows; notifications are lines of JSON; `rail` draws the
//! nodes at that moment, `rail from N` those from row N on, and the indented lines below are what it must be.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use vitrine_agent::event::CallState;
use vitrine_protocol::gates::Gate;
use vitrine_protocol::rail::{Actor, Ahead, Ending, Kind, Node, ahead, going_on, nodes};
use vitrine_protocol::transcript::{Executed, Transcript};

#[test]
fn each_case_draws_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rail");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 3);
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut transcript = Transcript::new();
        let mut drawn = String::new();
        for line in text.lines().filter(|line| !line.starts_with("  ")) {
            drawn.push_str(line);
            drawn.push('\n');
            if let Some(from) = line.strip_prefix("rail") {
                let skip = from.strip_prefix(" from ").map_or(0, |skip| skip.parse().unwrap());
                draw(&nodes(&transcript, skip), &mut drawn);
            } else if line.starts_with('{') {
                transcript.apply(&serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
            }
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        } else {
            assert_eq!(drawn, text, "{}", path.display());
        }
    }
}

fn draw(nodes: &[Node], text: &mut String) {
    let keys: BTreeSet<_> = nodes.iter().map(|node| node.key).collect();
    assert_eq!(keys.len(), nodes.len(), "a key is unique");
    assert!(nodes.is_sorted_by_key(|node| node.key), "nodes are in the order of their keys");
    for Node { kind, .. } in nodes {
        let indent = "  ".repeat(usize::from(kind.level()));
        let role = format!("{:?}", kind.role()).to_lowercase();
        writeln!(text, "{indent}{role} {}", words(kind)).unwrap();
    }
}

fn words(kind: &Kind) -> String {
    match kind {
        Kind::Batch { lanes } => format!("batch of {}", lanes.len()),
        Kind::Run | Kind::Ended | Kind::Settled => format!("{kind:?}"),
        Kind::Turn { number } => format!("turn {number}"),
        Kind::User { text } => format!("user {text:?}"),
        Kind::Request { number, new_messages: None } => format!("request #{number}, everything"),
        Kind::Request { number, new_messages: Some(new) } => format!("request #{number}, +{new} messages"),
        Kind::Message { text, tokens, ending } => {
            let said = if text.is_empty() { String::new() } else { format!(" {text:?} {tokens} tokens") };
            let ending = match ending {
                Ending::Streaming => " streaming",
                Ending::Whole => "",
                Ending::Aborted => " aborted",
                Ending::NotAsked => " not asked",
                Ending::Failed => " failed",
            };
            format!("message{said}{ending}")
        }
        Kind::Call { name, subject, is_open } => {
            let subject = if subject.is_empty() { String::new() } else { format!(" {subject}") };
            format!("call {name}{subject}{}", if *is_open { ", open" } else { "" })
        }
        Kind::Check { gates } => {
            let tried =
                gates.iter().zip(["found", "prepared", "schema", "hook"]).filter_map(|(gate, name)| match gate {
                    Gate::Passed => Some(format!("{name} passed")),
                    Gate::Failed => Some(format!("{name} failed")),
                    Gate::Blocked => Some(format!("{name} blocked")),
                    Gate::NotTried => None,
                });
            format!("check {}", tried.collect::<Vec<_>>().join(", "))
        }
        Kind::Execute { subject, duration_ms } => {
            let subject = if subject.is_empty() { String::new() } else { format!(" {subject}") };
            format!("execute{subject}{}", duration_ms.map(|ms| format!(", {ms} ms")).unwrap_or_default())
        }
        Kind::Result { state, is_error, executed, n_lines, n_bytes } => {
            let executed = match executed {
                Executed::No => ", not executed",
                Executed::Perhaps => ", may have run",
                Executed::Yes => "",
            };
            assert_eq!(*is_error, kind.role() != vitrine_protocol::rail::Role::Host, "only an error looks like one");
            let lines = match n_lines {
                Some(1) => ", 1 line".to_owned(),
                Some(number) => format!(", {number} lines"),
                None => String::new(),
            };
            format!("result {}{executed}{lines}, {n_bytes} bytes", state.as_str())
        }
    }
}

/// Below the now line stands what has not happened, and nothing that has.
#[test]
fn a_held_call_has_the_rest_before_it() {
    let all = [Ahead::Check, Ahead::Execute, Ahead::Result];
    let cases = [
        (CallState::Requested, &all[..]),
        (CallState::Found, &all[1..]),
        (CallState::Prepared, &all[1..]),
        (CallState::Valid, &all[1..]),
        (CallState::Admitted, &all[1..]),
        (CallState::Executing, &all[2..]),
        (CallState::Finalized, &[]),
        (CallState::Recorded, &[]),
        (CallState::NotFound, &[]),
        (CallState::Invalid, &[]),
        (CallState::Blocked, &[]),
        (CallState::Truncated, &[]),
        (CallState::Aborted, &[]),
        (CallState::Threw, &[]),
    ];
    assert_eq!(cases.map(|(state, _)| (state, ahead(state))), cases);
}

/// The line above the controls: how many requests have left, and whose work is waited for.
#[test]
fn the_say_line_counts_requests_and_names_who_works() {
    let text = include_str!("rail/abort.txt");
    let mut transcript = Transcript::new();
    let mut said = vec![going_on(&transcript)];
    for line in text.lines().filter(|line| line.starts_with('{')).take_while(|line| !line.contains("sessionOpened")) {
        transcript.apply(&serde_json::from_str(line).unwrap());
        said.push(going_on(&transcript));
    }
    said.dedup();
    let expected = [
        (0, Actor::Model),
        (1, Actor::Model),
        (1, Actor::Host),
        // The closing turn, which asks nobody, and the next prompt.
        (1, Actor::Model),
        (1, Actor::Host),
        (1, Actor::Model),
        (2, Actor::Model),
        (2, Actor::Host),
    ];
    assert_eq!(said, expected);
}

/// Drawn in every frame: a text costs its start, however long it is.
#[test]
fn a_node_shows_the_start_of_a_text() {
    let first = |text: &str| {
        let message = format!(r#"{{"role":"user","content":{},"timestamp":1}}"#, serde_json::to_string(text).unwrap());
        let event = format!(r#"{{"type":"event","event":{{"type":"message_end","message":{message}}}}}"#);
        let mut transcript = Transcript::new();
        transcript.apply(&serde_json::from_str(&event).unwrap());
        match nodes(&transcript, 0).remove(0).kind {
            Kind::User { text } => text,
            kind => panic!("{kind:?}"),
        }
    };
    let sixty = "字".repeat(60);
    let cases = [
        (String::new(), String::new()),
        ("\n \n  one \ntwo".to_owned(), "one".to_owned()),
        (sixty.clone(), sixty.clone()),
        (format!("{sixty}字"), format!("{sixty}…")),
        ("\n".repeat(100_000) + "far", String::new()),
    ];
    for (text, shown) in cases {
        assert_eq!(first(&text), shown);
    }
}
