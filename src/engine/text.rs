//! Functions of a text: truncation, sizes.
//!
//! What is cut is told as a number of UTF-16 units: JavaScript cuts its own string, so nothing is copied back and half a
//! surrogate pair, which is no text here, stays what it was.

use std::borrow::Cow;

use serde_json::Value;
use vitrine_tools::truncate::{self, Limits, Truncation};
use wasm_bindgen::prelude::wasm_bindgen;

/// The first lines that fit: what became of the text, as JSON text; its `content` is the number of units at the head.
#[wasm_bindgen(js_name = truncateHead)]
pub fn truncate_head(text: &str, max_lines: f64, max_bytes: f64) -> String {
    described(truncate::head(text, limits(max_lines, max_bytes)))
}

/// The last lines that fit, told likewise; the units end before the line feed at the text's end, if it was cut.
#[wasm_bindgen(js_name = truncateTail)]
pub fn truncate_tail(text: &str, max_lines: f64, max_bytes: f64) -> String {
    described(truncate::tail(text, limits(max_lines, max_bytes)))
}

/// How many units of a line are kept; nothing when it is short enough.
#[wasm_bindgen(js_name = truncateLine)]
pub fn truncate_line(text: &str, max: f64) -> Option<u32> {
    let mark = truncate::line("x", 0).encode_utf16().count();
    match truncate::line(text, count(max)) {
        Cow::Borrowed(_) => None,
        Cow::Owned(cut) => u32::try_from(cut.encode_utf16().count() - mark).ok(),
    }
}

/// A number of bytes in words.
#[wasm_bindgen(js_name = formatSize)]
pub fn format_size(bytes: f64) -> String {
    truncate::format_size(bytes as u64)
}

fn limits(lines: f64, bytes: f64) -> Limits {
    Limits { lines: count(lines), bytes: count(bytes) }
}

/// `as` saturates, and what is no number is none.
fn count(number: f64) -> usize {
    number as usize
}

fn described(mut truncation: Truncation) -> String {
    let units = std::mem::take(&mut truncation.content).encode_utf16().count();
    let mut value = serde_json::to_value(truncation).unwrap_or_default();
    if let Some(content) = value.get_mut("content") {
        *content = Value::from(units);
    }
    value.to_string()
}
