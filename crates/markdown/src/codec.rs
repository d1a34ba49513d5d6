//! The tree as bytes, and back.
//!
//! A number is seven bits a byte, least first, the eighth saying that more follow; a text is its length and UTF-8; a list is
//! its length and its items; a variant is a byte and its fields. Every length is held against the bytes that are left, and
//! depth against what the parser makes, so a reader of garbage neither allocates nor recurses without bound.

use crate::tree::{Alignment, Block, Inline, Item, MAX_DEPTH};

/// Deeper than any tree of the parser: lists and quotes end at `MAX_DEPTH`, spans in them at twice that.
const MAX_NESTING: usize = 3 * MAX_DEPTH;

/// Appends to what was written.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(crate) fn number(&mut self, mut number: u64) {
        while number > 0x7f {
            self.byte((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn list<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.number(items.len() as u64);
        for item in items {
            write(self, item);
        }
    }

    pub(crate) fn block(&mut self, block: &Block) {
        match block {
            Block::Paragraph(content) => {
                self.byte(0);
                self.inlines(content);
            }
            Block::Plain(content) => {
                self.byte(1);
                self.inlines(content);
            }
            Block::Heading { level, content } => {
                self.byte(2);
                self.byte(*level);
                self.inlines(content);
            }
            Block::Code { lang, text } => {
                self.byte(3);
                self.text(lang);
                self.text(text);
            }
            Block::Quote(blocks) => {
                self.byte(4);
                self.list(blocks, Self::block);
            }
            Block::List { start: None, items } => {
                self.byte(5);
                self.list(items, Self::item);
            }
            Block::List { start: Some(start), items } => {
                self.byte(6);
                self.number(*start);
                self.list(items, Self::item);
            }
            Block::Table { alignments, head, rows } => {
                self.byte(7);
                self.list(alignments, |writer, alignment| {
                    writer.byte(match alignment {
                        Alignment::None => 0,
                        Alignment::Left => 1,
                        Alignment::Center => 2,
                        Alignment::Right => 3,
                    });
                });
                self.row(head);
                self.list(rows, |writer, row| writer.row(row));
            }
            Block::Rule => self.byte(8),
        }
    }

    fn item(&mut self, item: &Item) {
        self.byte(match item.task {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        });
        self.list(&item.blocks, Self::block);
    }

    fn row(&mut self, cells: &[Vec<Inline>]) {
        self.list(cells, |writer, cell| writer.inlines(cell));
    }

    fn inlines(&mut self, inlines: &[Inline]) {
        self.list(inlines, Self::inline);
    }

    fn inline(&mut self, inline: &Inline) {
        match inline {
            Inline::Text(text) => {
                self.byte(0);
                self.text(text);
            }
            Inline::Code(text) => {
                self.byte(1);
                self.text(text);
            }
            Inline::Emphasis(content) => {
                self.byte(2);
                self.inlines(content);
            }
            Inline::Strong(content) => {
                self.byte(3);
                self.inlines(content);
            }
            Inline::Strikethrough(content) => {
                self.byte(4);
                self.inlines(content);
            }
            Inline::Link { href, title, content } => {
                self.byte(5);
                self.text(href);
                self.text(title);
                self.inlines(content);
            }
            Inline::Image { src, alt } => {
                self.byte(6);
                self.text(src);
                self.text(alt);
            }
            Inline::SoftBreak => self.byte(7),
            Inline::HardBreak => self.byte(8),
        }
    }
}

/// Takes from the front of what is left. Whatever does not fit is `None`, and nothing after that is of use.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, depth: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit.
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn index(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let n_bytes = self.index()?;
        let (text, rest) = self.rest.split_at_checked(n_bytes)?;
        self.rest = rest;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }

    pub(crate) fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let n_items = self.index()?;
        // An item takes a byte or more.
        if n_items > self.rest.len() || self.depth > MAX_NESTING {
            return None;
        }
        self.depth += 1;
        let mut items = Vec::new();
        for _ in 0..n_items {
            items.push(read(self)?);
        }
        self.depth -= 1;
        Some(items)
    }

    pub(crate) fn block(&mut self) -> Option<Block> {
        Some(match self.byte()? {
            0 => Block::Paragraph(self.inlines()?),
            1 => Block::Plain(self.inlines()?),
            2 => Block::Heading { level: self.byte()?, content: self.inlines()? },
            3 => Block::Code { lang: self.text()?, text: self.text()? },
            4 => Block::Quote(self.blocks()?),
            5 => Block::List { start: None, items: self.items()? },
            6 => Block::List { start: Some(self.number()?), items: self.items()? },
            7 => Block::Table {
                alignments: self.list(|reader| {
                    Some(match reader.byte()? {
                        0 => Alignment::None,
                        1 => Alignment::Left,
                        2 => Alignment::Center,
                        3 => Alignment::Right,
                        _ => return None,
                    })
                })?,
                head: self.row()?,
                rows: self.list(Self::row)?,
            },
            8 => Block::Rule,
            _ => return None,
        })
    }

    fn blocks(&mut self) -> Option<Vec<Block>> {
        self.list(Self::block)
    }

    fn items(&mut self) -> Option<Vec<Item>> {
        self.list(|reader| {
            let task = match reader.byte()? {
                0 => None,
                1 => Some(false),
                2 => Some(true),
                _ => return None,
            };
            Some(Item { task, blocks: reader.blocks()? })
        })
    }

    fn row(&mut self) -> Option<Vec<Vec<Inline>>> {
        self.list(Self::inlines)
    }

    fn inlines(&mut self) -> Option<Vec<Inline>> {
        self.list(Self::inline)
    }

    fn inline(&mut self) -> Option<Inline> {
        Some(match self.byte()? {
            0 => Inline::Text(self.text()?),
            1 => Inline::Code(self.text()?),
            2 => Inline::Emphasis(self.inlines()?),
            3 => Inline::Strong(self.inlines()?),
            4 => Inline::Strikethrough(self.inlines()?),
            5 => Inline::Link { href: self.text()?, title: self.text()?, content: self.inlines()? },
            6 => Inline::Image { src: self.text()?, alt: self.text()? },
            7 => Inline::SoftBreak,
            8 => Inline::HardBreak,
            _ => return None,
        })
    }
}
