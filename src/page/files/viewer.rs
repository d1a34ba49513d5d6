//! One file to read: its lines with numbers, or what it is when it is not text.

use leptos::prelude::*;
use vitrine_protocol::command::Command;
use vitrine_protocol::numbers::size;
use vitrine_protocol::output::{Limits, present};

use crate::chat::code::copy_button;
use crate::files::Files;
use crate::files::acts::Act;
use crate::files::pane::note;
use crate::store::Store;
use crate::view::{self, Element, classed, element, live, nothing};

#[derive(Clone, PartialEq)]
enum Content {
    Text(String),
    Binary(usize),
    Gone,
}

/// Draws a file, as it is whenever it changes.
pub fn viewer(files: Files, path: &str) -> view::View {
    let store = files.store;
    let content = RwSignal::new(None);
    let asked = path.to_owned();
    effect_read(files, asked, content);
    let text = move || {
        content.with_untracked(|content| match content {
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Binary(_) | Content::Gone) | None => String::new(),
        })
    };
    let name = path.to_owned();
    let download = move || files.act(Act::Download, &name);
    let foot = classed("div", "filefoot").child(copy_button(store, text)).child(files.word_button(
        "btn quiet",
        "download",
        store.text(|t| t.download),
        download,
    ));
    let name = path.to_owned();
    let body = move || {
        content.with(|content| match content {
            None => nothing(),
            Some(Content::Gone) => note(store.text(|t| t.file_gone)),
            Some(Content::Binary(n_bytes)) => {
                view::view(classed("p", "q note").child((store.t().file_binary)(&size(*n_bytes))))
            }
            Some(Content::Text(text)) if text.is_empty() => note(store.text(|t| t.file_empty)),
            Some(Content::Text(text)) => view::view(lines(store, text, &name)),
        })
    };
    view::view((live(body), foot))
}

fn effect_read(files: Files, path: String, content: RwSignal<Option<Content>>) {
    view::effect(move || {
        files.looked.track();
        files.store.ask_all(Command::ReadFile { path: path.clone() }, None, move |answer| {
            let read = match answer.map(|value| String::from_utf8(value.bytes.unwrap_or_default())) {
                Ok(Ok(text)) => Content::Text(text),
                Ok(Err(bytes)) => Content::Binary(bytes.as_bytes().len()),
                Err(_) => Content::Gone,
            };
            if content.try_with_untracked(|old| old.as_ref() != Some(&read)) == Some(true) {
                content.set(Some(read));
            }
        });
    });
}

/// A text with line numbers: whole, or its head and tail.
pub fn lines(store: Store, text: &str, name: &str) -> Element {
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
