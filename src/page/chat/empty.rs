//! Before the first message: the first lesson, and three prompts that run.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::command::Command;

use crate::chat::composer::prompt;
use crate::glyphs::{Glyph, glyph};
use crate::place::{Mode, Sheet};
use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, classed, element, live, live_text, view, when};

/// What an empty chat shows.
///
/// It goes away with the first run, and the focus in it goes to `scroller`, so that the keys go on working.
pub fn empty_chat(store: Store, scroller: ElementRef) -> View {
    let ask = move |text: &'static str| {
        let ask = move || {
            keep_focus(scroller);
            prompt(store, text.to_owned());
        };
        button("btn ask").test_id("ask").on_click(ask).child(text)
    };
    let words = move || if store.reads() { store.t().chat_reads } else { store.t().chat_empty };
    let empty = classed("section", "empty")
        .child(element("h3").child(store.text(|t| t.chat)))
        .child(element("p").child(live_text(words)))
        .child(live(move || (!store.reads()).then(|| store.t().prompts.map(ask))));
    let teaches = move || store.mode == Mode::App && !store.reads();
    view((when(teaches, move || lesson(store, scroller)), empty))
}

fn keep_focus(scroller: ElementRef) {
    if let Some(scroller) = scroller.get() {
        dom::focus(&scroller);
    }
}

fn lesson(store: Store, scroller: ElementRef) -> Element {
    let step = |shape: Glyph, role: &str, words: &str| {
        element("li").child(classed("span", role).child(glyph(shape))).child(words)
    };
    let steps = move || {
        let [asks, reads, answers] = store.t().lesson_steps;
        [
            step(Glyph::Call, "is-model", asks),
            step(Glyph::Execute, "is-host", reads),
            step(Glyph::Result, "is-host", answers),
        ]
    };
    let is_asked = Rc::new(Cell::new(false));
    let play = move || {
        // The button stays until the first message is drawn: a second click before that asks for nothing more.
        if is_asked.replace(true) {
            return;
        }
        keep_focus(scroller);
        store.following.set(true);
        let is_asked = is_asked.clone();
        store.ask_all(Command::PlayLesson { fresh: false }, None, move |answer| {
            is_asked.set(false);
            // Busy: the host page has just started it.
            if let Err(problem) = answer
                && problem.code != "busy"
            {
                store.tell(problem);
            }
        });
    };
    let run = button("btn primary big").test_id("run").on_click(play);
    let other = button("btn quiet").on_click(move || store.sheet.set(Some(Sheet::Model)));
    let acts = classed("div", "acts")
        .child(run.child(glyph(Glyph::Play)).child(store.text(|t| t.run_it)))
        .child(other.child(store.text(|t| t.or_use_a_model)))
        .child(classed("span", "q").child(store.text(|t| t.no_key_needed)));
    classed("section", "lessoncard")
        .words("aria-label", store.text(|t| t.first_lesson))
        .child(classed("p", "eyebrow").child(store.text(|t| t.lesson_eyebrow)))
        .child(element("h2").child(store.text(|t| t.lesson_title)))
        .child(element("p").child(store.text(|t| t.lesson_text)))
        .child(element("ol").child(live(steps)))
        .child(acts)
}
