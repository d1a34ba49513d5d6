use std::cell::RefCell;
use std::rc::Rc;

use super::{compact, logs, open, path, run, tree, try_open, try_open_with};
use crate::{
    Access, BackendError, Change, Difference, DifferenceKind, Entry, Kind, Limits, MemoryBackend, Options, PathError,
    Recovery, Snapshot, Workspace, WorkspaceError, WorkspacePath,
};

#[test]
fn changes_do_what_they_say() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("a write makes its folders", &["write a/b/c.txt hi"], &["a/", "a/b/", "a/b/c.txt = hi"]),
        ("shorter contents leave no old tail", &["write a hello world", "write a hi"], &["a = hi"]),
        ("empty files are files", &["write a"], &["a = "]),
        ("folders may be empty", &["mkdir a/b"], &["a/", "a/b/"]),
        ("a folder that is there is kept", &["write a/b 1", "mkdir a"], &["a/", "a/b = 1"]),
        ("case is distinct", &["write A.txt 1", "write a.txt 2"], &["A.txt = 1", "a.txt = 2"]),
        (
            "names are taken as they are",
            &["write a\u{200b}b 1", "write CON 2", "write a:b 3"],
            &["CON = 2", "a:b = 3", "a\u{200b}b = 1"],
        ),
        ("a folder goes with all in it", &["write a/b/c 1", "write d 2", "remove a"], &["d = 2"]),
        ("its parent stays", &["write a/b 1", "remove a/b"], &["a/"]),
        (
            "a rename takes all along",
            &["write a/b/c 1", "write a/d 2", "rename a x/y"],
            &["x/", "x/y/", "x/y/b/", "x/y/b/c = 1", "x/y/d = 2"],
        ),
        ("a rename to itself is none", &["write a 1", "rename a a"], &["a = 1"]),
        ("a rename may go up", &["write a/b/c 1", "rename a/b b"], &["a/", "b/", "b/c = 1"]),
        ("the later of two contents stays", &["import a=1 b/c=2 a=3"], &["a = 3", "b/", "b/c = 2"]),
    ];
    for (rule, lines, expected) in cases {
        let workspace = Workspace::in_memory();
        for line in *lines {
            run(&workspace, line).unwrap();
        }
        let found: Vec<String> =
            tree(&workspace).iter().map(|line| line.split(" (").next().unwrap().to_owned()).collect();
        assert_eq!(found, *expected, "{rule}");
    }
}

#[test]
fn refusals_name_the_path_and_change_nothing() {
    use WorkspaceError::{AlreadyExists, IntoItself, NotAFile, NotAFolder, NotFound, Root, SnapshotGone};
    let deep = "d/".repeat(127);
    let cases: &[(&str, WorkspaceError)] = &[
        ("write file/b 1", NotAFolder(path("file"))),
        ("write file/b/c 1", NotAFolder(path("file"))),
        ("write folder 1", NotAFile(path("folder"))),
        ("write . 1", NotAFile(path("."))),
        ("import new=1 file/b=2", NotAFolder(path("file"))),
        ("mkdir file", AlreadyExists(path("file"))),
        ("mkdir file/b", NotAFolder(path("file"))),
        ("remove nothing", NotFound(path("nothing"))),
        ("remove folder/nothing/x", NotFound(path("folder/nothing/x"))),
        ("remove file/b", NotAFolder(path("file"))),
        ("remove .", Root),
        ("rename . x", Root),
        ("rename nothing x", NotFound(path("nothing"))),
        ("rename file folder", AlreadyExists(path("folder"))),
        ("rename folder file", AlreadyExists(path("file"))),
        ("rename folder/inner .", AlreadyExists(path("."))),
        ("rename folder folder/x/y", IntoItself { from: path("folder"), to: path("folder/x/y") }),
        ("rename folder file/x", NotAFolder(path("file"))),
        ("restore 99", SnapshotGone { wanted: 99, oldest: 0, newest: 2 }),
        (&format!("rename folder {deep}x"), PathError::TooLong(format!("{deep}x")).into()),
    ];
    for (line, expected) in cases {
        let workspace = Workspace::in_memory();
        run(&workspace, "write file 1").unwrap();
        run(&workspace, "write folder/inner 2").unwrap();
        let before = tree(&workspace);
        let changes = observed(&workspace);
        // A long path is shortened in the message.
        match (run(&workspace, line), expected) {
            (Err(WorkspaceError::Path(PathError::TooLong(_))), WorkspaceError::Path(PathError::TooLong(_))) => {}
            (found, expected) => assert_eq!(found.as_ref(), Err(expected), "{line}"),
        }
        assert_eq!(tree(&workspace), before, "{line}");
        assert_eq!(workspace.snapshot(), Snapshot(2), "{line}");
        assert_eq!(*changes.borrow(), vec![], "{line}");
    }
}

