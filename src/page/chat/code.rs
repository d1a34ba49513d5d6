//! A code block: drawn in pieces of whole lines, so that an open one lays out only its last piece again.

use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;

use crate::store::Store;

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
pub fn code_block(store: Store, source: impl Fn() -> (String, String) + Send + Sync + 'static) -> impl IntoView {
    let source = Memo::new(move |_| source());
    let lang = move || source.with(|(lang, _)| lang.clone());
    view! {
        <figure class="codeblock">
            <div class="bar">
                <span class="clip">{lang}</span>
                <span class="sp"></span>
                {copy_button(store, move || source.with_untracked(|(_, text)| text.clone()))}
            </div>
            {pieces(move |read: &mut dyn FnMut(&str)| source.with(|(_, text)| read(text)))}
        </figure>
    }
}

/// A button that copies the source text, not what is drawn, and says when the browser refused.
pub fn copy_button(store: Store, text: impl Fn() -> String + Send + Sync + 'static) -> impl IntoView {
    let button = NodeRef::<html::Button>::new();
    let copied = RwSignal::new(Copied::Not);
    let copy = move |_| {
        let Some(anchor) = button.get_untracked() else { return };
        let text = text();
        dom::spawn(async move {
            let done = dom::copy(text, (*anchor).clone()).await;
            copied.try_set(if done { Copied::Done } else { Copied::Refused });
        });
    };
    view! {
        <button class="btn quiet" type="button" node_ref=button on:click=copy on:blur=move |_| copied.set(Copied::Not)>
            {move || match copied.get() {
                Copied::Not => store.t().copy,
                Copied::Done => store.t().copied,
                Copied::Refused => store.t().copy_failed,
            }}
        </button>
    }
}

/// The text in pieces. A text that is no longer what it began with is drawn anew.
fn pieces(source: impl Fn(&mut dyn FnMut(&str)) + Send + Sync + 'static) -> impl IntoView {
    let closed = RwSignal::new(Vec::<(usize, String)>::new());
    let open = RwSignal::new(String::new());
    let start = StoredValue::new(0_usize);
    Effect::new(move || {
        source(&mut |text: &str| {
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
    view! {
        <pre tabindex="0">
            <For each=move || closed.get() key=|(at, _)| *at children=|(_, piece)| view! { <code>{piece}</code> } />
            <code>{move || open.get()}</code>
        </pre>
    }
}

/// Where the first piece of `text` ends, if it is long enough to have one.
fn piece_end(text: &str) -> Option<usize> {
    let after = text.as_bytes().get(PIECE..)?;
    let line_end = after.iter().position(|byte| *byte == b'\n')?;
    Some(PIECE + line_end + 1)
}
