//! Values as JSON text.

use std::fmt::Write as _;

use crate::value::{Map, Value, sorted};

/// Levels of arrays and objects that are written; what is below them is said to be left out, as jq does.
const DEPTH: usize = 512;

/// How a value is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// What each level is indented by, a line for each item. `None` is all on one line.
    pub indent: Option<String>,
    /// Members sorted by their keys.
    pub sort: bool,
    /// Nothing but ASCII.
    pub ascii: bool,
}

/// Writes a value to the end of a text.
pub fn write(value: &Value, style: &Style, out: &mut String) {
    Writer { style, out }.value(value, 0);
}

/// A string's own text, for raw output.
pub fn write_raw(text: &str, style: &Style, out: &mut String) {
    if style.ascii { Writer { style, out }.text(text) } else { out.push_str(text) }
}

/// A number as jq prints what was calculated: the fewest digits that mean it.
pub fn number(number: f64) -> String {
    if number.is_nan() {
        return "null".to_owned();
    }
    let number = if number.is_infinite() { f64::MAX.copysign(number) } else { number };
    let shortest = format!("{number:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent = exponent.parse::<i32>().unwrap_or_default();
    let n_digits = digits.chars().filter(char::is_ascii_digit).count() as i32;
    if exponent <= -5 || exponent >= n_digits + 15 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{number}")
}

struct Writer<'a> {
    style: &'a Style,
    out: &'a mut String,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) {
        if depth > DEPTH {
            self.out.push_str("\"<skipped: too deep>\"");
            return;
        }
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Number(value) => self.out.push_str(&number(*value)),
            Value::Literal(literal) => self.out.push_str(&literal.1),
            Value::Text(text) => self.text(text),
            Value::Array(items) => {
                self.list(['[', ']'], items.iter(), depth, |writer, item| writer.value(item, depth + 1));
            }
            Value::Object(members) => self.object(members, depth),
        }
    }

    fn object(&mut self, members: &Map, depth: usize) {
        let member = |writer: &mut Self, (key, value): (&std::rc::Rc<str>, &Value)| {
            writer.text(key);
            writer.out.push_str(if writer.style.indent.is_some() { ": " } else { ":" });
            writer.value(value, depth + 1);
        };
        if self.style.sort {
            self.list(['{', '}'], sorted(members).into_iter(), depth, member);
        } else {
            self.list(['{', '}'], members.iter(), depth, member);
        }
    }

    fn list<T>(
        &mut self,
        [open, close]: [char; 2],
        items: impl Iterator<Item = T>,
        depth: usize,
        mut item: impl FnMut(&mut Self, T),
    ) {
        self.out.push(open);
        let mut is_empty = true;
        for next in items {
            if !is_empty {
                self.out.push(',');
            }
            is_empty = false;
            self.line(depth + 1);
            item(self, next);
        }
        if !is_empty {
            self.line(depth);
        }
        self.out.push(close);
    }

    fn line(&mut self, depth: usize) {
        if let Some(indent) = &self.style.indent {
            self.out.push('\n');
            (0..depth).for_each(|_| self.out.push_str(indent));
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for character in text.chars() {
            match character {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                '\u{8}' => self.out.push_str("\\b"),
                '\u{c}' => self.out.push_str("\\f"),
                '\0'..='\u{1f}' | '\u{7f}' => self.escaped(character),
                other if self.style.ascii && !other.is_ascii() => self.escaped(other),
                other => self.out.push(other),
            }
        }
        self.out.push('"');
    }

    fn escaped(&mut self, character: char) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            // A text takes whatever is written to it.
            let _ = write!(self.out, "\\u{unit:04x}");
        }
    }
}
