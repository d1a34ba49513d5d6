//! [`Delta`]: what a piece of text changed, for a view in another program.

use std::sync::Arc;

use crate::codec::{Reader, Writer};
use crate::tree::Block;

/// What is to be done to the blocks seen so far. Blocks are counted from the start of the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// How many blocks there are now: those beyond are gone.
    pub n_blocks: usize,
    /// Blocks that changed, in order. An index is at most one beyond the blocks before it; whatever is not named stays.
    pub edits: Vec<(usize, Edit)>,
}

/// What became of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It is this one now, or new.
    Set(Arc<Block>),
    /// It is the code block it was, with this after its text. So a long one costs what is added to it.
    Grow(String),
}

impl Delta {
    /// As bytes, for [`Delta::decode`] of the same build: there is no version in them.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.number(self.n_blocks as u64);
        writer.list(&self.edits, |writer, (index, edit)| {
            writer.number(*index as u64);
            match edit {
                Edit::Set(block) => {
                    writer.byte(0);
                    writer.block(block);
                }
                Edit::Grow(added) => {
                    writer.byte(1);
                    writer.text(added);
                }
            }
        });
        writer.bytes
    }

    /// Reads what [`Delta::encode`] wrote, all of it. `None` for bytes that are no delta, whatever they are: it never
    /// panics, and takes time and memory that follow their number.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let n_blocks = reader.index()?;
        let edits = reader.list(|reader| {
            let index = reader.index()?;
            let edit = match reader.byte()? {
                0 => Edit::Set(Arc::new(reader.block()?)),
                1 => Edit::Grow(reader.text()?),
                _ => return None,
            };
            Some((index, edit))
        })?;
        reader.is_at_end().then_some(Self { n_blocks, edits })
    }
}
