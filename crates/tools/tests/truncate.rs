//! Cutting texts to size: what is kept, and what is said of it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use serde_json::{Value, json};
use vitrine_tools::truncate::{Encoding, Limits, Truncation, format_size, head, head_of_bytes, line, tail};

/// `[how, text, lines, bytes, content, by, total lines, output lines, flags]`.
fn check(case: &Value) {
    let (how, text) = (case[0].as_str().unwrap(), case[1].as_str().unwrap());
    let number = |index: usize| case[index].as_u64().unwrap() as usize;
    let limits = Limits { lines: number(2), bytes: number(3) };
    let content = case[4].as_str().unwrap();
    let flags: Vec<&str> = case[8].as_array().unwrap().iter().map(|flag| flag.as_str().unwrap()).collect();
    let expected = json!({
        "content": content,
        "truncated": !case[5].is_null(),
        "truncatedBy": case[5],
        "totalLines": case[6],
        "totalBytes": text.len(),
        "outputLines": case[7],
        "outputBytes": content.len(),
        "lastLinePartial": flags.contains(&"lastLinePartial"),
        "firstLineExceedsLimit": flags.contains(&"firstLineExceedsLimit"),
        "maxLines": limits.lines,
        "maxBytes": limits.bytes,
    });
    let found = if how == "head" { head(text, limits) } else { tail(text, limits) };
    assert_eq!(serde_json::to_value(&found).unwrap(), expected, "{case}");
    if how == "head" {
        assert_eq!(head_of_bytes(text.as_bytes(), limits), (found, Encoding::Utf8), "{case}");
    }
}

#[test]
fn head_and_tail() {
    for case in serde_json::Deserializer::from_str(include_str!("cases/truncate.jsonl")).into_iter::<Value>() {
        check(&case.unwrap());
    }
}

/// What the head of any text is: the longest run of whole lines from its start within both limits.
fn longest_head(text: &str, limits: Limits) -> Truncation {
    let whole = head(text, Limits { lines: usize::MAX, bytes: usize::MAX });
    let whole = Truncation { max_lines: limits.lines, max_bytes: limits.bytes, ..whole };
    if whole.total_lines <= limits.lines && text.len() <= limits.bytes {
        return whole;
    }
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let fits = |count: &usize| *count <= limits.lines && lines[..*count].join("\n").len() <= limits.bytes;
    let kept = (0..=lines.len()).rev().find(fits).unwrap();
    let content = if kept == 0 { String::new() } else { lines[..kept].join("\n") };
    Truncation {
        truncated: true,
        truncated_by: head(text, limits).truncated_by,
        output_lines: kept,
        output_bytes: content.len(),
        first_line_exceeds_limit: lines[0].len() > limits.bytes,
        content,
        ..whole
    }
}

#[test]
fn the_head_of_every_small_text_is_the_longest_that_fits() {
    let alphabet = ['a', '\n', 'é'];
    let mut texts = vec![String::new()];
    for length in 0..6 {
        let longer: Vec<String> = texts
            .iter()
            .filter(|text| text.chars().count() == length)
            .flat_map(|text| alphabet.iter().map(move |character| format!("{text}{character}")))
            .collect();
        texts.extend(longer);
    }
    for text in &texts {
        for lines in 1..4 {
            for bytes in 1..8 {
                let limits = Limits { lines, bytes };
                let found = head(text, limits);
                assert_eq!(found, longest_head(text, limits), "{text:?} {limits:?}");
                assert_eq!(head_of_bytes(text.as_bytes(), limits).0, found, "{text:?} {limits:?}");
            }
        }
    }
}

#[test]
fn bytes_that_are_no_utf8_are_shown_with_replacements() {
    let limits = Limits { lines: 10, bytes: 8 };
    let (found, encoding) = head_of_bytes(b"caf\xe9\nx\n", limits);
    assert_eq!((found.content.as_str(), found.truncated, encoding), ("caf\u{fffd}\nx", true, Encoding::Other));
    let (found, encoding) = head_of_bytes("caf\u{e9}\n0123456789".as_bytes(), limits);
    assert_eq!((found.content.as_str(), encoding), ("caf\u{e9}", Encoding::Utf8));
    // A character that lies across the end of what can be shown is not damage.
    let (found, encoding) = head_of_bytes("a\n23456\u{20ac}\n".as_bytes(), limits);
    assert_eq!((found.content.as_str(), encoding), ("a", Encoding::Utf8));
}

#[test]
fn lines_are_cut_between_characters() {
    let cases = [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc... [truncated]"),
        // d13: a character of two units is kept whole or not at all.
        ("ab\u{1f642}cd", 3, "ab... [truncated]"),
        ("ab\u{1f642}", 4, "ab\u{1f642}"),
        ("", 0, ""),
    ];
    for (text, max, expected) in cases {
        assert_eq!(line(text, max), expected, "{text:?} {max}");
    }
}

#[test]
fn sizes_have_one_decimal_with_halves_up() {
    let cases = [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1.0KB"),
        (1280, "1.3KB"),
        (51_200, "50.0KB"),
        (60_000, "58.6KB"),
        (1_048_575, "1024.0KB"),
        (1_048_576, "1.0MB"),
        (4_718_592, "4.5MB"),
        (300_000_000, "286.1MB"),
        (5_000_000_000, "4768.4MB"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(format_size(bytes), expected);
    }
}
