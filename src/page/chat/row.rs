//! A row of the transcript. Its frame (which parts, whether it grows, how it ended) is one memo; each part watches itself.

use leptos::prelude::*;
use vitrine_protocol::failure::{self, Failure};
use vitrine_protocol::transcript::{AssistantRow, CallCard, Part, RowContent, RowId};

use crate::chat::call::call_card;
use crate::chat::markdown::text_part;
use crate::chat::notice::failure_notice;
use crate::store::Store;

/// A part of an assistant row, by its place.
#[derive(Clone)]
pub struct PartView {
    /// The page.
    pub store: Store,
    /// The row it is in.
    pub row: RowId,
    /// Which part.
    pub index: usize,
    /// Fires when the row changed.
    pub trigger: ArcTrigger,
}

impl PartView {
    /// Reads the text of a text or thinking part, and whether it may still grow. `None` when there is no such part.
    pub fn text<T>(&self, read: impl FnOnce(&str, bool) -> T) -> Option<T> {
        self.assistant(|row| match row.parts.get(self.index) {
            Some(Part::Text(text) | Part::Thinking(text)) => Some(read(text, self.grows(row))),
            Some(Part::Call(_)) | None => None,
        })
    }

    /// Reads the card of a call part. `None` when there is no such part.
    pub fn call<T>(&self, read: impl FnOnce(&CallCard) -> T) -> Option<T> {
        self.assistant(|row| match row.parts.get(self.index) {
            Some(Part::Call(card)) => Some(read(card)),
            Some(Part::Text(_) | Part::Thinking(_)) | None => None,
        })
    }

    fn assistant<T>(&self, read: impl FnOnce(&AssistantRow) -> Option<T>) -> Option<T> {
        let read = |content: &RowContent| match content {
            RowContent::Assistant(row) => read(row),
            RowContent::Turn { .. } | RowContent::User { .. } => None,
        };
        self.store.with_row(self.row, |row| read(&row.content)).flatten()
    }

    fn grows(&self, row: &AssistantRow) -> bool {
        row.streaming && self.index + 1 == row.parts.len()
    }
}

/// What an assistant row consists of.
#[derive(Clone, Default, PartialEq)]
struct Frame {
    kinds: Vec<Kind>,
    streaming: bool,
    failure: Option<Failure>,
    words: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Text,
    Thinking,
    Call,
}

/// Draws a row.
pub fn row_view(store: Store, id: RowId) -> AnyView {
    enum Shape {
        Turn(u32),
        User(String),
        Assistant,
    }
    let shape = store.with_row(id, |row| match &row.content {
        RowContent::Turn { number } => Shape::Turn(*number),
        RowContent::User { text } => Shape::User(text.clone()),
        RowContent::Assistant(_) => Shape::Assistant,
    });
    match shape {
        None => ().into_any(),
        Some(Shape::Turn(number)) => {
            view! { <div class="turnmark">{move || (store.t().turn)(number)}</div> }.into_any()
        }
        Some(Shape::User(text)) => view! {
            <article class="msg user" data-testid="message-user">
                <span class="who">{store.text(|t| t.you)}</span>
                <div class="body">
                    <p>{text}</p>
                </div>
            </article>
        }
        .into_any(),
        Some(Shape::Assistant) => assistant(store, id).into_any(),
    }
}

fn assistant(store: Store, id: RowId) -> impl IntoView {
    let trigger = store.trigger(id);
    let watched = trigger.clone();
    let frame = Memo::new(move |_| {
        watched.track();
        store
            .with_row(id, |row| match &row.content {
                RowContent::Assistant(row) => frame_of(row),
                RowContent::Turn { .. } | RowContent::User { .. } => Frame::default(),
            })
            .unwrap_or_default()
    });
    let kinds = move || frame.with(|frame| frame.kinds.iter().copied().enumerate().collect::<Vec<_>>());
    view! {
        <article class="msg model" data-testid="message-assistant" aria-busy=move || frame.with(|frame| frame.streaming).to_string()>
            <span class="who">{store.text(|t| t.the_model)}</span>
            <div class="body">
                <For
                    each=kinds
                    key=|part| *part
                    children=move |(index, kind)| {
                        let part = PartView { store, row: id, index, trigger: trigger.clone() };
                        match kind {
                            Kind::Text => text_part(part).into_any(),
                            Kind::Thinking => thinking(part).into_any(),
                            Kind::Call => call_card(part).into_any(),
                        }
                    }
                />
                {move || {
                    let waiting = frame.with(|frame| frame.streaming && frame.kinds.is_empty());
                    waiting.then(|| view! { <span><span class="stream-end moving" aria-hidden="true"></span></span> })
                }}
                {move || {
                    let (failure, words) = frame.with(|frame| (frame.failure, frame.words.clone()));
                    failure.map(|failure| failure_notice(store, id, failure, words))
                }}
            </div>
        </article>
    }
}

fn frame_of(row: &AssistantRow) -> Frame {
    let kinds = row.parts.iter().map(|part| match part {
        Part::Text(_) => Kind::Text,
        Part::Thinking(_) => Kind::Thinking,
        Part::Call(_) => Kind::Call,
    });
    let failure = row.stop_reason.and_then(|reason| failure::classify(reason, row.error_message.as_deref()));
    Frame { kinds: kinds.collect(), streaming: row.streaming, failure, words: row.error_message.clone() }
}

/// Reasoning, folded away; its text is plain, and mounted only while it is open.
fn thinking(part: PartView) -> impl IntoView {
    let store = part.store;
    let open = RwSignal::new(false);
    let (watched, read) = (part.trigger.clone(), part.clone());
    let grows = Memo::new(move |_| {
        watched.track();
        read.text(|_, grows| grows).unwrap_or(false)
    });
    let text = move || {
        part.trigger.track();
        part.text(|text, _| text.to_owned())
    };
    view! {
        <details class="thinking" on:toggle=move |_| open.update(|open| *open = !*open)>
            <summary>
                <span class:moving=move || grows.get()>
                    {move || if grows.get() { store.t().thinking } else { store.t().thought }}
                </span>
            </summary>
            {move || {
                let text = text.clone();
                open.get().then(|| view! { <div class="text">{text}</div> })
            }}
        </details>
    }
}
