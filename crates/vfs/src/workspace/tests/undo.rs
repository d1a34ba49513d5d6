//! What has changed, taken back: what was there before is there again, and nothing that was changed later is lost.

use std::collections::BTreeSet;

use super::random::Random;
use super::{compact, observed, open, path, run, tree};
use crate::{
    Author, Change, Edit, FileVersions, Limits, LogLimits, LoggedChange, MemoryBackend, Snapshot, UndoError, Workspace,
    WorkspacePath,
};

const LIMITS: LogLimits = LogLimits { changes: 1000, bytes: 1 << 20 };

fn logged() -> Workspace {
    let workspace = Workspace::in_memory();
    workspace.log_changes(LIMITS);
    workspace
}

fn run_all(workspace: &Workspace, lines: &[&str]) {
    for line in lines {
        run(workspace, line).unwrap();
    }
}

/// The tree without the checksums.
fn plain(workspace: &Workspace) -> Vec<String> {
    let line = |line: String| line.split(" (").next().unwrap().to_owned();
    tree(workspace).into_iter().map(line).collect()
}

fn changed(id: u64, paths: &[&str]) -> UndoError {
    UndoError::Changed { id, paths: paths.iter().map(|text| path(text)).collect() }
}

/// Changes, those that are taken back, and what comes of it.
type Case<'a> = (&'a [&'a str], &'a [u64], Result<&'a [&'a str], UndoError>);

