//! What is wrong with a lesson is said with the line, the place and what would be right.

use serde_json::json;
use vitrine_teach::{MAX_BYTES, read};

fn problems(text: &str) -> String {
    read(text, "en", &["read", "ls"]).map_or_else(|problems| problems.to_string(), |_| "fine".to_owned())
}

/// A lesson with one line replaced.
fn with(line: &str, by: &str) -> String {
    let text = r#"{
 "id": "l",
 "title": {"en": "T", "zh": "题"},
 "prompt": {"en": "P", "zh": "问"},
 "tools": ["read"],
 "model": {"turns": [{"text": "A"}]},
 "steps": [
  {"id": "a", "text": "t"},
  {"id": "b", "text": "t", "question": {"ask": "?", "options": ["x", "y"], "answer": 1}}
 ],
 "goal": {"text": "G", "check": [{"text": "c", "answer": "b"}]}
}"#;
    assert!(text.contains(line), "{line}");
    text.replace(line, by)
}

#[test]
fn a_good_lesson_is_fine() {
    assert_eq!(problems(&with("\"l\"", "\"l\"")), "fine");
}

#[test]
fn each_fault_is_named_with_its_line() {
    for (line, by, expected) in [
        ("\"id\": \"l\",", "\"id\": \"l\"", "line 3: no JSON"),
        ("\"id\": \"l\"", "\"id\": \"No Spaces\"", "line 2: id: "),
        (" \"prompt\": {\"en\": \"P\", \"zh\": \"问\"},\n", "", "line 1: missing field `prompt`"),
        (
            "{\"id\": \"a\", \"text\": \"t\"}",
            "{\"id\": \"a\", \"text\": \"t\", \"at\": {\"event\": \"turn_begin\"}}",
            "line 8: steps.0.at.event: unknown variant `turn_begin`, expected one of `agent_start`",
        ),
        ("{\"id\": \"a\", \"text\": \"t\"}", "{\"id\": \"a\"}", "line 8: steps.0: missing field `text`"),
        (
            "{\"id\": \"a\", \"text\": \"t\"}",
            "{\"id\": \"b\", \"text\": \"t\"}",
            "line 9: steps.1.id: there is another step \"b\"",
        ),
        ("\"answer\": 1", "\"answer\": 2", "line 9: steps.1.question.answer: there are 2 options, counted from 0"),
        ("\"answer\": \"b\"", "\"answer\": \"a\"", "line 11: goal.check.0.answer: no step \"a\" has a question"),
        ("[\"read\"]", "[\"red\"]", "line 5: tools.0: there is no tool \"red\"; there are read, ls"),
        ("\"tools\"", "\"files\": {\"../up.txt\": \"\"}, \"tools\"", "line 5: files.../up.txt: "),
        (", \"zh\": \"问\"", "", "line 4: prompt: the text in `zh` is missing"),
        ("\"id\": \"l\"", "\"colour\": \"red\", \"id\": \"l\"", "unknown field `colour`, expected one of"),
    ] {
        let said = problems(&with(line, by));
        assert!(said.contains(expected), "{by}: {said}");
    }
}

#[test]
fn a_lesson_that_is_too_large_or_too_deep_is_refused() {
    let large = json!({"id": "l", "title": "x".repeat(MAX_BYTES)}).to_string();
    assert!(problems(&large).starts_with("line 1: a lesson of "), "{}", problems(&large));
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(problems(&deep).starts_with("line 1: no JSON: "), "{}", problems(&deep));
}

#[test]
fn everything_that_is_wrong_is_listed_at_once() {
    let said = problems(&with("\"answer\": 1", "\"answer\": 7").replace("[\"read\"]", "[\"red\", \"blue\"]"));
    assert_eq!(said.lines().count(), 3, "{said}");
}
