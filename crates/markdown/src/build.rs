//! From pulldown-cmark's events to the tree, with untrusted parts made harmless on the way.

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag};

use crate::definitions::Definitions;
use crate::link::{image_source, link_target};
use crate::tree::{Alignment, Block, Inline, Item, MAX_DEPTH, plain_text};

/// A text as blocks.
#[derive(Debug, Default)]
pub(crate) struct Built {
    /// Top-level blocks, each with the offset where it starts (maybe after its indentation).
    pub(crate) blocks: Vec<(usize, Block)>,
    /// Definitions in the text: offset, label, address, title.
    pub(crate) definitions: Vec<(usize, String, String, String)>,
}

/// Parses a text. `known` are definitions from elsewhere in the message.
pub(crate) fn build(text: &str, known: &Definitions) -> Built {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let look_up = |link: BrokenLink<'_>| {
        let (address, title) = known.find(&link.reference)?;
        Some((CowStr::from(address.to_owned()), CowStr::from(title.to_owned())))
    };
    let parser = Parser::new_with_broken_link_callback(text, options, Some(look_up));
    let definitions = parser
        .reference_definitions()
        .iter()
        .map(|(label, definition)| {
            let title = definition.title.as_deref().unwrap_or_default().to_owned();
            (definition.span.start, label.to_owned(), definition.dest.to_string(), title)
        })
        .collect();
    let mut builder = Builder::default();
    for (event, range) in parser.into_offset_iter() {
        builder.event(event, range.start);
    }
    Built { blocks: builder.blocks, definitions }
}

#[derive(Default)]
struct Builder {
    blocks: Vec<(usize, Block)>,
    frames: Vec<Frame>,
    /// For each open tag: whether it has a frame.
    open: Vec<bool>,
    /// Where the open top-level block starts.
    start: usize,
}

/// A node that is still open.
enum Frame {
    Quote(Vec<Block>),
    List {
        start: Option<u64>,
        items: Vec<Item>,
    },
    Item(Item),
    Code {
        lang: String,
        text: String,
    },
    /// Raw HTML, to be shown as it was written.
    Html(String),
    Table {
        alignments: Vec<Alignment>,
        head: Vec<Vec<Inline>>,
        rows: Vec<Vec<Vec<Inline>>>,
    },
    Row {
        head: bool,
        cells: Vec<Vec<Inline>>,
    },
    Span(Span, Vec<Inline>),
}

/// What a list of inlines becomes.
enum Span {
    Paragraph,
    Heading(u8),
    Cell,
    Emphasis,
    Strong,
    Strikethrough,
    Link { kind: LinkType, address: String, title: String },
    Image { address: String },
}

impl Builder {
    fn event(&mut self, event: Event<'_>, start: usize) {
        if self.open.is_empty() {
            self.start = start;
        }
        match event {
            Event::Start(tag) => self.start_tag(tag),
            Event::End(_) => {
                if self.open.pop().unwrap_or_default()
                    && let Some(frame) = self.frames.pop()
                {
                    self.close(frame);
                }
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => match self.frames.last_mut() {
                Some(Frame::Code { text: code, .. } | Frame::Html(code)) => code.push_str(&text),
                _ => self.inline(Inline::Text(text.into_string())),
            },
            Event::Code(text) => self.inline(Inline::Code(text.into_string())),
            Event::SoftBreak => self.inline(Inline::SoftBreak),
            Event::HardBreak => self.inline(Inline::HardBreak),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(ticked) => {
                if let Some(item) = self.frames.iter_mut().rev().find_map(|frame| match frame {
                    Frame::Item(item) => Some(item),
                    _ => None,
                }) {
                    item.task = Some(ticked);
                }
            }
            // Extensions that are not enabled.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.inline(Inline::Text(text.into_string()));
            }
        }
    }

