//! Agreement with the public JSON Schema test suite, where a copy of it is at hand.
//!
//! `VITRINE_VECTORS` names a folder with `jsonschema-draft7.jsonl` and `jsonschema-draft2020-12.jsonl`, one
//! `{schema, data, valid}` a line. Without it the test says that it was skipped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use std::path::Path;

use serde_json::{Value, json};
use vitrine_schema::Schema;

/// Texts of the cases where we disagree on purpose, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("http://localhost:1234/", "refers to a document on a server, and nothing is fetched"),
    ("string is only an annotation by default", "formats are checked, as the model is told of them"),
];

fn run(folder: &Path, file: &str, dialect: &str) {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let (mut passed, mut total, mut failed) = (0, 0, Vec::new());
    for (index, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let mut schema = case["schema"].clone();
        if let Some(object) = schema.as_object_mut() {
            object.entry("$schema").or_insert(json!(dialect));
        }
        total += 1;
        let found = Schema::compile(&schema).map(|schema| schema.is_valid(&case["data"]));
        if found.as_ref().is_ok_and(|valid| case["valid"] == *valid) {
            passed += 1;
        } else if let Some((_, reason)) = EXCEPTIONS.iter().find(|(part, _)| line.contains(part)) {
            println!("{file}:{}: excepted: {reason}", index + 1);
        } else {
            failed.push(format!("{}: {found:?} {line}", index + 1));
        }
    }
    println!("{file}: {passed} of {total}");
    assert!(failed.is_empty(), "{file}:\n{}", failed.join("\n"));
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
