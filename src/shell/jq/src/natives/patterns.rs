//! Regular expressions. The engine looks at each place once for each part of the pattern, so that none explodes; what only
//! backtracking can match (look-around, back-references) is refused when it is compiled.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use jaq_core::ValR;
use jaq_core::native::bome;
use regex_lite::{Captures, Regex, RegexBuilder};

use super::{Call, Native, filters, text, with};
use crate::value::{Value, error};

/// Bytes of a compiled pattern.
const COMPILED_BYTES: usize = 4 << 20;

pub(super) fn natives() -> Vec<Native> {
    filters([
        with("_match", 2, |cv| bome(each(cv, Pieces::Matches))),
        with("_test", 2, |cv| bome(each(cv, Pieces::Any))),
        with("_pieces", 2, |cv| bome(each(cv, Pieces::Around))),
    ])
}

/// Patterns that are kept compiled.
const KEPT: usize = 64;

/// The patterns of a program, compiled once: most are asked for again with each input.
#[derive(Debug, Default)]
pub struct Patterns(RefCell<HashMap<(String, String), Rc<Compiled>>>);

#[derive(Debug)]
struct Compiled {
    regex: Regex,
    flags: Flags,
}

impl Patterns {
    fn get(&self, pattern: &str, flags: &Value) -> ValR<Rc<Compiled>, Value> {
        let letters = match flags {
            Value::Null => "",
            Value::Text(letters) => letters,
            other => return error(format!("{} is not a string", other.shown())),
        };
        let key = (pattern.to_owned(), letters.to_owned());
        if let Some(known) = self.0.borrow().get(&key) {
            return Ok(known.clone());
        }
        let new = Rc::new(compiled(pattern, letters)?);
        let mut kept = self.0.borrow_mut();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, new.clone());
        Ok(new)
    }
}

/// What is wanted of a text.
#[derive(Clone, Copy)]
enum Pieces {
    /// Whether it matches.
    Any,
    /// Its matches.
    Matches,
    /// Its matches, and the texts before, between and after them.
    Around,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    is_global: bool,
    without_empty: bool,
}

fn each(mut cv: Call<'_>, wanted: Pieces) -> ValR<Value> {
    let (flags, pattern) = (cv.0.pop_var(), cv.0.pop_var());
    let subject = text(&cv.1, "cannot be matched, as it is not a string")?;
    let pattern = text(&pattern, "cannot be matched, as it is not a string")?;
    let compiled = cv.0.data().world().patterns().get(pattern, &flags)?;
    let Compiled { regex, flags } = &*compiled;
    if matches!(wanted, Pieces::Any) {
        return Ok(regex.is_match(subject).into());
    }
    let (mut pieces, mut characters, mut end) = (Vec::new(), Characters { text: subject, byte: 0, count: 0 }, 0);
    for captures in regex.captures_iter(subject) {
        let Some(whole) = captures.get(0) else { continue };
        if flags.without_empty && whole.range().is_empty() {
            continue;
        }
        if matches!(wanted, Pieces::Around) {
            pieces.push(Value::text(subject.get(end..whole.start()).unwrap_or_default()));
        }
        end = whole.end();
        pieces.push(matched(regex, &captures, &mut characters));
        if !flags.is_global {
            break;
        }
    }
    if matches!(wanted, Pieces::Around) {
        pieces.push(Value::text(subject.get(end..).unwrap_or_default()));
    }
    Ok(Value::array(pieces))
}

fn compiled(pattern: &str, letters: &str) -> ValR<Compiled, Value> {
    let mut found = Flags::default();
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(COMPILED_BYTES);
    for letter in letters.chars() {
        match letter {
            'g' => found.is_global = true,
            'n' => found.without_empty = true,
            'i' => drop(builder.case_insensitive(true)),
            'x' => drop(builder.ignore_whitespace(true)),
            's' | 'p' => drop(builder.dot_matches_new_line(true)),
            'l' => {}
            _ => return error(format!("{letters} is not a valid modifier string")),
        }
    }
    // As in jq, `^` and `$` are the ends of a line.
    builder.multi_line(true);
    match builder.build() {
        Ok(regex) => Ok(Compiled { regex, flags: found }),
        Err(why) => error(format!("{pattern} (at offset 0) is not a valid regex: {why}")),
    }
}

fn matched(regex: &Regex, captures: &Captures<'_>, characters: &mut Characters<'_>) -> Value {
    let mut groups = regex.capture_names().zip(captures.iter());
    let whole = groups.next().and_then(|(_, whole)| whole);
    let start = whole.map_or(0, |whole| whole.start());
    let offset = characters.before(start);
    let groups = groups.map(|(name, group)| {
        let name = name.map(Value::text).unwrap_or_default();
        let (at, text) = match group {
            Some(group) => {
                // Groups stand in the order of their brackets, which need not be that of their places.
                let at = offset + characters.text.get(start..group.start()).map_or(0, |text| text.chars().count());
                (Value::from(at), Some(group.as_str()))
            }
            None => (Value::Number(-1.0), None),
        };
        let length = text.map_or(0, |text| text.chars().count());
        let string = text.map(Value::text).unwrap_or_default();
        Value::object([("offset", at), ("length", length.into()), ("string", string), ("name", name)])
    });
    let groups = groups.collect::<Value>();
    let text = whole.map_or("", |whole| whole.as_str());
    Value::object([
        ("offset", offset.into()),
        ("length", text.chars().count().into()),
        ("string", Value::text(text)),
        ("captures", groups),
    ])
}

/// Counts the characters of a text once, from match to match.
struct Characters<'t> {
    text: &'t str,
    byte: usize,
    count: usize,
}

impl Characters<'_> {
    fn before(&mut self, byte: usize) -> usize {
        self.count += self.text.get(self.byte..byte).map_or(0, |between| between.chars().count());
        self.byte = byte;
        self.count
    }
}
