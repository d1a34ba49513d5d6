//! [`Feed`]: a stream that tells what each piece of text changed.

use std::sync::Arc;

use crate::delta::{Delta, Edit};
use crate::stream::Stream;
use crate::tree::Block;

/// A [`Stream`] whose blocks are drawn elsewhere: whoever does all its [`Delta`]s in order has [`Stream::blocks`].
#[derive(Debug, Default)]
pub struct Feed {
    stream: Stream,
    /// Blocks before this one are told and will not change.
    n_settled: usize,
    /// What was told of the blocks from there on.
    told: Vec<Told>,
}

#[derive(Debug)]
enum Told {
    Block(Arc<Block>),
    /// So many bytes of the text of an open fence. What comes of it has the same place and begins with them.
    Fence(usize),
}

impl Feed {
    /// An empty message.
    pub fn new() -> Self {
        Self::default()
    }

    /// More text, and what it changed. Parses the open end: call it once a frame. Changes nothing after
    /// [`Feed::finish`].
    pub fn push(&mut self, text: &str) -> Delta {
        self.stream.push(text);
        self.changes()
    }

    /// The message is whole; what that changed.
    pub fn finish(&mut self) -> Delta {
        self.stream.finish();
        self.changes()
    }

    fn changes(&mut self) -> Delta {
        let (blocks, fence) = self.stream.blocks_and_fence();
        let n_frozen = blocks.frozen.len();
        let mut delta = Delta { n_blocks: n_frozen + blocks.tail.len(), edits: Vec::new() };
        let mut before = std::mem::take(&mut self.told).into_iter();
        for (index, block) in blocks.iter().enumerate().skip(self.n_settled) {
            let edit = match (before.next(), &**block) {
                (Some(Told::Block(old)), _) if Arc::ptr_eq(&old, block) => None,
                (Some(Told::Fence(n_bytes)), Block::Code { text, .. }) => {
                    let added = text.get(n_bytes..).unwrap_or_default();
                    (!added.is_empty()).then(|| Edit::Grow(added.to_owned()))
                }
                (Some(_) | None, _) => Some(Edit::Set(Arc::clone(block))),
            };
            delta.edits.extend(edit.map(|edit| (index, edit)));
            if index >= n_frozen {
                self.told.push(match &**block {
                    // Not the block itself: kept here, it could not grow in place.
                    Block::Code { text, .. } if fence == Some(index) => Told::Fence(text.len()),
                    _ => Told::Block(Arc::clone(block)),
                });
            }
        }
        self.n_settled = n_frozen;
        delta
    }
}

#[cfg(test)]
mod tests;
