//! The fold from notifications to rows, case by case.
//!
//! A case is a file of `tests/transcript`: its first line says what it shows; each notification is a line of JSON, and
//! the indented lines below it are what it changed, rows drawn whole (`+` added, `~` changed). `UPDATE_EXPECT=1` writes
//! the indented lines.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use vitrine_agent::event::{CallState, Event};
use vitrine_agent::message::SharedMessage;
use vitrine_protocol::notification::{Notification, SessionInfo};
use vitrine_protocol::transcript::{CallCard, Changes, Executed, Part, Row, RowContent, Transcript};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcript");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn notifications(text: &str) -> Vec<Notification> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn each_case_folds_as_written() {
    let mut n_cases = 0;
    for path in cases() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut transcript = Transcript::new();
        let mut folded = String::new();
        for line in text.lines().filter(|line| !line.starts_with("  ")) {
            folded.push_str(line);
            folded.push('\n');
            for notification in notifications(line) {
                let changes = transcript.apply(&notification);
                draw(&transcript, &changes, &mut folded);
            }
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, &folded).unwrap();
        } else {
            assert_eq!(folded, text, "{}", path.display());
        }
        n_cases += 1;
    }
    assert!(n_cases >= 10);
}

/// Any order of any notifications folds without a panic, keeps ids growing, and says what it changed.
#[test]
fn any_order_is_folded_and_changes_are_told() {
    let mut all: Vec<Notification> = Vec::new();
    for path in cases() {
        all.extend(notifications(&std::fs::read_to_string(path).unwrap()));
    }
    // A fixed walk through the pool: each step is a prime away from the last, from several starts.
    for (start, stride) in [(0, 7), (3, 11), (5, 13), (8, 17), (1, 23), (2, 101)] {
        let mut transcript = Transcript::new();
        for step in 0..2 * all.len() {
            let before = transcript.clone();
            let changes = transcript.apply(&all[(start + step * stride) % all.len()]);
            assert!(transcript.rows.is_sorted_by(|one, next| one.id < next.id));
            if changes.replaced {
                let ids: Vec<u64> = transcript.rows.iter().map(|row| row.id).collect();
                assert_eq!(changes.added, ids);
                assert!(before.rows.iter().all(|row| !ids.contains(&row.id)), "a new session has new ids");
                continue;
            }
            for row in &before.rows {
                let now = transcript.row(row.id).expect("rows stay");
                assert_eq!(changes.changed.contains(&row.id), now.revision > row.revision);
                assert!(now.content == row.content || now.revision > row.revision, "no change goes untold");
            }
            let added: Vec<u64> = transcript.rows[before.rows.len()..].iter().map(|row| row.id).collect();
            assert_eq!(changes.added, added);
        }
    }
}

#[test]
fn merged_changes_say_what_a_batch_did() {
    let changes = |replaced, added: &[u64], changed: &[u64], state| Changes {
        replaced,
        added: added.to_vec(),
        changed: changed.to_vec(),
        state,
    };
    let mut merged = Changes::default();
    merged.merge(changes(false, &[4], &[1], false));
    merged.merge(changes(false, &[5], &[4, 1, 2], true));
    assert_eq!(merged, changes(false, &[4, 5], &[1, 2], true));
    merged.merge(changes(true, &[6, 7], &[], false));
    assert_eq!(merged, changes(true, &[6, 7], &[], true));
    merged.merge(changes(false, &[8], &[6], false));
    assert_eq!(merged, changes(true, &[6, 7, 8], &[], true));
}

