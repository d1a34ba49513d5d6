//! The lessons of the site: each can be read in each language, and the list names them all.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use vitrine_teach::{languages, list, read};

const TOOLS: [&str; 7] = ["read", "bash", "edit", "write", "grep", "find", "ls"];

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www/lessons")
}

fn texts() -> Vec<(String, String)> {
    let entries = fs::read_dir(folder()).expect("the lessons");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let lessons = names.filter(|name| name.ends_with(".json") && name != "index.json" && !name.contains("schema"));
    lessons.map(|name| (name.clone(), fs::read_to_string(folder().join(&name)).expect("a lesson"))).collect()
}

#[test]
fn every_lesson_can_be_read_in_both_languages() {
    let texts = texts();
    assert!(texts.len() >= 13, "{}", texts.len());
    for (name, text) in &texts {
        assert_eq!(languages(text), ["en", "zh"], "{name}");
        for lang in ["en", "zh"] {
            let lesson = read(text, lang, &TOOLS).unwrap_or_else(|problems| panic!("{name}, {lang}:\n{problems}"));
            assert_eq!(format!("{}.json", lesson.id), *name);
            assert!(!lesson.solution.is_empty(), "{name} has a solution");
            assert!(lesson.minutes.is_some_and(|minutes| minutes <= 5), "{name} takes at most five minutes");
        }
    }
}

#[test]
fn the_list_names_every_lesson_as_it_names_itself() {
    let index = fs::read_to_string(folder().join("index.json")).expect("the list");
    let mut listed = BTreeSet::new();
    for lang in ["en", "zh"] {
        for info in list(&index, lang).expect("a list") {
            let text = fs::read_to_string(folder().join(format!("{}.json", info.id))).expect("a lesson that is listed");
            let lesson = read(&text, lang, &TOOLS).unwrap_or_else(|problems| panic!("{}: {problems}", info.id));
            assert_eq!((info.title, info.about, info.minutes), (lesson.title, lesson.about, lesson.minutes));
            listed.insert(format!("{}.json", info.id));
        }
    }
    assert_eq!(listed, texts().into_iter().map(|(name, _)| name).collect());
}

#[test]
fn the_published_schema_takes_what_is_read_and_nothing_else() {
    let schema: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder().join("lesson.schema.json")).expect("the schema"))
            .expect("JSON");
    let schema = vitrine_schema::Schema::compile(&schema).expect("a schema");
    for (name, text) in texts() {
        let lesson: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(schema.explain(&lesson), Vec::<String>::new(), "{name}");
        let mut wrong = lesson.clone();
        wrong["steps"][0]["colour"] = "red".into();
        assert_ne!(schema.explain(&wrong), Vec::<String>::new(), "{name}");
        assert!(read(&wrong.to_string(), "en", &TOOLS).is_err(), "{name}");
    }
}