#[test]
fn a_rename_may_make_paths_as_long_as_they_may_be() {
    let workspace = Workspace::in_memory();
    run(&workspace, "write a/inner 1").unwrap();
    let folders = format!("{}/", "n".repeat(255)).repeat(15);
    let longest = format!("{folders}{}", "m".repeat(4096 - folders.len() - "/inner".len()));
    let too_long = run(&workspace, &format!("rename a {longest}m"));
    assert!(matches!(too_long, Err(WorkspaceError::Path(PathError::TooLong(_)))), "{too_long:?}");
    assert_eq!(run(&workspace, &format!("rename a {longest}")), Ok(Snapshot(2)));
    assert_eq!(workspace.read(&path(&format!("{longest}/inner"))).as_deref(), Ok(b"1".as_slice()));
}

#[test]
fn reading_refuses_by_kind() {
    let workspace = Workspace::in_memory();
    run(&workspace, "write a/b hello").unwrap();
    let file = |name: &str| Entry { name: name.into(), kind: Kind::File, size: 5 };
    let folder = |name: &str| Entry { name: name.into(), kind: Kind::Folder, size: 0 };
    assert_eq!(workspace.read(&path("a/b")).as_deref(), Ok(b"hello".as_slice()));
    assert_eq!(workspace.read(&path("a")), Err(WorkspaceError::NotAFile(path("a"))));
    assert_eq!(workspace.read(&path("a/x")), Err(WorkspaceError::NotFound(path("a/x"))));
    assert_eq!(workspace.read(&path("a/b/c/d")), Err(WorkspaceError::NotAFolder(path("a/b"))));
    assert_eq!(workspace.list(&path("")), Ok(vec![folder("a")]));
    assert_eq!(workspace.list(&path("a")), Ok(vec![file("b")]));
    assert_eq!(workspace.list(&path("a/b")), Err(WorkspaceError::NotAFolder(path("a/b"))));
    assert_eq!(workspace.list(&path("x")), Err(WorkspaceError::NotFound(path("x"))));
    assert_eq!(workspace.stat(&path("")), Ok(folder("")));
    assert_eq!(workspace.stat(&path("a/b")), Ok(file("b")));
    assert_eq!(workspace.files(&path("a/b")), Ok(vec![(path("a/b"), b"hello".as_slice().into())]));
    assert_eq!(
        ["", "a", "a/b", "x", "a/b/c"].map(|text| workspace.exists(&path(text))),
        [true, true, true, false, false]
    );
}

#[test]
fn a_file_that_was_read_does_not_change() {
    let workspace = Workspace::in_memory();
    run(&workspace, "write a old").unwrap();
    let read = workspace.read(&path("a")).unwrap();
    run(&workspace, "write a new").unwrap();
    assert_eq!(&*read, b"old");
}

#[test]
fn limits_refuse_with_the_number_and_change_nothing() {
    let limits = Limits { file_bytes: 10, workspace_bytes: 15, entries: 4, ..Limits::default() };
    let too_large =
        |path_: &str, size, limit, unit| Err(WorkspaceError::TooLarge { path: path(path_), size, limit, unit });
    let workspace = Workspace::in_memory_with(limits);
    run(&workspace, "fill a 10").unwrap();
    let before = tree(&workspace);
    assert_eq!(run(&workspace, "fill b 11"), too_large("b", 11, 10, "bytes in a file"));
    assert_eq!(run(&workspace, "fill b 6"), too_large("b", 16, 15, "bytes in the workspace"));
    assert_eq!(run(&workspace, "mkdir b/c/d/e"), too_large("b/c/d/e", 5, 4, "files and folders in the workspace"));
    assert_eq!(tree(&workspace), before);
    assert_eq!(
        run(&workspace, "fill b 11").unwrap_err().to_string(),
        "b: 11 bytes in a file are more than the limit of 10"
    );
    run(&workspace, "fill b 5").unwrap();
    run(&workspace, "remove a").unwrap();
    run(&workspace, "fill b/../c 10").unwrap();
}

#[test]
fn any_snapshot_comes_back_and_going_back_can_be_taken_back() {
    let lines = [
        "write a 1",
        "write d/e/f 2",
        "write a 3",
        "mkdir empty",
        "rename d g/h",
        "write g/h/e/f 4",
        "remove a",
        "write a/b now a folder",
        "remove g",
        "import x=1 y/z=2 a/b=3",
    ];
    let workspace = Workspace::in_memory();
    let mut states = vec![tree(&workspace)];
    for line in lines {
        run(&workspace, line).unwrap();
        states.push(tree(&workspace));
        assert_eq!(workspace.snapshot(), Snapshot(states.len() as u64 - 1));
    }
    // In an order that goes back and forth, over restores too.
    for index in [9, 0, 10, 3, 8, 1, 7, 2, 6, 4, 5] {
        workspace.restore(Snapshot(index)).unwrap();
        assert_eq!(tree(&workspace), states[usize::try_from(index).unwrap()], "snapshot {index}");
        assert_eq!(workspace.diff(Snapshot(index), workspace.snapshot()), Ok(vec![]));
    }
}

