//! What of a folder counts.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect should stop")]

use vitrine_folder::{Judge, Left, Limits, Refusal, Why};

const LIMITS: Limits = Limits { entries: 100, file_bytes: 10, total_bytes: 25 };

#[test]
fn names_that_are_no_path_and_what_is_made_are_left_out() {
    let long = "n".repeat(256);
    let cases = [
        ("", "a", None),
        ("a/b", "c.txt", None),
        ("", "名字 😀", None),
        ("", ".gitignore", None),
        ("", "node_modules.txt", None),
        ("", "n".repeat(255).as_str(), None),
        ("", ".git", Some(Why::Ignored)),
        ("a", "node_modules", Some(Why::Ignored)),
        ("a", ".DS_Store", Some(Why::Ignored)),
        ("", "..", Some(Why::Name)),
        ("", "a\\b", Some(Why::Name)),
        ("", "a\nb", Some(Why::Name)),
        ("", "a\0", Some(Why::Name)),
        ("", &long, Some(Why::Name)),
    ]
    .map(|(folder, name, why)| (folder.to_owned(), name.to_owned(), why));
    for (folder, name, why) in cases {
        let mut judge = Judge::new(LIMITS, false);
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let entered = judge.enter(&folder, &name).unwrap();
        assert_eq!(entered, why.is_none().then(|| path.clone()), "{path:?}");
        assert_eq!(judge.into_left(), why.map(|why| Left { path, why }).into_iter().collect::<Vec<_>>());
    }
    let mut asked = Judge::new(LIMITS, true);
    assert_eq!(asked.enter("", ".git"), Ok(Some(".git".to_owned())));
    assert_eq!(asked.enter("", ".."), Ok(None));
    assert!(asked.minds("node_modules/x") && !Judge::new(LIMITS, false).minds("a/node_modules/x"));
    let deep = vec!["d"; 100].join("/");
    assert_eq!(Judge::new(LIMITS, false).enter(&deep, "x"), Ok(None));
}

#[test]
fn limits_end_the_walk() {
    let mut judge = Judge::new(Limits { entries: 2, ..LIMITS }, false);
    // What is left out counts as well: a folder of a million ignored files would be walked otherwise.
    assert_eq!(judge.enter("", ".git"), Ok(None));
    assert_eq!(judge.enter("", "a"), Ok(Some("a".to_owned())));
    assert_eq!(judge.enter("", "b"), Err(Refusal::Entries(2)));

    let mut judge = Judge::new(LIMITS, false);
    assert_eq!(judge.weigh("a", 10), Ok(true));
    // Larger than a file may be: left out, and its bytes with it.
    assert_eq!(judge.weigh("b", 11), Ok(false));
    assert_eq!(judge.weigh("c", 10), Ok(true));
    assert_eq!(judge.weigh("d", 5), Ok(true));
    assert_eq!(judge.weigh("e", 1), Err(Refusal::TotalSize(25)));
    assert_eq!(judge.into_left(), [Left { path: "b".to_owned(), why: Why::TooLarge }]);
}
