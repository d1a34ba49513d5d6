//! A Markdown message as DOM nodes, while it grows.
//!
//! The parser is another module: it says what a piece of text changed. Each block has a cell; a frame sets only the cells
//! whose block changed, and inside an open list or table only the items that changed. Text from a model becomes text nodes
//! and checked attributes, never markup. Until the parser has arrived, and where it failed, the text stands as it was
//! written.

use std::sync::Arc;

use leptos::prelude::*;
use vitrine_markdown::{Alignment, Block, Delta, Edit, Inline, Item};

use crate::chat::code::{code_block, pieces};
use crate::chat::row::PartView;
use crate::markdown_link::Parser;
use crate::store::Store;
use crate::view::{Element, View, button, choose, classed, effect, element, keyed, live, live_text, view};

/// Bytes of one text that are parsed and drawn in a frame, so that opening a long session makes no long task.
const SLICE: usize = 4 * 1024;

thread_local! {
    /// Whether the parser is there: for all elements of the page, which come and go.
    static PARSER_IS_THERE: ArcRwSignal<bool> = ArcRwSignal::new(false);
}

/// Messages are drawn as Markdown from now on, those on screen among them.
pub fn parser_arrived() {
    PARSER_IS_THERE.with(|there| there.set(true));
}

/// A block on screen. A block that turns into another kind gets a new cell, one that grows keeps it.
#[derive(Clone)]
struct Cell {
    key: (usize, usize),
    block: ArcRwSignal<Arc<Block>>,
}

/// Draws a text part.
pub fn text_part(part: PartView) -> View {
    let there = PARSER_IS_THERE.with(Clone::clone);
    let failed = RwSignal::new(false);
    choose(
        move || there.get() && !failed.get(),
        move |&parsed| if parsed { blocks(part.clone(), failed) } else { plain(part.clone()) },
    )
}

/// A text that changes as a whole, as Markdown once the parser is there.
pub fn rendered(store: Store, text: Memo<String>) -> View {
    let there = PARSER_IS_THERE.with(Clone::clone);
    choose(move || (there.get(), text.get()), move |(_, text)| document(store, text))
}

/// A whole text as Markdown; as it is written where there is no parser.
pub fn document(store: Store, text: &str) -> Element {
    let cells = RwSignal::new(Vec::<Cell>::new());
    let parsed = Parser::open().and_then(|parser| Some([parser.push(text)?, parser.finish()?]));
    let Some(deltas) = parsed else { return classed("p", "plain").child(text) };
    for delta in deltas {
        place(delta, cells);
    }
    let blocks = cells.get_untracked().into_iter().map(|cell| open_block(store, cell.block)).collect::<Vec<_>>();
    classed("div", "prose").child(blocks)
}

/// The text as it was written.
fn plain(part: PartView) -> Element {
    let read = part.clone();
    let open = Memo::new(move |_| {
        read.trigger.track();
        read.text(|_, grows| grows).unwrap_or(false)
    });
    let text = Memo::new(move |_| {
        part.trigger.track();
        (String::new(), part.text(|text, _| text.to_owned()).unwrap_or_default())
    });
    let lines = classed("p", "plain").child(pieces("span", text));
    classed("div", "prose").live_class("streaming", move || open.get()).child(lines)
}

/// A message on its way through the parser.
struct Progress {
    /// Freed as soon as the message is whole.
    parser: Option<Parser>,
    /// Bytes of the text that were parsed.
    taken: usize,
}

impl Progress {
    /// Parses the next slice. Gives what it changed, and whether there is more to come now, and later.
    fn advance(&mut self, text: &str, streaming: bool) -> Option<(Vec<Delta>, bool, bool)> {
        let mut deltas = Vec::new();
        let rest = text.get(self.taken..).unwrap_or_default();
        let slice = rest.get(..rest.floor_char_boundary(SLICE)).unwrap_or_default();
        let more = slice.len() < rest.len();
        if let Some(parser) = &self.parser {
            if !slice.is_empty() {
                deltas.push(parser.push(slice)?);
            }
            if !more && !streaming {
                deltas.push(parser.finish()?);
                self.parser = None;
            }
        }
        self.taken += slice.len();
        Some((deltas, more, more || streaming))
    }
}