    fn start_tag(&mut self, tag: Tag<'_>) {
        let frame = match tag {
            Tag::BlockQuote(_) => Some(Frame::Quote(Vec::new())),
            Tag::List(start) => Some(Frame::List { start, items: Vec::new() }),
            Tag::Item => Some(Frame::Item(Item::default())),
            Tag::CodeBlock(kind) => {
                let lang = match &kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default(),
                    CodeBlockKind::Indented => "",
                };
                Some(Frame::Code { lang: lang.to_owned(), text: String::new() })
            }
            Tag::HtmlBlock => Some(Frame::Html(String::new())),
            Tag::Table(alignments) => Some(Frame::Table {
                alignments: alignments.into_iter().map(alignment).collect(),
                head: Vec::new(),
                rows: Vec::new(),
            }),
            Tag::TableHead => Some(Frame::Row { head: true, cells: Vec::new() }),
            Tag::TableRow => Some(Frame::Row { head: false, cells: Vec::new() }),
            Tag::TableCell => Some(Frame::Span(Span::Cell, Vec::new())),
            Tag::Paragraph => Some(Frame::Span(Span::Paragraph, Vec::new())),
            Tag::Heading { level, .. } => Some(Frame::Span(Span::Heading(level as u8), Vec::new())),
            Tag::Emphasis => Some(Frame::Span(Span::Emphasis, Vec::new())),
            Tag::Strong => Some(Frame::Span(Span::Strong, Vec::new())),
            Tag::Strikethrough => Some(Frame::Span(Span::Strikethrough, Vec::new())),
            Tag::Link { link_type, dest_url, title, .. } => {
                let address = match link_type {
                    LinkType::Email => format!("mailto:{dest_url}"),
                    _ => dest_url.into_string(),
                };
                Some(Frame::Span(Span::Link { kind: link_type, address, title: title.into_string() }, Vec::new()))
            }
            Tag::Image { dest_url, .. } => {
                Some(Frame::Span(Span::Image { address: dest_url.into_string() }, Vec::new()))
            }
            // Extensions that are not enabled.
            _ => None,
        };
        let frame = frame.filter(|frame| self.fits(frame));
        self.open.push(frame.is_some());
        self.frames.extend(frame);
    }

    /// Whether a node of this kind may nest here. What hangs together is refused together: an item is taken exactly if
    /// its list was, so that what is inside a refused node finds a place in the node around it.
    fn fits(&mut self, frame: &Frame) -> bool {
        match frame {
            Frame::Quote(_) | Frame::List { .. } => self.frames.len() < MAX_DEPTH,
            Frame::Item(_) => {
                let in_list = self.open.last().copied().unwrap_or_default();
                if !in_list && matches!(self.last_block(), Some(Block::Plain(_))) {
                    self.inline(Inline::HardBreak);
                }
                in_list
            }
            Frame::Span(Span::Paragraph | Span::Heading(_) | Span::Cell, _) => true,
            Frame::Span(..) => self.frames.len() < 2 * MAX_DEPTH,
            Frame::Code { .. } | Frame::Html(_) | Frame::Table { .. } | Frame::Row { .. } => true,
        }
    }

    fn close(&mut self, frame: Frame) {
        match frame {
            Frame::Quote(blocks) => self.block(Block::Quote(blocks)),
            Frame::List { start, items } => self.block(Block::List { start, items }),
            Frame::Item(item) => {
                if let Some(Frame::List { items, .. }) = self.frames.last_mut() {
                    items.push(item);
                }
            }
            Frame::Code { lang, text } => self.block(Block::Code { lang, text }),
            Frame::Html(text) => {
                let mut content = Vec::new();
                for line in text.trim_end_matches('\n').split('\n') {
                    if !content.is_empty() {
                        content.push(Inline::HardBreak);
                    }
                    content.push(Inline::Text(line.to_owned()));
                }
                self.block(Block::Paragraph(content));
            }
            Frame::Table { alignments, head, rows } => self.block(Block::Table { alignments, head, rows }),
            Frame::Row { head: is_head, cells } => {
                if let Some(Frame::Table { head, rows, .. }) = self.frames.last_mut() {
                    if is_head { *head = cells } else { rows.push(cells) }
                }
            }
            Frame::Span(span, content) => self.close_span(span, content),
        }
    }

    fn close_span(&mut self, span: Span, content: Vec<Inline>) {
        match span {
            Span::Paragraph => self.block(Block::Paragraph(content)),
            Span::Heading(level) => self.block(Block::Heading { level, content }),
            Span::Cell => {
                if let Some(Frame::Row { cells, .. }) = self.frames.last_mut() {
                    cells.push(content);
                }
            }
            Span::Emphasis => self.inline(Inline::Emphasis(content)),
            Span::Strong => self.inline(Inline::Strong(content)),
            Span::Strikethrough => self.inline(Inline::Strikethrough(content)),
            Span::Link { kind, address, title } => match link_target(&address) {
                Some(href) => self.inline(Inline::Link { href, title, content }),
                None if matches!(kind, LinkType::Autolink | LinkType::Email) => {
                    self.as_written("<", content, ">");
                }
                None => self.as_written("[", content, &format!("]({address})")),
            },
            Span::Image { address } => match image_source(&address) {
                Some(src) => self.inline(Inline::Image { src, alt: plain_text(&content) }),
                None => self.as_written("![", content, &format!("]({address})")),
            },
        }
    }

    /// A link or an image that may not be one stays what the author typed, so the reader sees where it would have led.
    fn as_written(&mut self, before: &str, content: Vec<Inline>, after: &str) {
        self.inline(Inline::Text(before.to_owned()));
        for inline in content {
            self.inline(inline);
        }
        self.inline(Inline::Text(after.to_owned()));
    }

    fn block(&mut self, block: Block) {
        match self.frames.last_mut() {
            Some(Frame::Quote(blocks) | Frame::Item(Item { blocks, .. })) => blocks.push(block),
            None => self.blocks.push((self.start, block)),
            // A block inside anything else is not Markdown; there is no place for it.
            Some(_) => {}
        }
    }

    fn last_block(&mut self) -> Option<&mut Block> {
        match self.frames.last_mut() {
            Some(Frame::Quote(blocks) | Frame::Item(Item { blocks, .. })) => blocks.last_mut(),
            None => self.blocks.last_mut().map(|(_, block)| block),
            Some(_) => None,
        }
    }

    fn inline(&mut self, inline: Inline) {
        let content = match self.frames.last_mut() {
            Some(Frame::Span(_, content)) => content,
            Some(_) | None => {
                if !matches!(self.last_block(), Some(Block::Plain(_))) {
                    self.block(Block::Plain(Vec::new()));
                }
                match self.last_block() {
                    Some(Block::Plain(content)) => content,
                    _ => return,
                }
            }
        };
        match (content.last_mut(), inline) {
            (Some(Inline::Text(before)), Inline::Text(text)) => before.push_str(&text),
            (_, inline) => content.push(inline),
        }
    }
}

fn alignment(alignment: pulldown_cmark::Alignment) -> Alignment {
    match alignment {
        pulldown_cmark::Alignment::None => Alignment::None,
        pulldown_cmark::Alignment::Left => Alignment::Left,
        pulldown_cmark::Alignment::Center => Alignment::Center,
        pulldown_cmark::Alignment::Right => Alignment::Right,
    }
}
