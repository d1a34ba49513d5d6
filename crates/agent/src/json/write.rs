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

/// Appends a string with its quotes.
pub(crate) fn text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = first_special(rest.as_bytes()) {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = from.chars();
        match characters.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(control) => drop(write!(out, "\\u{:04x}", u32::from(control))),
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Where the first byte is that cannot stand in a string as it is.
fn first_special(bytes: &[u8]) -> Option<usize> {
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let (words, rest) = bytes.as_chunks::<8>();
    let plain = words.iter().position(|word| holds_special(u64::from_le_bytes(*word)));
    let (start, rest) = match plain {
        Some(at) => (at * 8, bytes.get(at * 8..).unwrap_or_default()),
        None => (words.len() * 8, rest),
    };
    rest.iter().position(is_special).map(|at| start + at)
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
