//! A code block: drawn in pieces of whole lines, so that an open one lays out only its last piece again.

use leptos::prelude::*;
use vitrine::platform::dom;

use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, classed, effect, element, keyed, live_text, view};

/// A piece is closed at the first line end after this many bytes.
const PIECE: usize = 4 * 1024;

/// What the copy button says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    Not,
    Done,
    Refused,
}

/// Draws a code block; `source` gives its language word and its text so far, and tracks them.
pub fn code_block(store: Store, source: impl Fn() -> (String, String) + Send + Sync + 'static) -> Element {
    let source = Memo::new(move |_| source());
    let lang = move || source.with(|(lang, _)| lang.clone());
    let bar = classed("div", "bar")
        .child(classed("span", "clip").child(live_text(lang)))
        .child(classed("span", "sp"))
        .child(copy_button(store, move || source.with_untracked(|(_, text)| text.clone())));
    classed("figure", "codeblock").child(bar).child(element("pre").attr("tabindex", "0").child(pieces("code", source)))
}

/// A button that copies the source text, not what is drawn, and says when the browser refused.
pub fn copy_button(store: Store, text: impl Fn() -> String + 'static) -> Element {
    copy_words(store, move || store.t().copy, text)
}

/// Likewise, with words of its own.
pub fn copy_words(
    store: Store,
    words: impl Fn() -> &'static str + 'static,
    text: impl Fn() -> String + 'static,
) -> Element {
    let anchor = ElementRef::new();
    let copied = RwSignal::new(Copied::Not);
    let copy = move || {
        let Some(anchor) = anchor.get() else { return };
        let text = text();
        dom::spawn(async move {
            let done = dom::copy(text, anchor).await;
            copied.try_set(if done { Copied::Done } else { Copied::Refused });
        });
    };
    let words = move || match copied.get() {
        Copied::Not => words(),
        Copied::Done => store.t().copied,
        Copied::Refused => store.t().copy_failed,
    };
    button("btn quiet")
        .reached_by(anchor)
        .on_click(copy)
        .on("blur", move |_| {
            copied.try_set(Copied::Not);
        })
        .child(live_text(words))
}

/// The text, second in `source`, in pieces of this element. One that is no longer what it began with is drawn anew.
pub fn pieces(tag: &'static str, source: Memo<(String, String)>) -> View {
    let closed = RwSignal::new(Vec::<(usize, String)>::new());
    let open = RwSignal::new(String::new());
    let start = StoredValue::new(0_usize);
    effect(move || {
        source.with(|(_, text)| {
            let mut at = start.get_value();
            let grown = text.get(at..).is_some_and(|rest| open.with_untracked(|open| rest.starts_with(open.as_str())));
            if !grown {
                at = 0;
                closed.set(Vec::new());
            }
            let mut rest = text.get(at..).unwrap_or_default();
            let mut fresh = Vec::new();
            while let Some(end) = piece_end(rest) {
                let (piece, after) = rest.split_at(end);
                fresh.push((at, piece.to_owned()));
                at += end;
                rest = after;
            }
            if !fresh.is_empty() {
                closed.update(|closed| closed.append(&mut fresh));
            }
            start.set_value(at);
            if open.with_untracked(|open| open != rest) {
                open.set(rest.to_owned());
            }
        });
    });
    let whole = keyed(move || closed.get(), |(at, _)| at.to_string(), move |(_, piece)| element(tag).child(piece));
    view((whole, element(tag).child(live_text(move || open.get()))))
}

/// Where the first piece of `text` ends, if it is long enough to have one.
fn piece_end(text: &str) -> Option<usize> {
    let after = text.as_bytes().get(PIECE..)?;
    let line_end = after.iter().position(|byte| *byte == b'\n')?;
    Some(PIECE + line_end + 1)
}
