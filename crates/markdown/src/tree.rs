//! The tree: what a view draws, one node for each value. Nothing in it needs escaping by a view that sets text nodes.

/// Quotes, lists and inline spans nested deeper than this are drawn at this depth: a view recurses, and so does `Drop`.
pub(crate) const MAX_DEPTH: usize = 32;

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// Text of a tight list item: drawn like a paragraph without its margins (no `p` element).
    Plain(Vec<Inline>),
    /// A heading.
    Heading {
        /// 1 to 6, as written. A view shifts it below its own headings.
        level: u8,
        /// The words.
        content: Vec<Inline>,
    },
    /// A code block, fenced or indented. Copying takes `text`, never what is drawn.
    Code {
        /// The first word after the fence; empty where there is none. Untrusted: show it, never build a class from it.
        lang: String,
        /// The code, verbatim, ending in a line feed unless its last line is still open.
        text: String,
    },
    /// A block quote.
    Quote(Vec<Block>),
    /// A list.
    List {
        /// The first number of a numbered list; `None` has bullets.
        start: Option<u64>,
        /// The items.
        items: Vec<Item>,
    },
    /// A table. Every row has as many cells as the head.
    Table {
        /// One a column.
        alignments: Vec<Alignment>,
        /// The head row's cells.
        head: Vec<Vec<Inline>>,
        /// The other rows' cells.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A thematic break.
    Rule,
}

/// An item of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Whether the box of a task item is ticked; `None` has no box. Drawn disabled.
    pub task: Option<bool>,
    /// What is in it.
    pub blocks: Vec<Block>,
}

/// How a table column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// As the page does.
    None,
    /// Left.
    Left,
    /// Centre.
    Center,
    /// Right.
    Right,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Text, raw HTML among it. A view makes a text node of it.
    Text(String),
    /// Code in a line.
    Code(String),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Struck out.
    Strikethrough(Vec<Inline>),
    /// A link. Every view must set `rel="noopener noreferrer"` on it, and must not fetch `href` before a click.
    Link {
        /// Checked: `http://…`, `https://…`, `mailto:…` or `#…`.
        href: String,
        /// The title, or empty.
        title: String,
        /// What is to be clicked; has no link in it.
        content: Vec<Inline>,
    },
    /// An image that has not been asked for: a view shows a placeholder with `alt` and loads `src` only after a click.
    Image {
        /// Checked: `http://…` or `https://…`.
        src: String,
        /// The words for it; may be empty.
        alt: String,
    },
    /// A line end in the source: a space.
    SoftBreak,
    /// A line end that is to be seen.
    HardBreak,
}

/// The words of inlines without their looks: for titles, copying and announcements.
pub fn plain_text(inlines: &[Inline]) -> String {
    let mut text = String::new();
    append_text(inlines, &mut text);
    text
}

fn append_text(inlines: &[Inline], text: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(part) | Inline::Code(part) => text.push_str(part),
            Inline::Emphasis(content)
            | Inline::Strong(content)
            | Inline::Strikethrough(content)
            | Inline::Link { content, .. } => append_text(content, text),
            Inline::Image { alt, .. } => text.push_str(alt),
            Inline::SoftBreak => text.push(' '),
            Inline::HardBreak => text.push('\n'),
        }
    }
}
