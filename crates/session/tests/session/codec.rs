//! Bytes to entries and back.

use vitrine_agent::message::Message;
use vitrine_session::entry::{Entry, Payload};
use vitrine_session::log::{Damage, LogError, Parsed, encode, parse};
use vitrine_session::tree::Tree;

const V3: &str = include_str!("files/v3.jsonl");

fn ids(parsed: &Parsed) -> Vec<&str> {
    parsed.entries.iter().map(|entry| entry.id.as_str()).collect()
}

fn branch(parsed: &Parsed) -> Vec<String> {
    let tree = Tree::new(parsed.entries.clone());
    tree.path().iter().map(|entry| entry.id.to_string()).collect()
}

#[test]
fn version_3_comes_back_byte_for_byte() {
    for file in [V3, include_str!("files/pi-1.6.jsonl")] {
        let parsed = parse(file.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(encode(&parsed.header, &parsed.entries)).unwrap(), file);
        assert_eq!(parsed.damage, Damage::default());
        assert!(parsed.ended && !parsed.migrated);
    }
}

#[test]
fn every_type_of_version_3_is_known() {
    let parsed = parse(V3.as_bytes()).unwrap();
    let kinds: Vec<_> = parsed.entries.iter().map(|entry| entry.payload.kind()).collect();
    let expected = [
        "model_change",
        "thinking_level_change",
        "message",
        "message",
        "message",
        "message",
        "usage",
        "label",
        "context_edit",
        "custom",
        "custom_message",
        "compaction",
        "session_info",
        "branch_summary",
        "from_the_future",
    ];
    assert_eq!(kinds, expected);
    let unknown: Vec<_> =
        parsed.entries.iter().filter(|entry| matches!(entry.payload, Payload::Other { .. })).collect();
    assert_eq!(unknown.iter().map(|entry| entry.id.as_str()).collect::<Vec<_>>(), ["0000000f"]);
}

/// What we write of what we read is what we read: typed fields lose nothing of a line of our own.
#[test]
fn typed_entries_encode_to_what_they_were_read_from() {
    let parsed = parse(V3.as_bytes()).unwrap();
    for entry in parsed.entries.iter().filter(|entry| !matches!(entry.payload, Payload::Other { .. })) {
        let again = Entry::new(entry.id.clone(), entry.parent_id.clone(), entry.written_at(), entry.payload.clone());
        assert_eq!(again.line, entry.line);
        assert_eq!(again, *entry);
    }
}

#[test]
fn old_versions_are_brought_up() {
    for (old, new) in [
        (include_str!("files/v1.jsonl"), include_str!("files/v1.expected.jsonl")),
        (include_str!("files/v2.jsonl"), include_str!("files/v2.expected.jsonl")),
    ] {
        let parsed = parse(old.as_bytes()).unwrap();
        assert!(parsed.migrated);
        assert_eq!(String::from_utf8(encode(&parsed.header, &parsed.entries)).unwrap(), new);
        let again = parse(new.as_bytes()).unwrap();
        assert!(!again.migrated);
        assert_eq!((again.header, again.entries), (parsed.header, parsed.entries));
    }
}

#[test]
fn later_versions_are_read() {
    for version in ["4", "99999999999", "\"next\""] {
        let file = V3.replacen("\"version\":3", &format!("\"version\":{version}"), 1);
        let parsed = parse(file.as_bytes()).unwrap();
        assert_eq!(ids(&parsed), ids(&parse(V3.as_bytes()).unwrap()), "{version}");
        assert!(!parsed.migrated);
    }
}

