//! Large, many, long and deep: each has an outcome, and none takes time that grows with its square.

use super::{logs, open, path, run, try_open};
use crate::{
    Contents, Edit, Limits, LogLimits, MemoryBackend, PathError, Recovery, Snapshot, Workspace, WorkspaceError,
    WorkspacePath,
};

#[test]
fn a_hundred_thousand_files_go_through_everything() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    let contents: Contents = (*b"contents").into();
    let edits = (0..100_000).map(|number| Edit::Write(path(&format!("d/{number}")), contents.clone()));
    assert_eq!(workspace.change_all(edits), Ok(Snapshot(1)));
    for number in 0..1000 {
        run(&workspace, &format!("write d/{number} new")).unwrap();
    }
    run(&workspace, "rename d e").unwrap();
    assert_eq!(workspace.diff(Snapshot(1), Snapshot(1001)).map(|found| found.len()), Ok(1000));
    drop(workspace);
    let (workspace, recovery) = try_open(&backend).unwrap();
    assert_eq!(recovery, Recovery { changes: 1002, ..Recovery::default() });
    assert_eq!(workspace.list(&path("e")).map(|entries| entries.len()), Ok(100_000));
    let composed = |text: &str| text.to_owned();
    for _ in 0..1000 {
        assert_eq!(workspace.find(&path("e/é"), &composed), None);
    }
    run(&workspace, "restore 1").unwrap();
    assert_eq!(workspace.read(&path("d/5")).as_deref(), Ok(b"contents".as_slice()));
}

#[test]
fn a_hundred_thousand_files_are_taken_back_and_had_again_as_one() {
    let workspace = Workspace::in_memory();
    workspace.log_changes(LogLimits { changes: 10, bytes: 24 << 20 });
    let contents: Contents = (*b"contents").into();
    let edits = |number| Edit::Write(path(&format!("d/{}/{number}", number % 100)), contents.clone());
    assert_eq!(workspace.change_all((0..100_000).map(edits)), Ok(Snapshot(1)));
    run(&workspace, "write d/5/mine 1").unwrap();
    assert_eq!(workspace.versions(1).map(|versions| versions.len()), Ok(100_000));
    assert_eq!(workspace.undo(&[1]), Ok(Snapshot(3)));
    assert_eq!(workspace.usage().entries, 3, "the other file and its folders");
    let list: Vec<_> = workspace.changes().iter().map(|change| (change.id, change.undone, change.can_undo)).collect();
    assert_eq!(list, [(1, true, false), (2, false, true), (3, false, true)]);
    assert_eq!(workspace.undo(&[3]), Ok(Snapshot(4)));
    assert_eq!(workspace.usage().entries, 100_102);
}

/// Case e16: it would be found broken at every start, by whoever could have replaced it.
#[test]
fn a_journal_without_a_byte_is_an_empty_workspace() {
    let backend = MemoryBackend::new();
    drop(open(&backend));
    for name in logs(&backend) {
        backend.set_bytes(&name, Vec::new());
    }
    let (workspace, recovery) = try_open(&backend).unwrap();
    assert!(recovery.is_clean(), "{recovery:?}");
    run(&workspace, "write a 1").unwrap();
    drop(workspace);
    assert!(open(&backend).exists(&path("a")));
}

#[test]
fn two_hundred_megabytes_are_refused_by_a_limit_in_words() {
    let limits = Limits { file_bytes: 100 << 20, ..Limits::default() };
    let workspace = Workspace::in_memory_with(limits);
    let contents: Contents = vec![0; 200 << 20].into();
    assert_eq!(
        workspace.write(&path("video.mp4"), contents.clone()).unwrap_err().to_string(),
        "video.mp4: 209715200 bytes in a file are more than the limit of 104857600"
    );
    assert!(!workspace.exists(&path("video.mp4")));
    assert_eq!(Workspace::in_memory().write(&path("video.mp4"), contents), Ok(Snapshot(1)), "the default holds it");
}

#[test]
fn long_names_and_deep_paths_are_refused_in_words() {
    let cases = ["n".repeat(1024), "d/".repeat(500), format!("{}x", "d/".repeat(499)), "é".repeat(128)];
    for text in cases {
        let refused = WorkspacePath::parse(&text);
        assert!(matches!(refused, Err(PathError::TooLong(_))), "{text}");
        let words = refused.unwrap_err().to_string();
        assert!(words.starts_with("path is too long (at most 255 bytes a name, 4096 bytes and 128 names"), "{words}");
    }
}

#[test]
fn what_needs_more_than_there_is_is_refused_before_anything_is_written() {
    let backend = MemoryBackend::new();
    backend.set_capacity(Some(20_000));
    let workspace = open(&backend);
    run(&workspace, "write a 1").unwrap();
    let length = workspace.usage().journal_bytes;
    let n_changes = backend.n_changes();
    let refused = run(&workspace, "fill b 30000");
    let available = 20_000 - length;
    assert_eq!(refused, Err(WorkspaceError::NoRoom { needed: 30_045, available }));
    assert_eq!(
        refused.unwrap_err().to_string(),
        format!(
            "nothing was changed: 30045 bytes of storage are needed and {available} are left: remove files or export \
             the workspace"
        )
    );
    assert_eq!(backend.n_changes(), n_changes, "storage was not touched");

    // Room that was made elsewhere is believed when it is measured.
    backend.set_capacity(Some(60_000));
    assert!(run(&workspace, "fill b 30000").is_err());
    let room = futures_util::FutureExt::now_or_never(workspace.measure_room());
    assert_eq!(room, Some(Some(60_000 - length)));
    run(&workspace, "fill b 30000").unwrap();
    // And what seemed to fit is refused by the storage itself, case e18.
    backend.set_capacity(Some(31_000));
    assert!(matches!(run(&workspace, "fill c 20000"), Err(WorkspaceError::Storage(_))));
    assert!(workspace.exists(&path("b")) && !workspace.exists(&path("c")));
    run(&workspace, "remove b").unwrap();
}
