//! [`JsonStream`]: the value of a JSON text so far.

use std::collections::HashMap;

use memchr::memchr2;
use serde_json::{Map, Value};

/// Deeper values than this are read but not shown: a value is built by recursion.
const MAX_SHOWN_DEPTH: usize = 100;
/// Longer numbers are not shown until they are complete (§3).
const MAX_OPEN_NUMBER: usize = 64;

/// The largest number up to which JavaScript tells whole numbers apart.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Reads JSON that arrives in pieces and tolerates what models do to it (§3, A.3). Every byte is looked at once, whatever the
/// pieces; looking at one string of it costs nothing, [`JsonStream::to_value`] costs the size of the value.
///
/// Values live in one list and point to each other by number, so that an open string grows in place.
#[derive(Clone, Debug, Default)]
pub struct JsonStream {
    nodes: Vec<Node>,
    /// Open containers, outermost first; the root is `nodes[0]`.
    open: Vec<Open>,
    state: State,
    is_complete: bool,
}

type NodeId = usize;

#[derive(Clone, Debug)]
enum Node {
    Object { entries: Vec<(String, NodeId)>, places: HashMap<String, usize> },
    Array(Vec<NodeId>),
    Text(String),
    Other(Value),
}

#[derive(Clone, Debug)]
struct Open {
    node: NodeId,
    is_object: bool,
    /// The key that waits for its value.
    key: Option<String>,
}

#[derive(Clone, Debug, Default)]
enum State {
    /// Between tokens.
    #[default]
    Between,
    /// Inside a key.
    Key { text: String, escape: Escape },
    /// Inside a string value.
    Text { node: NodeId, escape: Escape },
    /// Inside a number or a literal; held back as it is.
    Word(String),
}

#[derive(Clone, Debug, Default)]
struct Escape {
    /// The escape so far, backslash included; empty outside one.
    held: String,
    /// The first half of a surrogate pair.
    high: Option<u32>,
}

impl JsonStream {
    /// Nothing read.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next piece. Text after the root value is ignored.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() && !self.is_complete {
            rest = match std::mem::take(&mut self.state) {
                State::Between => self.between(rest),
                State::Key { text, escape } => self.key(text, escape, rest),
                State::Text { node, escape } => self.text(node, escape, rest),
                State::Word(word) => self.word(word, rest),
            };
        }
    }

    /// Whether the root value is closed.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// The string at a key of the root object, as far as it is read; nothing is copied.
    pub fn text_at(&self, key: &str) -> Option<&str> {
        let Some(Node::Object { entries, places }) = self.nodes.first() else { return None };
        let (_, node) = entries.get(*places.get(key)?)?;
        match self.nodes.get(*node)? {
            Node::Text(text) => Some(text),
            Node::Object { .. } | Node::Array(_) | Node::Other(_) => None,
        }
    }

    /// The value so far: `{}` while there is none. Open strings show what they have, an open literal shows the whole, an open
    /// number its digits; a key without a value is left out.
    pub fn to_value(&self) -> Value {
        let pending = match &self.state {
            State::Word(word) => open_word(word),
            State::Between | State::Key { .. } | State::Text { .. } => None,
        };
        let value = match self.nodes.first() {
            Some(_) => self.value(0, 0, pending.as_ref()),
            None => pending.unwrap_or(Value::Null),
        };
        if value.is_null() { Value::Object(Map::new()) } else { value }
    }

    fn value(&self, node: NodeId, depth: usize, pending: Option<&Value>) -> Value {
        // The word being read belongs to the innermost open container, which is on this path only if it is this node.
        let open = self.open.get(depth).filter(|open| open.node == node);
        let pending_here = pending.filter(|_| open.is_some() && depth + 1 == self.open.len());
        match self.nodes.get(node) {
            Some(Node::Object { .. } | Node::Array(_)) if depth >= MAX_SHOWN_DEPTH => Value::Null,
            Some(Node::Object { entries, .. }) => {
                let mut map = Map::new();
                for (key, child) in entries {
                    map.insert(key.clone(), self.value(*child, depth + 1, pending));
                }
                if let (Some(value), Some(key)) = (pending_here, open.and_then(|open| open.key.clone())) {
                    map.insert(key, value.clone());
                }
                Value::Object(map)
            }
            Some(Node::Array(items)) => {
                let mut list: Vec<_> = items.iter().map(|item| self.value(*item, depth + 1, pending)).collect();
                list.extend(pending_here.cloned());
                Value::Array(list)
            }
            Some(Node::Text(text)) => Value::String(text.clone()),
            Some(Node::Other(value)) => value.clone(),
            None => Value::Null,
        }
    }

    fn between<'t>(&mut self, text: &'t str) -> &'t str {
        let Some(next) = text.chars().next() else { return text };
        let rest = text.get(next.len_utf8()..).unwrap_or_default();
        match next {
            '"' if self.open.last().is_some_and(|open| open.is_object && open.key.is_none()) => {
                self.state = State::Key { text: String::new(), escape: Escape::default() };
            }
            '"' => {
                let node = self.add(Node::Text(String::new()));
                self.state = State::Text { node, escape: Escape::default() };
            }
            '{' | '[' => {
                let is_object = next == '{';
                let node = self.add(match is_object {
                    true => Node::Object { entries: Vec::new(), places: HashMap::new() },
                    false => Node::Array(Vec::new()),
                });
                self.open.push(Open { node, is_object, key: None });
            }
            // A bracket of the wrong kind closes nothing.
            '}' | ']' if self.open.last().is_some_and(|open| open.is_object == (next == '}')) => {
                self.open.pop();
                self.is_complete = self.open.is_empty();
            }
            // A key whose value never came.
            ',' => {
                if let Some(open) = self.open.last_mut() {
                    open.key = None;
                }
            }
            '-' | '0'..='9' | 't' | 'f' | 'n' => self.state = State::Word(next.to_string()),
            _ => {}
        }
        rest
    }

    fn key<'t>(&mut self, mut key: String, mut escape: Escape, text: &'t str) -> &'t str {
        let (rest, is_closed) = read_string(&mut key, &mut escape, text);
        if is_closed {
            if let Some(open) = self.open.last_mut() {
                open.key = Some(key);
            }
        } else {
            self.state = State::Key { text: key, escape };
        }
        rest
    }

    fn text<'t>(&mut self, node: NodeId, mut escape: Escape, text: &'t str) -> &'t str {
        let Some(Node::Text(value)) = self.nodes.get_mut(node) else { return "" };
        let (rest, is_closed) = read_string(value, &mut escape, text);
        if is_closed {
            self.is_complete = self.open.is_empty();
        } else {
            self.state = State::Text { node, escape };
        }
        rest
    }

    fn word<'t>(&mut self, mut word: String, text: &'t str) -> &'t str {
        let is_part = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '+' | '-' | '.');
        let end = text.find(|sign: char| !is_part(sign)).unwrap_or(text.len());
        let (part, rest) = text.split_at(end);
        word.push_str(part);
        if rest.is_empty() {
            self.state = State::Word(word);
            return rest;
        }
        if let Some(value) = parse_word(&word).or_else(|| open_word(&word)) {
            self.add(Node::Other(value));
            self.is_complete = self.open.is_empty();
        }
        rest
    }

    /// Adds a value where the innermost container wants one. A value without a place (an object's value without a key) is
    /// read and not shown.
    fn add(&mut self, node: Node) -> NodeId {
        let id = self.nodes.len();
        self.nodes.push(node);
        let Some(open) = self.open.last_mut() else { return id };
        let key = open.key.take();
        match (self.nodes.get_mut(open.node), key) {
            (Some(Node::Array(items)), _) => items.push(id),
            (Some(Node::Object { entries, places }), Some(key)) => match places.get(&key) {
                // The last of equal keys wins, in the first one's place.
                Some(place) => {
                    if let Some((_, child)) = entries.get_mut(*place) {
                        *child = id;
                    }
                }
                None => {
                    places.insert(key.clone(), entries.len());
                    entries.push((key, id));
                }
            },
            (Some(Node::Object { .. } | Node::Text(_) | Node::Other(_)) | None, _) => {}
        }
        id
    }
}

