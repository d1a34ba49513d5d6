//! The messages a person puts in while a run goes: [`Queues`], one queue for steering, one for follow-ups.

use std::collections::VecDeque;

use crate::message::SharedMessage;

/// How much of a queue one poll takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueMode {
    /// The oldest message alone, so that the model answers each.
    #[default]
    OneAtATime,
    /// All of them, into one turn.
    All,
}

/// Messages that wait for a poll, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    messages: VecDeque<SharedMessage>,
    /// How much one poll takes. May change at any time.
    pub mode: QueueMode,
}

impl Queue {
    /// An empty queue.
    pub fn new(mode: QueueMode) -> Self {
        Self { messages: VecDeque::new(), mode }
    }

    /// Adds a message at the end.
    pub fn push(&mut self, message: SharedMessage) {
        self.messages.push_back(message);
    }

    /// Takes what one poll takes: nothing from an empty queue.
    pub fn take(&mut self) -> Vec<SharedMessage> {
        self.messages.drain(..self.batch_len()).collect()
    }

    /// What the next [`take`](Self::take) will give, left where it is.
    pub fn peek(&self) -> Vec<SharedMessage> {
        self.messages.iter().take(self.batch_len()).cloned().collect()
    }

    /// Takes everything back, whatever the mode.
    pub fn clear(&mut self) -> Vec<SharedMessage> {
        self.messages.drain(..).collect()
    }

    /// All that waits, oldest first.
    pub fn messages(&self) -> impl Iterator<Item = &SharedMessage> {
        self.messages.iter()
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    fn batch_len(&self) -> usize {
        match self.mode {
            QueueMode::OneAtATime => self.messages.len().min(1),
            QueueMode::All => self.messages.len(),
        }
    }
}

/// Both queues of an agent. They outlive a run: an abort leaves them as they are.
#[derive(Clone, Debug, Default)]
pub struct Queues {
    /// Put in before the next request of a run.
    pub steering: Queue,
    /// Kept until the run would stop.
    pub follow_up: Queue,
}

impl Queues {
    /// The messages that will go in next: steering's next batch, or else the follow-ups'.
    pub fn peek(&self) -> Vec<SharedMessage> {
        if self.steering.is_empty() { self.follow_up.peek() } else { self.steering.peek() }
    }

    /// Whether nothing waits in either.
    pub fn is_empty(&self) -> bool {
        self.steering.is_empty() && self.follow_up.is_empty()
    }
}
