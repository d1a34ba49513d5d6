//! [`Inputs`]: what a program is given, one value after another.

use std::collections::VecDeque;
use std::ops::Range;

use crate::read::Reader;
use crate::value::Value;

/// How a text becomes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each JSON value is one.
    Json,
    /// All JSON values in an array.
    JsonArray,
    /// Each line is one.
    Lines,
    /// The whole text is one.
    Text,
    /// Each JSON value, as the events of its parts.
    Events,
}

/// The text of all files, one behind the other, as values.
#[derive(Debug)]
pub struct Inputs {
    text: String,
    /// Where each file begins, and its name.
    files: Vec<(usize, Option<String>)>,
    mode: Mode,
    at: usize,
    is_over: bool,
    has_begun: bool,
    events: VecDeque<Value>,
    /// Line feeds between the beginning of a file and a place, which only goes forward.
    counted: Counted,
}

#[derive(Debug, Default)]
struct Counted {
    range: Range<usize>,
    lines: usize,
}

impl Inputs {
    /// Of texts with the names of their files; standard input has none.
    pub fn new(texts: Vec<(Option<String>, Vec<u8>)>, mode: Mode) -> Self {
        let (mut text, mut files) = (String::new(), Vec::new());
        for (name, bytes) in texts {
            files.push((text.len(), name));
            text.push_str(&String::from_utf8_lossy(&bytes));
        }
        Self {
            text,
            files,
            mode,
            at: 0,
            is_over: false,
            has_begun: false,
            events: VecDeque::new(),
            counted: Counted::default(),
        }
    }

    /// The next one. After an error there is nothing more.
    pub fn next(&mut self) -> Option<Result<Value, String>> {
        self.has_begun = true;
        if self.is_over && self.events.is_empty() {
            return None;
        }
        match self.mode {
            Mode::Json => self.json(),
            Mode::JsonArray => {
                let mut items = Vec::new();
                while let Some(item) = self.json() {
                    match item {
                        Ok(item) => items.push(item),
                        Err(why) => return Some(Err(why)),
                    }
                }
                Some(Ok(Value::array(items)))
            }
            Mode::Lines => {
                let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
                let (line, length) = match rest.find('\n') {
                    Some(end) => (rest.get(..end).unwrap_or_default(), end + 1),
                    None => (rest, rest.len()),
                };
                let line = Value::text(line);
                self.at += length;
                Some(Ok(line))
            }
            Mode::Text => {
                self.is_over = true;
                self.at = self.text.len();
                Some(Ok(Value::text(self.text.clone())))
            }
            Mode::Events => {
                if self.events.is_empty() {
                    match self.json()? {
                        Ok(value) => events(&value, &mut Vec::new(), &mut self.events),
                        Err(why) => return Some(Err(why)),
                    }
                }
                self.events.pop_front().map(Ok)
            }
        }
    }

    fn json(&mut self) -> Option<Result<Value, String>> {
        if self.is_over {
            return None;
        }
        let mut reader = if self.at == 0 { Reader::new(&self.text) } else { Reader::from(&self.text, self.at) };
        let next = reader.next();
        self.at = reader.at();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }

    /// The file that is read.
    pub fn file(&self) -> Option<&str> {
        self.current().and_then(|(_, name)| name.as_deref())
    }

    fn current(&self) -> Option<&(usize, Option<String>)> {
        if !self.has_begun {
            return None;
        }
        self.files.iter().rev().find(|(from, _)| *from < self.at.max(1))
    }

    /// How many lines of the file were read: one that was begun is read to its end.
    pub fn line(&mut self) -> usize {
        let Some((from, _)) = self.current() else { return 0 };
        let bytes = self.text.as_bytes();
        let is_begun = self.at > 0 && bytes.get(self.at - 1) != Some(&b'\n');
        let rest = bytes.get(self.at..).unwrap_or_default();
        let to = if is_begun {
            self.at + rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1)
        } else {
            self.at
        };
        if self.counted.range.start != *from || self.counted.range.end > to {
            self.counted = Counted { range: *from..*from, lines: 0 };
        }
        let new = bytes.get(self.counted.range.end..to).unwrap_or_default();
        self.counted.lines += new.iter().filter(|byte| **byte == b'\n').count();
        self.counted.range.end = to;
        self.counted.lines
    }

    /// Where reading stands, as jq names it.
    pub fn place(&mut self) -> String {
        match self.current() {
            None => "<unknown>".to_owned(),
            Some((_, name)) => {
                let name = name.clone().unwrap_or_else(|| "<stdin>".to_owned());
                format!("{name}:{}", self.line())
            }
        }
    }
}

/// The events of a value's parts, as `--stream` and `tostream` have them.
fn events(value: &Value, path: &mut Vec<Value>, into: &mut VecDeque<Value>) {
    let children: Vec<(Value, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(index, item)| (index.into(), item)).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (Value::text(&**key), value)).collect(),
        _ => Vec::new(),
    };
    let Some((last, _)) = children.last().cloned() else {
        into.push_back(Value::array(vec![Value::array(path.clone()), value.clone()]));
        return;
    };
    for (key, child) in children {
        path.push(key);
        events(child, path, into);
        path.pop();
    }
    path.push(last);
    into.push_back(Value::array(vec![Value::array(path.clone())]));
    path.pop();
}
