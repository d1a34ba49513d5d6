//! A Markdown message as DOM nodes, while it grows.
//!
//! Each block has a cell; a frame sets only the cells whose block changed, and inside an open list or table only the
//! items that changed. Text from a model becomes text nodes and checked attributes, never markup.

use std::sync::Arc;

use leptos::prelude::*;
use vitrine_markdown::{Alignment, Block, Inline, Item, Stream};

use crate::chat::code::code_block;
use crate::chat::row::PartView;
use crate::store::Store;

/// Bytes of one text that are parsed and drawn in a frame, so that opening a long session makes no long task.
const SLICE: usize = 4 * 1024;

/// A block on screen. A block that turns into another kind gets a new cell, one that grows keeps it.
#[derive(Clone)]
struct Cell {
    key: (usize, usize),
    block: ArcRwSignal<Arc<Block>>,
}

/// Draws a text part.
pub fn text_part(part: PartView) -> impl IntoView {
    let PartView { store, row, trigger, .. } = part.clone();
    let cells = RwSignal::new(Vec::<Cell>::new());
    let parser = StoredValue::new_local((Stream::new(), 0_usize, 0_usize));
    let streaming = RwSignal::new(true);
    Effect::new(move || {
        trigger.track();
        let more = parser.try_update_value(|(stream, taken, frozen)| {
            let state = part.text(|text, streaming| {
                let rest = text.get(*taken..).unwrap_or_default();
                let slice = rest.get(..rest.floor_char_boundary(SLICE)).unwrap_or_default();
                stream.push(slice);
                *taken += slice.len();
                let more = slice.len() < rest.len();
                if !more && !streaming {
                    stream.finish();
                }
                (more, streaming)
            });
            place(stream, frozen, cells);
            state
        });
        if let Some(Some((more, open))) = more {
            if more {
                store.draw_again(row);
            }
            let open = more || open;
            if streaming.get_untracked() != open {
                streaming.set(open);
            }
        }
    });
    view! {
        <div class="prose" class:streaming=move || streaming.get()>
            <For each=move || cells.get() key=|cell| cell.key children=move |cell| open_block(store, cell.block) />
        </div>
    }
}

