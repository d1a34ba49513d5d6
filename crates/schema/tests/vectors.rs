//! Agreement with the public JSON Schema test suite, where a copy of it is at hand.
//!
//! `VITRINE_VECTORS` names a folder with `jsonschema-draft7.jsonl` and `jsonschema-draft2020-12.jsonl`, one
//! `{schema, data, valid}` a line. Without it the test says that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use vitrine_schema::Schema;

fn run(folder: &Path, file: &str, dialect: &str) {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let (mut total, mut failed) = (0, BTreeSet::new());
    for (index, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let mut schema = case["schema"].clone();
        if let Some(object) = schema.as_object_mut() {
            object.entry("$schema").or_insert(json!(dialect));
        }
        total += 1;
        let found = Schema::compile(&schema).map(|schema| schema.is_valid(&case["data"]));
        if !found.as_ref().is_ok_and(|valid| case["valid"] == *valid) {
            failed.insert(index + 1);
        }
    }
    println!("{file}: {} of {total}", total - failed.len());
    // Exactly those on the list: a case that passes after all leaves it.
    assert_eq!(failed, disagreements(file), "{file}");
}

/// The lines of a file where we disagree on purpose, from `cases/disagreements.txt`.
fn disagreements(file: &str) -> BTreeSet<usize> {
    let mut wanted = false;
    let mut lines = BTreeSet::new();
    for line in include_str!("cases/disagreements.txt").lines() {
        match line.strip_prefix("file ") {
            Some(name) => wanted = name == file,
            None if wanted => lines.extend(line.split(' ').filter_map(|number| number.parse::<usize>().ok())),
            None => {}
        }
    }
    lines
}

#[test]
fn public_vectors() {
    let Some(folder) = std::env::var_os("VITRINE_VECTORS") else {
        println!("skipped: public_vectors (set VITRINE_VECTORS to a folder with the JSON Schema vectors)");
        return;
    };
    let folder = Path::new(&folder);
    run(folder, "jsonschema-draft7.jsonl", "http://json-schema.org/draft-07/schema#");
    run(folder, "jsonschema-draft2020-12.jsonl", "https://json-schema.org/draft/2020-12/schema");
}
