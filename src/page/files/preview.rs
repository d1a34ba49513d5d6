//! A preview of a file, which follows its changes. What is shown in the frame is composed by the worker.

use leptos::prelude::*;
use vitrine_preview::Shown;
use vitrine_protocol::command::Command;

use crate::chat::markdown::document;
use crate::files::Files;
use crate::files::pane::note;
use crate::part_link::{Opening, Part};
use crate::text;
use crate::view::{ElementRef, View, choose, classed, effect, live, nothing, view};

/// A longer text is not parsed here, in bytes.
const LONGEST_MARKDOWN: usize = 512 * 1024;

/// Draws it.
pub fn preview(files: Files, path: &str) -> View {
    let shown = Shown::of(path);
    let content = RwSignal::new(None);
    let failed = RwSignal::new(false);
    let asked = path.to_owned();
    effect(move || {
        files.looked.track();
        files.store.ask_all(Command::Preview { path: asked.clone() }, None, move |answer| match answer {
            Ok(value) => {
                let bytes = value.bytes.unwrap_or_default();
                content.try_set(Some(String::from_utf8_lossy(&bytes).into_owned()));
            }
            Err(_) => {
                failed.try_set(true);
            }
        });
    });
    let store = files.store;
    let name = path.to_owned();
    choose(
        move || failed.get(),
        move |failed_now| match shown {
            _ if *failed_now => note(store.text(|t| t.no_preview)),
            Some(Shown::Markdown) => {
                let text = Memo::new(move |_| content.get().unwrap_or_default());
                let body = live(move || {
                    text.with(|text| {
                        text.get(..text.floor_char_boundary(LONGEST_MARKDOWN)).map(|text| document(store, text))
                    })
                });
                view(
                    classed("div", "payload scroll prose rendered")
                        .attr("tabindex", "0")
                        .test_id("markdown-preview")
                        .child(body),
                )
            }
            Some(kind) => frame(files, kind, &name, content, failed),
            None => nothing(),
        },
    )
}

fn frame(files: Files, shown: Shown, name: &str, content: RwSignal<Option<String>>, failed: RwSignal<bool>) -> View {
    let store = files.store;
    let place = ElementRef::new();
    let part = StoredValue::new_local(None::<Part>);
    let asked = StoredValue::new(false);
    let name = name.to_owned();
    effect(move || {
        let (Some(text), Some(place)) = (content.get(), place.get()) else { return };
        if part.with_value(|part| part.as_ref().map(|part| part.put(&text))).is_some() || asked.get_value() {
            return;
        }
        asked.set_value(true);
        let opening = Opening {
            file: "preview.js",
            kind: if shown == Shown::Page { "page" } else { "still" },
            place,
            name: name.clone(),
            before: String::new(),
            text,
            lang: text::tag(store.language.get_untracked()),
        };
        Part::open(
            opening,
            |_| {},
            move |arrived| {
                let Some(arrived) = arrived else {
                    failed.try_set(true);
                    return;
                };
                // What came while it was loaded is shown at once.
                if let Some(Some(text)) = content.try_get_untracked() {
                    arrived.put(&text);
                }
                part.try_set_value(Some(arrived));
            },
        );
    });
    let stop = move || {
        part.with_value(|part| part.as_ref().map(Part::stop));
    };
    let foot = (shown == Shown::Page).then(|| {
        classed("div", "filefoot").child(files.word_button("btn small", "stop-preview", store.text(|t| t.stop), stop))
    });
    view((classed("div", "previewbox").test_id("preview-place").reached_by(place), view(foot)))
}