#[test]
fn what_was_there_is_there_again_and_later_changes_are_not_touched() {
    let cases: &[Case<'_>] = &[
        (&["write a 1"], &[1], Ok(&[])),
        (&["write a 1", "write a 2"], &[2], Ok(&["a = 1"])),
        (&["write a 1", "write b 2", "write a 3"], &[2], Ok(&["a = 3"])),
        // A later change of the same file, of a part of it or to nothing.
        (&["write a 1", "write a 2"], &[1], Err(changed(1, &["a"]))),
        (&["write a 1", "remove a"], &[1], Err(changed(1, &["a"]))),
        (&["write a 1", "rename a b"], &[1], Err(changed(1, &["a"]))),
        (&["write a 1", "remove a", "write a 1"], &[1], Ok(&[])),
        // Together they are no obstacle, in whatever order they are named.
        (&["write a 1", "write a 2", "write a 3"], &[2, 3, 2], Ok(&["a = 1"])),
        (&["write a 1", "write a 2", "write a 3"], &[1, 3], Err(changed(1, &["a"]))),
        (&["write a 1", "write b 2", "write a 3", "write c 4"], &[1, 3], Ok(&["b = 2", "c = 4"])),
        // Folders that were made for a file go with it, unless there is something else in them.
        (&["write a/b/c 1"], &[1], Ok(&[])),
        (&["write a/b/c 1", "write a/d 2"], &[1], Ok(&["a/", "a/d = 2"])),
        (&["mkdir a", "write a/b/c 1"], &[2], Ok(&["a/"])),
        (&["mkdir a/b"], &[1], Ok(&[])),
        (&["mkdir a/b", "write a/c 1"], &[1], Ok(&["a/", "a/c = 1"])),
        (&["mkdir a/b", "write a/b/c 1"], &[1], Err(changed(1, &["a/b/c"]))),
        (&["mkdir a", "remove a"], &[1], Err(changed(1, &["a"]))),
        // What was removed comes back whole, with empty folders, where there is a place for it.
        (&["write a/b 1", "mkdir a/c", "remove a"], &[3], Ok(&["a/", "a/b = 1", "a/c/"])),
        (&["write a/b 1", "remove a/b", "remove a"], &[2], Err(changed(2, &["a"]))),
        (&["write a/b 1", "remove a/b", "remove a"], &[2, 3], Ok(&["a/", "a/b = 1"])),
        (&["write a 1", "remove a", "mkdir a"], &[2], Err(changed(2, &["a"]))),
        (&["write a/b 1", "remove a", "write a 2"], &[2], Err(changed(2, &["a"]))),
        // A rename goes back as one, with the folders it made.
        (&["write a/b 1", "rename a c/d"], &[2], Ok(&["a/", "a/b = 1"])),
        (&["write a/b 1", "rename a c", "write c/d 2"], &[2], Err(changed(2, &["c/d"]))),
        (&["write a/b 1", "rename a c", "write a 2"], &[2], Err(changed(2, &["a"]))),
        (&["write a 1", "rename a b", "write b 2"], &[2, 3], Ok(&["a = 1"])),
        // Several files as one.
        (&["import a=1 b=2", "write c 3"], &[1], Ok(&["c = 3"])),
        (&["import a=1 b=2", "write b 3"], &[1], Err(changed(1, &["b"]))),
        // The whole workspace.
        (&["write a 1", "write b 2", "remove a", "restore 1"], &[4], Ok(&["b = 2"])),
        // Nothing that is known, or nothing at all.
        (&["write a 1", "write a 1"], &[2], Err(UndoError::Nothing)),
        (&["write a 1", "remove a"], &[1, 2], Err(UndoError::Nothing)),
        (&["write a 1"], &[2], Err(UndoError::Unknown(2))),
        (&["write a 1"], &[1, 7], Err(UndoError::Unknown(7))),
    ];
    for (lines, ids, expected) in cases {
        let workspace = logged();
        run_all(&workspace, lines);
        let before = (tree(&workspace), workspace.snapshot());
        let outcome = workspace.undo(ids).map(|_| plain(&workspace));
        let expected = expected.clone().map(|tree| tree.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(outcome, expected, "{lines:?} without {ids:?}");
        if expected.is_err() {
            assert_eq!((tree(&workspace), workspace.snapshot()), before, "{lines:?}: nothing half done");
        }
    }
}

#[test]
fn what_was_taken_back_can_be_done_again_and_the_list_says_so() {
    let workspace = logged();
    run_all(&workspace, &["write a 1", "write a 2", "write b 3"]);
    let list = || -> Vec<(u64, bool, bool)> {
        workspace.changes().iter().map(|change| (change.id, change.undone, change.can_undo)).collect()
    };
    workspace.undo(&[2, 3]).unwrap();
    assert_eq!(plain(&workspace), ["a = 1"]);
    assert_eq!(list(), [(1, false, true), (2, true, false), (3, true, false), (4, false, true)]);
    assert_eq!(workspace.undo(&[2]), Err(UndoError::Undone(2)));

    workspace.undo(&[4]).unwrap();
    assert_eq!(plain(&workspace), ["a = 2", "b = 3"]);
    assert_eq!(list()[1..], [(2, false, true), (3, false, true), (4, true, false), (5, false, true)]);
    // And so on.
    workspace.undo(&[5]).unwrap();
    assert_eq!(plain(&workspace), ["a = 1"]);
    assert_eq!(list()[1..4], [(2, true, false), (3, true, false), (4, false, true)]);
    workspace.undo(&[6]).unwrap();
    // What was undone and redone can be undone by itself.
    workspace.undo(&[3]).unwrap();
    assert_eq!(plain(&workspace), ["a = 2"]);
}

#[test]
fn a_change_is_listed_once_with_its_author_and_its_place() {
    let workspace = logged();
    workspace.set_clock(std::rc::Rc::new(|| 5));
    let by = |author: Author| workspace.by(author);
    let call: Author = Author::ToolCall("c".into());
    run(&workspace, "write notes/a 1").unwrap();
    run(&by(call.clone()), "rename notes old").unwrap();
    run(&by(Author::Import), "import p/x/1=1 p/y=2 p/x/2=3").unwrap();
    let edits = [Edit::Remove(path("p/x/1")), Edit::Remove(path("old"))];
    by(Author::Shell(Some("s".into()))).change_all(edits).unwrap();
    run(&by(Author::OtherTab), "restore 1").unwrap();
    // Nothing is changed by what is there already.
    run(&workspace, "mkdir notes").unwrap();

    let change = |id, place: &str, change, paths, author| LoggedChange {
        id,
        path: path(place),
        change,
        paths,
        author,
        time_ms: 5,
        undone: false,
        can_undo: true,
    };
    let root = WorkspacePath::root();
    let mut last = change(5, "x", Change::Restored(Snapshot(1)), 2, Author::OtherTab);
    last.path = root.clone();
    let mut removed = change(4, "x", Change::Removed(root.clone()), 2, Author::Shell(Some("s".into())));
    removed.path = root;
    let expected = [
        change(1, "notes/a", Change::Wrote(path("notes/a")), 1, Author::User),
        change(2, "notes", Change::Renamed { from: path("notes"), to: path("old") }, 1, call),
        change(3, "p", Change::Wrote(path("p")), 3, Author::Import),
        removed,
        last,
    ];
    assert_eq!(workspace.changes(), expected);
}

#[test]
fn observers_hear_what_is_taken_back_path_by_path() {
    let workspace = logged();
    run_all(&workspace, &["write a 1", "write d/b 2", "rename d e"]);
    let heard = observed(&workspace);
    workspace.undo(&[3]).unwrap();
    workspace.undo(&[1, 2]).unwrap();
    let expected =
        [Change::Renamed { from: path("e"), to: path("d") }, Change::Removed(path("a")), Change::Removed(path("d"))];
    assert_eq!(*heard.borrow(), expected);
}

#[test]
fn a_change_tells_each_file_before_and_after() {
    let file = |text: &str| Some(text.as_bytes().into());
    let versions = |place: &str, from: Option<&str>, before: Option<&str>, after: Option<&str>| FileVersions {
        path: path(place),
        from: from.map(path),
        before: before.and_then(file),
        after: after.and_then(file),
    };
    let write = |place: &str, text: &str| Edit::Write(path(place), text.as_bytes().into());
    let rename = |from: &str, to: &str| Edit::Rename { from: path(from), to: path(to) };
    let remove = |place: &str| Edit::Remove(path(place));
    let cases: Vec<(Vec<Edit>, Vec<FileVersions>)> = vec![
        (vec![write("a", "2")], vec![versions("a", None, Some("1"), Some("2"))]),
        (vec![write("a", "1")], vec![]),
        (vec![write("n/m", "3")], vec![versions("n/m", None, None, Some("3"))]),
        (vec![Edit::MakeFolder(path("n"))], vec![]),
        (vec![remove("d")], vec![versions("d/b", None, Some("2"), None), versions("d/e/c", None, Some("3"), None)]),
        (
            vec![rename("d", "x/y")],
            vec![
                versions("x/y/b", Some("d/b"), Some("2"), Some("2")),
                versions("x/y/e/c", Some("d/e/c"), Some("3"), Some("3")),
            ],
        ),
        // As one: there and gone, changed and moved on, moved twice and back.
        (vec![write("n", "1"), remove("n")], vec![]),
        (vec![write("a", "9"), rename("a", "z")], vec![versions("z", Some("a"), Some("1"), Some("9"))]),
        (vec![rename("a", "z"), write("z", "9")], vec![versions("z", Some("a"), Some("1"), Some("9"))]),
        (vec![rename("a", "y"), rename("y", "z")], vec![versions("z", Some("a"), Some("1"), Some("1"))]),
        (vec![rename("a", "y"), rename("y", "a")], vec![]),
        (vec![write("n", "9"), rename("n", "m")], vec![versions("m", None, None, Some("9"))]),
        // In the place of another: that one changed, and the first is gone.
        (
            vec![remove("d/b"), rename("a", "d/b")],
            vec![versions("a", None, Some("1"), None), versions("d/b", None, Some("2"), Some("1"))],
        ),
    ];
    for (edits, expected) in cases {
        let workspace = logged();
        run_all(&workspace, &["write a 1", "write d/b 2", "write d/e/c 3"]);
        workspace.change_all(edits.clone()).unwrap();
        assert_eq!(workspace.versions(4), Ok(expected), "{edits:?}");
    }
}

#[test]
fn two_moments_are_told_file_by_file_and_what_is_elsewhere_to_the_byte_was_renamed() {
    let workspace = logged();
    run_all(
        &workspace,
        &["import a=1 d/b=2 d/c=2 e= gone=4 same=5", "rename d f", "write a 9", "remove e", "write g x"],
    );
    run_all(&workspace, &["write empty", "remove gone"]);
    let file = |text: &str| Some(text.as_bytes().into());
    let versions = |place: &str, from: Option<&str>, before, after| FileVersions {
        path: path(place),
        from: from.map(path),
        before,
        after,
    };
    let expected = [
        versions("a", None, file("1"), file("9")),
        // An empty file looks like any other.
        versions("e", None, file(""), None),
        versions("empty", None, None, file("")),
        versions("f/b", Some("d/b"), file("2"), file("2")),
        versions("f/c", Some("d/c"), file("2"), file("2")),
        versions("g", None, None, file("x")),
        versions("gone", None, file("4"), None),
    ];
    assert_eq!(workspace.versions_between(Snapshot(1), workspace.snapshot()), Ok(expected.to_vec()));
}

#[test]
fn what_is_let_go_is_listed_but_not_taken_back_and_the_journal_may_still_tell_it() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    workspace.log_changes(LogLimits { changes: 3, bytes: 4000 });
    run_all(&workspace, &["write a 1", "fill b 3000", "fill b 100", "fill b 3000", "write b 2"]);
    let list = |workspace: &Workspace| -> Vec<(u64, bool)> {
        workspace.changes().iter().map(|change| (change.id, change.can_undo)).collect()
    };
    // Two of the contents that were replaced are too much, so the older one goes; and only three changes are listed.
    assert_eq!(list(&workspace), [(3, false), (4, true), (5, true)]);
    assert_eq!(workspace.undo(&[3]), Err(UndoError::Forgotten(3)));
    assert_eq!(workspace.undo(&[1]), Err(UndoError::Unknown(1)));
    assert_eq!(workspace.versions(3).map(|versions| versions.len()), Ok(1));
    assert_eq!(plain(&workspace), ["a = 1", "b = 2"]);

    // One that is too large by itself goes at once, and not the others with it.
    workspace.log_changes(LogLimits { changes: 3, bytes: 4000 });
    run_all(&workspace, &["fill c 5000", "remove c"]);
    assert_eq!(list(&workspace).iter().map(|(_, can_undo)| *can_undo).collect::<Vec<_>>(), [true, false]);
    run_all(&workspace, &["write d 1"]);
    assert_eq!(list(&workspace).last(), Some(&(8, true)));

    // In memory there is no journal to ask.
    let limits = Limits { history_bytes: 0, ..Limits::default() };
    let workspace = Workspace::in_memory_with(limits);
    workspace.log_changes(LogLimits { changes: 3, bytes: 0 });
    run_all(&workspace, &["write a 1", "write a 2"]);
    assert_eq!(workspace.versions(1), Err(UndoError::Forgotten(1)));
}

