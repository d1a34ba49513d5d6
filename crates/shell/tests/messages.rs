//! What one side says is what the other hears.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect should stop")]

use std::collections::BTreeMap;

use vitrine_shell::{Change, ChangeError, Exit, FromShell, Packed, ToShell};

fn changes() -> Vec<Change> {
    vec![
        Change::Write { path: "a b/ü\n.bin".into(), bytes: vec![0, 255, b'"', 10] },
        Change::Append { path: "log".into(), bytes: b"more".to_vec() },
        Change::Append { path: "log".into(), bytes: Vec::new() },
        Change::Folder { path: "empty".into() },
        Change::Rename { from: "log".into(), to: "empty/log".into() },
        Change::Remove { path: String::new() },
    ]
}

#[test]
fn messages_come_out_as_they_went_in() {
    let packed: Packed = changes().into_iter().collect();
    let to = [
        ToShell::Open { root: "/workspace".into(), state: Some("{\"x\":1}".into()) },
        ToShell::Feed { number: 7, changes: packed.clone() },
        ToShell::Run { id: 3, command: "echo \"$A\"".into(), env: BTreeMap::from([("A".into(), "1".into())]) },
    ];
    for message in to {
        let (text, bytes) = message.clone().encode();
        assert_eq!(ToShell::decode(&text, bytes).unwrap(), message);
    }
    let from = [
        FromShell::Ready,
        FromShell::Output { id: 1, bytes: vec![0, 200] },
        FromShell::Changed { id: 1, seen: 7, changes: packed.clone() },
        FromShell::Exit(Exit { id: 1, code: 130, refused: Some("no".into()), state: None }),
        FromShell::Broken { why: "a bug".into() },
    ];
    for message in from {
        let (text, bytes) = message.clone().encode();
        assert_eq!(FromShell::decode(&text, bytes).unwrap(), message);
    }
    assert_eq!(packed.unpack(), Ok(changes()));
}

#[test]
fn bytes_that_do_not_fit_are_refused() {
    let packed: Packed = changes().into_iter().collect();
    let (mut short, mut long) = (packed.clone(), packed);
    short.bytes.pop();
    long.bytes.push(0);
    assert_eq!((short.unpack(), long.unpack()), (Err(ChangeError), Err(ChangeError)));
    assert!(FromShell::decode("{\"kind\":\"other\"}", Vec::new()).is_err());
}
