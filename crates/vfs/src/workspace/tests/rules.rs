//! What each change does, what it refuses, and whom it tells.

use std::rc::Rc;

use super::{observed, path, run, tree};
use crate::{Change, Entry, Kind, Limits, PathError, Snapshot, Workspace, WorkspaceError};

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
    let file = |name: &str| Entry { name: name.into(), kind: Kind::File, size: 5, modified_ms: 0 };
    let folder = |name: &str| Entry { name: name.into(), kind: Kind::Folder, size: 0, modified_ms: 0 };
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
fn observers_hear_of_every_change_in_order_even_of_their_own() {
    let workspace = Workspace::in_memory();
    let inner = workspace.clone();
    workspace.observe(Rc::new(move |change| {
        if change.change == Change::Wrote(path("a")) {
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
