//! What the files panel decides: rows, keys, marks, groups of changes, and who wins over a text.
#![cfg(not(target_family = "wasm"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]

use std::sync::Arc;

use vitrine_agent::event::Event;
use vitrine_agent::json::Json;
use vitrine_agent::tool::ToolOutput;
use vitrine_protocol::change_list::groups;
use vitrine_protocol::changes::{ChangeKind, Changed, ChangedBy};
use vitrine_protocol::editing::{Arrived, Editing, Theirs};
use vitrine_protocol::marks::{Mark, Marks};
use vitrine_protocol::notification::{FileChange, Notification, SessionInfo};
use vitrine_protocol::tree::{Entry, Move, key, path_in, push_entry, read_listing, rows, window};

/// Paths, folders with a slash at their end.
fn entries(paths: &[&str]) -> Vec<Entry> {
    let mut listing = Vec::new();
    for path in paths {
        push_entry(&mut listing, path.trim_end_matches('/'), path.ends_with('/'), 7);
    }
    read_listing(&listing)
}

const TREE: [&str; 7] = ["src/", "src/deep/", "src/deep/x", "src/a", "src2/", "b", "文件"];

fn shown(closed: &[&str]) -> Vec<String> {
    let entries = entries(&TREE);
    let rows = rows(&entries, |path| !closed.contains(&path));
    rows.iter()
        .map(|row| {
            let entry = &entries[row.entry];
            format!("{} {}/{} at {}", entry.name(), row.position, row.of, entry.depth() + 1)
        })
        .collect()
}

#[test]
fn a_listing_is_read_as_it_was_written() {
    let entry = |path: &str, is_folder| Entry { path: path.into(), is_folder, size: 7 };
    assert_eq!(entries(&["a b/", "a b/\n"]), [entry("a b", true), entry("a b/\n", false)]);
    let cases: [(&[u8], usize); 4] =
        [(b"", 0), (b"a\x00", 0), (b"a\x001\x00b", 1), (b"a\x001\x00b\x00x\x00c\x001\x00", 1)];
    for (bytes, n) in cases {
        assert_eq!(read_listing(bytes).len(), n, "{bytes:?}");
    }
}

#[test]
fn rows_say_where_they_stand_and_closed_folders_hide_what_is_in_them() {
    assert_eq!(
        shown(&[]),
        ["src 1/4 at 1", "deep 1/2 at 2", "x 1/1 at 3", "a 2/2 at 2", "src2 2/4 at 1", "b 3/4 at 1", "文件 4/4 at 1"]
    );
    // `src2` only begins like the folder that is closed.
    assert_eq!(shown(&["src"]), ["src 1/4 at 1", "src2 2/4 at 1", "b 3/4 at 1", "文件 4/4 at 1"]);
    assert_eq!(shown(&["src/deep", "src2"])[1..4], ["deep 1/2 at 2", "a 2/2 at 2", "src2 2/4 at 1"]);
}

#[test]
fn what_is_drawn_is_bounded_by_the_view() {
    let cases = [
        ("at the top", (0.0, 260.0, 26.0, 10_000), 0..22),
        ("in the middle", (26_000.0, 260.0, 26.0, 10_000), 990..1022),
        ("at the end", (259_740.0, 260.0, 26.0, 10_000), 9980..10_000),
        ("few rows", (0.0, 260.0, 26.0, 3), 0..3),
        ("overscrolled", (-50.0, 260.0, 26.0, 100), 0..22),
        ("fewer rows than there were", (26_000.0, 260.0, 26.0, 5), 5..5),
        ("a height that is none", (0.0, 10.0, 0.0, 50), 0..22),
    ];
    for (name, (top, view, row, n), wanted) in cases {
        assert_eq!(window(top, view, row, n), wanted, "{name}");
    }
}

#[test]
fn keys_move_as_in_any_tree() {
    let entries = entries(&TREE);
    let cases = [
        ("ArrowDown", "src", true, Some(Move::To(1))),
        ("ArrowDown", "文件", false, None),
        ("ArrowUp", "src", true, None),
        ("ArrowUp", "src/a", false, Some(Move::To(2))),
        ("Home", "b", false, Some(Move::To(0))),
        ("End", "src", true, Some(Move::To(6))),
        ("ArrowRight", "src", false, Some(Move::Open)),
        ("ArrowRight", "src", true, Some(Move::To(1))),
        ("ArrowRight", "src2", true, None),
        ("ArrowRight", "b", false, None),
        ("ArrowLeft", "src", true, Some(Move::Close)),
        ("ArrowLeft", "src/deep/x", false, Some(Move::To(1))),
        ("ArrowLeft", "src/deep", false, Some(Move::To(0))),
        ("ArrowLeft", "b", false, None),
        ("S", "src", true, Some(Move::To(4))),
        ("s", "src2", true, Some(Move::To(0))),
        ("文", "src", true, Some(Move::To(6))),
        ("q", "src", true, None),
        (" ", "src", true, None),
        ("Escape", "src", true, None),
    ];
    let rows = rows(&entries, |_| true);
    for (pressed, path, is_open, wanted) in cases {
        let at = rows.iter().position(|row| entries[row.entry].path == path).unwrap();
        assert_eq!(key(pressed, &entries, &rows, at, is_open), wanted, "{pressed} at {path}");
    }
    assert_eq!(key("End", &[], &[], 0, false), None);
    assert_eq!([path_in("", "a"), path_in("b/c", "a")], ["a", "b/c/a"]);
}

