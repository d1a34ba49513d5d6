//! When a session is written, and what a failed write leaves.

use futures_util::FutureExt;
use vitrine_agent::message::{Message, SharedMessage, UserContent};
use vitrine_session::entry::{Compaction, CustomMessage};
use vitrine_session::ids::EntryId;
use vitrine_session::session::{Session, SessionError};
use vitrine_session::settle::LOST_RESULT;
use vitrine_session::time::from_iso;
use vitrine_vfs::BackendError;

use crate::backend::{FakeBackend, now};

const START: &str = "2026-11-30T15:00:00.000Z";

fn start() -> u64 {
    from_iso(START).unwrap()
}

fn message(json: &str) -> SharedMessage {
    serde_json::from_str(json).unwrap()
}

fn user(text: &str) -> SharedMessage {
    SharedMessage::new(Message::user(text, start()))
}

fn system() -> SharedMessage {
    message(r#"{"role":"system","content":"Be brief.","timestamp":0}"#)
}

fn lines(text: &str) -> Vec<&str> {
    assert!(text.ends_with('\n'), "{text:?}");
    text.lines().collect()
}

fn reopened(backend: &FakeBackend, session: Session) -> Session {
    let id = session.id().clone();
    drop(session);
    now(backend.store().open(&id)).unwrap()
}

#[test]
fn nothing_is_written_before_the_first_user_message_then_everything_is() {
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    now(session.append_model_change("scripted", "demo", start())).unwrap();
    now(session.append_thinking_level_change("off", start())).unwrap();
    now(session.append_message(system(), start())).unwrap();
    assert_eq!(backend.files().len(), 0);
    assert!(!session.is_stored());
    assert_eq!(lines(&String::from_utf8(session.export().unwrap()).unwrap()).len(), 4);

    now(session.append_message(user("hello"), start() + 1)).unwrap();
    let id = "019ad541-4500-7001-8000-000000000002";
    let expected = [
        r#"{"type":"session","version":3,"id":"ID","timestamp":"2026-11-30T15:00:00.000Z","cwd":"/w"}"#,
        r#"{"type":"model_change","id":"00000003","parentId":null,"timestamp":"2026-11-30T15:00:00.000Z","provider":"scripted","modelId":"demo"}"#,
        r#"{"type":"thinking_level_change","id":"00000004","parentId":"00000003","timestamp":"2026-11-30T15:00:00.000Z","thinkingLevel":"off"}"#,
        r#"{"type":"message","id":"00000005","parentId":"00000004","timestamp":"2026-11-30T15:00:00.000Z","message":{"role":"system","content":"Be brief.","timestamp":0}}"#,
        r#"{"type":"message","id":"00000006","parentId":"00000005","timestamp":"2026-11-30T15:00:00.001Z","message":{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":START}}"#,
    ];
    let file = backend.only_file().replace(session.id().as_str(), "ID").replace(&start().to_string(), "START");
    assert_eq!(lines(&file), expected);
    assert_eq!(session.id().as_str().len(), id.len());
    assert_eq!(backend.flushes(), 1);

    for n in 0..3 {
        now(session.append_message(user("more"), start() + 2)).unwrap();
        assert_eq!(lines(&backend.only_file()).len(), 6 + n, "one line an entry");
        assert_eq!(backend.flushes(), 2 + n, "flushed at each message end");
    }
    assert_eq!(session.to_jsonl(), backend.only_file());
}

#[test]
fn an_assistant_message_starts_the_file_too_and_nothing_else_does() {
    let assistant = r#"{"role":"assistant","content":[],"provider":"p","model":"m"}"#;
    let custom = CustomMessage {
        custom_type: "t".to_owned(),
        content: UserContent::Text("c".to_owned()),
        display: true,
        details: None,
    };
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    now(session.append_session_info("named", start())).unwrap();
    now(session.append_custom_message(custom, start())).unwrap();
    now(session.append_message(message(r#"{"role":"toolResult","toolCallId":"k"}"#), start())).unwrap();
    assert_eq!(backend.files().len(), 0);
    now(session.append_message(message(assistant), start())).unwrap();
    assert_eq!(lines(&backend.only_file()).len(), 5);
}

/// A full disk tears the line it refused: neither memory nor file keeps it, and what comes later is whole.
#[test]
fn a_failed_write_is_taken_back() {
    for truncates_fail in [false, true] {
        let backend = FakeBackend::default();
        let mut session = backend.store().create("/w", start());
        now(session.append_model_change("p", "m", start())).unwrap();

        backend.fail_appends(true);
        let first = now(session.append_message(user("first"), start()));
        assert!(matches!(first, Err(SessionError::Storage(BackendError::QuotaExceeded { .. }))), "{first:?}");
        assert_eq!(backend.files().len(), 0, "no half file stays");
        assert_eq!(session.tree().entries().len(), 1);

        backend.fail_appends(false);
        let first = now(session.append_message(user("first"), start())).unwrap();
        let saved = backend.only_file();
        assert_eq!(lines(&saved).len(), 3);

        let label = now(session.append_label(&first, Some("here"), start())).unwrap();
        let saved = backend.only_file();
        backend.fail_appends(true);
        backend.fail_truncates(truncates_fail);
        let before = session.tree().entries().to_vec();
        for _ in 0..2 {
            let error = now(session.append_label(&first, Some("there"), start())).unwrap_err();
            assert!(matches!(error, SessionError::Storage(_)), "{error}");
            if !truncates_fail {
                assert_eq!(backend.only_file(), saved);
            }
            assert_eq!(session.tree().entries(), before);
            assert_eq!(session.tree().leaf(), Some(&label));
            assert_eq!(session.tree().label(&first), Some("here"));
            assert_eq!(session.tree().children(&label).len(), 0);
        }

        backend.fail_appends(false);
        backend.fail_truncates(false);
        now(session.append_message(user("second"), start())).unwrap();
        assert!(backend.only_file().starts_with(&saved));
        assert_eq!(lines(&backend.only_file()).len(), 5);
        let entries = session.tree().entries().to_vec();
        let session = reopened(&backend, session);
        assert_eq!(session.tree().entries(), entries);
        assert_eq!(session.damage().n_bad_lines, 0);
    }
}

/// The name of a new file holds a fresh UUID. Whatever is there under it all the same is somebody's.
#[test]
fn a_file_of_that_name_is_not_overwritten() {
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    backend.put(session.file_name(), b"somebody's");
    for _ in 0..2 {
        now(session.append_message(user("first"), start())).unwrap_err();
        assert_eq!(backend.only_file(), "somebody's");
        assert!(session.tree().entries().is_empty() && !session.is_stored());
    }
}

/// A caller that stops waiting loses nothing: the next append writes what it did not.
#[test]
fn a_dropped_append_is_written_by_the_next() {
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    drop(session.append_message(user("never polled"), start()));
    assert_eq!(session.tree().entries().len(), 0);
    now(session.append_message(user("first"), start())).unwrap();
    assert_eq!(session.append_message(user("second"), start()).now_or_never().map(|done| done.is_ok()), Some(true));
    assert_eq!(lines(&backend.only_file()).len(), 3);
}

#[test]
fn a_missing_line_feed_is_put_right_before_anything_is_appended() {
    let whole = include_str!("files/v3.jsonl");
    for (cut, n_bad) in [(0, 0), (1, 0), (2, 1), (30, 1)] {
        let backend = FakeBackend::default();
        let store = backend.store();
        drop(now(store.import(whole.as_bytes(), start())).unwrap());
        let name = backend.files().into_keys().next().unwrap();
        backend.put(&name, &whole.as_bytes()[..whole.len() - cut]);
        let mut session = now(store.open(&"0193a1b2-0000-7000-8000-000000000001".into())).unwrap();
        assert_eq!(backend.only_file().len(), whole.len() - cut, "opening writes nothing");
        now(session.append_message(user("on"), start())).unwrap();
        let entries = session.tree().entries().to_vec();
        let session = reopened(&backend, session);
        assert_eq!(session.tree().entries(), entries, "cut {cut}");
        assert_eq!(session.damage().n_bad_lines, n_bad, "cut {cut}");
        let expected_start = format!("{}\n", &whole[..whole.len() - cut].trim_end());
        assert!(backend.only_file().starts_with(&expected_start), "what was torn is kept aside");
    }
}

/// An old file is not touched by opening it; the first append puts the new form in its place, whole.
#[test]
fn an_old_version_is_rewritten_by_the_first_append() {
    let old = include_str!("files/v1.jsonl");
    let backend = FakeBackend::default();
    backend.put("2026_old-1.jsonl", old.as_bytes());
    let mut session = now(backend.store().open(&"old-1".into())).unwrap();
    assert_eq!(backend.only_file(), old);
    backend.fail_appends(true);
    now(session.append_message(user("no"), start())).unwrap_err();
    assert_eq!(backend.only_file(), old);
    backend.fail_appends(false);
    now(session.append_message(user("on"), start())).unwrap();
    let file = backend.only_file();
    assert!(file.starts_with(include_str!("files/v1.expected.jsonl")));
    assert_eq!(lines(&file).len(), 7);
    now(session.append_message(user("and on"), start())).unwrap();
    assert_eq!(session.to_jsonl(), backend.only_file());
    let entries = session.tree().entries().to_vec();
    assert_eq!(reopened(&backend, session).tree().entries(), entries);
}

/// c02, at the end of a session: the lost calls are answered in the log, once, and the session goes on.
#[test]
fn a_run_that_was_cut_off_is_settled() {
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    now(session.append_message(user("q"), start())).unwrap();
    let calls = r#"{"role":"assistant","content":[{"type":"toolCall","id":"k1","name":"bash","arguments":{}},{"type":"toolCall","id":"k2","name":"read","arguments":{}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":5}"#;
    now(session.append_message(message(calls), start())).unwrap();
    let done =
        r#"{"role":"toolResult","toolCallId":"k2","toolName":"read","content":[],"isError":false,"timestamp":6}"#;
    now(session.append_message(message(done), start())).unwrap();
    let mut session = reopened(&backend, session);
    let context = session.context();
    assert_eq!(session.context(), context);

    let lost = format!(
        r#"{{"role":"toolResult","toolCallId":"k1","toolName":"bash","content":[{{"type":"text","text":"{LOST_RESULT}"}}],"isError":true,"timestamp":7}}"#
    );
    assert_eq!(now(session.settle(7)).unwrap(), [message(&lost)]);
    assert_eq!(now(session.settle(8)).unwrap(), []);
    assert!(backend.only_file().ends_with(&format!("\"message\":{lost}}}\n")));
    let settled = session.context();
    // The place of the result is the one it had in the projection, so a provider's cached prefix stays valid.
    let roles = |messages: &[SharedMessage]| -> Vec<String> {
        messages.iter().map(|message| format!("{} {:?}", message.role(), call_id(message))).collect()
    };
    assert_eq!(roles(&settled.messages), roles(&context.messages));
    assert_eq!(
        roles(&settled.messages),
        ["user None", "assistant None", "toolResult Some(\"k2\")", "toolResult Some(\"k1\")"]
    );
    assert_eq!(reopened(&backend, session).context(), settled);
}

fn call_id(message: &SharedMessage) -> Option<&str> {
    match &**message {
        Message::ToolResult(result) => Some(&result.tool_call_id),
        _ => None,
    }
}

#[test]
fn branches_labels_and_names() {
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    let first = now(session.append_message(user("  a question\nof two lines  "), start())).unwrap();
    let second = now(session.append_message(user("second"), start() + 1)).unwrap();
    assert_eq!(session.info().name, "a question of two lines");
    session.branch(&first).unwrap();
    let third = now(session.append_message(user("third"), start() + 2)).unwrap();
    let children: Vec<_> = session.tree().children(&first).iter().map(|entry| entry.id.clone()).collect();
    assert_eq!(children, [second.clone(), third.clone()]);
    now(session.append_label(&second, Some("mark"), start() + 3)).unwrap();
    assert_eq!(session.tree().label(&second), Some("mark"));
    now(session.append_label(&second, None, start() + 4)).unwrap();
    assert_eq!(session.tree().label(&second), None);
    now(session.append_session_info("a\nname", start() + 5)).unwrap();
    let unknown = EntryId::from("nope");
    let error = SessionError::UnknownEntry { id: unknown.clone() };
    assert_eq!(session.branch(&unknown), Err(error.clone()));
    assert_eq!(now(session.append_label(&unknown, None, 0)), Err(error.clone()));
    assert_eq!(now(session.branch_with_summary(Some(&unknown), "s", 0)), Err(error));
    session.reset_leaf();
    assert_eq!(session.messages(), []);
    let root = now(session.append_message(user("a new start"), start() + 6)).unwrap();
    let roots: Vec<_> = session.tree().roots().iter().map(|entry| entry.id.clone()).collect();
    assert_eq!(roots, [first, root]);

    let info = session.info();
    assert_eq!((info.name.as_str(), info.n_messages), ("a name", 1));
    assert_eq!((info.created_at, info.changed_at), (start(), start() + 6));
    let session = reopened(&backend, session);
    assert_eq!(session.info(), info, "the leaf of a file is its last entry");
}

/// A.7, written by us: the compaction keeps prompt and tools, at its own time.
#[test]
fn a_compaction_keeps_prompt_and_tools() {
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    let read = r#"{"name":"read","description":"","parameters":{}}"#;
    let bash = r#"{"name":"bash","description":"","parameters":{}}"#;
    let head =
        format!(r#"{{"role":"system","content":"A","sections":{{"x":"1","y":"2"}},"toolsAdded":[{read},{bash}]}}"#);
    now(session.append_message(message(&head), start())).unwrap();
    now(session.append_message(user("one"), start())).unwrap();
    let change = r#"{"role":"system","content":"B","sections":{"x":"3","y":null},"toolsRemoved":[{"name":"read"}]}"#;
    now(session.append_message(message(change), start())).unwrap();
    let kept = now(session.append_message(user("two"), start())).unwrap();
    let compaction = Compaction {
        summary: "S".to_owned(),
        first_kept_entry_id: Some(kept.clone()),
        tokens_before: 9,
        ..Compaction::default()
    };
    now(session.append_compaction(compaction, 77)).unwrap();
    now(session.append_message(user("three"), start())).unwrap();
    let context = session.context();
    let checkpoint = format!(
        r#"{{"role":"system","content":"A\n\nB","sections":{{"x":"3"}},"toolsAdded":[{bash}],"timestamp":77}}"#
    );
    assert_eq!(context.messages[0], message(&checkpoint));
    assert_eq!(context.messages.len(), 4);

    let leaf = session.tree().leaf().cloned().unwrap();
    now(session.branch_with_summary(Some(&kept), "left", start())).unwrap();
    let tail = backend.only_file();
    assert!(tail.trim_end().ends_with(&format!(r#""fromId":"{leaf}","summary":"left"}}"#)), "{tail}");
    assert_eq!(session.context().messages.len(), 5, "no compaction on this branch");
    backend.fail_appends(true);
    let leaf = session.tree().leaf().cloned();
    now(session.branch_with_summary(None, "not stored", start())).unwrap_err();
    assert_eq!(session.tree().leaf().cloned(), leaf);
}

#[test]
fn ten_thousand_entries_cost_the_same_each() {
    let backend = FakeBackend::default();
    let mut session = backend.store().create("/w", start());
    let text = "x".repeat(200);
    for n in 0..10_000 {
        now(session.append_message(user(&text), start() + n)).unwrap();
    }
    assert_eq!(backend.flushes(), 10_000);
    assert_eq!(session.context().messages.len(), 10_000);
    let session = reopened(&backend, session);
    assert_eq!(session.info().n_messages, 10_000);
    assert_eq!(session.to_jsonl(), backend.only_file());
}
