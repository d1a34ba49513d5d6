//! [`Tree`]: JSON as a flat list of nodes, so that neither reading nor dropping it goes as deep as it is nested.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::CanonicalError;

/// All nodes; the first is the root.
#[derive(Debug)]
pub(super) struct Tree<'a>(Vec<Node<'a>>);

/// One value. Containers name their parts by index.
#[derive(Debug, PartialEq)]
pub(super) enum Node<'a> {
    /// `null`, `true`, `false`.
    Word(&'a str),
    Number(f64),
    Text(Cow<'a, str>),
    Array(Vec<usize>),
    /// In the order of the text, repeated keys too.
    Object(Vec<(Cow<'a, str>, usize)>),
}

impl<'a> Tree<'a> {
    pub(super) fn get(&self, index: usize) -> Option<&Node<'a>> {
        self.0.get(index)
    }

    /// The text at an index, if it is text.
    pub(super) fn text(&self, index: usize) -> Option<&str> {
        match self.0.get(index) {
            Some(Node::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// A container whose end has not come.
struct Open<'a> {
    index: usize,
    /// The key whose value comes next.
    key: Option<Cow<'a, str>>,
}

pub(super) fn read(text: &str) -> Result<Tree<'_>, CanonicalError> {
    // Does not descend, and knows the grammar: what follows may take every token for granted.
    serde_json::from_str::<&RawValue>(text).map_err(CanonicalError::NotJson)?;
    let mut reader = Reader { nodes: Vec::new(), open: Vec::new() };
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let length = match first {
            b'"' => string_length(rest),
            b'{' | b'[' | b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => 1,
            _ => rest.find([',', '}', ']', ' ', '\t', '\n', '\r']).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        match first {
            b'{' => reader.open(Node::Object(Vec::new())),
            b'[' => reader.open(Node::Array(Vec::new())),
            b'}' | b']' => drop(reader.open.pop()),
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {}
            b'"' => reader.text(string(token)?),
            b'n' | b't' | b'f' => drop(reader.add(Node::Word(token))),
            _ => drop(reader.add(Node::Number(number(token)?))),
        }
    }
    Ok(Tree(reader.nodes))
}

struct Reader<'a> {
    nodes: Vec<Node<'a>>,
    open: Vec<Open<'a>>,
}

impl<'a> Reader<'a> {
    fn open(&mut self, node: Node<'a>) {
        let index = self.add(node);
        self.open.push(Open { index, key: None });
    }

    /// A key where one is due, else a value.
    fn text(&mut self, text: Cow<'a, str>) {
        if let Some(open) = self.open.last_mut()
            && open.key.is_none()
            && matches!(self.nodes.get(open.index), Some(Node::Object(_)))
        {
            open.key = Some(text);
        } else {
            self.add(Node::Text(text));
        }
    }

    fn add(&mut self, node: Node<'a>) -> usize {
        let index = self.nodes.len();
        if let Some(open) = self.open.last_mut() {
            match self.nodes.get_mut(open.index) {
                Some(Node::Array(items)) => items.push(index),
                Some(Node::Object(members)) => members.push((open.key.take().unwrap_or_default(), index)),
                _ => {}
            }
        }
        self.nodes.push(node);
        index
    }
}

/// How long the string is that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 2)
}

fn string(token: &str) -> Result<Cow<'_, str>, CanonicalError> {
    if !token.contains('\\') {
        return Ok(Cow::Borrowed(token.trim_matches('"')));
    }
    let text = serde_json::from_str::<String>(token);
    text.map(Cow::Owned).map_err(|_| CanonicalError::LoneSurrogate(token.chars().take(80).collect()))
}

fn number(token: &str) -> Result<f64, CanonicalError> {
    let number = token.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| CanonicalError::NumberOutOfRange(token.chars().take(80).collect()))
}
