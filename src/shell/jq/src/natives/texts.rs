//! Strings.

use jaq_core::ValR;
use jaq_core::native::{bome, unary};

use super::{Native, filters, plain, text, with};
use crate::read;
use crate::value::{Value, error, split};

pub(super) fn natives() -> Vec<Native> {
    filters([
        plain("tojson", |cv| bome(Ok(Value::text(cv.1.json())))),
        plain("fromjson", |cv| bome(from_json(&cv.1))),
        plain("utf8bytelength", |cv| {
            bome(text(&cv.1, "only strings have UTF-8 byte length").map(|text| text.len().into()))
        }),
        plain("explode", |cv| {
            bome(match cv.1.str() {
                Some(text) => {
                    Ok(text.chars().map(|character| Value::Number(f64::from(u32::from(character)))).collect())
                }
                None => error("explode input must be a string"),
            })
        }),
        plain("implode", |cv| bome(implode(&cv.1))),
        plain("ascii_downcase", |cv| {
            bome(match cv.1.str() {
                Some(text) => Ok(Value::text(text.to_ascii_lowercase())),
                None => error("explode input must be a string"),
            })
        }),
        plain("ascii_upcase", |cv| {
            bome(match cv.1.str() {
                Some(text) => Ok(Value::text(text.to_ascii_uppercase())),
                None => error("explode input must be a string"),
            })
        }),
        plain("trim", |cv| bome(trimmed(&cv.1, |text| text.trim_matches(is_blank)))),
        plain("ltrim", |cv| bome(trimmed(&cv.1, |text| text.trim_start_matches(is_blank)))),
        plain("rtrim", |cv| bome(trimmed(&cv.1, |text| text.trim_end_matches(is_blank)))),
        with("startswith", 1, |cv| {
            unary(cv, |value, part| match (value.str(), part.str()) {
                (Some(text), Some(part)) => Ok(text.starts_with(part).into()),
                _ => error("startswith() requires string inputs"),
            })
        }),
        with("endswith", 1, |cv| {
            unary(cv, |value, part| match (value.str(), part.str()) {
                (Some(text), Some(part)) => Ok(text.ends_with(part).into()),
                _ => error("endswith() requires string inputs"),
            })
        }),
        with("ltrimstr", 1, |cv| {
            unary(cv, |value, part| Ok(stripped(value, &part, |text, part| text.strip_prefix(part))))
        }),
        with("rtrimstr", 1, |cv| {
            unary(cv, |value, part| Ok(stripped(value, &part, |text, part| text.strip_suffix(part))))
        }),
        with("split", 1, |cv| {
            unary(cv, |value, separator| match (value.str(), separator.str()) {
                (Some(text), Some(separator)) => Ok(split(text, separator)),
                _ => error("split input and separator must be strings"),
            })
        }),
        with("join", 1, |cv| unary(cv, |value, separator| join(&value, &separator))),
    ])
}

fn from_json(value: &Value) -> ValR<Value> {
    let text = text(value, "cannot be parsed as JSON")?;
    match read::read_one(text) {
        Ok(value) => Ok(value.unwrap_or_default()),
        Err(why) => error(format!("{why} (while parsing '{text}')")),
    }
}

fn implode(value: &Value) -> ValR<Value> {
    let Value::Array(codes) = value else {
        return error(format!("{} cannot be imploded, must be an array of codepoints", value.shown()));
    };
    let character = |code: &Value| match code.number() {
        Some(code) => Ok(char::from_u32(code as u32).unwrap_or(char::REPLACEMENT_CHARACTER)),
        None => error("Unicode codepoint must be numeric"),
    };
    codes.iter().map(character).collect::<Result<String, _>>().map(Value::text)
}

fn is_blank(character: char) -> bool {
    " \t\r\n\u{b}\u{c}".contains(character)
}

fn trimmed(value: &Value, trim: fn(&str) -> &str) -> ValR<Value> {
    match value.str() {
        Some(text) => Ok(Value::text(trim(text))),
        None => error(format!("{} cannot be trimmed", value.shown())),
    }
}

fn stripped(value: Value, part: &Value, strip: for<'t> fn(&'t str, &str) -> Option<&'t str>) -> Value {
    match value.str().zip(part.str()).and_then(|(text, part)| strip(text, part)) {
        Some(rest) => Value::text(rest),
        None => value,
    }
}

fn join(value: &Value, separator: &Value) -> ValR<Value> {
    let items: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        other => return error(format!("Cannot iterate over {}", other.shown())),
    };
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            match separator {
                Value::Text(separator) => joined.push_str(separator),
                Value::Null => {}
                other => {
                    return error(format!("{} and {} cannot be added", Value::text(joined).shown(), other.shown()));
                }
            }
        }
        match item {
            Value::Null => {}
            Value::Text(text) => joined.push_str(text),
            Value::Bool(_) | Value::Number(_) | Value::Literal(_) => joined.push_str(&item.json()),
            Value::Array(_) | Value::Object(_) => {
                return error(format!("{} and {} cannot be added", Value::text(joined).shown(), item.shown()));
            }
        }
    }
    Ok(Value::text(joined))
}
