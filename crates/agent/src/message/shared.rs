//! [`SharedMessage`]: a message that many hold, and that is written as JSON once.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::write::raw;
use super::{Message, StopReason};

/// A message of the history. Shared: the history, the log, the events and every request hold the same one.
///
/// An event that carries it, a line of the log and the message alone are all written from one text, which is made when the
/// first of them is wanted. The message cannot change, so the text cannot be out of date.
#[derive(Clone)]
pub struct SharedMessage(Arc<Shared>);

struct Shared {
    message: Message,
    json: OnceLock<Box<str>>,
}

impl SharedMessage {
    /// Shares a message.
    pub fn new(message: Message) -> Self {
        Self(Arc::new(Shared { message, json: OnceLock::new() }))
    }

    /// Whether both are the very same message, and not only equal.
    pub fn ptr_eq(one: &Self, other: &Self) -> bool {
        Arc::ptr_eq(&one.0, &other.0)
    }

    /// Where it is: the same for all who hold it, another for every other message that lives at the same time.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Appends it as JSON.
    pub(crate) fn write_json(&self, out: &mut String) {
        if let Some(json) = self.0.json.get() {
            return out.push_str(json);
        }
        let start = out.len();
        self.0.message.write_json(out);
        // A message that still grows is told once, and another takes its place.
        let is_final =
            !matches!(&self.0.message, Message::Assistant(answer) if answer.stop_reason == StopReason::Pending);
        if is_final && let Some(json) = out.get(start..) {
            self.0.json.get_or_init(|| json.into());
        }
    }
}

impl Deref for SharedMessage {
    type Target = Message;

    fn deref(&self) -> &Message {
        &self.0.message
    }
}

impl AsRef<Message> for SharedMessage {
    fn as_ref(&self) -> &Message {
        self
    }
}

impl From<Message> for SharedMessage {
    fn from(message: Message) -> Self {
        Self::new(message)
    }
}

impl PartialEq for SharedMessage {
    fn eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other) || **self == **other
    }
}

impl fmt::Debug for SharedMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.message.fmt(f)
    }
}

impl Serialize for SharedMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(|out| self.write_json(out), serializer)
    }
}

impl<'de> Deserialize<'de> for SharedMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Message::deserialize(deserializer).map(Self::new)
    }
}