/// The text as Markdown. `failed` is set when it cannot be.
fn blocks(part: PartView, failed: RwSignal<bool>) -> Element {
    let PartView { store, row, trigger, .. } = part.clone();
    let cells = RwSignal::new(Vec::<Cell>::new());
    let progress = StoredValue::new_local(Progress { parser: Parser::open(), taken: 0 });
    let streaming = RwSignal::new(true);
    if progress.with_value(|progress| progress.parser.is_none()) {
        failed.set(true);
    }
    effect(move || {
        trigger.track();
        let step = progress.try_update_value(|progress| part.text(|text, streaming| progress.advance(text, streaming)));
        match step {
            Some(Some(Some((deltas, more, open)))) => {
                for delta in deltas {
                    place(delta, cells);
                }
                if more {
                    store.draw_again(row);
                }
                if streaming.get_untracked() != open {
                    streaming.set(open);
                }
            }
            Some(Some(None)) => failed.set(true),
            // The message is gone.
            Some(None) | None => {}
        }
    });
    let key = |cell: &Cell| format!("{}.{}", cell.key.0, cell.key.1);
    classed("div", "prose").live_class("streaming", move || streaming.get()).child(keyed(
        move || cells.get(),
        key,
        move |cell| open_block(store, cell.block),
    ))
}

/// Does to the cells what the parser says of their blocks.
fn place(Delta { n_blocks, edits }: Delta, cells: RwSignal<Vec<Cell>>) {
    let mut fresh = Vec::new();
    let n_cells = cells.with_untracked(|cells| {
        for (index, edit) in edits {
            match (edit, cells.get(index)) {
                (Edit::Set(block), Some(cell)) if cell.key.1 == kind(&block) => cell.block.set(block),
                (Edit::Set(block), _) => fresh.push((index, block)),
                (Edit::Grow(added), Some(cell)) => cell.block.update(|block| {
                    if let Block::Code { text, .. } = Arc::make_mut(block) {
                        text.push_str(&added);
                    }
                }),
                // There is nothing to grow; the parser told of the block before.
                (Edit::Grow(_), None) => {}
            }
        }
        cells.len()
    });
    if n_cells > n_blocks || !fresh.is_empty() {
        cells.update(|cells| {
            cells.truncate(n_blocks);
            for (index, block) in fresh {
                let cell = Cell { key: (index, kind(&block)), block: ArcRwSignal::new(block) };
                match cells.get_mut(index) {
                    Some(place) => *place = cell,
                    None => cells.push(cell),
                }
            }
        });
    }
}

fn kind(block: &Block) -> usize {
    match block {
        Block::Paragraph(_) => 0,
        Block::Plain(_) => 1,
        Block::Heading { .. } => 2,
        Block::Code { .. } => 3,
        Block::Quote(_) => 4,
        Block::List { start: None, .. } => 5,
        Block::List { start: Some(_), .. } => 6,
        Block::Table { .. } => 7,
        Block::Rule => 8,
    }
}

/// A block that may still grow.
fn open_block(store: Store, block: ArcRwSignal<Arc<Block>>) -> View {
    let first = block.get_untracked();
    match &*first {
        Block::Code { .. } => view(code_block(store, move || match &*block.get() {
            Block::Code { lang, text } => (lang.clone(), text.clone()),
            _ => Default::default(),
        })),
        Block::List { start, .. } => {
            let items = open_children(
                move || match &*block.get() {
                    Block::List { items, .. } => items.clone(),
                    _ => Vec::new(),
                },
                move |item: &Item| view(item_view(store, item)),
            );
            view(list(*start).child(items))
        }
        Block::Table { alignments, head, .. } => {
            let columns = alignments.clone();
            let rows = open_children(
                move || match &*block.get() {
                    Block::Table { rows, .. } => rows.clone(),
                    _ => Vec::new(),
                },
                move |row: &Vec<Vec<Inline>>| view(table_row(store, "td", &columns, row)),
            );
            view(table(store, alignments, head, rows))
        }
        Block::Quote(_) => {
            let blocks = open_children(
                move || match &*block.get() {
                    Block::Quote(blocks) => blocks.clone(),
                    _ => Vec::new(),
                },
                move |block: &Block| closed_block(store, block),
            );
            view(element("blockquote").child(blocks))
        }
        Block::Paragraph(_) | Block::Plain(_) | Block::Heading { .. } | Block::Rule => {
            live(move || closed_block(store, &block.get()))
        }
    }
}

/// Children of an open block: a child is drawn again only when it is another.
fn open_children<T: Clone + PartialEq + Send + Sync + 'static>(
    children: impl Fn() -> Vec<T> + 'static,
    draw: impl Fn(&T) -> View + Clone + 'static,
) -> View {
    let cells = RwSignal::new(Vec::<ArcRwSignal<T>>::new());
    effect(move || {
        let children = children();
        let known = cells.with_untracked(|cells| {
            for (cell, child) in cells.iter().zip(&children) {
                if cell.with_untracked(|old| old != child) {
                    cell.set(child.clone());
                }
            }
            cells.len()
        });
        if known != children.len() {
            cells.update(|cells| {
                cells.truncate(children.len());
                cells.extend(children.into_iter().skip(known).map(ArcRwSignal::new));
            });
        }
    });
    keyed(
        move || cells.get().into_iter().enumerate().collect(),
        |(index, _)| index.to_string(),
        move |(_, cell)| {
            let draw = draw.clone();
            live(move || cell.with(&draw))
        },
    )
}

