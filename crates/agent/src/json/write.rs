//! JSON written straight to the end of a text: what each event and message goes through.
//!
//! serde_json writes bytes, which must be proved to be text again before they can leave as such; and a field of a type
//! that is flattened into another goes through it twice. Here a field is a constant and its value.

use std::fmt::Write as _;

/// Appends `,"name":`, or `"name":` after an opening brace.
macro_rules! key {
    ($out:expr, first $name:literal) => {
        $out.push_str(concat!("{\"", $name, "\":"))
    };
    ($out:expr, $name:literal) => {
        $out.push_str(concat!(",\"", $name, "\":"))
    };
}

pub(crate) use key;

/// Appends `{"type":"kind"`, and the key of what follows.
macro_rules! head {
    ($out:expr, $kind:literal) => {
        $out.push_str(concat!("{\"type\":\"", $kind, "\""))
    };
    ($out:expr, $kind:literal, $name:literal) => {
        $out.push_str(concat!("{\"type\":\"", $kind, "\",\"", $name, "\":"))
    };
}

pub(crate) use head;

/// Appends a string with its quotes.
pub(crate) fn text(out: &mut String, text: &str) {
    if !is_plain(text.as_bytes()) {
        return escaped(out, text);
    }
    out.reserve(text.len() + 2);
    plain(out, text);
}

#[cold]
fn escaped(out: &mut String, text: &str) {
    out.push('"');
    let mut written = 0;
    for (n_words, word) in text.as_bytes().chunks(8).enumerate() {
        if is_plain(word) {
            continue;
        }
        for (at, byte) in (n_words * 8..).zip(word).filter(|(_, byte)| is_special(**byte)) {
            out.push_str(text.get(written..at).unwrap_or_default());
            written = at + 1;
            match byte {
                b'"' => out.push_str("\\\""),
                b'\\' => out.push_str("\\\\"),
                b'\n' => out.push_str("\\n"),
                b'\r' => out.push_str("\\r"),
                b'\t' => out.push_str("\\t"),
                0x8 => out.push_str("\\b"),
                0xc => out.push_str("\\f"),
                control => drop(write!(out, "\\u{control:04x}")),
            }
        }
    }
    out.push_str(text.get(written..).unwrap_or_default());
    out.push('"');
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Whether all of it can stand in a string as it is. Most strings are short: their last bytes are looked at in one word too,
/// some of them twice.
fn is_plain(bytes: &[u8]) -> bool {
    if let Some(last) = bytes.last_chunk::<8>() {
        let (words, _) = bytes.as_chunks::<8>();
        !words.iter().chain([last]).any(|word| holds_special(u64::from_le_bytes(*word)))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        !holds_special(u64::from(first) << 32 | u64::from(last))
    } else {
        !bytes.iter().any(|byte| is_special(*byte))
    }
}

/// Whether one of eight bytes is special: those below 0x20, and those that are zero once a quote or a backslash is taken
/// out of them bit by bit, borrow when one is subtracted. A byte above 0x7f never counts.
fn holds_special(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let borrowed = word.wrapping_sub(0x20 * ONES) | quote.wrapping_sub(ONES) | backslash.wrapping_sub(ONES);
    borrowed & !word & HIGH != 0
}

/// Appends a string that has nothing to be escaped, with its quotes.
pub(crate) fn plain(out: &mut String, text: &str) {
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// Appends a whole number.
pub(crate) fn number(out: &mut String, number: u64) {
    out.push_str(itoa::Buffer::new().format(number));
}

/// Appends `true` or `false`.
pub(crate) fn flag(out: &mut String, flag: bool) {
    out.push_str(if flag { "true" } else { "false" });
}

/// Appends a list.
pub(crate) fn list<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut String, T)) {
    out.push('[');
    let start = out.len();
    for each in items {
        if out.len() > start {
            out.push(',');
        }
        item(out, each);
    }
    out.push(']');
}

/// Appends what few values are: through serde. What does not serialise is `null`.
pub(crate) fn value<T: serde::Serialize + ?Sized>(out: &mut String, value: &T) {
    match serde_json::to_string(value) {
        Ok(text) => out.push_str(&text),
        Err(_) => out.push_str("null"),
    }
}
