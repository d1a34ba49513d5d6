//! The table of claims tells the truth: forty rows, and each names a test or a lesson that is there, or says that it is open.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test that meets what it does not expect should stop")]

use std::fs;
use std::path::Path;

fn text_of(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_claim_is_driven_by_what_is_there_or_is_open() {
    let table = text_of("docs/claims.md");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| #"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    let mut wrong = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let [number, .., driven] = row.as_slice() else { panic!("a row of four: {row:?}") };
        assert_eq!((row.len(), *number), (4, (at + 1).to_string().as_str()), "{row:?}");
        if driven.starts_with("**open**") {
            continue;
        }
        for part in parts(driven) {
            let is_there = match part.split_once(": \"") {
                Some((file, name)) => {
                    let name = name.trim_end_matches('"');
                    text_of(&format!("tests/browser/{file}.test.mjs")).contains(&format!("test(\"{name}"))
                }
                None => {
                    let id = part.strip_prefix("lesson `").and_then(|rest| rest.strip_suffix('`'));
                    id.is_some_and(|id| {
                        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("www/lessons/{id}.json")).exists()
                    })
                }
            };
            if !is_there {
                wrong.push(format!("claim {number}: {part}"));
            }
        }
    }
    assert_eq!(rows.len(), 40);
    assert_eq!(wrong, Vec::<String>::new());
}

/// What drives a claim, one by one. The name of a test may have a semicolon in it.
fn parts(driven: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (at, letter) in driven.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ';' if !is_quoted => {
                parts.extend(driven.get(start..at));
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.extend(driven.get(start..));
    parts
}
