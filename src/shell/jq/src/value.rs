//! [`Value`]: JSON as jq has it, with its order and its words for what cannot be done.

mod access;
mod arithmetic;

use std::cmp::Ordering;
use std::fmt;
use std::rc::Rc;

use indexmap::IndexMap;
use jaq_core::val::Range;
use jaq_core::{Error, ValR};

use crate::write::{self, Style};

pub(crate) use access::{place, span};
pub(crate) use arithmetic::split;

/// Members in the order in which they came.
pub type Map = IndexMap<Rc<str>, Value>;

/// A value. Cloning shares what it holds.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` and `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A number that was read, with the text that it keeps until something is calculated with it.
    Literal(Rc<(f64, Box<str>)>),
    /// A string.
    Text(Rc<String>),
    /// An array.
    Array(Rc<Vec<Value>>),
    /// An object.
    Object(Rc<Map>),
}

impl Value {
    /// A string.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Rc::new(text.into()))
    }

    /// An array.
    pub fn array(items: Vec<Self>) -> Self {
        Self::Array(Rc::new(items))
    }

    /// An object.
    pub fn object<K: Into<Rc<str>>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(Rc::new(members.into_iter().map(|(key, value)| (key.into(), value)).collect()))
    }

    /// What `type` says.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) | Self::Literal(_) => "number",
            Self::Text(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// A number's value.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Literal(literal) => Some(literal.0),
            _ => None,
        }
    }

    /// A string's text.
    pub fn str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// As compact JSON.
    pub fn json(&self) -> String {
        let mut text = String::new();
        write::write(self, &Style::default(), &mut text);
        text
    }

    /// Kind and the beginning of the value, as in what jq complains of.
    pub fn shown(&self) -> String {
        const BYTES: usize = 11;
        let json = self.json();
        if json.len() <= BYTES + 3 {
            return format!("{} ({json})", self.kind());
        }
        let end = (0..=BYTES).rev().find(|end| json.is_char_boundary(*end)).unwrap_or_default();
        format!("{} ({}...)", self.kind(), json.get(..end).unwrap_or_default())
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(false) => 1,
            Self::Bool(true) => 2,
            Self::Number(_) | Self::Literal(_) => 3,
            Self::Text(_) => 4,
            Self::Array(_) => 5,
            Self::Object(_) => 6,
        }
    }
}

/// An error whose message is this text.
pub fn error<T>(text: impl Into<String>) -> ValR<T, Value> {
    Err(Error::new(Value::text(text)))
}

/// The members sorted by key.
pub fn sorted(map: &Map) -> Vec<(&Rc<str>, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    members
}

impl Ord for Value {
    /// Total: what is no number counts as one below all, and as equal to itself.
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(left), Self::Text(right)) => left.cmp(right),
            (Self::Array(left), Self::Array(right)) => left.iter().cmp(right.iter()),
            (Self::Object(left), Self::Object(right)) => {
                let (left, right) = (sorted(left), sorted(right));
                let keys = left.iter().map(|(key, _)| key).cmp(right.iter().map(|(key, _)| key));
                keys.then_with(|| left.iter().map(|(_, value)| value).cmp(right.iter().map(|(_, value)| value)))
            }
            _ => match (self.number(), other.number()) {
                (Some(left), Some(right)) => {
                    left.partial_cmp(&right).unwrap_or_else(|| right.is_nan().cmp(&left.is_nan()))
                }
                _ => self.rank().cmp(&other.rank()),
            },
        }
    }
}

#[allow(clippy::non_canonical_partial_ord_impl, reason = "jq's `<` and its order for sorting are not the same")]
impl PartialOrd for Value {
    /// As in jq: what is no number is below itself, too.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.number(), other.number()) {
            (Some(left), Some(_)) if left.is_nan() => Some(Ordering::Less),
            _ => Some(self.cmp(other)),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(left), Self::Text(right)) => left == right,
            (Self::Array(left), Self::Array(right)) => left == right,
            (Self::Object(left), Self::Object(right)) => left == right,
            _ => match (self.number(), other.number()) {
                (Some(left), Some(right)) => left == right,
                _ => self.rank() == other.rank() && self.rank() < 3,
            },
        }
    }
}

impl Eq for Value {}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.json())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<isize> for Value {
    fn from(value: isize) -> Self {
        Self::Number(value as f64)
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::text(value)
    }
}

impl From<Range<Self>> for Value {
    fn from(range: Range<Self>) -> Self {
        Self::object([("start", range.start.unwrap_or_default()), ("end", range.end.unwrap_or_default())])
    }
}

impl FromIterator<Self> for Value {
    fn from_iter<I: IntoIterator<Item = Self>>(items: I) -> Self {
        Self::array(items.into_iter().collect())
    }
}