#[test]
fn a_restore_may_pass_the_limits_on_its_way() {
    let workspace = Workspace::in_memory_with(Limits { workspace_bytes: 12, ..Limits::default() });
    for line in ["fill a 2", "fill b 10", "fill b 2", "fill a 10"] {
        run(&workspace, line).unwrap();
    }
    let before = tree(&workspace);
    assert_eq!(workspace.restore(Snapshot(2)), Ok(Snapshot(5)));
    assert_eq!(workspace.restore(Snapshot(4)), Ok(Snapshot(6)));
    assert_eq!(tree(&workspace), before);
}

#[test]
fn old_snapshots_are_forgotten_when_they_cost_too_much() {
    let workspace = Workspace::in_memory_with(Limits { history_bytes: 3000, ..Limits::default() });
    for text in ["1", "2", "3"] {
        run(&workspace, &format!("write a {}", text.repeat(1000))).unwrap();
    }
    assert_eq!(workspace.restore(Snapshot(1)).map(|_| tree(&workspace).len()), Ok(1));
    for _ in 0..100 {
        run(&workspace, "fill a 1000").unwrap();
    }
    assert!(workspace.usage().history_bytes <= 3000);
    let newest = workspace.snapshot().0;
    let gone = |oldest| Err(WorkspaceError::SnapshotGone { wanted: 1, oldest, newest });
    assert_eq!(workspace.restore(Snapshot(1)), gone(newest - 2));
    assert!(workspace.restore(Snapshot(newest - 2)).is_ok());
}

#[test]
fn a_diff_lists_every_path_that_is_not_the_same() {
    let workspace = Workspace::in_memory();
    for line in ["write same 1", "write changed 1", "write gone/a 1", "write kind 1", "write back 1"] {
        run(&workspace, line).unwrap();
    }
    let from = workspace.snapshot();
    let later = ["write changed 2", "remove gone", "remove kind", "mkdir kind/in", "write new/b 1", "write back 2"];
    for line in later.into_iter().chain(["write back 1"]) {
        run(&workspace, line).unwrap();
    }
    let to = workspace.snapshot();
    let difference = |text: &str, kind, difference| Difference { path: path(text), kind, difference };
    use DifferenceKind::{Added, Changed, Removed};
    let expected = [
        difference("changed", Kind::File, Changed),
        difference("gone", Kind::Folder, Removed),
        difference("gone/a", Kind::File, Removed),
        difference("kind", Kind::File, Removed),
        difference("kind", Kind::Folder, Added),
        difference("kind/in", Kind::Folder, Added),
        difference("new", Kind::Folder, Added),
        difference("new/b", Kind::File, Added),
    ];
    assert_eq!(workspace.diff(from, to), Ok(expected.to_vec()));
    let back: Vec<_> = workspace.diff(to, from).unwrap().iter().map(|found| found.difference).collect();
    assert_eq!(back, [Changed, Added, Added, Removed, Removed, Added, Removed, Removed]);
}

fn observed(workspace: &Workspace) -> Rc<RefCell<Vec<Change>>> {
    let changes = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&changes);
    workspace.observe(Rc::new(move |change| heard.borrow_mut().push(change.clone())));
    changes
}

#[test]
fn observers_hear_of_every_change_in_order_even_of_their_own() {
    let workspace = Workspace::in_memory();
    let inner = workspace.clone();
    workspace.observe(Rc::new(move |change| {
        if *change == Change::Wrote(path("a")) {
            assert!(inner.exists(&path("a")), "the change has happened");
            run(&inner, "write log a was written").unwrap();
        }
    }));
    let changes = observed(&workspace);
    for line in ["write a 1", "mkdir b", "mkdir b", "rename a b/c", "remove b", "import x=1 y=2", "restore 1"] {
        run(&workspace, line).unwrap();
    }
    let expected = vec![
        Change::Wrote(path("a")),
        Change::Wrote(path("log")),
        Change::MadeFolder(path("b")),
        Change::Renamed { from: path("a"), to: path("b/c") },
        Change::Removed(path("b")),
        Change::Wrote(path("x")),
        Change::Wrote(path("y")),
        Change::Restored(Snapshot(1)),
    ];
    assert_eq!(*changes.borrow(), expected);
}

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
    assert_eq!(recovery, Recovery { changes: 1, dropped_bytes: 4, set_aside: None });
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
    for text in 0..200 {
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
    assert_eq!(workspace.restore(Snapshot(201)), Ok(Snapshot(204)), "older snapshots are there until it is closed");
    run(&workspace, "restore 203").unwrap();
    drop(workspace);

    let workspace = open(&backend);
    assert_eq!((tree(&workspace), workspace.snapshot()), (before, Snapshot(205)));
    let gone = WorkspaceError::SnapshotGone { wanted: 201, oldest: 203, newest: 205 };
    assert_eq!(workspace.restore(Snapshot(201)), Err(gone));
    assert_eq!(workspace.restore(Snapshot(204)), Ok(Snapshot(206)));
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
