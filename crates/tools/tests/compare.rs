//! Two versions of a file as a patch: what `edit` says of its own changes, for anybody's.

use vitrine_tools::compare::{Budget, Comparison, Version, compare};

fn of(before: Option<&[u8]>, after: Option<&[u8]>) -> Comparison {
    let version = |contents| Version { path: "f", contents };
    compare(version(before), version(after), &mut Budget::default())
}

/// Before, after, and what is made of them.
type Case<'a> = (Option<&'a [u8]>, Option<&'a [u8]>, Comparison);

#[test]
fn a_patch_says_what_changed_and_what_cannot_be_shown_says_why() {
    let lines = |count: usize, changed: usize| -> Vec<u8> {
        let line = |n: usize| if n == changed { "changed\n".to_owned() } else { format!("{n}\n") };
        (1..=count).map(line).collect::<String>().into_bytes()
    };
    let huge = vec![b'x'; (4 << 20) + 1];
    let long = "line\n".repeat(300_000).into_bytes();
    let patch = |text: &str| Comparison::Patch(text.to_owned());
    let in_the_middle = "--- f\n+++ f\n@@ -6,9 +6,9 @@\n 6\n 7\n 8\n 9\n-10\n+changed\n 11\n 12\n 13\n 14\n";
    let cases: [Case<'_>; 13] = [
        (Some(b"a\n"), Some(b"b\n"), patch("--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n+b\n")),
        (None, Some(b"a\nb\n"), patch("--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n")),
        (Some(b"a\n"), None, patch("--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n")),
        (Some(b"a"), Some(b"a\n"), patch("--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n")),
        // Endings of lines are a part of them.
        (Some(b"a\r\n"), Some(b"a\n"), patch("--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\r\n+a\n")),
        (Some(&lines(20, 0)), Some(&lines(20, 10)), patch(in_the_middle)),
        (Some(b"same"), Some(b"same"), patch("")),
        (None, Some(b""), patch("")),
        (Some(b"a\0"), Some(b"a"), Comparison::Binary),
        (None, Some(b"caf\xe9"), Comparison::Binary),
        (Some(&huge), Some(b"a"), Comparison::TooLarge),
        (None, Some(&huge), Comparison::TooLarge),
        // The files may be compared, but what comes of it is too long.
        (None, Some(&long), Comparison::TooLarge),
    ];
    for (number, (before, after, expected)) in cases.into_iter().enumerate() {
        assert_eq!(of(before, after), expected, "case {number}");
    }
}

#[test]
fn what_many_comparisons_cost_together_is_bounded() {
    let text = "a line of a file\n".repeat(100_000);
    let other = format!("{text}one more\n");
    let mut budget = Budget::default();
    let mut outcomes = (0..40).map(|_| {
        let before = Version { path: "f", contents: Some(text.as_bytes()) };
        let after = Version { path: "f", contents: Some(other.as_bytes()) };
        compare(before, after, &mut budget)
    });
    let shown = outcomes.by_ref().take_while(|outcome| matches!(outcome, Comparison::Patch(_))).count();
    assert!((2..40).contains(&shown), "{shown}");
    assert!(outcomes.all(|outcome| outcome == Comparison::TooLarge));
}
