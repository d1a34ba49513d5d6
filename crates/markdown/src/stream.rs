//! [`Stream`]: a message that grows. Finished blocks are frozen; only the open end is parsed again.

use std::sync::Arc;

use crate::tree::Block;

/// Markdown that arrives in pieces.
///
/// `push` costs no more than the text it gets (amortised); [`Stream::blocks`] costs no more than the open end, however
/// long the message is. How the text was cut into pieces makes no difference to what comes out.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    frozen: Vec<Arc<Block>>,
    tail: Vec<Arc<Block>>,
}

/// What is to be seen now: `frozen`, then `tail`. The index of a block in that sequence is its key.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// Blocks that will never change: a view draws each once. Only grows.
    pub frozen: &'a [Arc<Block>],
    /// The open end. A block that is equal to what the last call gave at the same index is the same `Arc`, so a view
    /// redraws only where `Arc::ptr_eq` says no.
    pub tail: &'a [Arc<Block>],
}

impl<'a> Blocks<'a> {
    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a Arc<Block>> + use<'a> {
        self.frozen.iter().chain(self.tail)
    }
}

impl Stream {
    /// An empty message.
    pub fn new() -> Self {
        Self::default()
    }

    /// More text. Does nothing after [`Stream::finish`].
    pub fn push(&mut self, text: &str) {
        let _ = text;
    }

    /// The message is whole: from now on nothing is held back, and every block is frozen.
    pub fn finish(&mut self) {}

    /// What is to be seen now. Parses the open end if it has changed: call it once a frame, not once a push.
    ///
    /// Until the message is finished, a last line that may yet become a fence, a rule, a list marker or the like is held
    /// back rather than shown as what it is not.
    pub fn blocks(&mut self) -> Blocks<'_> {
        Blocks { frozen: &self.frozen, tail: &self.tail }
    }
}

/// The blocks of a whole text.
pub fn parse(text: &str) -> Vec<Block> {
    let mut stream = Stream::new();
    stream.push(text);
    stream.finish();
    stream.frozen.into_iter().map(Arc::unwrap_or_clone).collect()
}