#[test]
fn nothing_is_undone_that_cannot_be_stored_and_what_is_undone_is() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    workspace.log_changes(LIMITS);
    run_all(&workspace, &["write a 1", "fill a 3000", "remove a"]);
    backend.set_capacity(Some(0));
    assert!(matches!(workspace.undo(&[3]), Err(UndoError::Workspace(_))));
    assert_eq!((plain(&workspace), workspace.changes()[2].undone), (vec![], false));
    backend.set_capacity(None);
    workspace.undo(&[3]).unwrap();
    workspace.undo(&[2]).unwrap();
    drop(workspace);
    assert_eq!(plain(&open(&backend)), ["a = 1"]);
}

#[test]
fn moments_that_are_saved_stay_with_their_names_and_times() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    workspace.set_clock(std::rc::Rc::new(|| 7));
    run_all(&workspace, &["write a 1"]);
    let first = workspace.save(Some("before")).unwrap();
    run_all(&workspace, &["write a 2"]);
    let second = workspace.save(None).unwrap();
    workspace.keep(workspace.snapshot(), "of somebody else").unwrap();
    assert_eq!((first.id, first.name.as_deref(), first.time_ms), (1, Some("before"), 7));
    run_all(&workspace, &["write a 3"]);
    compact(&workspace).unwrap();
    drop(workspace);

    let workspace = open(&backend);
    assert_eq!(workspace.saved(), [first.clone(), second]);
    workspace.log_changes(LIMITS);
    workspace.restore(first.snapshot).unwrap();
    assert_eq!(plain(&workspace), ["a = 1"]);
    let restored = workspace.snapshot().0;
    workspace.undo(&[restored]).unwrap();
    assert_eq!(plain(&workspace), ["a = 3"]);
    assert!(workspace.save(Some(&"n".repeat(300))).is_err());
}

