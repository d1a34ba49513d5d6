//! [`Stream`]: a message that grows. Finished blocks are frozen; only the open end is parsed again.
//!
//! A block is finished once another has begun at the top level on a whole line after it: CommonMark never changes it after
//! that (link definitions aside, see [`Stream`]). To know it costs a parse of the open end, so that is tried only when the
//! open end has doubled: all tries together cost a small multiple of the text. When they happen depends on the text alone,
//! not on how it was cut, so every way to push a text gives the same blocks.

use std::sync::Arc;

use crate::build::{Built, build};
use crate::definitions::Definitions;
use crate::fence::{OpenFence, Taken};
use crate::hold::shown;
use crate::tree::Block;

/// The open end never grows beyond about twice this many bytes: a longer block is cut at an item, a row or a line end,
/// a longer line at a space. So no input makes a parse long.
const LIMIT: usize = 16 * 1024;

/// The least the open end grows between two tries.
const STEP: usize = 64;

/// Bytes handled at a time, so that taking text off the front of the buffer stays cheap.
const PIECE: usize = 4 * 1024;

/// Markdown that arrives in pieces.
///
/// `push` costs no more than the text it gets (amortised); [`Stream::blocks`] costs no more than the open end, however
/// long the message is. How the text was cut into pieces makes no difference to what comes out.
///
/// Once finished, the blocks are what [`parse`] gives, but for one thing: a link definition counts for links after it and
/// in the same stretch of the text, not for blocks that were frozen before it came; `parse` looks ahead.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    frozen: Vec<Arc<Block>>,
    tail: Vec<Arc<Block>>,
    /// The text that is not frozen; starts at the start of a block.
    open: String,
    /// `open` up to here is whole lines that have been looked at.
    seen: usize,
    /// The open end is tried when it has this many bytes.
    next_try: usize,
    /// The fence `open` is inside of: `open` then holds only what may be its closing line.
    fence: Option<OpenFence>,
    definitions: Definitions,
    /// A carriage return was last: a line feed after it belongs to it.
    after_return: bool,
    /// `tail` is the one block of the fence `open` is inside of.
    tail_is_fence: bool,
    /// `tail` is not what `open` says.
    stale: bool,
    finished: bool,
    /// Bytes given to the parser so far.
    #[cfg(test)]
    parsed: std::cell::Cell<usize>,
}