/// A block that will not change.
fn closed_block(store: Store, block: &Block) -> View {
    view(match block {
        Block::Paragraph(content) => element("p").child(inlines(store, content)),
        Block::Plain(content) => return view(inlines(store, content)),
        Block::Heading { level, content } => {
            // Below the page's own headings.
            let tag = match level {
                1 => "h3",
                2 => "h4",
                3 => "h5",
                _ => "h6",
            };
            element(tag).child(inlines(store, content))
        }
        Block::Code { lang, text } => {
            let (lang, text) = (lang.clone(), text.clone());
            code_block(store, move || (lang.clone(), text.clone()))
        }
        Block::Quote(blocks) => element("blockquote").child(closed_blocks(store, blocks)),
        Block::List { start, items } => {
            list(*start).child(items.iter().map(|item| item_view(store, item)).collect::<Vec<_>>())
        }
        Block::Table { alignments, head, rows } => {
            let rows = rows.iter().map(|row| table_row(store, "td", alignments, row));
            let rows = rows.collect::<Vec<_>>();
            table(store, alignments, head, view(rows))
        }
        Block::Rule => element("hr"),
    })
}

fn closed_blocks(store: Store, blocks: &[Block]) -> Vec<View> {
    blocks.iter().map(|block| closed_block(store, block)).collect()
}

fn list(start: Option<u64>) -> Element {
    match start {
        Some(start) => element("ol").attr("start", &start.to_string()),
        None => element("ul"),
    }
}

fn item_view(store: Store, item: &Item) -> Element {
    let blocks = closed_blocks(store, &item.blocks);
    match item.task {
        Some(done) => {
            let check = element("input").attr("type", "checkbox").flag("disabled", true).flag("checked", done);
            classed("li", "task").child(check).child(" ").child(blocks)
        }
        None => element("li").child(blocks),
    }
}

fn table(store: Store, alignments: &[Alignment], head: &[Vec<Inline>], rows: View) -> Element {
    let table = classed("table", "data")
        .child(element("thead").child(table_row(store, "th", alignments, head)))
        .child(element("tbody").child(rows));
    classed("div", "tablebox").attr("tabindex", "0").child(table)
}

fn table_row(store: Store, tag: &'static str, alignments: &[Alignment], row: &[Vec<Inline>]) -> Element {
    let cells = cells(alignments, row).map(|(class, content)| classed(tag, class).child(inlines(store, content)));
    element("tr").child(cells.collect::<Vec<_>>())
}

fn cells<'a>(
    alignments: &'a [Alignment],
    row: &'a [Vec<Inline>],
) -> impl Iterator<Item = (&'static str, &'a Vec<Inline>)> {
    let classes = alignments.iter().map(|alignment| match alignment {
        Alignment::None | Alignment::Left => "",
        Alignment::Center => "c",
        Alignment::Right => "r",
    });
    classes.chain(std::iter::repeat("")).zip(row)
}

fn inlines(store: Store, inlines: &[Inline]) -> Vec<View> {
    inlines.iter().map(|inline| inline_view(store, inline)).collect()
}

fn inline_view(store: Store, inline: &Inline) -> View {
    view(match inline {
        Inline::Text(text) => return view(text.as_str()),
        Inline::Code(text) => element("code").child(text.as_str()),
        Inline::Emphasis(content) => element("em").child(inlines(store, content)),
        Inline::Strong(content) => element("strong").child(inlines(store, content)),
        Inline::Strikethrough(content) => element("s").child(inlines(store, content)),
        Inline::Link { href, title, content } => {
            let link = element("a").attr("href", href).attr("target", "_blank").attr("rel", "noopener noreferrer");
            let link = if title.is_empty() { link } else { link.attr("title", title) };
            link.child(inlines(store, content))
        }
        Inline::Image { src, alt } => return image(store, src.clone(), alt.clone()),
        Inline::SoftBreak => return view(" "),
        Inline::HardBreak => element("br"),
    })
}

/// An image loads when the reader asks: fetching it tells its server that the message was read, and can carry data out.
fn image(store: Store, src: String, alt: String) -> View {
    let asked = RwSignal::new(false);
    choose(
        move || asked.get(),
        move |&is_asked| {
            if is_asked {
                // The policy first: the address is what starts the request.
                return element("img").attr("referrerpolicy", "no-referrer").attr("alt", &alt).attr("src", &src);
            }
            let alt = alt.clone();
            let words = live_text(move || (store.t().load_image)(&alt));
            button("picture")
                .attr("title", &src)
                .on_click(move || asked.set(true))
                .child(classed("span", "clip").child(words))
        },
    )
}
