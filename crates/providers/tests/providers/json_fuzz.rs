//! Random JSON, whole and damaged, cut at random.
//!
//! It runs for a moment; `VITRINE_FUZZ_SECONDS` makes it go on with new seeds for as long. A failure names its seed; the seed
//! goes into `cases/json_stream.seeds`, whose seeds always run.

use std::fmt::Write;

use serde_json::Value;
use vitrine_providers::json_stream::parse_tool_call_arguments;

use crate::Random;
use crate::json_receiver::same_after_every_piece;

#[test]
fn changes_make_the_snapshot_whatever_the_text_and_its_cuts() {
    for seed in include_str!("../cases/json_stream.seeds").lines().filter_map(|line| line.parse().ok()) {
        check(seed);
    }
    let first = 1_000_000;
    (first..first + 500).for_each(check);
    let Some(seconds): Option<u64> = std::env::var("VITRINE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok())
    else {
        return;
    };
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let (begun, start): (u64, u64) = (now(), now() << 24);
    let mut seed = start;
    while now() < begun + seconds {
        check(seed);
        seed += 1;
    }
    println!("{} texts", seed - start);
}

fn check(seed: u64) {
    let failed = std::panic::catch_unwind(|| one(&mut Random(seed))).is_err();
    assert!(!failed, "seed {seed} failed: add it to cases/json_stream.seeds");
}

fn one(random: &mut Random) {
    let mut text = String::new();
    value(random, 0, true, &mut text);
    let is_damaged = random.below(2) == 0;
    let whole: Option<Value> = serde_json::from_str(&text).ok();
    if is_damaged {
        text = damaged(random, &text);
    }
    let pieces = cut(random, &text);
    let shown = same_after_every_piece(pieces.iter().copied());
    assert_eq!(same_after_every_piece([text.as_str()]), shown, "{text}");
    let (arguments, error) = parse_tool_call_arguments(&text);
    assert!(arguments.to_value().is_object(), "{text}");
    if let Some(whole) = whole.filter(|_| !is_damaged) {
        assert_eq!(shown_of(&shown, 0), shown_of(&whole, 0), "{text}");
        assert_eq!((arguments.to_value(), error), (whole, None), "{text}");
    }
}

/// What is shown of a value: no container deeper than 100 levels, all numbers alike.
fn shown_of(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) if depth >= 100 => Value::Null,
        Value::Number(number) => number.as_f64().map_or(Value::Null, Value::from),
        Value::Array(items) => items.iter().map(|item| shown_of(item, depth + 1)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), shown_of(value, depth + 1))).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

fn space(random: &mut Random, text: &mut String) {
    if random.below(6) == 0 {
        text.push_str([" ", "\n", "\t\r", "  "][random.below(4)]);
    }
}

fn value(random: &mut Random, depth: usize, is_root: bool, text: &mut String) {
    space(random, text);
    let kind = if is_root { 5 } else { random.below(if depth < 6 { 8 } else { 4 }) };
    match kind {
        0 | 1 => string(random, text),
        2 => number(random, text),
        3 => text.push_str(["true", "false", "null"][random.below(3)]),
        4 | 5 => {
            text.push('{');
            for index in 0..random.below(5) {
                if index > 0 {
                    text.push(',');
                }
                space(random, text);
                match random.below(3) {
                    0 => string(random, text),
                    _ => text.push_str(
                        ["\"a\"", "\"b\"", "\"__proto__\"", "\"\"", "\"constructor\"", "\"0\""][random.below(6)],
                    ),
                }
                space(random, text);
                text.push(':');
                value(random, depth + 1, false, text);
            }
            text.push('}');
        }
        6 if random.below(40) == 0 => {
            let levels = 90 + random.below(30);
            text.push_str(&"[".repeat(levels));
            text.push('1');
            text.push_str(&"]".repeat(levels));
        }
        _ => {
            text.push('[');
            for index in 0..random.below(5) {
                if index > 0 {
                    text.push(',');
                }
                value(random, depth + 1, false, text);
            }
            text.push(']');
        }
    }
    space(random, text);
}

fn string(random: &mut Random, text: &mut String) {
    const PARTS: &[&str] = &[
        "a",
        "path",
        " ",
        "é",
        "\u{1f600}",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\u0000",
        "{",
        "],:",
    ];
    text.push('"');
    for _ in 0..random.below(6) {
        text.push_str(PARTS[random.below(PARTS.len())]);
    }
    text.push('"');
}

fn number(random: &mut Random, text: &mut String) {
    if random.below(3) == 0 {
        text.push('-');
    }
    let digits = if random.below(12) == 0 { 55 + random.below(20) } else { 1 + random.below(18) };
    text.push(char::from(b'1' + u8::try_from(random.below(9)).unwrap()));
    for _ in 1..digits {
        text.push(char::from(b'0' + u8::try_from(random.below(10)).unwrap()));
    }
    if random.below(3) == 0 {
        write!(text, ".{}", random.below(1000)).unwrap();
    }
    if random.below(4) == 0 {
        write!(text, "{}{}", ["e", "E+", "e-"][random.below(3)], random.below(200)).unwrap();
    }
}

fn damaged(random: &mut Random, text: &str) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(5) {
        let at = random.below(signs.len().max(1)).min(signs.len());
        let new: Vec<char> = "{}[]\",:\\0u-+.etfn \nx9d\u{e9}\u{1f600}".chars().collect();
        let new = new[random.below(new.len())];
        match random.below(4) {
            0 => signs.truncate(at + 1),
            1 => signs.insert(at, new),
            _ if signs.is_empty() => signs.push(new),
            2 => signs[at] = new,
            _ => drop(signs.remove(at)),
        }
    }
    signs.into_iter().collect()
}

fn cut<'t>(random: &mut Random, text: &'t str) -> Vec<&'t str> {
    let largest = [1, 3, 12, 60][random.below(4)];
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let wanted = random.below(largest + 1);
        let at = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(wanted).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
