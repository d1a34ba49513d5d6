//! A journal that is not as it was written.

use super::random::Random;
use super::{compact, logs, open, run, tree, try_open};
use crate::journal::{extents, replayed_without};
use crate::{BackendError, MemoryBackend, Recovery, WorkspaceError};

const JOURNAL: &str = "journal-1";

/// A part of a history of a thousand changes: a journal, and each length at which it was whole with the tree it had then.
struct Chapter {
    bytes: Vec<u8>,
    states: Vec<(usize, Vec<String>)>,
}

/// The history as a row of journals, each begun with what the one before ended with.
fn history() -> Vec<Chapter> {
    let mut random = Random(4);
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    let stored = |workspace: &crate::Workspace| {
        let name = logs(&backend).pop().unwrap();
        let bytes = backend.bytes(&name).unwrap();
        assert_eq!(bytes.len() as u64, workspace.usage().journal_bytes);
        bytes
    };
    let mut chapters = Vec::new();
    let mut n_done = 0;
    while n_done < 1000 {
        let mut states = vec![(stored(&workspace).len(), tree(&workspace))];
        while states.len() <= 20 {
            let before = workspace.snapshot();
            let line = match random.line() {
                // Short, since every byte is a case.
                line if line.starts_with("fill") => line.replace("fill", "write"),
                line if line.starts_with("back") => "back 1 a".to_owned(),
                line => line,
            };
            let _ = run(&workspace, &line);
            if workspace.snapshot() != before {
                states.push((stored(&workspace).len(), tree(&workspace)));
                n_done += 1;
            }
        }
        chapters.push(Chapter { bytes: stored(&workspace), states });
        compact(&workspace).unwrap();
    }
    chapters
}

fn good_state(states: &[(usize, Vec<String>)], n_good: usize) -> (usize, usize, Vec<String>) {
    let found = states.iter().enumerate().rev().find(|(_, (length, _))| *length <= n_good);
    found.map(|(index, (length, tree))| (index, *length, tree.clone())).unwrap_or_default()
}

#[test]
fn a_journal_cut_at_any_byte_is_its_whole_part() {
    for (number, Chapter { bytes, states }) in history().into_iter().enumerate() {
        let begun = states[0].0;
        // Cut within its base it is what a crash left of a compaction, of which the next test tells.
        for n_kept in begun..=bytes.len() {
            let backend = MemoryBackend::new();
            backend.set_bytes(JOURNAL, bytes[..n_kept].to_vec());
            let (workspace, recovery) = try_open(&backend).unwrap();
            let (changes, length, expected) = good_state(&states, n_kept);
            assert_eq!(tree(&workspace), expected, "{number}: {n_kept}");
            let dropped_bytes = (n_kept - length) as u64;
            let expected = Recovery { changes: changes as u64, dropped_bytes, ..Recovery::default() };
            assert_eq!(recovery, expected, "{number}: {n_kept}");
            if n_kept % 64 == 0 {
                run(&workspace, "write new 1").unwrap();
                let expected = tree(&workspace);
                drop(workspace);
                let again = try_open(&backend).map(|(workspace, found)| (tree(&workspace), found.dropped_bytes));
                assert_eq!(again, Ok((expected, 0)), "{number}: {n_kept}");
            }
        }
    }
}

/// The bits of each record flipped, one at a time: some in its head, some in its path, some in its data. What is not in
/// that record is there.
#[test]
fn a_flipped_bit_harms_its_own_record_and_is_told() {
    let mut random = Random(5);
    for (number, Chapter { bytes, .. }) in history().into_iter().enumerate() {
        for (index, (begin, end)) in extents(&bytes).into_iter().enumerate() {
            for _ in 0..6 {
                let at = begin + random.below(end - begin);
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << random.below(8);
                let backend = MemoryBackend::new();
                backend.set_bytes(JOURNAL, damaged.clone());
                let (workspace, recovery) = try_open(&backend).unwrap();
                let found = tree(&workspace);
                let expected = crate::Workspace::in_memory();
                expected.replace_tree(replayed_without(&bytes, index));
                assert_eq!(found, tree(&expected), "{number}: byte {at} of record {index}");

                assert!(!recovery.is_clean(), "{number}: byte {at}: it is told");
                let aside = backend.bytes(recovery.set_aside.as_deref().unwrap()).unwrap();
                assert!(damaged.ends_with(&aside), "{number}: byte {at}: the damaged bytes are kept");
                drop(workspace);
                let (workspace, recovery) = try_open(&backend).unwrap();
                assert_eq!((tree(&workspace), recovery.is_clean()), (found, true), "{number}: byte {at}");
            }
        }
    }
}