/// Any prefix of a log loads, with at most the last line lost.
#[test]
fn a_file_cut_anywhere_loses_at_most_its_last_line() {
    let whole = parse(V3.as_bytes()).unwrap();
    let header_end = V3.find('\n').unwrap();
    for cut in 0..=V3.len() {
        let bytes = &V3.as_bytes()[..cut];
        let parsed = parse(bytes);
        if cut < header_end {
            let expected = if cut == 0 { LogError::Empty } else { LogError::NoJson };
            assert_eq!(parsed, Err(expected), "cut at {cut}");
            continue;
        }
        let parsed = parsed.unwrap();
        // A line is whole once its last byte is there, with or without the line feed.
        let n_ended = bytes.iter().filter(|byte| **byte == b'\n').count();
        let last_is_whole = !bytes.ends_with(b"\n") && V3.as_bytes().get(cut) == Some(&b'\n');
        let n_entries = (n_ended + usize::from(last_is_whole)).saturating_sub(1);
        assert_eq!(parsed.entries, whole.entries[..n_entries], "cut at {cut}");
        let torn = !bytes.ends_with(b"\n") && !last_is_whole;
        assert_eq!(parsed.damage, Damage { n_bad_lines: usize::from(torn), torn_tail: torn }, "cut at {cut}");
    }
}