/// What the file holds when it is looked at again, the reader's text, what comes of it; the editor began with "base".
#[test]
fn neither_text_is_lost() {
    let text = |text: &str| Theirs::Text(text.into());
    let cases = [
        ("nothing happened", text("base"), "base", Arrived::Same),
        ("only the reader changed it", text("base"), "mine", Arrived::Same),
        ("only the file changed", text("theirs"), "base", Arrived::Show("theirs".into())),
        ("both changed", text("theirs"), "mine", Arrived::Conflict),
        ("both to the same", text("mine"), "mine", Arrived::Same),
        ("it is gone", Theirs::Gone, "base", Arrived::Conflict),
        ("it is no text any more", Theirs::of(Some(vec![0xFF])), "mine", Arrived::Conflict),
    ];
    for (name, now, mine, wanted) in cases {
        let mut editing = Editing::new("base".into());
        assert_eq!(editing.arrived(now.clone(), mine), wanted, "{name}");
        assert_eq!(editing.theirs(), (wanted == Arrived::Conflict).then_some(&now), "{name}");
    }
}

#[test]
fn a_conflict_ends_by_the_readers_word_or_by_itself() {
    let conflict = || {
        let mut editing = Editing::new("base".into());
        editing.arrived(Theirs::Text("theirs".into()), "mine");
        editing
    };
    let mut kept = conflict();
    kept.saved("mine");
    assert_eq!((kept.is_changed("mine"), kept.theirs()), (false, None));
    let mut taken = conflict();
    assert_eq!((taken.take_theirs(), taken.is_changed("theirs"), taken.theirs()), (Some("theirs".into()), false, None));
    let mut settled = conflict();
    assert_eq!(settled.arrived(Theirs::Text("base".into()), "mine"), Arrived::Same);
    assert_eq!((settled.theirs(), settled.is_changed("mine")), (None, true));
    let mut gone = Editing::new("base".into());
    gone.arrived(Theirs::Gone, "mine");
    assert_eq!(gone.take_theirs(), None);
}

#[test]
fn marks_follow_what_the_agent_did() {
    let start = |id: &str, tool: &str, args: &str| {
        Notification::Event(Event::ToolExecutionStart {
            tool_call_id: id.into(),
            tool_name: tool.into(),
            args: Json::parse(args).unwrap(),
        })
    };
    let end = |id: &str, is_error| {
        Notification::Event(Event::ToolExecutionEnd {
            tool_call_id: id.into(),
            tool_name: "read".into(),
            result: Arc::new(ToolOutput::default()),
            is_error,
            duration_ms: Some(1),
        })
    };
    let file = |path: &str, change: &str, call: Option<&str>| {
        Notification::File(FileChange {
            path: path.into(),
            change: change.into(),
            call_id: call.map(Into::into),
            id: 0,
        })
    };
    let mut marks = Marks::default();
    let told = [
        (start("1", "read", r#"{"path":"/workspace/a"}"#), false),
        (end("1", false), true),
        (start("2", "read", r#"{"path":"./gone"}"#), false),
        (end("2", true), false),
        (start("3", "ls", r#"{"path":"b"}"#), false),
        (end("3", false), false),
        (file("c", "written", Some("4")), true),
        (file("d", "written", None), false),
        (file("e", "written", Some("4")), true),
        (file("e", "removed", Some("5")), true),
        (file("e", "removed", None), false),
    ];
    for (index, (notification, changed)) in told.iter().enumerate() {
        assert_eq!(marks.apply(notification), *changed, "{index}");
    }
    assert_eq!(
        ["a", "gone", "b", "c", "d", "e"].map(|path| marks.of(path)),
        [Mark::Read, Mark::None, Mark::None, Mark::Changed, Mark::None, Mark::None]
    );
    marks.apply(&Notification::SessionOpened { session: SessionInfo::default(), messages: Vec::new() });
    assert_eq!(marks, Marks::default());
}

fn changed(id: u64, run: Option<&str>, turn: Option<u32>, by: ChangedBy, can_undo: bool) -> Changed {
    Changed {
        id,
        path: "a".into(),
        to: None,
        change: ChangeKind::Written,
        paths: 1,
        by,
        call_id: None,
        run_id: run.map(Into::into),
        turn,
        at_ms: 0,
        undone: false,
        can_undo,
    }
}

#[test]
fn changes_are_grouped_by_the_turn_that_made_them() {
    use ChangedBy::{Import, Shell, Tool, User};
    let list = vec![
        changed(1, None, None, Import, true),
        changed(2, None, None, User, true),
        changed(3, Some("r1"), Some(1), Tool, true),
        changed(4, Some("r1"), Some(1), Shell, false),
        changed(5, Some("r1"), Some(2), Tool, true),
        changed(6, None, None, User, true),
        changed(7, Some("r2"), Some(2), Tool, true),
    ];
    let shape: Vec<_> = groups(list)
        .iter()
        .map(|group| {
            (
                group.run_id.clone(),
                group.turn,
                group.changes.iter().map(|change| change.id).collect::<Vec<_>>(),
                group.undoable(),
            )
        })
        .collect();
    let run = |name: &str| Some(name.to_owned());
    assert_eq!(
        shape,
        [
            (run("r2"), Some(2), vec![7], vec![7]),
            (None, None, vec![6], vec![6]),
            (run("r1"), Some(2), vec![5], vec![5]),
            (run("r1"), Some(1), vec![4, 3], vec![3]),
            (None, None, vec![2], vec![2]),
            (None, None, vec![1], vec![1]),
        ]
    );
}