/// What is to be seen now: `frozen`, then `tail`. The index of a block in that sequence is its key.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// Blocks that will never change: a view draws each once. Only grows.
    pub frozen: &'a [Arc<Block>],
    /// The open end. A block that is equal to what the last call gave at the same index is the same `Arc`, so a view
    /// redraws only where `Arc::ptr_eq` says no. An open code block at the margin grows in place: it is another `Arc`
    /// only if the view kept the last one.
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
        if self.finished {
            return;
        }
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
            self.append(piece);
            self.advance();
            rest = after;
        }
    }

    /// The message is whole: from now on nothing is held back, and every block is frozen.
    pub fn finish(&mut self) {
        if self.finished {
            return;
        }
        self.finished = true;
        if let Some(mut fence) = self.fence.take() {
            if !fence.closes(&self.open) {
                fence.text.push_str(&self.open);
            }
            self.freeze(Block::Code { lang: fence.lang, text: fence.text });
            self.open.clear();
        } else {
            self.freeze_open(self.open.len());
        }
        self.tail.clear();
        self.stale = false;
    }

    /// What is to be seen now. Parses the open end if it has changed: call it once a frame, not once a push.
    ///
    /// Until the message is finished, a last line that may yet become a fence, a rule, a list marker or the like is held
    /// back rather than shown as what it is not.
    pub fn blocks(&mut self) -> Blocks<'_> {
        if std::mem::take(&mut self.stale) {
            self.refresh();
        }
        Blocks { frozen: &self.frozen, tail: &self.tail }
    }

    /// The same, and which of them is an open code block at the margin: until another is named or none, that block only
    /// grows, also in the step that closes it.
    pub(crate) fn blocks_and_fence(&mut self) -> (Blocks<'_>, Option<usize>) {
        self.blocks();
        let fence = self.tail_is_fence.then_some(self.frozen.len());
        (Blocks { frozen: &self.frozen, tail: &self.tail }, fence)
    }

    fn build(&self, text: &str) -> Built {
        #[cfg(test)]
        self.parsed.set(self.parsed.get() + text.len());
        build(text, &self.definitions)
    }

    fn refresh(&mut self) {
        if let Some(fence) = &self.fence {
            // The text of an open fence only grows, so the block drawn last is mostly a prefix of it.
            let n_drawn = match self.tail.first().map(|block| &**block) {
                Some(Block::Code { lang, text })
                    if self.tail_is_fence || (*lang == fence.lang && fence.text.starts_with(text)) =>
                {
                    Some(text.len())
                }
                Some(_) | None => None,
            };
            self.tail_is_fence = true;
            if let Some(added) = n_drawn.and_then(|n_drawn| fence.text.get(n_drawn..)) {
                self.tail.truncate(1);
                if !added.is_empty()
                    && let Some(Block::Code { text, .. }) = self.tail.first_mut().map(Arc::make_mut)
                {
                    text.push_str(added);
                }
            } else {
                self.tail = vec![Arc::new(Block::Code { lang: fence.lang.clone(), text: fence.text.clone() })];
            }
            return;
        }
        self.tail_is_fence = false;
        let built = self.build(shown(&self.open));
        let mut before = std::mem::take(&mut self.tail).into_iter();
        self.tail.extend(built.blocks.into_iter().map(|(_, block)| match before.next() {
            Some(same) if *same == block => same,
            Some(_) | None => Arc::new(block),
        }));
    }

    /// Line ends become line feeds, and NUL what CommonMark makes of it.
    fn append(&mut self, piece: &str) {
        for part in piece.split_inclusive(['\r', '\n', '\0']) {
            let (text, end) = match part.char_indices().next_back() {
                Some((at, end @ ('\r' | '\n' | '\0'))) => (part.get(..at).unwrap_or_default(), Some(end)),
                Some(_) | None => (part, None),
            };
            let after_return = std::mem::replace(&mut self.after_return, end == Some('\r'));
            self.open.push_str(text);
            match end {
                Some('\n') if after_return && text.is_empty() => {}
                Some('\n' | '\r') => self.open.push('\n'),
                Some(_) => self.open.push('\u{fffd}'),
                None => {}
            }
        }
        self.stale = true;
    }

    /// Looks at the lines that have become whole.
    fn advance(&mut self) {
        loop {
            if let Some(fence) = &mut self.fence {
                match fence.take(&self.open) {
                    Taken::Open(taken) => {
                        self.open.drain(..taken);
                        return;
                    }
                    Taken::Closed(taken) => {
                        self.open.drain(..taken);
                        if let Some(fence) = self.fence.take() {
                            self.freeze(Block::Code { lang: fence.lang, text: fence.text });
                        }
                    }
                }
            }
            let line = self.open.get(self.seen..).unwrap_or_default();
            let line_end = line.find('\n');
            if line_end.unwrap_or(line.len()) > LIMIT {
                let end = line.floor_char_boundary(LIMIT);
                let piece = line.get(..end).unwrap_or_default();
                let end = piece.rfind(' ').filter(|space| *space > LIMIT / 2).map_or(end, |space| space + 1);
                self.freeze_open(self.seen + end);
                continue;
            }
            let Some(line_end) = line_end else { return };
            let line = line.get(..=line_end).unwrap_or_default();
            if self.seen == 0 {
                if line.trim().is_empty() {
                    self.open.drain(..=line_end);
                    continue;
                }
                if let Some(fence) = OpenFence::open(line) {
                    self.fence = Some(fence);
                    self.open.drain(..=line_end);
                    continue;
                }
            }
            self.seen += line_end + 1;
            if self.seen >= self.next_try.max(STEP) {
                self.try_to_freeze();
            }
        }
    }

    /// Freezes all blocks of the whole lines but the last, which may still grow; and of that one too what is too long.
    fn try_to_freeze(&mut self) {
        let text = self.open.get(..self.seen).unwrap_or_default();
        let mut built = self.build(text);
        let last = built.blocks.pop();
        let last_start = last.as_ref().map_or(0, |(start, _)| *start);
        let line_start = text.get(..last_start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let rest = self.seen - line_start;
        if !built.blocks.is_empty() {
            for (offset, label, address, title) in built.definitions {
                if offset < line_start {
                    self.definitions.add(&label, &address, &title);
                }
            }
            for (_, block) in built.blocks {
                self.freeze(block);
            }
            self.open.drain(..line_start);
            self.seen = 0;
            self.next_try = (2 * rest).min(LIMIT);
        } else if rest < LIMIT {
            self.next_try = (2 * rest).min(LIMIT);
        } else {
            let (end, repeat) = match last {
                Some((_, Block::List { .. })) => (last_item_start(text).unwrap_or(rest), String::new()),
                Some((start, Block::Table { .. })) => (rest, table_head(text.get(start..).unwrap_or_default())),
                Some(_) | None => (rest, String::new()),
            };
            self.freeze_open(end);
            if !self.open.is_empty() || !repeat.is_empty() {
                self.open.insert_str(0, &repeat);
            }
        }
    }

    /// Freezes the open text up to here, whatever it is.
    fn freeze_open(&mut self, end: usize) {
        let built = self.build(self.open.get(..end).unwrap_or_default());
        for (_, label, address, title) in built.definitions {
            self.definitions.add(&label, &address, &title);
        }
        for (_, block) in built.blocks {
            self.freeze(block);
        }
        self.open.drain(..end);
        self.seen = 0;
        self.next_try = 0;
    }

    /// The block takes the place of the tail's first, and its `Arc` if it is the same.
    fn freeze(&mut self, block: Block) {
        let drawn = if self.tail.is_empty() { None } else { Some(self.tail.remove(0)) };
        self.tail_is_fence = false;
        self.frozen.push(drawn.filter(|drawn| **drawn == block).unwrap_or_else(|| Arc::new(block)));
        self.stale = true;
    }
}

