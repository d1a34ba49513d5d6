//! Failures in words first, then what to do: under the answer they ended, or over the composer.

use leptos::prelude::*;
use vitrine_protocol::command::Command;
use vitrine_protocol::failure::Failure;
use vitrine_protocol::notification::{Problem, StorageKind, StorageRole};
use vitrine_protocol::transcript::RowId;
use vitrine_protocol::visible::visible;

use crate::glyphs::{Glyph, glyph};
use crate::place::Mode;
use crate::place::Sheet;
use crate::store::Store;
use crate::text::{Told, Words};
use crate::view::{Element, View, button, classed, element, live, live_text, when};

/// How an answer ended, if not well. Its buttons act only while it is the last row and nothing runs.
pub fn failure_notice(store: Store, row: RowId, failure: Failure, words: Option<String>) -> Element {
    let (class, shape) = match failure {
        Failure::Key | Failure::Unreachable | Failure::Other => ("notice danger", Glyph::Triangle),
        Failure::Overloaded => ("notice warn", Glyph::Hexagon),
        Failure::CutOff | Failure::Length => ("notice warn", Glyph::Cut),
        Failure::Aborted => ("notice", Glyph::Stop),
    };
    let told = move || (store.t().failure)(failure);
    let can_act = move || {
        let last = store.rows.with(|rows| rows.last() == Some(&row));
        last && !store.busy() && !store.reads() && !matches!(failure, Failure::Aborted | Failure::Length)
    };
    let retry =
        move || button("btn").on_click(move || store.send(Command::Continue {})).child(store.text(|t| t.try_again));
    let sheet = move |label: Words| button("btn").on_click(move || store.sheet.set(Some(Sheet::Model))).child(label);
    let acts = move || {
        let acts = match failure {
            Failure::Key => vec![sheet(store.text(|t| t.edit_key)), retry()],
            Failure::Unreachable | Failure::Other => vec![retry(), sheet(store.text(|t| t.switch_model))],
            Failure::Overloaded | Failure::CutOff => vec![retry()],
            Failure::Aborted | Failure::Length => Vec::new(),
        };
        classed("div", "acts").child(acts)
    };
    let words = words.filter(|words| !words.is_empty() && failure != Failure::Aborted);
    let details = |words: String| {
        element("pre").attr("tabindex", "0").words("aria-label", store.text(|t| t.details)).child(words)
    };
    classed("section", class)
        .child(glyph(shape))
        .child(element("h3").child(live_text(move || told().title)))
        .child(element("p").child(live_text(move || told().text)))
        .child(words.map(details))
        .child(when(can_act, acts))
}

/// Under a conversation that was opened where its last run had been cut off: nothing of the answer was kept.
pub fn unanswered_notice(store: Store) -> View {
    let shown = move || {
        store.drawn.track();
        !store.busy()
            && !store.reads()
            && store.with_transcript(|transcript| transcript.left_unanswered).unwrap_or_default()
    };
    let notice = move || {
        let retry = button("btn").on_click(move || store.send(Command::Continue {})).child(store.text(|t| t.try_again));
        classed("section", "notice warn")
            .test_id("unanswered")
            .child(glyph(Glyph::Cut))
            .child(element("h3").child(store.text(|t| t.unanswered)))
            .child(element("p").child(store.text(|t| t.unanswered_kept)))
            .child(classed("div", "acts").child(retry))
    };
    when(shown, notice)
}

/// A notice in words that stay as they are.
pub fn notice(class: &str, shape: Glyph, title: &str, text: &str) -> Element {
    classed("section", class).child(glyph(shape)).child(element("h3").child(title)).child(element("p").child(text))
}

/// The button that takes a notice away.
fn dismiss(store: Store, act: impl Fn() + 'static) -> Element {
    classed("div", "acts").child(button("btn").on_click(act).child(store.text(|t| t.dismiss)))
}

/// Problems outside a run's events, newest last, each until dismissed.
pub fn problems(store: Store) -> View {
    let one = move |problem: Problem| {
        let shown = notice("notice danger", Glyph::Triangle, &problem.message, &problem.help)
            .test_id("problem")
            .attr("data-code", &problem.code);
        shown
            .child(dismiss(store, move || store.problems.update(|problems| problems.retain(|other| *other != problem))))
    };
    live(move || {
        let problems = store.problems.get();
        (!problems.is_empty())
            .then(|| classed("div", "notices").child(problems.into_iter().map(one).collect::<Vec<_>>()))
    })
}

/// Where files live, when that is not this browser: said before anything is lost.
pub fn storage_notice(store: Store) -> View {
    let dismissed = RwSignal::new(false);
    let told = move || -> Option<(Told, Option<String>, Glyph)> {
        let storage = store.storage.get()?;
        let recovered = (storage.dropped_bytes > 0).then(|| {
            let (words, lost) = ((store.t().recovered)(storage.dropped_bytes), storage.lost_files());
            if lost.is_empty() { words } else { format!("{words} {}", visible(&lost)) }
        });
        match storage.kind {
            StorageKind::Browser if storage.role == StorageRole::Reader => Some((store.t().reads, None, Glyph::Split)),
            StorageKind::Browser => {
                recovered.map(|words| (Told { title: store.t().files, text: "" }, Some(words), Glyph::File))
            }
            // An embedded sandbox is meant to be thrown away; the whole app is not.
            StorageKind::Memory => (store.mode == Mode::App).then(|| (store.t().memory, None, Glyph::File)),
            StorageKind::Unavailable => Some((store.t().unavailable, None, Glyph::File)),
        }
    };
    live(move || {
        let reads = store.reads();
        let (told, words, shape) = told().filter(|_| reads || !dismissed.get())?;
        let shown = notice("notice", shape, told.title, words.as_deref().unwrap_or(told.text)).attr("role", "status");
        let shown = shown.test_id("storage-notice");
        let take_over = move || {
            let take = button("btn").test_id("take-over").on_click(move || store.send(Command::TakeOver {}));
            classed("div", "acts").child(take.child(store.text(|t| t.take_over)))
        };
        let shown = shown.child(if reads { take_over() } else { dismiss(store, move || dismissed.set(true)) });
        Some(classed("div", "banner").child(shown))
    })
}