/// Reads up to the closing quote. Gives what is left and whether the string is closed.
fn read_string<'t>(value: &mut String, escape: &mut Escape, text: &'t str) -> (&'t str, bool) {
    let mut rest = text;
    loop {
        if !escape.held.is_empty() {
            let Some(next) = rest.chars().next() else { return (rest, false) };
            if escape.take(next, value) {
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
            continue;
        }
        let Some(at) = memchr2(b'"', b'\\', rest.as_bytes()) else {
            escape.flush(rest, value);
            return ("", false);
        };
        let (plain, special) = rest.split_at(at);
        escape.flush(plain, value);
        rest = special.get(1..).unwrap_or_default();
        if special.starts_with('"') {
            escape.lone(value);
            return (rest, true);
        }
        escape.held.push('\\');
    }
}

impl Escape {
    /// Takes one more character of an escape; `false` if it does not belong to it and must be read again as text.
    fn take(&mut self, next: char, value: &mut String) -> bool {
        if self.held.len() == 1 {
            let plain = match next {
                '"' | '\\' | '/' => next,
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    self.held.push('u');
                    return true;
                }
                _ => return self.give_up(value),
            };
            self.held.clear();
            self.lone(value);
            value.push(plain);
            return true;
        }
        if !next.is_ascii_hexdigit() {
            return self.give_up(value);
        }
        self.held.push(next);
        if self.held.len() == 6 {
            let unit = self.held.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default();
            self.held.clear();
            self.unit(unit, value);
        }
        true
    }

    /// No escape after all: it stays as it was written.
    fn give_up(&mut self, value: &mut String) -> bool {
        self.lone(value);
        value.push_str(&std::mem::take(&mut self.held));
        false
    }

    fn unit(&mut self, unit: u32, value: &mut String) {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
                value.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (before, 0xd800..=0xdbff) => {
                value.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                self.high = Some(unit);
            }
            (before, _) => {
                value.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                value.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }

    fn flush(&mut self, plain: &str, value: &mut String) {
        if !plain.is_empty() {
            self.lone(value);
            value.push_str(plain);
        }
    }

    /// Half a pair without its other half.
    fn lone(&mut self, value: &mut String) {
        value.extend(self.high.take().map(|_| char::REPLACEMENT_CHARACTER));
    }
}

/// What an open number or literal shows: the whole literal once it can be no other, the longest number in it, or nothing.
fn open_word(word: &str) -> Option<Value> {
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
fn parse_word(word: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(word).ok()?;
    match value.as_f64() {
        Some(number) if value.is_f64() && number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER => {
            Some(Value::from(number as i64))
        }
        _ => Some(value),
    }
}
