//! [`History`]: the append-only list of messages, whose snapshots cost a pointer however long it is.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::message::SharedMessage;

/// Messages so far. A clone is a snapshot: later pushes to the original do not show in it, and nothing is copied.
///
/// Pushing to a snapshot that is no longer the end copies its prefix first, so every handle stays append-only.
#[derive(Clone, Debug, Default)]
pub struct History {
    log: Rc<RefCell<Vec<SharedMessage>>>,
    len: usize,
}

impl History {
    /// An empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends one message.
    pub fn push(&mut self, message: SharedMessage) {
        // A guard that someone still holds forbids to push to the list: that, too, costs a copy and not a panic.
        let is_end = self.log.borrow().len() == self.len;
        if is_end && let Ok(mut log) = self.log.try_borrow_mut() {
            log.push(message);
        } else {
            let log = self.messages().iter().cloned().chain([message]).collect();
            self.log = Rc::new(RefCell::new(log));
        }
        self.len += 1;
    }

    /// How many messages this snapshot has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The messages. While the guard lives, a push to any handle of this history copies it: keep it short.
    pub fn messages(&self) -> Ref<'_, [SharedMessage]> {
        Ref::map(self.log.borrow(), |log| log.get(..self.len).unwrap_or_default())
    }

    /// Whether both are handles of one list, so that neither was copied from the other.
    pub fn shares_with(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.log, &other.log)
    }

    /// The last message.
    pub fn last(&self) -> Option<SharedMessage> {
        self.messages().last().cloned()
    }
}

impl FromIterator<SharedMessage> for History {
    fn from_iter<I: IntoIterator<Item = SharedMessage>>(messages: I) -> Self {
        let log: Vec<_> = messages.into_iter().collect();
        Self { len: log.len(), log: Rc::new(RefCell::new(log)) }
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.messages().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for History {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from_iter)
    }
}