/// Where the last item of a list starts that is not its first: a line with a marker at the margin.
fn last_item_start(text: &str) -> Option<usize> {
    let is_marker = |line: &str| {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = if number.len() < line.len() {
            number.strip_prefix(['.', ')'])
        } else {
            line.strip_prefix(['-', '+', '*'])
        };
        after.is_some_and(|after| after.starts_with([' ', '\t', '\n']))
    };
    let mut starts = text.match_indices('\n').map(|(end, _)| end + 1);
    starts.rfind(|start| text.get(*start..).is_some_and(is_marker))
}

/// The first two lines of a table, which its other half repeats; nothing if they are long.
fn table_head(table: &str) -> String {
    let end = table.match_indices('\n').nth(1).map_or(0, |(end, _)| end + 1);
    table.get(..end).filter(|head| head.len() <= 1024).unwrap_or_default().to_owned()
}

/// The blocks of a whole text, links resolved by definitions anywhere in it.
pub fn parse(text: &str) -> Vec<Block> {
    let first = run(text, Definitions::default());
    let stream = if first.definitions.is_empty() { first } else { run(text, first.definitions) };
    stream.frozen.into_iter().map(Arc::unwrap_or_clone).collect()
}

fn run(text: &str, definitions: Definitions) -> Stream {
    let mut stream = Stream { definitions, ..Stream::default() };
    stream.push(text);
    stream.finish();
    stream
}

#[cfg(test)]
pub(crate) mod tests;
