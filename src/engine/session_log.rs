//! [`SessionLog`]: a session file as a tree, and what a model reads at any of its entries.

use std::collections::HashMap;

use serde_json::{Value, json};
use vitrine_agent::message::{Message, SharedMessage};
use vitrine_session::compaction;
use vitrine_session::entry::{Entry, Header};
use vitrine_session::ids::EntryId;
use vitrine_session::log;
use vitrine_session::projection::{Context, project};
use vitrine_session::tree::Tree;
use wasm_bindgen::prelude::wasm_bindgen;

/// A session. Where its leaf is, JavaScript says.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SessionLog {
    header: Option<Header>,
    tree: Tree,
    numbers: HashMap<EntryId, usize>,
    failure: Option<String>,
}

#[wasm_bindgen]
impl SessionLog {
    /// From the text of a file. Lines that cannot be read are left out.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Self {
        let (header, tree, failure) = match log::parse(text.as_bytes()) {
            Ok(parsed) => (Some(parsed.header), Tree::new(parsed.entries), None),
            Err(error) => (None, Tree::default(), Some(format!("not a session: {error}"))),
        };
        let mut numbers = HashMap::new();
        for (number, entry) in tree.entries().iter().enumerate() {
            numbers.entry(entry.id.clone()).or_insert(number);
        }
        Self { header, tree, numbers, failure }
    }

    /// Why it is none.
    pub fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    /// Its first line.
    pub fn header(&self) -> String {
        self.header.as_ref().map(|header| header.line.to_string()).unwrap_or_default()
    }

    /// All lines after the first.
    pub fn lines(&self) -> String {
        String::from_utf8(log::encode_lines(self.tree.entries())).unwrap_or_default()
    }

    /// The number of each entry's parent, -1 for a root, as JSON text: where the file is wrong, as it has been mended.
    pub fn parents(&self) -> String {
        let number = |entry: &Entry| self.tree.parent(&entry.id).and_then(|parent| self.numbers.get(&parent.id));
        let parents = self.tree.entries().iter().map(|entry| number(entry).map_or(json!(-1), |number| json!(number)));
        parents.collect::<Value>().to_string()
    }

    /// Appends an entry. Whether its line is one.
    pub fn push(&mut self, line: &str) -> bool {
        let Some(entry) = Entry::parse(line) else { return false };
        self.numbers.entry(entry.id.clone()).or_insert(self.tree.entries().len());
        self.tree.push(entry);
        true
    }

    /// The numbers of the entries from a root to this one, as JSON text.
    pub fn path(&self, leaf: &str) -> String {
        let path = self.tree.path_to(&EntryId::from(leaf));
        path.iter().map(|entry| json!(self.numbers.get(&entry.id))).collect::<Value>().to_string()
    }

    /// What a model reads there, as JSON text: `{messages, thinkingLevel, model}`. A message that stands in an entry as it
    /// is to be read is the number of that entry.
    pub fn context(&self, leaf: &str) -> String {
        let Context { messages, model, thinking_level } = self.project(leaf);
        let path = self.path_to(leaf);
        let stored: HashMap<usize, usize> =
            path.iter().filter_map(|entry| Some((entry.message()?.address(), *self.numbers.get(&entry.id)?))).collect();
        let message = |message: &SharedMessage| match stored.get(&message.address()) {
            Some(number) => json!(number),
            None => json!(message),
        };
        let messages: Value = messages.iter().map(message).collect();
        json!({ "messages": messages, "thinkingLevel": thinking_level, "model": model }).to_string()
    }

    /// The system message that a compaction there keeps: all of the branch in one, as JSON text.
    pub fn checkpoint(&self, leaf: &str, now_ms: f64) -> Option<String> {
        let system = compaction::checkpoint(&self.project(leaf).messages, now_ms as u64)?;
        serde_json::to_string(&Message::System(system)).ok()
    }

    /// What an entry is marked with.
    pub fn label(&self, id: &str) -> Option<String> {
        self.tree.label(&EntryId::from(id)).map(str::to_owned)
    }

    fn project(&self, leaf: &str) -> Context {
        project(&self.path_to(leaf))
    }

    /// The branch of an entry; an id that none has, such as the empty one, has none.
    fn path_to(&self, leaf: &str) -> Vec<&Entry> {
        self.tree.path_to(&EntryId::from(leaf))
    }
}
