//! [`Listing`]: lines of a result, of which no more are kept than are shown; and [`Notes`]: what is said behind them.

use serde_json::{Map, Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::message::Block;
use vitrine_agent::tool::ToolOutput;

use crate::truncate::{self, Limits, MAX_BYTES, Truncation, format_size};

/// Lines that are counted to the last one and kept as far as the limit of bytes allows.
#[derive(Debug, Default)]
pub struct Listing {
    text: String,
    n_lines: usize,
    /// With a line feed after each.
    n_bytes: usize,
}

impl Listing {
    /// Adds a line.
    pub fn push(&mut self, line: &str) {
        // One line over the limit shows that there are more.
        if self.n_bytes <= MAX_BYTES + 1 {
            if self.n_lines > 0 {
                self.text.push('\n');
            }
            self.text.push_str(line);
        }
        self.n_lines += 1;
        self.n_bytes += line.len() + 1;
    }

    /// What is shown of it, and how much that is of the whole.
    pub fn finish(self) -> (String, Truncation) {
        let limits = Limits { lines: usize::MAX, ..Limits::default() };
        let mut truncation = truncate::head(&self.text, limits);
        truncation.total_lines = self.n_lines;
        truncation.total_bytes = self.n_bytes.saturating_sub(1);
        (truncation.content.clone(), truncation)
    }
}

/// What is said of a result: sentences in one bracket behind it for the model, and details.
#[derive(Debug, Default)]
pub struct Notes {
    sentences: Vec<String>,
    details: Map<String, Value>,
}

impl Notes {
    /// Says something that has no detail.
    pub fn say(&mut self, sentence: String) {
        self.sentences.push(sentence);
    }

    /// Says something, with the detail of that name.
    pub fn add(&mut self, sentence: String, detail: &str, value: Value) {
        self.say(sentence);
        self.details.insert(detail.to_owned(), value);
    }

    /// Says that the limit of bytes cut the result off, if it did.
    pub fn truncation(&mut self, truncation: &Truncation) {
        if truncation.truncated {
            let sentence = format!("{} limit reached", format_size(truncation.max_bytes as u64));
            self.add(sentence, "truncation", json!(truncation));
        }
    }

    /// The result with this text.
    pub fn output(self, mut text: String) -> ToolOutput {
        if !self.sentences.is_empty() {
            text = format!("{text}\n\n[{}]", self.sentences.join(". "));
        }
        let details = (!self.details.is_empty()).then(|| Json::from_value(&Value::Object(self.details)));
        ToolOutput { content: vec![Block::text(text)], details, ..ToolOutput::default() }
    }
}