#[test]
fn damage_is_told_by_file() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    for line in ["write a old", "write b 1", "write a lost", "write c lost", "write c new", "rename b d", "write e 1"] {
        run(&workspace, line).unwrap();
    }
    drop(workspace);
    let mut bytes = backend.bytes(JOURNAL).unwrap();
    for (begin, end) in extents(&bytes) {
        // The contents of two, and the head of the renaming.
        if bytes[begin..end].ends_with(b"lost") {
            bytes[end - 1] ^= 0x10;
        } else if bytes[begin..end].ends_with(b"bd") {
            bytes[begin + 20] ^= 0x10;
        }
    }
    backend.set_bytes(JOURNAL, bytes);
    let (workspace, recovery) = try_open(&backend).unwrap();
    let names: Vec<_> = tree(&workspace).iter().map(|line| line.split(" (").next().unwrap().to_owned()).collect();
    assert_eq!(names, ["a = old", "b = 1", "c = new", "e = 1"]);
    let told: Vec<String> = recovery.damages.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "a: the contents of change 3 are lost",
            "c: the contents of change 4 are lost, and were written again later",
            "46 bytes at 384 cannot be read",
        ]
    );
    assert_eq!((recovery.n_damages, recovery.set_aside.as_deref()), (3, Some("damaged-1")));
}

/// All-or-nothing holds for what a crash left, even if the machine wrote its end before its middle.
#[test]
fn a_last_change_with_a_hole_is_not_there_and_one_that_was_finished_is() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    for line in ["write a 1", "import b=2 c=3 d=4"] {
        run(&workspace, line).unwrap();
    }
    let length = backend.bytes(JOURNAL).unwrap().len();
    run(&workspace, "write e 5").unwrap();
    drop(workspace);
    let mut bytes = backend.bytes(JOURNAL).unwrap();
    let imported: Vec<_> = extents(&bytes).into_iter().rev().skip(1).take(3).collect();
    for (begin, end) in imported {
        for at in [begin + 1, end - 1] {
            bytes[at] ^= 1;
            for (kept, expected) in [(length, 1), (bytes.len(), 4)] {
                let backend = MemoryBackend::new();
                backend.set_bytes(JOURNAL, bytes[..kept].to_vec());
                let found = tree(&open(&backend));
                assert_eq!(found.len(), expected, "{at} of {kept}: {found:?}");
            }
            bytes[at] ^= 1;
        }
    }
}

#[test]
fn bytes_set_aside_earlier_are_not_overwritten() {
    let backend = MemoryBackend::new();
    for number in 1..=3 {
        backend.set_bytes("journal-1", format!("not a journal, {number}{}", " ".repeat(60)).into_bytes());
        for name in logs(&backend).iter().filter(|name| name.starts_with("journal-") && *name != "journal-1") {
            backend.set_bytes(name, vec![]);
        }
        let (_, recovery) = try_open(&backend).unwrap();
        assert_eq!(recovery.set_aside, Some(format!("damaged-{number}")));
    }
    assert!(backend.bytes("damaged-2").unwrap().starts_with(b"not a journal, 2"));
}

#[test]
fn a_journal_of_a_later_version_is_left_alone() {
    let mut bytes = b"VITRINEJ\x03\0\0\0".to_vec();
    bytes.extend(crate::checksum::of(&[&bytes]).to_le_bytes());
    bytes.extend(b"whatever comes then");
    let backend = MemoryBackend::new();
    backend.set_bytes("journal-1", bytes.clone());
    let refused = try_open(&backend).map(|_| ());
    assert_eq!(refused, Err(WorkspaceError::NewerFormat(3)));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the workspace was saved by a newer version (format 3): reload the page to get that version"
    );
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
    damaged[50] ^= 1;
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