/// Puts the parser's blocks into their cells. Frozen ones seen before are not looked at again.
fn place(stream: &mut Stream, frozen: &mut usize, cells: RwSignal<Vec<Cell>>) {
    let blocks = stream.blocks();
    let total = blocks.frozen.len() + blocks.tail.len();
    let mut fresh = Vec::new();
    cells.with_untracked(|cells| {
        for (index, block) in blocks.iter().enumerate().skip(*frozen) {
            match cells.get(index) {
                Some(cell) if cell.key.1 == kind(block) => {
                    if !cell.block.with_untracked(|old| Arc::ptr_eq(old, block)) {
                        cell.block.set(Arc::clone(block));
                    }
                }
                Some(_) | None => fresh.push((index, Arc::clone(block))),
            }
        }
    });
    let shrunk = cells.with_untracked(Vec::len) > total;
    if shrunk || !fresh.is_empty() {
        cells.update(|cells| {
            cells.truncate(total);
            for (index, block) in fresh {
                let cell = Cell { key: (index, kind(&block)), block: ArcRwSignal::new(block) };
                match cells.get_mut(index) {
                    Some(place) => *place = cell,
                    None => cells.push(cell),
                }
            }
        });
    }
    *frozen = blocks.frozen.len();
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
fn open_block(store: Store, block: ArcRwSignal<Arc<Block>>) -> AnyView {
    let first = block.get_untracked();
    match &*first {
        Block::Code { .. } => code_block(store, move || match &*block.get() {
            Block::Code { lang, text } => (lang.clone(), text.clone()),
            _ => Default::default(),
        })
        .into_any(),
        Block::List { start, .. } => {
            let items = open_children(
                move || match &*block.get() {
                    Block::List { items, .. } => items.clone(),
                    _ => Vec::new(),
                },
                move |item: &Item| item_view(store, item),
            );
            list(*start, items)
        }
        Block::Table { alignments, head, .. } => {
            let columns = alignments.clone();
            let rows = open_children(
                move || match &*block.get() {
                    Block::Table { rows, .. } => rows.clone(),
                    _ => Vec::new(),
                },
                move |row: &Vec<Vec<Inline>>| table_row(store, &columns, row),
            );
            table(store, alignments, head, rows)
        }
        Block::Quote(_) => {
            let blocks = open_children(
                move || match &*block.get() {
                    Block::Quote(blocks) => blocks.clone(),
                    _ => Vec::new(),
                },
                move |block: &Block| closed_block(store, block),
            );
            view! { <blockquote>{blocks}</blockquote> }.into_any()
        }
        Block::Paragraph(_) | Block::Plain(_) | Block::Heading { .. } | Block::Rule => {
            (move || closed_block(store, &block.get())).into_any()
        }
    }
}

/// Children of an open block: a child is drawn again only when it is another.
fn open_children<T: Clone + PartialEq + Send + Sync + 'static>(
    children: impl Fn() -> Vec<T> + Send + Sync + 'static,
    draw: impl Fn(&T) -> AnyView + Clone + Send + Sync + 'static,
) -> AnyView {
    let cells = RwSignal::new(Vec::<ArcRwSignal<T>>::new());
    Effect::new(move || {
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
    view! {
        <For
            each=move || cells.get().into_iter().enumerate()
            key=|(index, _)| *index
            children=move |(_, cell)| {
                let draw = draw.clone();
                move || cell.with(|child| draw(child))
            }
        />
    }
    .into_any()
}

/// A block that will not change.
fn closed_block(store: Store, block: &Block) -> AnyView {
    match block {
        Block::Paragraph(content) => view! { <p>{inlines(store, content)}</p> }.into_any(),
        Block::Plain(content) => inlines(store, content).into_any(),
        // Below the page's own headings.
        Block::Heading { level, content } => {
            let content = inlines(store, content);
            match level {
                1 => view! { <h3>{content}</h3> }.into_any(),
                2 => view! { <h4>{content}</h4> }.into_any(),
                3 => view! { <h5>{content}</h5> }.into_any(),
                _ => view! { <h6>{content}</h6> }.into_any(),
            }
        }
        Block::Code { lang, text } => {
            let (lang, text) = (lang.clone(), text.clone());
            code_block(store, move || (lang.clone(), text.clone())).into_any()
        }
        Block::Quote(blocks) => view! { <blockquote>{closed_blocks(store, blocks)}</blockquote> }.into_any(),
        Block::List { start, items } => {
            list(*start, items.iter().map(|item| item_view(store, item)).collect_view().into_any())
        }
        Block::Table { alignments, head, rows } => {
            let rows = rows.iter().map(|row| table_row(store, alignments, row)).collect_view().into_any();
            table(store, alignments, head, rows)
        }
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

fn closed_blocks(store: Store, blocks: &[Block]) -> AnyView {
    blocks.iter().map(|block| closed_block(store, block)).collect_view().into_any()
}

fn list(start: Option<u64>, items: AnyView) -> AnyView {
    match start {
        Some(start) => view! { <ol start=start.to_string()>{items}</ol> }.into_any(),
        None => view! { <ul>{items}</ul> }.into_any(),
    }
}

fn item_view(store: Store, item: &Item) -> AnyView {
    let blocks = closed_blocks(store, &item.blocks);
    match item.task {
        Some(done) => view! {
            <li class="task">
                <input type="checkbox" disabled=true checked=done />
                " "
                {blocks}
            </li>
        }
        .into_any(),
        None => view! { <li>{blocks}</li> }.into_any(),
    }
}

fn table(store: Store, alignments: &[Alignment], head: &[Vec<Inline>], rows: AnyView) -> AnyView {
    let head = cells(alignments, head)
        .map(|(class, content)| view! { <th class=class>{inlines(store, content)}</th> })
        .collect_view();
    view! {
        <div class="tablebox" tabindex="0">
            <table class="data">
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn table_row(store: Store, alignments: &[Alignment], row: &[Vec<Inline>]) -> AnyView {
    let row = cells(alignments, row)
        .map(|(class, content)| view! { <td class=class>{inlines(store, content)}</td> })
        .collect_view();
    view! { <tr>{row}</tr> }.into_any()
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

fn inlines(store: Store, inlines: &[Inline]) -> Vec<AnyView> {
    inlines.iter().map(|inline| inline_view(store, inline)).collect()
}

fn inline_view(store: Store, inline: &Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.clone().into_any(),
        Inline::Code(text) => view! { <code>{text.clone()}</code> }.into_any(),
        Inline::Emphasis(content) => view! { <em>{inlines(store, content)}</em> }.into_any(),
        Inline::Strong(content) => view! { <strong>{inlines(store, content)}</strong> }.into_any(),
        Inline::Strikethrough(content) => view! { <s>{inlines(store, content)}</s> }.into_any(),
        Inline::Link { href, title, content } => {
            let title = (!title.is_empty()).then(|| title.clone());
            view! {
                <a href=href.clone() title=title target="_blank" rel="noopener noreferrer">
                    {inlines(store, content)}
                </a>
            }
            .into_any()
        }
        Inline::Image { src, alt } => image(store, src.clone(), alt.clone()),
        Inline::SoftBreak => " ".into_any(),
        Inline::HardBreak => view! { <br /> }.into_any(),
    }
}

/// An image loads when the reader asks: fetching it tells its server that the message was read, and can carry data out.
fn image(store: Store, src: String, alt: String) -> AnyView {
    let asked = RwSignal::new(false);
    let address = src.clone();
    let words = alt.clone();
    (move || {
        if asked.get() {
            view! { <img src=src.clone() alt=alt.clone() referrerpolicy="no-referrer" /> }.into_any()
        } else {
            let words = words.clone();
            view! {
                <button class="picture" type="button" title=address.clone() on:click=move |_| asked.set(true)>
                    <span class="clip">{move || (store.t().load_image)(&words)}</span>
                </button>
            }
            .into_any()
        }
    })
    .into_any()
}
