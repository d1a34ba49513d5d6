//! A text that may be megabytes: its head and its tail, the rest page by page or as a download.

use std::sync::Arc;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::numbers::size;
use vitrine_protocol::output::{Limits, page, present};

use crate::chat::code::copy_button;
use crate::store::Store;
use crate::view::{Element, View, button, choose, classed, keyed, live_text, view};

/// Bytes added by "show all" at a time.
const PAGE: usize = 64 * 1024;

/// Above this the copy button is left out: a download is what helps.
const COPY_LIMIT: usize = 1024 * 1024;

/// Draws a text in a `pre` of this class. `name` is the file name that a download suggests.
pub fn output(store: Store, text: String, class: &'static str, name: String) -> View {
    let text: Arc<str> = text.into();
    let shown = present(&text, Limits::default());
    if shown.omitted_bytes == 0 {
        let pre = classed("pre", class).child(shown.head.join("\n"));
        let long = class == "out" && text.lines().nth(3).is_some();
        if !long {
            return view(pre);
        }
        let copy = copy_button(store, move || text.to_string());
        return view([pre.attr("tabindex", "0"), classed("div", "outfoot").child(copy)]);
    }
    let (head, tail) = (shown.head.join("\n"), shown.tail.join("\n"));
    let (omitted_lines, omitted) = (shown.omitted_lines, size(shown.omitted_bytes));
    let n_pages = RwSignal::new(0_usize);
    let paged = Arc::clone(&text);
    let pre = move || classed("pre", class).attr("tabindex", "0");
    let shown = move |&is_folded: &bool| {
        if is_folded {
            let omitted = omitted.clone();
            let left_out = live_text(move || format!("\n\n⋯ {}\n\n", (store.t().left_out)(omitted_lines, &omitted)));
            return pre().child(head.as_str()).child(left_out).child(tail.as_str());
        }
        let paged = Arc::clone(&paged);
        let one = move |number| page(&paged, number, PAGE).unwrap_or_default().to_owned();
        pre().child(keyed(move || (0..n_pages.get()).collect(), ToString::to_string, one))
    };
    view([choose(move || n_pages.get() == 0, shown), view(foot(store, text, name, n_pages))])
}

/// What stands under a long text: its size, the next page, copy and download.
fn foot(store: Store, text: Arc<str>, name: String, n_pages: RwSignal<usize>) -> Element {
    let pages = text.len().div_ceil(PAGE);
    let words = move || match n_pages.get() {
        0 => store.t().show_all.to_owned(),
        shown => (store.t().show_more)(shown, pages),
    };
    let more = move |&is_more: &bool| {
        let button = button("btn quiet small").on_click(move || n_pages.update(|pages| *pages += 1));
        is_more.then(|| button.child(live_text(words)))
    };
    let whole = Arc::clone(&text);
    let copy = (text.len() <= COPY_LIMIT).then(|| copy_button(store, move || whole.to_string()));
    let n_bytes = classed("span", "num").child(size(text.len()));
    let download = move || {
        let name = name.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("output");
        dom::download(&format!("{name}.txt"), text.as_bytes(), "text/plain;charset=utf-8");
    };
    classed("div", "outfoot")
        .child(n_bytes)
        .child(choose(move || n_pages.get() < pages, more))
        .child(copy)
        .child(button("btn quiet small").on_click(download).child(store.text(|t| t.download)))
}
