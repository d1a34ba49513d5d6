//! [`JsonChanges`]: what a receiver has to change, as text.

use serde::Serialize;

use super::reader::{Change, Reader};

/// Reads JSON that arrives in pieces, as [`super::JsonStream`] does, and says after each piece what changed; the value itself
/// is kept by the receiver. All pieces together cost time linear in the text. The encoding is described in the module.
#[derive(Clone, Debug, Default)]
pub struct JsonChanges {
    reader: Reader,
}

impl JsonChanges {
    /// Nothing read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next piece and gives the changes. To be called for every piece, and each answer to be applied, in order.
    pub fn push(&mut self, text: &str) -> String {
        let mut list = List { text: Vec::with_capacity(text.len() + 16) };
        list.text.push(b'[');
        self.reader.push(text, &mut |change| list.change(change));
        list.text.push(b']');
        // Only whole JSON values were written.
        String::from_utf8(list.text).unwrap_or_default()
    }

    /// Whether a string that the receiver has is open, outside of any escape. A piece without quotes and backslashes may
    /// then be appended to it by the receiver itself and need not be pushed.
    pub fn is_in_text(&self) -> bool {
        self.reader.is_in_text()
    }

    /// Whether the root value is closed: more text changes nothing.
    pub fn is_complete(&self) -> bool {
        self.reader.is_complete()
    }
}

struct List {
    text: Vec<u8>,
}

impl List {
    fn change(&mut self, change: Change<'_>) {
        match change {
            Change::Close => self.add(&0),
            Change::Open { key, is_object } => {
                self.add(if is_object { &1 } else { &2 });
                self.add(&key);
            }
            Change::Put { key, value } => {
                self.add(&3);
                self.add(&key);
                self.add(value);
            }
            Change::Append(text) => {
                self.add(&4);
                self.add(text);
            }
            Change::Guess { key, value } => {
                self.add(&5);
                self.add(&key);
                self.add(value);
            }
        }
    }

    fn add(&mut self, item: &(impl Serialize + ?Sized)) {
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        // Writing scalars to memory cannot fail.
        let written = serde_json::to_writer(&mut self.text, item);
        debug_assert!(written.is_ok());
    }
}
