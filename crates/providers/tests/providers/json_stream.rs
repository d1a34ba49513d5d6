//! Streaming JSON (`cases/json_stream.jsonl`) and final arguments (`cases/arguments.jsonl`).

use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_providers::json_stream::{JsonStream, parse_tool_call_arguments, repair_json};

fn cases(file: &str) -> impl Iterator<Item = Value> {
    file.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn read_in_pieces<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Value {
    let mut stream = JsonStream::new();
    for piece in pieces {
        stream.push(piece);
        stream.to_value();
    }
    stream.to_value()
}

#[test]
fn a_prefix_shows_what_it_has_however_it_is_cut() {
    for case in cases(include_str!("../cases/json_stream.jsonl")) {
        let text = case["text"].as_str().unwrap();
        assert_eq!(read_in_pieces([text]), case["value"], "{text}");
        for (cut, _) in text.char_indices() {
            assert_eq!(read_in_pieces([&text[..cut], &text[cut..]]), case["value"], "{text} cut at {cut}");
        }
        let letters = text.char_indices().map(|(at, sign)| &text[at..at + sign.len_utf8()]);
        assert_eq!(read_in_pieces(letters), case["value"], "{text} letter by letter");
    }
}

/// Whatever is valid reads as a strict parser reads it, and its end is noticed.
#[test]
fn a_whole_value_is_the_value() {
    let value = json!({
        "path": "a/b.txt", "n": -12.5, "list": [1, [2, {"x": null}], "", true, false], "empty": {}, "none": [],
        "text": "quote \" backslash \\ line\n tab\t nul\u{0} \u{1f600}", "": {"": ""}
    });
    for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
        let mut stream = JsonStream::new();
        for at in 0..text.len() {
            assert!(!stream.is_complete());
            if text.is_char_boundary(at) {
                let next = text[at..].chars().next().unwrap();
                stream.push(&text[at..at + next.len_utf8()]);
            }
        }
        assert!(stream.is_complete());
        assert_eq!(stream.to_value(), value);
        assert_eq!(stream.text_at("path"), Some("a/b.txt"));
        assert_eq!((stream.text_at("n"), stream.text_at("no")), (None, None));
    }
}

#[test]
fn an_open_string_can_be_looked_at_in_place() {
    let mut stream = JsonStream::new();
    stream.push("{\"path\":\"a\",\"content\":\"one\\ntw");
    assert_eq!(stream.text_at("content"), Some("one\ntw"));
    stream.push("o\\u00");
    assert_eq!(stream.text_at("content"), Some("one\ntwo"));
    stream.push("e9\"}");
    assert_eq!(stream.text_at("content"), Some("one\ntwo\u{e9}"));
}

/// Linear: four times the text in one-byte pieces is about four times the work. Counted in work, not in time: every piece
/// is looked at through `text_at`, which copies nothing, so a quadratic reader would not end.
#[test]
fn long_and_deep_input_is_read_and_bounded() {
    let mut stream = JsonStream::new();
    stream.push("{\"content\":\"");
    for _ in 0..2_000_000 {
        stream.push("x");
    }
    assert_eq!(stream.text_at("content").map(str::len), Some(2_000_000));

    let mut deep = JsonStream::new();
    for _ in 0..200_000 {
        deep.push("{\"a\":[");
    }
    for _ in 0..200_000 {
        deep.push("]}");
    }
    assert!(deep.is_complete());
    assert!(deep.to_value().is_object());
}

#[test]
fn final_arguments_are_the_object_or_a_refusal_that_shows_the_text() {
    for case in cases(include_str!("../cases/arguments.jsonl")) {
        let text = case["text"].as_str().unwrap();
        let (arguments, error) = parse_tool_call_arguments(text);
        match case.get("value") {
            Some(value) => assert_eq!((arguments.to_value(), error), (value.clone(), None), "{text}"),
            None => {
                let error = error.unwrap_or_else(|| panic!("{text} was accepted as {arguments:?}"));
                assert_eq!(arguments, Json::empty_object(), "{text}");
                assert!(error.contains(case["refused"].as_str().unwrap()), "{text}: {error}");
                assert!(error.ends_with(&format!("\n\nReceived arguments:\n{text}")), "{text}: {error}");
            }
        }
    }
}

/// Never a prefix: no cut of an object is accepted.
#[test]
fn no_proper_prefix_of_an_object_is_accepted() {
    let text = r#"{"path":"a\nb","edits":[{"old":"x","new":"y"},{"n":1.5e3}],"flag":true}"#;
    for cut in 1..text.len() {
        let (arguments, error) = parse_tool_call_arguments(&text[..cut]);
        assert_eq!(arguments, Json::empty_object());
        assert!(error.is_some_and(|error| error.starts_with("Tool arguments cut off: ")), "{}", &text[..cut]);
    }
}

#[test]
fn arguments_keep_the_models_own_spelling() {
    let text = r#"{"b":1,"a":12345678901234567890.10}"#;
    assert_eq!(parse_tool_call_arguments(text).0.as_str(), text);
}

#[test]
fn repair_leaves_valid_json_alone() {
    let text = r#"{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00","b":[1, 2]}"#;
    assert_eq!(repair_json(text), text);
}

/// Damaged text: nothing panics, the cuts do not matter, and what is accepted in the end is JSON.
#[test]
fn damaged_json_reads_the_same_however_it_is_cut() {
    let mut random = crate::Random(7);
    let text = r#"{"path":"a\n\u00e9\ud83d\ude00","edits":[{"old":"x","new":"y"},[1.5e3,-2,true,null]],"flag":false}"#;
    for _ in 0..3000 {
        let mut text = text.as_bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => text.truncate(at + 1),
                1 => text[at] = b"{}[]\",:\\0u-etfn \n"[random.below(17)],
                _ => drop(text.remove(at)),
            }
            if text.is_empty() {
                text.push(b'{');
            }
        }
        let text = String::from_utf8(text).unwrap();
        let whole = read_in_pieces([text.as_str()]);
        let letters = text.char_indices().map(|(at, sign)| &text[at..at + sign.len_utf8()]);
        assert_eq!(read_in_pieces(letters), whole, "{text}");
        let (arguments, error) = parse_tool_call_arguments(&text);
        assert!(arguments.to_value().is_object(), "{text}");
        if error.is_none() {
            // A whole number with a fraction of nothing is shown as JavaScript shows it.
            let plain = |value: Value| value.to_string().replace(".0", "");
            assert_eq!(plain(read_in_pieces([arguments.as_str()])), plain(arguments.to_value()), "{text}");
        }
    }
}
