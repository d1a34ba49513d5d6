//! One file to read: its lines with numbers, or what it is when it is not text.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::numbers::size;
use vitrine_protocol::output::{Limits, present};

use crate::chat::code::copy_button;
use crate::files::{Content, View};
use crate::store::Store;

/// Draws the chosen file under the tree.
pub fn viewer(view: View) -> impl IntoView {
    let store = view.store;
    let download = move |_| {
        let path = view.chosen.get_untracked().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        view.content.with_untracked(|content| match content {
            Some(Content::Text(text)) => dom::download(name, text.as_bytes(), "text/plain;charset=utf-8"),
            Some(Content::Binary(bytes)) => dom::download(name, bytes, "application/octet-stream"),
            None => false,
        });
    };
    let head = move || {
        let path = view.chosen.get()?;
        Some(view! {
            <div class="subhead">
                <h3 class="clip" title=path.clone()>{path.clone()}</h3>
                <span class="sp"></span>
                {copy_button(store, move || view.content.with_untracked(|content| match content {
                    Some(Content::Text(text)) => text.clone(),
                    Some(Content::Binary(_)) | None => String::new(),
                }))}
                <button class="btn quiet" type="button" on:click=download>{store.text(|t| t.download)}</button>
            </div>
        })
    };
    let body = move || {
        let name = view.chosen.get_untracked();
        view.content.with(|content| match content {
            None if view.entries.with(Vec::is_empty) => ().into_any(),
            None => view! { <p class="q note">{store.text(|t| t.file_pick)}</p> }.into_any(),
            Some(Content::Binary(bytes)) => {
                let words = (store.t().file_binary)(&size(bytes.len()));
                view! { <p class="q note">{words}</p> }.into_any()
            }
            Some(Content::Text(text)) if text.is_empty() => {
                view! { <p class="q note">{store.text(|t| t.file_empty)}</p> }.into_any()
            }
            Some(Content::Text(text)) => lines(store, text, name.unwrap_or_default()),
        })
    };
    view! {
        {head}
        {body}
    }
}

/// A text with line numbers: whole, or its head and tail.
fn lines(store: Store, text: &str, name: String) -> AnyView {
    let limits = Limits { head_bytes: 64 * 1024, tail_bytes: 8 * 1024, lines: 1000, line_bytes: 2000 };
    let shown = present(text, limits);
    let numbered = |first: usize, lines: &[&str]| {
        let lines = lines.iter().enumerate();
        lines
            .map(
                |(index, line)| view! { <div class="ln"><i>{first + index}</i><span>{(*line).to_owned()}</span></div> },
            )
            .collect_view()
    };
    // Without its line end the last line counts too.
    let total = text.lines().count();
    let fold = (shown.omitted_bytes > 0).then(|| {
        let words = (store.t().left_out)(shown.omitted_lines, &size(shown.omitted_bytes));
        view! { <div class="ln fold">{words}</div> }
    });
    let tail = numbered((total + 1).saturating_sub(shown.tail.len()), &shown.tail);
    view! {
        <div class="payload scroll" tabindex="0" role="region" aria-label=name data-testid="file-view">
            {numbered(1, &shown.head)}
            {fold}
            {tail}
        </div>
    }
    .into_any()
}
