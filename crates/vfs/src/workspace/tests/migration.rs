//! A journal of the first version.

use super::{compact, logs, open, run, tree, try_open};
use crate::{MemoryBackend, Recovery, Snapshot, WorkspaceError};

/// Every kind of change, as version 1 wrote it: see `journal/tests.rs`.
const FIRST: &[u8] = include_bytes!("first-format.journal");

#[test]
fn an_old_journal_opens_and_is_written_anew() {
    let backend = MemoryBackend::new();
    backend.set_bytes("journal-1", FIRST.to_vec());
    let (workspace, recovery) = try_open(&backend).unwrap();
    assert_eq!(recovery, Recovery { changes: 5, ..Recovery::default() });
    let names: Vec<_> = tree(&workspace).iter().map(|line| line.split(" (").next().unwrap().to_owned()).collect();
    assert_eq!(names, ["x = 1", "y = ", "é/"]);
    assert_eq!(logs(&backend), ["journal-2"]);
    assert_eq!(backend.bytes("journal-2").unwrap()[8], 2);
    let before = tree(&workspace);
    run(&workspace, "restore 1").unwrap();
    run(&workspace, "restore 5").unwrap();
    drop(workspace);
    let workspace = open(&backend);
    assert_eq!((tree(&workspace), workspace.snapshot()), (before, Snapshot(7)));
    assert_eq!(compact(&workspace), Ok(true));
}

/// At every byte that storage may be short of: the files are there, to be read or to be changed.
#[test]
fn without_room_an_old_journal_can_be_read() {
    let whole = FIRST.len() as u64;
    let mut n_refused = 0;
    for room in 0..400 {
        let backend = MemoryBackend::new();
        backend.set_bytes("journal-1", FIRST.to_vec());
        backend.set_capacity(Some(whole + room));
        let (workspace, recovery) = try_open(&backend).unwrap();
        assert_eq!(tree(&workspace).len(), 3, "{room}");
        if recovery.read_only.is_some() {
            n_refused += 1;
            assert_eq!(run(&workspace, "write a 1"), Err(WorkspaceError::ReadOnly), "{room}");
            assert_eq!(backend.bytes("journal-1").as_deref(), Some(FIRST), "{room}: it is left as it was");
        }
        drop(workspace);
        backend.set_capacity(None);
        assert!(run(&open(&backend), "write a 1").is_ok(), "{room}");
    }
    assert!((100..400).contains(&n_refused), "{n_refused}");
}

#[test]
fn an_old_journal_is_cut_at_damage_which_is_kept() {
    let backend = MemoryBackend::new();
    let mut damaged = FIRST.to_vec();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    backend.set_bytes("journal-1", damaged.clone());
    let (workspace, recovery) = try_open(&backend).unwrap();
    let set_aside = Some("damaged-1".to_owned());
    assert_eq!(recovery, Recovery { changes: 4, dropped_bytes: 21, set_aside, ..Recovery::default() });
    assert_eq!(tree(&workspace).len(), 5);
    assert_eq!(backend.bytes("damaged-1"), Some(damaged));
}