/// Everything taken back, newest first, is where it began; some of it touches nothing that was changed later, or nothing.
#[test]
fn whatever_happened_can_be_taken_back() {
    for seed in 0..600 {
        let mut random = Random(seed);
        let workspace = Workspace::in_memory();
        for _ in 0..random.below(8) {
            let _ = run(&workspace, &random.line());
        }
        let start = tree(&workspace);
        workspace.log_changes(LIMITS);
        for _ in 0..random.below(25) {
            let _ = run(&workspace, &random.line());
        }
        let end = tree(&workspace);
        let ids: Vec<u64> = workspace.changes().iter().map(|change| change.id).collect();

        for _ in 0..4 {
            let some: Vec<u64> = ids.iter().copied().filter(|_| random.below(3) == 0).collect();
            if some.is_empty() {
                continue;
            }
            let touched = touched(&workspace, &some);
            match workspace.undo(&some) {
                Err(UndoError::Nothing) => {}
                Err(UndoError::Changed { paths, .. }) => assert!(!paths.is_empty()),
                Err(error) => panic!("seed {seed}: {error}"),
                Ok(now) => {
                    for line in differing(&end, &tree(&workspace)) {
                        let place = line.split(" = ").next().unwrap().trim_end_matches('/').to_owned();
                        let is_touched = touched.contains(&path(&place));
                        assert!(is_touched, "seed {seed}: undoing {some:?} of {touched:?} changed {place}");
                    }
                    workspace.undo(&[now.0]).unwrap();
                    assert_eq!(tree(&workspace), end, "seed {seed}: undoing {some:?} and that again");
                }
            }
        }
        let all = workspace.changes();
        if all.len() == ids.len() && end != start {
            workspace.undo(&ids).unwrap();
        } else if all.len() > ids.len() {
            // What was taken back comes again when that is taken back.
            let last = all.last().unwrap().id;
            let newest = || workspace.changes().into_iter().rfind(|change| change.id <= last && change.can_undo);
            while let Some(change) = newest() {
                workspace.undo(&[change.id]).unwrap();
            }
        }
        assert_eq!(tree(&workspace), start, "seed {seed}");
    }
}

/// The paths that are not the same before and after some changes.
fn touched(workspace: &Workspace, ids: &[u64]) -> BTreeSet<WorkspacePath> {
    let differences = |id: &u64| workspace.diff(Snapshot(id - 1), Snapshot(*id)).unwrap();
    ids.iter().flat_map(differences).map(|difference| difference.path).collect()
}

fn differing(one: &[String], other: &[String]) -> Vec<String> {
    let (one, other): (BTreeSet<_>, BTreeSet<_>) = (one.iter().cloned().collect(), other.iter().cloned().collect());
    one.symmetric_difference(&other).cloned().collect()
}
