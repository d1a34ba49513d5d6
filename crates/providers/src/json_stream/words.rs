//! Numbers and literals.

use serde_json::Value;

/// Longer numbers are not shown until they are complete (§3).
const MAX_OPEN_NUMBER: usize = 64;

/// The largest number up to which JavaScript tells whole numbers apart.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// What an open number or literal shows: the whole literal once it can be no other, the longest number in it, or nothing.
pub(super) fn open_word(word: &str) -> Option<Value> {
    for (literal, value) in [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)] {
        if literal.starts_with(word) {
            return Some(value);
        }
    }
    if word.len() > MAX_OPEN_NUMBER {
        return None;
    }
    (1..=word.len()).rev().find_map(|end| {
        let value = parse_word(word.get(..end)?)?;
        value.is_number().then_some(value)
    })
}

/// A literal or a number, whole numbers as JavaScript shows them (`1e3` is 1000).
pub(super) fn parse_word(word: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(word).ok()?;
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER => {
            Some(Value::from(number as i64))
        }
        _ => Some(value),
    }
}
