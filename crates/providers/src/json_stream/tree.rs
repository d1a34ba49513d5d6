//! [`JsonStream`]: the value of a JSON text so far, kept here.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::reader::{Change, Reader};
use super::strings::Part;

/// Reads JSON that arrives in pieces and tolerates what models do to it (§3, A.3). Every byte is looked at once, whatever the
/// pieces; looking at one string of it costs nothing, [`JsonStream::to_value`] costs the size of the value.
#[derive(Clone, Debug, Default)]
pub struct JsonStream {
    reader: Reader,
    tree: Tree,
}

impl JsonStream {
    /// Nothing read.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next piece. Text after the root value is ignored.
    pub fn push(&mut self, text: &str) {
        let Self { reader, tree } = self;
        tree.guess = None;
        reader.push(text, &mut |change| tree.apply(change, text));
    }

    /// Whether the root value is closed.
    pub fn is_complete(&self) -> bool {
        self.reader.is_complete()
    }

    /// The string at a key of the root object, as far as it is read; nothing is copied.
    pub fn text_at(&self, key: &str) -> Option<&str> {
        let Some(Node::Object(entries)) = self.tree.nodes.first() else { return None };
        match self.tree.nodes.get(*entries.get(key)?)? {
            Node::Plain(Value::String(text)) => Some(text),
            Node::Object(_) | Node::Array(_) | Node::Plain(_) => None,
        }
    }

    /// The value so far: `{}` while there is none. Open strings show what they have, an open literal shows the whole, an open
    /// number its digits; a key without a value is left out.
    pub fn to_value(&self) -> Value {
        let value = match (self.tree.nodes.is_empty(), &self.tree.guess) {
            (true, Some(guess)) => guess.value.clone(),
            (true, None) => Value::Null,
            (false, _) => self.tree.value(0),
        };
        if value.is_null() { Value::Object(Map::new()) } else { value }
    }
}

/// Values live in one list and point to each other by number, so that an open string grows in place; the root is the first.
#[derive(Clone, Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    /// Open containers, outermost first.
    open: Vec<NodeId>,
    /// The key that was read last.
    key: String,
    /// Whether it is being read, and not a string.
    is_in_key: bool,
    guess: Option<Guess>,
}

type NodeId = usize;

#[derive(Clone, Debug)]
enum Node {
    Object(IndexMap<String, NodeId>),
    Array(Vec<NodeId>),
    Plain(Value),
}

#[derive(Clone, Debug)]
struct Guess {
    /// The container it is in.
    parent: Option<NodeId>,
    /// If that is an object.
    key: String,
    value: Value,
}

impl Tree {
    fn apply(&mut self, change: Change<'_>, piece: &str) {
        match change {
            Change::Close => drop(self.open.pop()),
            Change::Open { is_object } => {
                let node = if is_object { Node::Object(IndexMap::new()) } else { Node::Array(Vec::new()) };
                let id = self.put(node);
                self.open.push(id);
            }
            Change::Key => {
                self.key.clear();
                self.is_in_key = true;
            }
            Change::Text => {
                self.put(Node::Plain(Value::String(String::new())));
                self.is_in_key = false;
            }
            Change::More(part) => {
                let Some(text) = self.growing() else { return };
                match part {
                    Part::Run(run) => text.push_str(piece.get(run).unwrap_or_default()),
                    Part::Char(sign) => text.push(sign),
                }
            }
            Change::Value(value) => drop(self.put(Node::Plain(value.clone()))),
            Change::Guess(value) => {
                let parent = self.open.last().copied();
                self.guess = Some(Guess { parent, key: self.key.clone(), value: value.clone() });
            }
        }
    }

    /// The key or the string that began last.
    fn growing(&mut self) -> Option<&mut String> {
        match self.nodes.last_mut() {
            _ if self.is_in_key => Some(&mut self.key),
            Some(Node::Plain(Value::String(text))) => Some(text),
            Some(Node::Object(_) | Node::Array(_) | Node::Plain(_)) | None => None,
        }
    }

    fn put(&mut self, node: Node) -> NodeId {
        let id = self.nodes.len();
        self.nodes.push(node);
        match self.open.last().and_then(|open| self.nodes.get_mut(*open)) {
            Some(Node::Array(items)) => items.push(id),
            // The last of equal keys wins, in the first one's place.
            Some(Node::Object(entries)) => drop(entries.insert(self.key.clone(), id)),
            Some(Node::Plain(_)) | None => {}
        }
        id
    }

    /// Recursion is bounded: the reader shows only so many levels.
    fn value(&self, node: NodeId) -> Value {
        let guess = self.guess.as_ref().filter(|guess| guess.parent == Some(node));
        match self.nodes.get(node) {
            Some(Node::Object(entries)) => {
                let mut map: Map<String, Value> =
                    entries.iter().map(|(key, child)| (key.clone(), self.value(*child))).collect();
                if let Some(Guess { key, value, .. }) = guess {
                    map.insert(key.clone(), value.clone());
                }
                Value::Object(map)
            }
            Some(Node::Array(items)) => {
                let items = items.iter().map(|item| self.value(*item));
                Value::Array(items.chain(guess.map(|guess| guess.value.clone())).collect())
            }
            Some(Node::Plain(value)) => value.clone(),
            None => Value::Null,
        }
    }
}
