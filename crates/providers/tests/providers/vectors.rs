//! Agreement with public vectors, where a copy of them is at hand: `VITRINE_VECTORS` names the folder.

use std::path::Path;

use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_providers::json_stream::{parse_tool_call_arguments, repair_json};

use crate::json_receiver::same_after_every_piece;

/// The lines of a file of vectors; `None`, which is said, where there are none.
fn vectors(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("VITRINE_VECTORS") else {
        println!("skipped: {file} (set VITRINE_VECTORS to a folder with the JSON vectors)");
        return None;
    };
    let text = std::fs::read_to_string(Path::new(&folder).join(file)).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, sign)| &text[at..at + sign.len_utf8()])
}

/// What pi 1.6 shows of a text.
#[test]
fn partial_json_is_shown_as_pi_shows_it() {
    let Some(cases) = vectors("partialjson-pi160.jsonl") else { return };
    let mut failed = Vec::new();
    for case in &cases {
        let shown = same_after_every_piece(pieces(case["prefix"].as_str().unwrap()));
        if shown != case["out"] {
            failed.push(format!("{case} shows {shown}"));
        }
    }
    println!("partialjson-pi160.jsonl: {} of {}", cases.len() - failed.len(), cases.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// `accept` is read, `reject` is refused, `either` is nobody's business: by the strict parser as it is, and by the one for
/// arguments but for what it mends inside strings. What streams is shown whole in the end, and nothing stops the reader.
#[test]
fn json_is_read_where_it_is_json() {
    let Some(cases) = vectors("json-nst.jsonl") else { return };
    let mut failed = Vec::new();
    for case in &cases {
        let bytes = base64(case["b64"].as_str().unwrap());
        if let Err(difference) = judge(&bytes, case["expect"].as_str().unwrap()) {
            failed.push(format!("{}: {difference}", case["src"]));
        }
    }
    println!("json-nst.jsonl: {} of {}", cases.len() - failed.len(), cases.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn judge(bytes: &[u8], expected: &str) -> Result<(), String> {
    // Bytes that are no text never come as far as a parser of text.
    let Ok(text) = std::str::from_utf8(bytes) else {
        return if expected == "accept" { Err("is not read as text".to_owned()) } else { Ok(()) };
    };
    let in_object = format!("{{\"a\":{text}}}");
    let shown = same_after_every_piece(pieces(&in_object));
    let read = Json::parse(text);
    let (arguments, refusal) = parse_tool_call_arguments(&in_object);
    if refusal.is_some() && arguments.to_value() != json!({}) {
        return Err(format!("refused, and something is kept of it: {arguments:?}"));
    }
    match expected {
        "accept" => {
            let value = read.map_err(|error| error.to_string())?.to_value();
            let whole = as_javascript_has_it(json!({"a": value}));
            let (found, shown) = (as_javascript_has_it(arguments.to_value()), as_javascript_has_it(shown));
            let wrong = |what: &str, found: &Value| Err(format!("{what} {found}, not {whole}"));
            match refusal {
                Some(refusal) => Err(format!("refused: {refusal}")),
                None if found != whole => wrong("arguments are", &found),
                None if shown != whole => wrong("shown is", &shown),
                None => Ok(()),
            }
        }
        "reject" if read.is_ok() => Err("is read".to_owned()),
        "reject" if refusal.is_none() && repair_json(text) == text => Err("is taken for arguments".to_owned()),
        "reject" | "either" => Ok(()),
        other => Err(format!("nobody knows what {other} means")),
    }
}

/// There is one kind of number there: `2e2` is 200.
fn as_javascript_has_it(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(as_javascript_has_it).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, as_javascript_has_it(value))).collect(),
        other => other,
    }
}

fn base64(text: &str) -> Vec<u8> {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut n_bits) = (Vec::new(), 0_u32, 0);
    for sign in text.bytes().filter(|sign| *sign != b'=') {
        let value = SIGNS.iter().position(|known| *known == sign).unwrap();
        bits = bits << 6 | value as u32;
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            bytes.push((bits >> n_bits) as u8);
            bits &= (1 << n_bits) - 1;
        }
    }
    bytes
}
