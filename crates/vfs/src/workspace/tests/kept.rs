//! What is in the storage: opening again, one at a time, quotas and compaction.

use super::{compact, logs, observed, open, path, run, tree, try_open, try_open_with};
use crate::{
    Access, BackendError, MemoryBackend, Options, Recovery, Snapshot, Workspace, WorkspaceError, WorkspacePath,
};

#[test]
fn everything_is_there_again_after_closing_snapshots_too() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    assert!(workspace.is_persistent());
    for line in ["write a/b 1", "write a/b 2", "mkdir e", "rename a c", "import x=1 y=2", "restore 1", "remove a/b"] {
        run(&workspace, line).unwrap();
    }
    let before = tree(&workspace);
    drop(workspace);
    let (workspace, recovery) = try_open(&backend).unwrap();
    assert_eq!(recovery, Recovery { changes: 7, ..Recovery::default() });
    assert_eq!(tree(&workspace), before);
    assert_eq!(workspace.snapshot(), Snapshot(7));
    run(&workspace, "restore 4").unwrap();
    assert_eq!(workspace.read(&path("c/b")).as_deref(), Ok(b"2".as_slice()));
}

#[test]
fn one_workspace_has_the_storage_at_a_time() {
    let backend = MemoryBackend::new();
    let first = open(&backend);
    let locked = BackendError::LockedElsewhere { name: "journal-1".into() };
    assert_eq!(try_open(&backend).map(|_| ()), Err(WorkspaceError::Storage(locked)));
    drop(first);
    assert!(try_open(&backend).is_ok());
}

#[test]
fn read_only_changes_nothing_anywhere() {
    let backend = MemoryBackend::new();
    let options = Options { access: Access::ReadOnly, ..Options::default() };
    assert_eq!(try_open_with(&backend, options).map(|(workspace, _)| tree(&workspace)), Ok(vec![]));
    assert_eq!(logs(&backend), Vec::<String>::new());

    run(&open(&backend), "write a 1").unwrap();
    let mut bytes = backend.bytes("journal-1").unwrap();
    bytes.extend(b"torn");
    backend.set_bytes("journal-1", bytes.clone());
    let (workspace, recovery) = try_open_with(&backend, options).unwrap();
    assert_eq!(recovery, Recovery { changes: 1, dropped_bytes: 4, ..Recovery::default() });
    assert_eq!(run(&workspace, "write a 2"), Err(WorkspaceError::ReadOnly));
    assert_eq!(compact(&workspace), Ok(false));
    assert_eq!(workspace.read(&path("a")).as_deref(), Ok(b"1".as_slice()));
    assert_eq!(backend.bytes("journal-1"), Some(bytes));
}

/// 50 MB, and what does not fit.
#[test]
fn a_large_file_is_kept_or_refused_whole() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    let large: Vec<u8> = (0..50_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    run(&workspace, "write small 1").unwrap();
    workspace.write(&path("large"), large.as_slice()).unwrap();
    let before = tree(&workspace);
    let length = backend.bytes("journal-1").unwrap().len();

    backend.set_capacity(Some(length as u64 + 1000));
    let changes = observed(&workspace);
    let full = BackendError::QuotaExceeded { needed: 50 << 20 };
    assert_eq!(workspace.write(&path("second"), large.as_slice()), Err(WorkspaceError::Storage(full.clone())));
    assert_eq!(
        WorkspaceError::Storage(full).to_string(),
        "nothing was changed: the browser's storage is full (52428800 more bytes were needed): remove files or export \
         the workspace"
    );
    assert_eq!(tree(&workspace), before);
    assert_eq!(*changes.borrow(), vec![]);
    assert_eq!(backend.bytes("journal-1").unwrap().len(), length, "nothing is left of the attempt");

    // There is room for removing, which is what the message asks for.
    run(&workspace, "write after 2").unwrap();
    run(&workspace, "remove small").unwrap();
    drop(workspace);
    let workspace = open(&backend);
    assert!(*workspace.read(&path("large")).unwrap() == *large);
    assert_eq!(tree(&workspace).len(), 2);
}

#[test]
fn compaction_forgets_nothing_that_is_there() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    for text in 0..500 {
        run(&workspace, &format!("fill a/b {}", 100_000 + text)).unwrap();
    }
    for line in ["mkdir e/f", "write c 1", "write d/g 2"] {
        run(&workspace, line).unwrap();
    }
    assert!(workspace.wants_compaction(), "{:?}", workspace.usage());
    let (before, snapshot) = (tree(&workspace), workspace.snapshot());
    assert_eq!(compact(&workspace), Ok(true));
    assert_eq!(logs(&backend), ["journal-2"]);
    assert!(!workspace.wants_compaction());
    assert!(workspace.usage().journal_bytes < 101_000);
    assert_eq!((tree(&workspace), workspace.snapshot()), (before.clone(), snapshot));
    assert_eq!(workspace.restore(Snapshot(501)), Ok(Snapshot(504)), "older snapshots are there until it is closed");
    run(&workspace, "restore 503").unwrap();
    drop(workspace);

    let workspace = open(&backend);
    assert_eq!((tree(&workspace), workspace.snapshot()), (before, Snapshot(505)));
    let gone = WorkspaceError::SnapshotGone { wanted: 501, oldest: 503, newest: 505 };
    assert_eq!(workspace.restore(Snapshot(501)), Err(gone));
    assert_eq!(workspace.restore(Snapshot(504)), Ok(Snapshot(506)));
}

#[test]
fn no_workspace_without_its_backend_compacts() {
    assert_eq!(compact(&Workspace::in_memory()), Ok(false));
    assert!(!Workspace::in_memory().is_persistent());
}

#[test]
fn ten_thousand_files_take_no_quadratic_time() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    for number in 0..10_000 {
        run(&workspace, &format!("write folder/file-{number} {number}")).unwrap();
    }
    run(&workspace, "rename folder other").unwrap();
    drop(workspace);
    let workspace = open(&backend);
    assert_eq!(workspace.list(&path("other")).map(|entries| entries.len()), Ok(10_000));
    assert_eq!(workspace.files(&WorkspacePath::root()).map(|files| files.len()), Ok(10_000));
}
