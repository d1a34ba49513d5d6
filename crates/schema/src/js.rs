//! How JavaScript reads and prints JSON values: what a model sees must be what it would see from any other host.

use std::fmt::Write as _;

use serde_json::{Number, Value};

/// `JSON.stringify(value)`, or with an indent `JSON.stringify(value, null, indent)`.
///
/// Numbers are doubles here: 3.0 prints as `3`, and an integer beyond 2^53 prints rounded.
pub fn stringify(value: &Value, indent: Option<usize>) -> String {
    let mut text = String::new();
    print(value, indent, 0, &mut text);
    text
}

fn print(value: &Value, indent: Option<usize>, level: usize, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&number_text(number)),
        Value::String(string) => quote(string, text),
        Value::Array(items) if items.is_empty() => text.push_str("[]"),
        Value::Object(map) if map.is_empty() => text.push_str("{}"),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                text.push(if index == 0 { '[' } else { ',' });
                line_break(indent, level + 1, text);
                print(item, indent, level + 1, text);
            }
            line_break(indent, level, text);
            text.push(']');
        }
        Value::Object(map) => {
            for (index, (key, item)) in map.iter().enumerate() {
                text.push(if index == 0 { '{' } else { ',' });
                line_break(indent, level + 1, text);
                quote(key, text);
                text.push_str(if indent.is_some() { ": " } else { ":" });
                print(item, indent, level + 1, text);
            }
            line_break(indent, level, text);
            text.push('}');
        }
    }
}

fn line_break(indent: Option<usize>, level: usize, text: &mut String) {
    if let Some(width) = indent {
        text.push('\n');
        text.extend(std::iter::repeat_n(' ', width * level));
    }
}

fn quote(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            control @ '\0'..='\u{1f}' => {
                // Writing to a String cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

/// A JSON number as `String(number)` prints it.
pub fn number_text(number: &Number) -> String {
    number.as_f64().map_or_else(|| number.to_string(), double_text)
}

/// A double as JavaScript prints it: shortest digits, exponents from 1e21 up and from 1e-7 down.
pub fn double_text(double: f64) -> String {
    if double == 0.0 {
        return "0".to_owned();
    }
    if !double.is_finite() {
        return if double.is_nan() {
            "NaN"
        } else if double > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
        .to_owned();
    }
    // Rust's `{:e}` gives the same shortest digits, as `d.ddde±x`.
    let scientific = format!("{double:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-7..21).contains(&exponent) && exponent != -7 {
        return format!("{double}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{}", exponent.unsigned_abs())
}

/// `Number(text)`, if that is a finite number: blanks around are ignored, blank is 0, `0x`, `0o` and `0b` are known.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}');
    if text.is_empty() {
        return Some(0.0);
    }
    for (prefixes, radix) in [(["0x", "0X"], 16), (["0o", "0O"], 8), (["0b", "0B"], 2)] {
        if let Some(digits) = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)) {
            return parse_radix(digits, radix);
        }
    }
    parse_decimal(text)
}

/// Reads JavaScript's decimal grammar through JSON's, which is narrower: no `+`, no leading zeros, and digits on both
/// sides of a point. JSON is read anyway; Rust's own way would bring another 10 KB of tables.
fn parse_decimal(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => unsigned.split_at(at),
        None => (unsigned, ""),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    // What is wrong with the exponent is found here; a number too large is none.
    serde_json::from_str(&format!("{sign}{whole}.{fraction}{exponent}")).ok()
}

fn parse_radix(digits: &str, radix: u32) -> Option<f64> {
    if digits.is_empty() {
        return None;
    }
    let mut double = 0.0;
    for digit in digits.chars() {
        double = double * f64::from(radix) + f64::from(digit.to_digit(radix)?);
    }
    Some(double).filter(|double: &f64| double.is_finite())
}

/// A double as a JSON number, an integer where it is one, so that `as_i64` works on what coercion made.
pub fn number_value(double: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if double.fract() == 0.0 && double.abs() <= EXACT {
        return Some(Value::from(double as i64));
    }
    Number::from_f64(double).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_print_as_javascript_prints_them() {
        let cases = [
            ("3.0", "3"),
            ("-0.0", "0"),
            ("0.1", "0.1"),
            ("1e21", "1e+21"),
            ("1.5e300", "1.5e+300"),
            ("123456789012345680000", "123456789012345680000"),
            ("999999999999999900000", "999999999999999900000"),
            ("9007199254740993", "9007199254740992"),
            ("18446744073709551615", "18446744073709552000"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("-1.25e-9", "-1.25e-9"),
            ("5e-324", "5e-324"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ];
        for (text, expected) in cases {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(stringify(&value, None), expected, "{text}");
        }
        assert_eq!(double_text(f64::NAN), "NaN");
    }

    #[test]
    fn text_becomes_a_number_as_in_javascript() {
        let cases: &[(&str, Option<f64>)] = &[
            ("", Some(0.0)),
            (" \t\u{a0}\u{feff}\n", Some(0.0)),
            ("\u{a0}5\n", Some(5.0)),
            ("5.", Some(5.0)),
            (".5", Some(0.5)),
            ("+5", Some(5.0)),
            ("-1e3", Some(-1000.0)),
            ("0x1F", Some(31.0)),
            ("0b11", Some(3.0)),
            ("0o17", Some(15.0)),
            ("-0x10", None),
            ("0x", None),
            ("1_000", None),
            ("1,5", None),
            ("1e999", None),
            ("Infinity", None),
            ("inf", None),
            ("NaN", None),
            ("1 2", None),
            (".", None),
            ("12px", None),
            ("-0", Some(-0.0)),
            ("-.5e+1", Some(-5.0)),
            ("007", Some(7.0)),
            ("-00.50", Some(-0.5)),
            ("0.1", Some(0.1)),
            ("9007199254740993", Some(9007199254740992.0)),
            ("1.7976931348623157e308", Some(f64::MAX)),
            ("5e-324", Some(5e-324)),
            ("1e-999", Some(0.0)),
            ("1e99999999999999999999", None),
            ("0e99999999999999999999", Some(0.0)),
            ("1e-99999999999999999999", Some(0.0)),
            ("+-5", None),
            ("--5", None),
            ("-", None),
            ("e5", None),
            ("5e", None),
            ("5e+", None),
            ("5e1.5", None),
            ("1.2.3", None),
            ("1 e5", None),
            ("5e5 ", Some(500_000.0)),
            ("-Infinity", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_number(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn values_print_as_json_stringify_does() {
        let value = json!({"e": [], "o": {}, "n": [1, [2.5]], "s": "é\u{2028}\u{1}\u{7f}\"\\/\n", "x": {"y": null}});
        assert_eq!(
            stringify(&value, Some(2)),
            "{\n  \"e\": [],\n  \"o\": {},\n  \"n\": [\n    1,\n    [\n      2.5\n    ]\n  ],\n  \"s\": \
             \"é\u{2028}\\u0001\u{7f}\\\"\\\\/\\n\",\n  \"x\": {\n    \"y\": null\n  }\n}"
        );
        assert_eq!(stringify(&json!({"a": [1, "b"]}), None), r#"{"a":[1,"b"]}"#);
    }
}
