//! Going back, how long that is possible, and what differs between two moments.

use super::{path, run, tree};
use crate::{Difference, DifferenceKind, Kind, Limits, Snapshot, Workspace, WorkspaceError};

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
