//! Who changed what and when, names that look the same, and what is kept by name.

use std::cell::Cell;
use std::cell::RefCell;
use std::rc::Rc;

use super::{compact, open, path, run, tree, try_open_with};
use crate::{
    Access, Author, Change, Contents, Edit, Limits, MemoryBackend, Options, SignedChange, Snapshot, Workspace,
    WorkspaceError, WorkspacePath,
};

fn clocked() -> (Workspace, Rc<Cell<u64>>) {
    let time = Rc::new(Cell::new(1000));
    let workspace = Workspace::in_memory();
    let now = Rc::clone(&time);
    workspace.set_clock(Rc::new(move || now.get()));
    (workspace, time)
}

#[test]
fn the_feed_says_who_changed_what_and_when() {
    let (workspace, time) = clocked();
    let heard: Rc<RefCell<Vec<SignedChange>>> = Rc::default();
    let changes = Rc::clone(&heard);
    workspace.observe(Rc::new(move |change| changes.borrow_mut().push(change.clone())));
    let tool = workspace.by(Author::ToolCall("call_1".into()));
    let import = workspace.by(Author::Import);

    run(&workspace, "write a 1").unwrap();
    time.set(2000);
    run(&tool, "rename a b").unwrap();
    import.change_all([Edit::Import(path("c"), (*b"3").into(), 5), Edit::MakeFolder(path("d"))]).unwrap();
    run(&tool.clone(), "back 1 c").unwrap();

    let change =
        |change, author, snapshot, time_ms| SignedChange { change, author, snapshot: Snapshot(snapshot), time_ms };
    let expected = [
        change(Change::Wrote(path("a")), Author::User, 1, 1000),
        change(Change::Renamed { from: path("a"), to: path("b") }, Author::ToolCall("call_1".into()), 2, 2000),
        change(Change::Wrote(path("c")), Author::Import, 3, 2000),
        change(Change::MadeFolder(path("d")), Author::Import, 3, 2000),
        change(Change::Removed(path("c")), Author::ToolCall("call_1".into()), 4, 2000),
    ];
    assert_eq!(*heard.borrow(), expected);
}

#[test]
fn files_have_the_time_they_were_modified_at_after_closing_too() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    let time = Rc::new(Cell::new(1000));
    let now = Rc::clone(&time);
    workspace.set_clock(Rc::new(move || now.get()));
    run(&workspace, "fill written 2000").unwrap();
    run(&workspace, "fill edited 2000").unwrap();
    let import = Edit::Import(path("imported"), (*b"1").into(), 77);
    workspace.change_all([import]).unwrap();
    time.set(2000);
    run(&workspace, "edit edited 5 !").unwrap();
    run(&workspace, "rename written moved").unwrap();
    run(&workspace, "mkdir folder").unwrap();
    let times = |workspace: &Workspace| {
        ["moved", "edited", "imported", "folder"].map(|place| workspace.stat(&path(place)).unwrap().modified_ms)
    };
    assert_eq!(times(&workspace), [1000, 2000, 77, 0]);
    compact(&workspace).unwrap();
    run(&workspace, "back 3 edited").unwrap();
    assert_eq!(times(&workspace), [1000, 1000, 77, 0], "what is restored has its old time");
    drop(workspace);
    assert_eq!(times(&open(&backend)), [1000, 1000, 77, 0]);
}

/// Case d16. The host's tables are stood in for by two letters.
#[test]
fn a_name_is_found_however_its_letters_are_composed() {
    let composed = |text: &str| text.replace("a\u{308}", "ä").replace("e\u{301}", "é");
    let workspace = Workspace::in_memory();
    for line in ["write Abscha\u{308}tzung/cafe\u{301}.md 1", "write é 2", "write e\u{301} 3", "write ä 4"] {
        run(&workspace, line).unwrap();
    }
    let cases = [
        ("Abschätzung/café.md", Some("Abscha\u{308}tzung/cafe\u{301}.md")),
        ("Abscha\u{308}tzung/café.md", Some("Abscha\u{308}tzung/cafe\u{301}.md")),
        ("é", Some("é")),
        ("e\u{301}", Some("e\u{301}")),
        ("a\u{308}", Some("ä")),
        ("Ä", None),
        ("abschätzung", None),
        ("ä/x", None),
        ("", Some("")),
    ];
    for (wanted, expected) in cases {
        let found = workspace.find(&path(wanted), &composed);
        assert_eq!(found.as_ref().map(WorkspacePath::as_str), expected, "{wanted}");
    }
    assert_eq!(workspace.list(&path("")).unwrap().len(), 4, "names are kept as they were given");
}

#[test]
fn links_are_refused_in_words() {
    let error = Workspace::in_memory().link(&path("a/l"));
    assert_eq!(error.to_string(), "links are not supported in this workspace: a/l");
}

#[test]
fn several_changes_are_one_and_a_file_takes_the_place_of_another() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    for line in ["write old 1", "write new 2", "write x/y 3"] {
        run(&workspace, line).unwrap();
    }
    let replace = |from: &str, to: &str| [Edit::Remove(path(to)), Edit::Rename { from: path(from), to: path(to) }];
    assert_eq!(workspace.change_all(replace("new", "old")), Ok(Snapshot(4)));
    assert_eq!(workspace.read(&path("old")).as_deref(), Ok(b"2".as_slice()));
    let before = tree(&workspace);
    // The removal is taken back when the renaming is refused.
    assert_eq!(workspace.change_all(replace("missing", "x")), Err(WorkspaceError::NotFound(path("missing"))));
    assert_eq!((tree(&workspace), workspace.snapshot()), (before.clone(), Snapshot(4)));
    drop(workspace);
    assert_eq!(tree(&open(&backend)), before);
}

