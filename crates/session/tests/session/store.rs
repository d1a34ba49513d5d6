//! The list of sessions, and files that come and go.

use vitrine_agent::message::{Message, SharedMessage};
use vitrine_session::ids::SessionId;
use vitrine_session::session::Session;
use vitrine_session::store::{ListedState, SessionStore, StoreError};
use vitrine_vfs::BackendError;

use crate::backend::{FakeBackend, now};

const V3: &str = include_str!("files/v3.jsonl");
const V3_ID: &str = "0193a1b2-0000-7000-8000-000000000001";
const V3_FILE: &str = "2026-11-30T15-00-00-000Z_0193a1b2-0000-7000-8000-000000000001.jsonl";

fn saved(store: &SessionStore, text: &str, now_ms: u64) -> Session {
    let mut session = store.create("/w", now_ms);
    now(session.append_message(SharedMessage::new(Message::user(text, now_ms)), now_ms)).unwrap();
    session
}

/// `name state` a line.
fn list(store: &SessionStore) -> Vec<String> {
    let listed = now(store.list()).unwrap();
    let row = |state| match state {
        ListedState::Readable(info) => format!("{:?} {} {}", info.name, info.changed_at, info.n_messages),
        ListedState::InUse => "in use".to_owned(),
        ListedState::Damaged { reason } => reason,
    };
    listed.into_iter().map(|listed| row(listed.state)).collect()
}

#[test]
fn the_last_changed_comes_first_and_damage_is_shown() {
    let backend = FakeBackend::default();
    let store = backend.store();
    drop(store.create("/w", 1));
    drop(saved(&store, "old", 2000));
    drop(saved(&store, "new", 3000));
    let open = saved(&store, "open", 1000);
    backend.put("1_empty.jsonl", b"");
    backend.put("2_zip.jsonl", b"PK\x03\x04\x00\xff");
    backend.put("notes.txt", b"not ours");
    let damaged = ["it has no line of JSON", "it is empty"];
    assert_eq!(list(&store), ["in use", "\"new\" 3000 1", "\"old\" 2000 1", damaged[0], damaged[1]]);
    drop(open);
    assert_eq!(list(&store), ["\"new\" 3000 1", "\"old\" 2000 1", "\"open\" 1000 1", damaged[0], damaged[1]]);
    let zip = SessionId::from("zip");
    assert!(matches!(now(store.open(&zip)), Err(StoreError::NotASession { .. })));
    assert_eq!(now(store.export(&zip)).unwrap(), b"PK\x03\x04\x00\xff");
    now(store.remove(&zip)).unwrap();
    assert_eq!(now(store.remove(&zip)), Err(StoreError::NotFound { id: zip }));
    assert!(backend.files().contains_key("notes.txt"));
}

/// The list reads less than opening does, and says the same.
#[test]
fn the_list_says_what_the_session_says() {
    let torn = &V3[..V3.len() - 9];
    let lost = V3.replacen("\"id\":\"00000005\"", "\"id\":5", 1);
    let glued = V3.replace("}\n{\"type\":\"label\"", "}{\"type\":\"label\"");
    let unnamed = V3.replace("Reading", "");
    let long = V3.replace("What is in", &"文件 ".repeat(100)).replace("Reading", " ");
    for file in [
        V3,
        torn,
        &lost,
        &glued,
        &unnamed,
        &long,
        include_str!("files/v1.jsonl"),
        include_str!("files/v2.jsonl"),
        include_str!("files/pi-1.6.jsonl"),
    ] {
        let backend = FakeBackend::default();
        backend.put("0_x.jsonl", file.as_bytes());
        let listed = now(backend.store().list()).unwrap();
        let session = now(backend.store().open(&"x".into())).unwrap();
        let ListedState::Readable(info) = &listed[0].state else { panic!("{listed:?}") };
        assert_eq!(*info, session.info(), "{file}");
    }
}

#[test]
fn names_come_from_the_first_question() {
    let store = FakeBackend::default().store();
    let sixty = "a".repeat(60);
    for (text, name) in [
        ("hello", "hello".to_owned()),
        (" two\n\n lines\t here ", "two lines here".to_owned()),
        ("", String::new()),
        (sixty.as_str(), sixty.clone()),
        (&format!("{sixty}b"), format!("{sixty}…")),
        (&format!("{}  then", "b".repeat(59)), format!("{}…", "b".repeat(59))),
        (&"文".repeat(100_000), format!("{}…", "文".repeat(60))),
    ] {
        assert_eq!(saved(&store, text, 1).info().name, name);
    }
}

