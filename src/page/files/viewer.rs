//! One file to read: its lines with numbers, or what it is when it is not text.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::numbers::size;
use vitrine_protocol::output::{Limits, present};

use crate::chat::code::copy_button;
use crate::files::{Content, View};
use crate::store::Store;
use crate::text::Words;
use crate::view::{self, Element, button, classed, element, live, nothing};

/// Draws the chosen file under the tree.
pub fn viewer(view: View) -> view::View {
    let store = view.store;
    let download = move || {
        let path = view.chosen.get_untracked().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        view.content.with_untracked(|content| match content {
            Some(Content::Text(text)) => dom::download(name, text.as_bytes(), "text/plain;charset=utf-8"),
            Some(Content::Binary(bytes)) => dom::download(name, bytes, "application/octet-stream"),
            None => false,
        });
    };
    let text = move || {
        view.content.with_untracked(|content| match content {
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Binary(_)) | None => String::new(),
        })
    };
    let head = move || {
        let path = view.chosen.get()?;
        Some(
            classed("div", "subhead")
                .child(classed("h3", "clip").attr("title", &path).child(path.as_str()))
                .child(classed("span", "sp"))
                .child(copy_button(store, text))
                .child(button("btn quiet").on_click(download).child(store.text(|t| t.download))),
        )
    };
    let note = |words: Words| view::view(classed("p", "q note").child(words));
    let body = move || {
        let name = view.chosen.get_untracked();
        view.content.with(|content| match content {
            None if view.entries.with(Vec::is_empty) => nothing(),
            None => note(store.text(|t| t.file_pick)),
            Some(Content::Binary(bytes)) => {
                view::view(classed("p", "q note").child((store.t().file_binary)(&size(bytes.len()))))
            }
            Some(Content::Text(text)) if text.is_empty() => note(store.text(|t| t.file_empty)),
            Some(Content::Text(text)) => view::view(lines(store, text, &name.unwrap_or_default())),
        })
    };
    view::view([live(head), live(body)])
}

/// A text with line numbers: whole, or its head and tail.
fn lines(store: Store, text: &str, name: &str) -> Element {
    let limits = Limits { head_bytes: 64 * 1024, tail_bytes: 8 * 1024, lines: 1000, line_bytes: 2000 };
    let shown = present(text, limits);
    let numbered = |first: usize, lines: &[&str]| {
        let line = |(index, line): (usize, &&str)| {
            let number = element("i").child((first + index).to_string());
            classed("div", "ln").child(number).child(element("span").child(*line))
        };
        lines.iter().enumerate().map(line).collect::<Vec<_>>()
    };
    // Without its line end the last line counts too.
    let total = text.lines().count();
    let fold = (shown.omitted_bytes > 0).then(|| {
        let words = (store.t().left_out)(shown.omitted_lines, &size(shown.omitted_bytes));
        classed("div", "ln fold").child(words)
    });
    classed("div", "payload scroll")
        .attr("tabindex", "0")
        .attr("role", "region")
        .attr("aria-label", name)
        .test_id("file-view")
        .child(numbered(1, &shown.head))
        .child(fold)
        .child(numbered((total + 1).saturating_sub(shown.tail.len()), &shown.tail))
}
