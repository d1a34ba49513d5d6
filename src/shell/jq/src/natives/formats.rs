//! `@csv`, `@html`, `@base64` and the others.

use std::fmt::Write as _;

use jaq_core::ValR;
use jaq_core::native::bome;

use super::{Native, filters, plain};
use crate::value::{Value, error};

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub(super) fn natives() -> Vec<Native> {
    filters([
        plain("@text", |cv| bome(Ok(Value::text(plain_text(&cv.1))))),
        plain("@json", |cv| bome(Ok(Value::text(cv.1.json())))),
        plain("@csv", |cv| bome(row(&cv.1, "csv", ",", |text| format!("\"{}\"", text.replace('"', "\"\""))))),
        plain("@tsv", |cv| {
            bome(row(&cv.1, "tsv", "\t", |text| {
                text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
            }))
        }),
        plain("@sh", |cv| bome(shell(&cv.1))),
        plain("@html", |cv| bome(Ok(Value::text(html(&plain_text(&cv.1)))))),
        plain("@uri", |cv| bome(Ok(Value::text(uri(&plain_text(&cv.1)))))),
        plain("@base64", |cv| bome(Ok(Value::text(encode(plain_text(&cv.1).as_bytes(), BASE64, 6, 4))))),
        plain("@base32", |cv| bome(Ok(Value::text(encode(plain_text(&cv.1).as_bytes(), BASE32, 5, 8))))),
        plain("@base64d", |cv| bome(decoded(&cv.1, "base64", BASE64, 6))),
        plain("@base32d", |cv| bome(decoded(&cv.1, "base32", BASE32, 5))),
    ])
}

fn plain_text(value: &Value) -> String {
    value.str().map_or_else(|| value.json(), str::to_owned)
}

fn row(value: &Value, format: &str, separator: &str, quoted: fn(&str) -> String) -> ValR<Value> {
    let Value::Array(cells) = value else {
        return error(format!("{} cannot be {format}-formatted, only array", value.shown()));
    };
    let cell = |cell: &Value| match cell {
        Value::Null => Ok(String::new()),
        Value::Bool(_) | Value::Number(_) | Value::Literal(_) => Ok(cell.json()),
        Value::Text(text) => Ok(quoted(text)),
        Value::Array(_) | Value::Object(_) => error(format!("{} is not valid in a csv row", cell.shown())),
    };
    Ok(Value::text(cells.iter().map(cell).collect::<Result<Vec<_>, _>>()?.join(separator)))
}

fn shell(value: &Value) -> ValR<Value> {
    let word = |value: &Value| match value {
        Value::Text(text) => Ok(format!("'{}'", text.replace('\'', "'\\''"))),
        Value::Array(_) | Value::Object(_) => error(format!("{} can not be escaped for shell", value.shown())),
        other => Ok(other.json()),
    };
    Ok(Value::text(match value {
        Value::Array(words) => words.iter().map(word).collect::<Result<Vec<_>, _>>()?.join(" "),
        other => word(other)?,
    }))
}

fn html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\'' => safe.push_str("&#39;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

fn uri(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            // A text takes whatever is written to it.
            let _ = write!(safe, "%{byte:02X}");
        }
    }
    safe
}

/// So many bits a letter, and so many letters a group, which is filled up.
fn encode(bytes: &[u8], letters: &[u8], bits: u32, group: usize) -> String {
    let mut text = String::with_capacity(bytes.len() * 8 / bits as usize + group);
    let (mut pending, mut n_pending) = (0u32, 0);
    let mut push = |code: u32| text.push(letters.get(code as usize).copied().map_or('=', char::from));
    for byte in bytes {
        pending = (pending << 8) | u32::from(*byte);
        n_pending += 8;
        while n_pending >= bits {
            n_pending -= bits;
            push((pending >> n_pending) & ((1 << bits) - 1));
        }
        pending &= (1 << n_pending) - 1;
    }
    if n_pending > 0 {
        push((pending << (bits - n_pending)) & ((1 << bits) - 1));
    }
    while !text.len().is_multiple_of(group) {
        text.push('=');
    }
    text
}

fn decoded(value: &Value, name: &str, letters: &[u8], bits: u32) -> ValR<Value> {
    let text = plain_text(value);
    let digits = text.trim_end_matches('=');
    let (mut bytes, mut pending, mut n_pending) = (Vec::new(), 0u32, 0);
    for digit in digits.bytes() {
        let Some(code) = letters.iter().position(|letter| *letter == digit) else {
            return error(format!("{} is not valid {name} data", value.shown()));
        };
        pending = (pending << bits) | code as u32;
        n_pending += bits;
        if n_pending >= 8 {
            n_pending -= 8;
            bytes.push((pending >> n_pending) as u8);
        }
        pending &= (1 << n_pending) - 1;
    }
    if bytes.is_empty() && !digits.is_empty() {
        return error(format!("{} is not valid {name} data", value.shown()));
    }
    Ok(Value::text(String::from_utf8_lossy(&bytes)))
}