/// What is on screen after a run is what its messages show when the session is opened again, but for what only the run
/// knew: the trace with its reasons, and progress.
#[test]
fn a_reopened_session_shows_what_was_on_screen() {
    for name in ["plain", "tool-round", "steering", "no-trace", "interleaved", "aborted-batch"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/transcript/{name}.txt"));
        let mut live = Transcript::new();
        let mut messages: Vec<SharedMessage> = Vec::new();
        for notification in notifications(&std::fs::read_to_string(path).unwrap()) {
            live.apply(&notification);
            match notification {
                Notification::Event(Event::MessageEnd { message }) => messages.push(message),
                // A result that only the turn's end told is in the history all the same.
                Notification::Event(Event::TurnEnd { tool_results, .. }) => {
                    for result in tool_results.iter() {
                        if !messages.contains(result) {
                            messages.push(result.clone());
                        }
                    }
                }
                _ => {}
            }
        }
        let mut reopened = Transcript::new();
        reopened.apply(&Notification::SessionOpened { session: SessionInfo::default(), messages });
        // A message that was still being written is in no history.
        let open = |row: &Row| matches!(&row.content, RowContent::Assistant(row) if row.streaming);
        let n_whole = live.rows.iter().position(open).map_or(live.rows.len(), |row| row - 1);
        let kept = |transcript: &Transcript| transcript.rows.iter().take(n_whole).map(kept).collect::<Vec<_>>();
        assert_eq!(kept(&reopened), kept(&live), "{name}");
        assert_eq!(executed(&reopened), executed(&live), "{name}");
        assert!(n_whole >= 3, "{name}");
    }
}

/// Whether each call's tool did anything.
fn executed(transcript: &Transcript) -> Vec<(String, Executed)> {
    let rows = transcript.rows.iter().filter_map(|row| match &row.content {
        RowContent::Assistant(row) => Some(&row.parts),
        RowContent::Turn { .. } | RowContent::User { .. } => None,
    });
    let cards = rows.flatten().filter_map(|part| match part {
        Part::Call(card) => Some((card.id.clone(), card.executed())),
        Part::Text(_) | Part::Thinking(_) => None,
    });
    cards.collect()
}

/// The content of a row without what a history does not tell.
fn kept(row: &Row) -> RowContent {
    let mut content = row.content.clone();
    if let RowContent::Assistant(row) = &mut content {
        for part in &mut row.parts {
            if let Part::Call(card) = part {
                (card.reason, card.progress) = (None, None);
                card.trace.clear();
            }
        }
    }
    content
}

fn draw(transcript: &Transcript, changes: &Changes, text: &mut String) {
    if changes.replaced {
        text.push_str("  replaced\n");
    }
    if changes.state {
        text.push_str("  state\n");
    }
    for (mark, ids) in [('+', &changes.added), ('~', &changes.changed)] {
        for id in ids {
            draw_row(mark, transcript.row(*id).unwrap(), text);
        }
    }
}

fn draw_row(mark: char, row: &Row, text: &mut String) {
    let Row { id, revision, content } = row;
    write!(text, "  {mark}{id}.{revision} ").unwrap();
    match content {
        RowContent::Turn { number } => writeln!(text, "turn {number}").unwrap(),
        RowContent::User { text: words, images } => {
            writeln!(text, "user {words:?}").unwrap();
            for image in images {
                writeln!(text, "    image {} {:?}", image.mime_type, image.data).unwrap();
            }
        }
        RowContent::Assistant(row) => {
            let state = if row.streaming { "streaming" } else { "whole" };
            write!(text, "assistant {state} {:?} {} tokens", row.stop_reason, row.usage.output).unwrap();
            if !row.asked {
                text.push_str(" not asked for");
            }
            writeln!(
                text,
                "{}",
                row.error_message.as_ref().map(|error| format!(" error {error:?}")).unwrap_or_default()
            )
            .unwrap();
            for part in &row.parts {
                match part {
                    Part::Text(words) => writeln!(text, "    text {words:?}").unwrap(),
                    Part::Thinking(words) => writeln!(text, "    thinking {words:?}").unwrap(),
                    Part::Call(card) => draw_card(card, text),
                }
            }
        }
    }
}

