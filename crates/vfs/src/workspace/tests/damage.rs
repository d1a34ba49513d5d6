//! A journal that is not as it was written.

use super::{logs, open, run, tree, try_open};
use crate::{BackendError, MemoryBackend, Recovery, WorkspaceError};

const STORY: &[&str] =
    &["write a 1", "write d/e text", "mkdir x", "import a=2 b/c=3", "rename d g/h", "remove b", "restore 2"];

/// The journal of the story, and each length at which it was whole with the tree it had then.
fn story() -> (Vec<u8>, Vec<(usize, Vec<String>)>) {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    let bytes = |backend: &MemoryBackend| backend.bytes("journal-1").unwrap();
    let mut states = vec![(bytes(&backend).len(), tree(&workspace))];
    for line in STORY {
        run(&workspace, line).unwrap();
        states.push((bytes(&backend).len(), tree(&workspace)));
    }
    (bytes(&backend), states)
}

fn good_state(states: &[(usize, Vec<String>)], n_good: usize) -> (usize, usize, Vec<String>) {
    let found = states.iter().enumerate().rev().find(|(_, (length, _))| *length <= n_good);
    found.map(|(index, (length, tree))| (index, *length, tree.clone())).unwrap_or_default()
}

#[test]
fn a_journal_cut_at_any_byte_is_its_whole_part() {
    let (bytes, states) = story();
    for n_kept in 0..=bytes.len() {
        let backend = MemoryBackend::new();
        backend.set_bytes("journal-1", bytes[..n_kept].to_vec());
        let (workspace, recovery) = try_open(&backend).unwrap();
        let (changes, length, expected) = good_state(&states, n_kept);
        assert_eq!(tree(&workspace), expected, "{n_kept}");
        let dropped_bytes = (n_kept - length) as u64;
        assert_eq!(recovery, Recovery { changes: changes as u64, dropped_bytes, set_aside: None }, "{n_kept}");
        run(&workspace, "write new 1").unwrap();
        let expected = tree(&workspace);
        drop(workspace);
        assert_eq!(
            try_open(&backend).map(|(workspace, found)| (tree(&workspace), found.dropped_bytes)),
            Ok((expected, 0))
        );
    }
}

#[test]
fn a_journal_with_any_byte_changed_is_its_part_before_and_the_rest_is_kept() {
    let (bytes, states) = story();
    for at in 0..bytes.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= mask;
            let backend = MemoryBackend::new();
            backend.set_bytes("journal-1", damaged.clone());
            let (workspace, recovery) = try_open(&backend).unwrap();
            let (changes, length, expected) = good_state(&states, at);
            assert_eq!(tree(&workspace), expected, "{at}");
            let dropped_bytes = (bytes.len() - length) as u64;
            let set_aside = Some("damaged-1".to_owned());
            assert_eq!(recovery, Recovery { changes: changes as u64, dropped_bytes, set_aside }, "{at}");
            assert_eq!(backend.bytes("damaged-1").as_deref(), damaged.get(length..), "{at}");
            run(&workspace, "write new 1").unwrap();
            let expected = tree(&workspace);
            drop(workspace);
            assert_eq!(tree(&open(&backend)), expected, "{at}");
        }
    }
}

#[test]
fn bytes_set_aside_earlier_are_not_overwritten() {
    let backend = MemoryBackend::new();
    for number in 1..=3 {
        backend.set_bytes("journal-1", format!("not a journal, {number}").into_bytes());
        for name in logs(&backend).iter().filter(|name| name.starts_with("journal-") && *name != "journal-1") {
            backend.set_bytes(name, vec![]);
        }
        let (_, recovery) = try_open(&backend).unwrap();
        assert_eq!(recovery.set_aside, Some(format!("damaged-{number}")));
    }
    assert_eq!(backend.bytes("damaged-2"), Some(b"not a journal, 2".to_vec()));
}

#[test]
fn a_journal_of_a_later_version_is_left_alone() {
    let mut bytes = b"VITRINEJ\x02\0\0\0".to_vec();
    bytes.extend(crate::checksum::of(&[&bytes]).to_le_bytes());
    bytes.extend(b"whatever comes then");
    let backend = MemoryBackend::new();
    backend.set_bytes("journal-1", bytes.clone());
    assert_eq!(try_open(&backend).map(|_| ()), Err(WorkspaceError::NewerFormat(2)));
    assert_eq!(backend.bytes("journal-1"), Some(bytes));
}

#[test]
fn the_highest_whole_generation_counts() {
    let make = |line: &str| {
        let backend = MemoryBackend::new();
        run(&open(&backend), line).unwrap();
        backend.bytes("journal-1").unwrap()
    };
    let (older, newer) = (make("write older 1"), make("write newer 1"));
    let mut damaged = newer.clone();
    damaged[20] ^= 1;
    let unfinished = newer.get(..30).unwrap().to_vec();
    struct Case<'a> {
        stored: &'a [(&'a str, &'a [u8])],
        opened: &'a [&'a str],
        left: &'a [&'a str],
    }
    let cases = [
        Case { stored: &[("journal-1", &older), ("journal-2", &newer)], opened: &["newer"], left: &["journal-2"] },
        Case { stored: &[("journal-1", &older), ("journal-2", &unfinished)], opened: &["older"], left: &["journal-1"] },
        Case {
            stored: &[("journal-1", &older), ("journal-2", &damaged)],
            opened: &["older"],
            left: &["damaged-1", "journal-1"],
        },
        Case { stored: &[("journal-9", &older), ("journal-10", &newer)], opened: &["newer"], left: &["journal-10"] },
        Case {
            stored: &[("journal-1", &older), ("journal-x", &newer), ("journal-02", &newer), ("else", b"?")],
            opened: &["older"],
            left: &["else", "journal-02", "journal-1", "journal-x"],
        },
        Case { stored: &[("journal-02", &newer)], opened: &[], left: &["journal-02", "journal-1"] },
    ];
    for Case { stored, opened, left } in cases {
        let backend = MemoryBackend::new();
        for (name, bytes) in stored {
            backend.set_bytes(name, bytes.to_vec());
        }
        let names: Vec<String> = tree(&open(&backend)).iter().map(|line| line[..5].to_owned()).collect();
        assert_eq!(names, opened);
        assert_eq!(logs(&backend), left);
    }
}

#[test]
fn a_storage_that_cannot_be_read_is_an_error_not_an_empty_workspace() {
    let backend = MemoryBackend::new();
    drop(open(&backend));
    backend.crash_after_changes(0);
    let log = futures_util::FutureExt::now_or_never(crate::Backend::open(&backend, "x"));
    assert!(log.is_some_and(|log| log.is_err()));
    let off = BackendError::Io("the machine is off".into());
    assert_eq!(try_open(&backend).map(|_| ()), Err(WorkspaceError::Storage(off)));
}