#[test]
fn renaming_appends_and_is_listed() {
    let backend = FakeBackend::default();
    let store = backend.store();
    let session = saved(&store, "q", 1);
    let id = session.id().clone();
    let in_use = now(store.rename(&id, "x", 2)).unwrap_err();
    assert!(matches!(in_use, StoreError::Storage(BackendError::LockedElsewhere { .. })), "{in_use:?}");
    drop(session);
    assert_eq!(now(store.rename(&id, "a\nname", 2)).unwrap().name, "a name");
    assert_eq!(list(&store), ["\"a name\" 2 1"]);
    let unknown = SessionId::from("nope");
    assert_eq!(now(store.rename(&unknown, "x", 2)), Err(StoreError::NotFound { id: unknown }));
}

#[test]
fn what_is_imported_is_exported_byte_for_byte() {
    let damaged = V3.replacen("{\"type\":\"label\"", "{\"type\":\"la\0bel", 1);
    for file in [V3, &damaged, &V3[..V3.len() - 30]] {
        let backend = FakeBackend::default();
        let store = backend.store();
        let session = now(store.import(file.as_bytes(), 5)).unwrap();
        assert_eq!(session.id().as_str(), V3_ID);
        assert_eq!(session.file_name(), V3_FILE);
        assert_eq!(session.export().unwrap(), file.as_bytes());
        drop(session);
        assert_eq!(now(store.export(&V3_ID.into())).unwrap(), file.as_bytes());
    }
}

#[test]
fn importing_never_overwrites() {
    let backend = FakeBackend::default();
    let store = backend.store();
    let first = now(store.import(V3.as_bytes(), 5)).unwrap();
    // Once while the first is open, once while it is not.
    let second = now(store.import(V3.as_bytes(), 5)).unwrap();
    let entries = first.tree().entries().to_vec();
    drop(first);
    let third = now(store.import(V3.as_bytes(), 5)).unwrap();
    for copy in [&second, &third] {
        assert_ne!(copy.id().as_str(), V3_ID);
        assert_eq!(copy.header().parent_session.as_deref(), Some(V3_ID));
        assert_eq!(copy.tree().entries(), entries);
    }
    assert_ne!(second.id(), third.id());
    assert_eq!(backend.files().len(), 3);
    assert_eq!(backend.files()[V3_FILE], V3);
}

#[test]
fn an_id_that_is_a_path_gets_a_new_one() {
    for id in ["../../etc/x", "", "a/b", &"x".repeat(65)] {
        let backend = FakeBackend::default();
        let file = V3.replacen(V3_ID, id, 1);
        let session = now(backend.store().import(file.as_bytes(), 5)).unwrap();
        assert_eq!(session.header().parent_session.as_deref(), Some(id));
        let name = backend.files().into_keys().next().unwrap();
        assert_eq!(name, format!("2026-11-30T15-00-00-000Z_{}.jsonl", session.id()));
    }
}

#[test]
fn what_is_no_session_is_refused_and_not_stored() {
    let backend = FakeBackend::default();
    let store = backend.store();
    for (bytes, expected) in [
        ("", "the file is not a session: it is empty"),
        ("<!doctype html>\n<p>\n", "the file is not a session: it has no line of JSON"),
        (
            "{\"type\":\"agent_start\",\"id\":\"x\"}\n",
            "the file is not a session: its first line is not a session header but an entry of type \"agent_start\"",
        ),
    ] {
        let error = now(store.import(bytes.as_bytes(), 1)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(backend.files().len(), 0);

    backend.fail_appends(true);
    let error = now(store.import(V3.as_bytes(), 1)).unwrap_err();
    assert_eq!(error, StoreError::Storage(BackendError::QuotaExceeded { needed: V3.len() as u64 }));
    assert_eq!(backend.files().len(), 0, "half a session is none");
}

#[test]
fn an_old_version_is_imported_in_the_new_form() {
    let backend = FakeBackend::default();
    let mut session = now(backend.store().import(include_bytes!("files/v1.jsonl"), 1)).unwrap();
    assert_eq!(backend.only_file(), include_str!("files/v1.expected.jsonl"));
    now(session.append_session_info("n", 2)).unwrap();
    assert!(backend.only_file().starts_with(include_str!("files/v1.expected.jsonl")));
}