fn draw_card(card: &CallCard, text: &mut String) {
    let CallCard { id, name, arguments, arguments_complete, subject, state, trace, reason, progress, result, evidence } =
        card;
    let whole = if *arguments_complete { "whole" } else { "open" };
    write!(text, "    call {id} {name} [{}] {whole} {arguments}", state.as_str()).unwrap();
    if *state == CallState::Aborted {
        write!(text, " | executed {:?}", card.executed()).unwrap();
    }
    for (name, value) in [("subject", subject), ("reason", reason), ("progress", progress)] {
        if let Some(value) = value {
            write!(text, " | {name} {value:?}").unwrap();
        }
    }
    if !trace.is_empty() {
        let states: Vec<String> = trace.iter().map(|(state, at)| format!("{}@{at}", state.as_str())).collect();
        write!(text, " | trace {}", states.join(" ")).unwrap();
    }
    if let Some(result) = result {
        let kind = if result.is_error { "error" } else { "result" };
        write!(text, " | {kind} {:?} {:?} ms", result.text, result.duration_ms).unwrap();
    }
    let lamp = |on: bool, mark: &'static str| if on { mark } else { "-" };
    let ended = match evidence.ended {
        None => "-",
        Some(true) => "e",
        Some(false) => "E",
    };
    writeln!(
        text,
        " | {}{ended}{}{}",
        lamp(evidence.started, "s"),
        lamp(evidence.has_duration, "d"),
        lamp(evidence.in_history, "h")
    )
    .unwrap();
}

/// A delta costs what it adds: the text is grown in place, never copied into a new one.
#[test]
fn a_long_stream_grows_its_text_in_place() {
    let mut transcript = Transcript::new();
    let delta = |kind: &str, index: u32, delta: &str| {
        let update = format!(r#"{{"type":"{kind}","contentIndex":{index},"delta":"{delta}"}}"#);
        let text = format!(
            r#"{{"type":"event","event":{{"type":"message_update","usage":{{}},"assistantMessageEvent":{update}}}}}"#
        );
        serde_json::from_str::<Notification>(&text).unwrap()
    };
    let deltas =
        [delta("text_delta", 0, "word "), delta("toolcall_delta", 1, "\\\"path"), delta("thinking_delta", 2, "hm ")];
    let mut capacities = vec![std::collections::BTreeSet::new(); 3];
    for _ in 0..20_000 {
        for notification in &deltas {
            let changes = transcript.apply(notification);
            assert!(changes.added.len() + changes.changed.len() == 1);
        }
        let RowContent::Assistant(row) = &transcript.rows[0].content else { panic!() };
        for (part, capacities) in row.parts.iter().zip(&mut capacities) {
            capacities.insert(match part {
                Part::Text(text) | Part::Thinking(text) => text.capacity(),
                Part::Call(card) => card.arguments.capacity(),
            });
        }
    }
    assert_eq!(transcript.rows.len(), 1);
    for capacities in capacities {
        assert!(capacities.len() <= 20, "a text of 100 kB was allocated {} times", capacities.len());
    }
}

/// A run that was cut off leaves a question without an answer, or results that no model has read.
#[test]
fn a_session_that_was_left_unanswered_is_known() {
    let message = |role: &str| -> SharedMessage {
        serde_json::from_str(&format!(r#"{{"role":"{role}","content":[{{"type":"text","text":"x"}}]}}"#)).unwrap()
    };
    let cases: [(&[&str], bool); 7] = [
        (&[], false),
        (&["system"], false),
        (&["user"], true),
        (&["user", "system"], true),
        (&["user", "assistant"], false),
        (&["user", "assistant", "toolResult"], true),
        (&["user", "assistant", "toolResult", "assistant", "system"], false),
    ];
    for (roles, expected) in cases {
        let messages = roles.iter().map(|role| message(role)).collect();
        let mut transcript = Transcript::default();
        transcript.apply(&Notification::SessionOpened { session: SessionInfo::default(), messages });
        assert_eq!(transcript.left_unanswered, expected, "{roles:?}");
        transcript.apply(&Notification::Event(Event::AgentStart));
        assert!(!transcript.left_unanswered, "what runs may still be answered");
    }
}
