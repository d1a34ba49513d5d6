//! [`JsonStream`]: the value of a JSON text so far, kept here.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::reader::{Change, Reader};

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
        reader.push(text, &mut |change| tree.apply(change));
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
    key: Option<String>,
    value: Value,
}

impl Tree {
    fn apply(&mut self, change: Change<'_>) {
        match change {
            Change::Close => drop(self.open.pop()),
            Change::Open { key, is_object: true } => {
                let id = self.put(key, Node::Object(IndexMap::new()));
                self.open.push(id);
            }
            Change::Open { key, is_object: false } => {
                let id = self.put(key, Node::Array(Vec::new()));
                self.open.push(id);
            }
            Change::Put { key, value } => drop(self.put(key, Node::Plain(value.clone()))),
            Change::Append(more) => {
                if let Some(Node::Plain(Value::String(text))) = self.nodes.last_mut() {
                    text.push_str(more);
                }
            }
            Change::Guess { key, value } => {
                let (parent, key) = (self.open.last().copied(), key.map(str::to_owned));
                self.guess = Some(Guess { parent, key, value: value.clone() });
            }
        }
    }

    fn put(&mut self, key: Option<&str>, node: Node) -> NodeId {
        let id = self.nodes.len();
        self.nodes.push(node);
        match (self.open.last().and_then(|open| self.nodes.get_mut(*open)), key) {
            (Some(Node::Array(items)), _) => items.push(id),
            // The last of equal keys wins, in the first one's place.
            (Some(Node::Object(entries)), Some(key)) => drop(entries.insert(key.to_owned(), id)),
            (Some(Node::Object(_) | Node::Plain(_)) | None, _) => {}
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
                if let Some(Guess { key: Some(key), value, .. }) = guess {
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
