//! Histories are snapshots: what one handle appends does not show in another.
#![cfg(test)]

use vitrine_agent::history::History;
use vitrine_agent::message::{Message, SharedMessage};

fn message(timestamp: u64) -> SharedMessage {
    SharedMessage::new(Message::user("m", timestamp))
}

fn timestamps(history: &History) -> Vec<u64> {
    let timestamp = |message: &SharedMessage| match &**message {
        Message::User(user) => user.timestamp,
        other => panic!("unexpected {}", other.role()),
    };
    history.messages().iter().map(timestamp).collect()
}

#[test]
fn a_snapshot_stays_as_it_was_and_nothing_is_copied() {
    let mut history: History = (0..3).map(message).collect();
    let snapshot = history.clone();
    history.push(message(3));
    assert_eq!(timestamps(&snapshot), [0, 1, 2]);
    assert_eq!(timestamps(&history), [0, 1, 2, 3]);
    assert!(history.shares_with(&snapshot));
}

#[test]
fn an_older_handle_that_is_pushed_to_goes_its_own_way() {
    let mut history: History = (0..2).map(message).collect();
    let mut older = history.clone();
    history.push(message(2));
    older.push(message(9));
    assert_eq!(timestamps(&history), [0, 1, 2]);
    assert_eq!(timestamps(&older), [0, 1, 9]);
    assert!(!history.shares_with(&older));
}

#[test]
fn a_push_under_a_guard_copies_and_does_not_panic() {
    let mut history: History = (0..2).map(message).collect();
    let reader = history.clone();
    let guard = reader.messages();
    history.push(message(2));
    assert_eq!(guard.len(), 2);
    assert_eq!(timestamps(&history), [0, 1, 2]);
}
