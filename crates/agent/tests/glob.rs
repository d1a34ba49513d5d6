//! The path glob of breakpoints.

use vitrine_agent::gate::glob::matches;

#[test]
fn globs_match_paths() {
    for (glob, path, expected) in [
        ("a.txt", "a.txt", true),
        ("a.txt", "b.txt", false),
        ("", "", true),
        ("", "a", false),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("docs/a?c", "docs/a/c", false),
        ("src/*.rs", "src/a.rs", true),
        ("src/*.rs", "src/.rs", true),
        ("src/*.rs", "src/a/b.rs", false),
        ("src/**", "src/a/b.rs", true),
        ("src/**", "src", false),
        ("**/a.rs", "a.rs", true),
        ("**/a.rs", "x/y/a.rs", true),
        ("**/a.rs", "x/ya.rs", false),
        ("src/**/b.rs", "src/b.rs", true),
        ("src/**/b.rs", "src/x/y/b.rs", true),
        ("src/**/b.rs", "src/xb.rs", false),
        ("src/**/*.rs", "src/a/b.rs", true),
        // Without a slash it is about the name.
        ("*.md", "docs/x/a.md", true),
        ("a.md", "docs/a.md", true),
        ("a.md", "docs/ba.md", false),
        // A leading ./ means nothing.
        ("./src/*.rs", "src/a.rs", true),
        ("src/*.rs", "./src/a.rs", true),
        ("/w/**/*.md", "/w/a.md", true),
        ("文/?.md", "文/档.md", true),
        ("[a]", "a", false),
    ] {
        assert_eq!(matches(glob, path), expected, "{glob} on {path}");
    }
}

#[test]
fn a_hostile_glob_takes_no_time() {
    let (glob, path) = ("**/*a".repeat(200), "a/".repeat(2_000));
    assert!(!matches(&glob, &path));
}
