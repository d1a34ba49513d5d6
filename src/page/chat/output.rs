//! A text that may be megabytes: its head and its tail, the rest page by page or as a download.

use std::sync::Arc;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::numbers::size;
use vitrine_protocol::output::{Limits, page, present};

use crate::chat::code::copy_button;
use crate::store::Store;

/// Bytes added by "show all" at a time.
const PAGE: usize = 64 * 1024;

/// Above this the copy button is left out: a download is what helps.
const COPY_LIMIT: usize = 1024 * 1024;

/// Draws a text in a `pre` of this class. `name` is the file name that a download suggests.
pub fn output(store: Store, text: String, class: &'static str, name: String) -> impl IntoView {
    let text: Arc<str> = text.into();
    let shown = present(&text, Limits::default());
    if shown.omitted_bytes == 0 {
        let whole = Arc::clone(&text);
        let long = class == "out" && text.lines().nth(3).is_some();
        return view! {
            <pre class=class tabindex=long.then_some("0")>{shown.head.join("\n")}</pre>
            {long.then(|| view! { <div class="outfoot">{copy_button(store, move || whole.to_string())}</div> })}
        }
        .into_any();
    }
    let (head, tail) = (shown.head.join("\n"), shown.tail.join("\n"));
    let (omitted_lines, omitted_bytes) = (shown.omitted_lines, shown.omitted_bytes);
    let pages = text.len().div_ceil(PAGE);
    let n_pages = RwSignal::new(0_usize);
    let (paged, whole, kept) = (Arc::clone(&text), Arc::clone(&text), Arc::clone(&text));
    let download = move |_| {
        let name = name.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("output");
        dom::download(&format!("{name}.txt"), kept.as_bytes(), "text/plain;charset=utf-8");
    };
    let copy = (text.len() <= COPY_LIMIT).then(|| copy_button(store, move || whole.to_string()));
    view! {
        {move || {
            if n_pages.get() == 0 {
                view! {
                    <pre class=class tabindex="0">
                        {head.clone()}
                        {format!("\n\n⋯ {}\n\n", (store.t().left_out)(omitted_lines, &size(omitted_bytes)))}
                        {tail.clone()}
                    </pre>
                }
                .into_any()
            } else {
                let paged = Arc::clone(&paged);
                view! {
                    <pre class=class tabindex="0">
                        <For
                            each=move || 0..n_pages.get()
                            key=|number| *number
                            children=move |number| page(&paged, number, PAGE).unwrap_or_default().to_owned()
                        />
                    </pre>
                }
                .into_any()
            }
        }}
        <div class="outfoot">
            <span class="num">{size(text.len())}</span>
            {move || {
                let shown = n_pages.get();
                (shown < pages).then(|| view! {
                    <button class="btn quiet small" type="button" on:click=move |_| n_pages.update(|pages| *pages += 1)>
                        {if shown == 0 { store.t().show_all.to_owned() } else { (store.t().show_more)(shown, pages) }}
                    </button>
                })
            }}
            {copy}
            <button class="btn quiet small" type="button" on:click=download>{store.text(|t| t.download)}</button>
        </div>
    }
    .into_any()
}