#[test]
fn one_path_goes_back_and_the_rest_stays() {
    let workspace = Workspace::in_memory();
    for line in ["write a 1", "write d/b 2", "write a 3", "write d/b 4", "write d/c 5", "remove a", "write e 6"] {
        run(&workspace, line).unwrap();
    }
    let restored = |place: &str, snapshot| {
        workspace.restore_path(&path(place), Snapshot(snapshot)).unwrap();
        tree(&workspace).iter().map(|line| line.split(" (").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(restored("d/b", 2), ["d/", "d/b = 2", "d/c = 5", "e = 6"]);
    assert_eq!(restored("a", 3), ["a = 3", "d/", "d/b = 2", "d/c = 5", "e = 6"]);
    assert_eq!(restored("d", 4), ["a = 3", "d/", "d/b = 4", "e = 6"]);
    assert_eq!(restored("e", 1), ["a = 3", "d/", "d/b = 4"], "it was not there");
    run(&workspace, "remove d").unwrap();
    assert_eq!(restored("d/b", 2), ["a = 3", "d/", "d/b = 2"], "with its folder");
    let contents = workspace.read_at(&path("a"), Snapshot(1));
    assert_eq!(contents.as_deref(), Ok(b"1".as_slice()));
}

/// Through compactions and closing, without any history in memory, in memory alone, and when it is kept anew.
#[test]
fn a_kept_snapshot_is_never_lost() {
    for is_persistent in [true, false] {
        let backend = MemoryBackend::new();
        let limits = Limits { history_bytes: 0, ..Limits::default() };
        let reopened = || try_open_with(&backend, Options { limits, ..Options::default() }).unwrap().0;
        let mut workspace = if is_persistent { reopened() } else { Workspace::in_memory_with(limits) };
        let mut states = vec![tree(&workspace)];
        workspace.keep(Snapshot(0), "start").unwrap();
        for number in 1..=30_u64 {
            run(&workspace, &format!("write file-{} {number}", number % 4)).unwrap();
            run(&workspace, &format!("fill large {}", 5000 + number)).unwrap();
            if number % 3 == 0 {
                workspace.keep(workspace.snapshot(), &format!("turn {number}")).unwrap();
                states.push(tree(&workspace));
            }
            if number % 5 == 0 {
                assert_eq!(compact(&workspace), Ok(is_persistent));
            }
            if is_persistent && number % 7 == 0 {
                drop(workspace);
                workspace = reopened();
            }
        }
        workspace.release("turn 6").unwrap();
        assert_eq!(workspace.release("turn 6"), Err(WorkspaceError::NotKept("turn 6".into())));
        workspace.keep(workspace.snapshot(), "turn 9").unwrap();
        compact(&workspace).unwrap();
        if is_persistent {
            drop(workspace);
            workspace = reopened();
        }
        let kept = workspace.kept();
        assert_eq!(kept.len(), 10);
        let newest = tree(&workspace);
        for (name, snapshot) in kept {
            let number = name.strip_prefix("turn ").map_or(0, |number| number.parse::<usize>().unwrap());
            let expected = if number == 9 { &newest } else { &states[number / 3] };
            workspace.restore(snapshot).unwrap();
            assert_eq!(&tree(&workspace), expected, "{name}");
        }
        let gone = workspace.restore(Snapshot(12));
        assert!(matches!(gone, Err(WorkspaceError::SnapshotGone { wanted: 12, .. })), "{gone:?}");
    }
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    run(&workspace, "write a 1").unwrap();
    for name in ["", &"x".repeat(256)] {
        let refused = workspace.keep(Snapshot(1), name);
        assert!(matches!(refused, Err(WorkspaceError::CannotKeep(_))), "{refused:?}");
    }
    let gone = WorkspaceError::SnapshotGone { wanted: 9, oldest: 0, newest: 1 };
    assert_eq!(workspace.keep(Snapshot(9), "later"), Err(gone));
    for number in 0..1000 {
        workspace.keep(Snapshot(1), &number.to_string()).unwrap();
    }
    assert_eq!(workspace.keep(Snapshot(1), "more"), Err(WorkspaceError::CannotKeep("more".into())));
    workspace.keep(Snapshot(0), "999").unwrap();
    drop(workspace);
    let options = Options { access: Access::ReadOnly, ..Options::default() };
    let workspace = try_open_with(&backend, options).unwrap().0;
    assert_eq!(workspace.kept().len(), 1000);
    assert_eq!(workspace.keep(Snapshot(1), "a"), Err(WorkspaceError::ReadOnly));
    assert_eq!(workspace.release("1"), Err(WorkspaceError::ReadOnly));
}

/// A file that is edited again and again costs its edits, and opening copies no more than a few times what it reads.
#[test]
fn edits_are_short_in_the_journal_and_bounded_when_it_is_read() {
    let backend = MemoryBackend::new();
    let workspace = open(&backend);
    let file = path("large");
    let mut contents: Vec<u8> = (0..100_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    workspace.write(&file, contents.as_slice()).unwrap();
    let begun = workspace.usage().journal_bytes;
    for number in 0..90_usize {
        contents[number * 1000] ^= 0xff;
        workspace.write(&file, Contents::from(contents.as_slice())).unwrap();
    }
    let grown = workspace.usage().journal_bytes - begun;
    assert!(grown < 11 * 100_000, "every ninth is whole: {grown}");
    assert!(grown > 9 * 100_000, "which bounds the copies of opening: {grown}");
    drop(workspace);
    assert!(*open(&backend).read(&file).unwrap() == *contents);
}