#[test]
fn what_is_no_session_is_named() {
    let message = "{\"type\":\"message\",\"id\":\"a\"}\n";
    for (bytes, expected) in [
        ("", "it is empty"),
        ("\n\n  \n", "it is empty"),
        ("PK\u{3}\u{4}", "it has no line of JSON"),
        ("42\n[]\n\"type\"\n", "it has no line of JSON"),
        ("{\n  \"type\": \"session\"\n}\n", "it has no line of JSON"),
        (message, "its first line is not a session header but an entry of type \"message\""),
        ("{\"name\":\"x\",\"version\":\"1.0\"}", "its first line is not a session header but another JSON object"),
        ("{\"type\":\"session\",\"id\":7}", "its first line is not a session header but another JSON object"),
    ] {
        let error = parse(bytes.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{bytes:?}");
    }
}

/// e06: a line of NUL bytes, half a character, a torn line followed by a blank one. e07: two records on one line, and a
/// record whose parent was lost.
#[test]
fn bad_lines_cost_only_themselves() {
    let header = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"\",\"cwd\":\"/\"}\n";
    let entry = |id: &str, parent: &str| {
        format!("{{\"type\":\"custom\",\"id\":\"{id}\",\"parentId\":{parent},\"customType\":\"}}{{\\\"\"}}")
    };
    let (a, b, c, d) = (entry("a", "null"), entry("b", "\"a\""), entry("c", "\"b\""), entry("d", "\"c\""));
    let e = entry("e", "\"c\"");
    for (name, lines, expected, path, n_bad_lines) in [
        ("nul line", format!("{a}\n\0\0\0\n{b}\n").into_bytes(), "ab", "ab", 1),
        ("half a character", [a.as_bytes(), b"\n{\"t\":\"\xc3\n\n", b.as_bytes(), b"\n"].concat(), "ab", "ab", 1),
        ("torn, then blank", format!("{a}\n{b}\n{{\"id\":3,\"t\":\"\n\n").into_bytes(), "ab", "ab", 1),
        ("glued", format!("{a}\n{b}{c}\n{d}\n").into_bytes(), "abcd", "abcd", 0),
        ("glued to a torn one", format!("{a}\n{b}{{\"type\":\"cus\n{c}\n").into_bytes(), "abc", "abc", 1),
        ("lost parent", format!("{a}\n{b}\n{{\"type\":\n{d}\n{e}\n").into_bytes(), "abde", "abe", 1),
        ("lost without a trace", format!("{a}\n{b}\n{d}\n{e}\n").into_bytes(), "abde", "abe", 0),
        ("no id", format!("{a}\n{{\"type\":\"custom\"}}\n{b}\n").into_bytes(), "ab", "ab", 1),
        ("CR and U+2028", format!("{a}\r\n{}\r\n", b.replace("}{", "\u{2028}")).into_bytes(), "ab", "ab", 0),
        ("itself as parent", format!("{a}\n{}\n{}\n", entry("b", "\"b\""), c).into_bytes(), "abc", "bc", 0),
        (
            "a circle",
            format!("{a}\n{}\n{}\n{}\n", entry("b", "\"d\""), c, entry("d", "\"c\"")).into_bytes(),
            "abcd",
            "bcd",
            0,
        ),
        ("one id twice", format!("{a}\n{b}\n{b}\n{c}\n").into_bytes(), "abbc", "abc", 0),
    ] {
        let parsed = parse(&[header.as_bytes(), &lines].concat()).unwrap();
        assert_eq!(ids(&parsed).concat(), expected, "{name}");
        assert_eq!(branch(&parsed).concat(), path, "{name}");
        assert_eq!(parsed.damage.n_bad_lines, n_bad_lines, "{name}");
    }
}

/// A file that was saved on Windows: the CR belongs to the line's end, and U+2028 to no end at all.
#[test]
fn only_lf_ends_a_line() {
    let file = V3.replace('\n', "\r\n");
    let parsed = parse(file.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(encode(&parsed.header, &parsed.entries)).unwrap(), V3);
}

/// JavaScript writes half a surrogate pair as an escape that no Rust string can hold.
#[test]
fn a_message_with_half_a_character_is_read_and_kept() {
    let text = r#""\\ud83d \ud83d\ude00 \uD83D x \ude00\"""#;
    for content in [text.to_owned(), format!(r#"[{{"type":"text","text":{text}}}]"#)] {
        let line = format!(r#"{{"type":"message","id":"a","message":{{"role":"user","content":{content}}}}}"#);
        let entry = Entry::parse(&line).unwrap();
        assert_eq!(&*entry.line, line);
        let message = entry.message().expect("it is still a message");
        let Message::User(user) = &**message else { panic!("a user's") };
        assert_eq!(user.content.text(), "\\ud83d 😀 \u{fffd} x \u{fffd}\"");
    }
}

/// A model may spread its arguments over lines; the log may not.
#[test]
fn line_feeds_between_tokens_do_not_end_a_line() {
    let json = vitrine_agent::json::Json::parse("{\n  \"text\": \"a\\nb\",\r\n  \"n\": 1\n}").unwrap();
    let custom = vitrine_session::entry::Custom { custom_type: "x".to_owned(), data: Some(json.clone()) };
    let entry = Entry::new("a".into(), None, 0, Payload::Custom(custom));
    assert!(!entry.line.contains(['\n', '\r']));
    let Payload::Custom(read) = Entry::parse(&entry.line).unwrap().payload else { panic!("custom") };
    assert_eq!(read.data.unwrap().to_value(), json.to_value());
}

/// Neither length nor depth nor an unlucky shape makes reading slow: each file here has a megabyte or more, and a quadratic
/// reader would not come back within the test's patience.
#[test]
fn hostile_files_are_linear() {
    let header = "{\"type\":\"session\",\"id\":\"s\",\"version\":3}\n";
    let n = 50_000;
    let mut chain = header.to_owned();
    let mut lost = format!("{header}bad\n");
    let mut circles = header.to_owned();
    for i in 0..n {
        chain.push_str(&format!("{{\"type\":\"x\",\"id\":\"{}\",\"parentId\":\"{i}\"}}\n", i + 1));
        lost.push_str(&format!("{{\"type\":\"x\",\"id\":\"{i}\",\"parentId\":\"p{i}\"}}\n"));
        circles.push_str(&format!("{{\"type\":\"x\",\"id\":\"{i}\",\"parentId\":\"{}\"}}\n", (i + 1) % n));
    }
    let deep = format!("{header}{}\n", "{\"a\":".repeat(1_000_000));
    let deeper = format!("{header}{{\"type\":\"custom\",\"id\":\"a\",\"data\":{}{}}}\n", "[".repeat(n), "]".repeat(n));
    let glued = format!("{header}{}\n", "{\"type\":\"x\",\"id\":\"a\"}".repeat(n));
    for (name, file, n_entries, n_branch) in [
        ("chain", chain, n, n),
        ("lost parents", lost, n, n),
        ("circle", circles, n, 2),
        ("deep and torn", deep, 0, 0),
        ("glued", glued, n, 1),
        ("slashes", format!("{header}{}\n", "\\".repeat(1_000_000)), 0, 0),
        ("braces", format!("{header}{}\n", "{".repeat(1_000_000)), 0, 0),
    ] {
        let parsed = parse(file.as_bytes()).unwrap();
        assert_eq!((parsed.entries.len(), branch(&parsed).len()), (n_entries, n_branch), "{name}");
    }
    assert!(parse(deeper.as_bytes()).unwrap().entries.len() <= 1);
}
