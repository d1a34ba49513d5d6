//! A row of the transcript. Its frame (which parts, whether it grows, how it ended) is one memo; each part watches itself.

use leptos::prelude::*;
use vitrine_agent::message::ImageBlock;
use vitrine_protocol::failure::{self, Failure};
use vitrine_protocol::transcript::{AssistantRow, CallCard, Part, RowContent, RowId};
use vitrine_protocol::visible::visible;

use crate::bars::yes_or_no;
use crate::chat::call::call_card;
use crate::chat::markdown::text_part;
use crate::chat::notice::failure_notice;
use crate::store::Store;
use crate::view::{Element, View, choose, classed, element, keyed, live_text, nothing, view, when};

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
}

impl Kind {
    fn letter(self) -> char {
        match self {
            Self::Text => 't',
            Self::Thinking => 'r',
            Self::Call => 'c',
        }
    }
}

/// Draws a row.
pub fn row_view(store: Store, id: RowId) -> View {
    enum Shape {
        Turn(u32),
        User(String, Vec<ImageBlock>),
        Assistant,
    }
    let shape = store.with_row(id, |row| match &row.content {
        RowContent::Turn { number } => Shape::Turn(*number),
        RowContent::User { text, images } => Shape::User(text.clone(), images.clone()),
        RowContent::Assistant(_) => Shape::Assistant,
    });
    match shape {
        None => nothing(),
        Some(Shape::Turn(number)) => {
            view(classed("div", "turnmark").child(live_text(move || (store.t().turn)(number))))
        }
        Some(Shape::User(text, images)) => {
            let text = (!text.is_empty()).then(|| element("p").child(text));
            let images = images.iter().map(picture).collect::<Vec<_>>();
            view(
                at_cursor(store, id, classed("article", "msg user"))
                    .test_id("message-user")
                    .child(classed("span", "who").child(store.text(|t| t.you)))
                    .child(classed("div", "body").child(text).child(images)),
            )
        }
        Some(Shape::Assistant) => view(assistant(store, id)),
    }
}

/// Marks a message while the cursor is in it.
fn at_cursor(store: Store, id: RowId, message: Element) -> Element {
    message.live_class("at", move || store.row_at_cursor() == Some(id))
}

/// An image that came with a message. It is in the message itself, so nothing is loaded for it; of a kind that not every
/// browser shows, its name stands there alone, as it does when the bytes are no image.
fn picture(image: &ImageBlock) -> Element {
    let kind = image.mime_type.as_str();
    if !matches!(kind, "image/png" | "image/jpeg" | "image/gif" | "image/webp") {
        return classed("span", "q2").test_id("image").child(visible(kind).into_owned());
    }
    classed("img", "given")
        .test_id("image")
        .attr("decoding", "async")
        .attr("alt", kind)
        .attr("src", &format!("data:{kind};base64,{}", image.data))
}

fn assistant(store: Store, id: RowId) -> Element {
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
    let kinds = move || frame.with(|frame| frame.kinds.iter().copied().enumerate().collect());
    let draw = move |(index, kind): (usize, Kind)| {
        let part = PartView { store, row: id, index, trigger: trigger.clone() };
        match kind {
            Kind::Text => text_part(part),
            Kind::Thinking => view(thinking(part)),
            Kind::Call => view(call_card(part)),
        }
    };
    let waits = move || frame.with(|frame| frame.streaming && frame.kinds.is_empty());
    let wait = || element("span").child(classed("span", "stream-end moving").attr("aria-hidden", "true"));
    let ended = move || frame.with(|frame| (frame.failure, frame.words.clone()));
    let notice = move |(failure, words): &(Option<Failure>, Option<String>)| {
        failure.map(|failure| failure_notice(store, id, failure, words.clone()))
    };
    let body = classed("div", "body")
        .child(keyed(kinds, |(index, kind)| format!("{index}{}", kind.letter()), draw))
        .child(when(waits, wait))
        .child(choose(ended, notice));
    at_cursor(store, id, classed("article", "msg model"))
        .test_id("message-assistant")
        .live_attr("aria-busy", move || yes_or_no(frame.with(|frame| frame.streaming)))
        .child(classed("span", "who").child(store.text(|t| t.the_model)))
        .child(body)
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
fn thinking(part: PartView) -> Element {
    let store = part.store;
    let open = RwSignal::new(false);
    let (watched, read) = (part.trigger.clone(), part.clone());
    let grows = Memo::new(move |_| {
        watched.track();
        read.text(|_, grows| grows).unwrap_or(false)
    });
    let words = move || if grows.get() { store.t().thinking } else { store.t().thought };
    let summary = element("span").live_class("moving", move || grows.get()).child(live_text(words));
    let text = move || {
        let part = part.clone();
        classed("div", "text").child(live_text(move || {
            part.trigger.track();
            part.text(|text, _| text.to_owned()).unwrap_or_default()
        }))
    };
    classed("details", "thinking")
        .on("toggle", move |_| open.update(|open| *open = !*open))
        .child(element("summary").child(summary))
        .child(when(move || open.get(), text))
}
