//! One step of a lesson: its text, its question, its hint and what has to be so.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::command::Command;
use vitrine_protocol::lesson::{CheckState, LessonState, QuestionState, StepState};

use crate::chat::markdown::rendered;
use crate::glyphs::{Glyph, glyph};
use crate::lesson::part;
use crate::lesson::words::{lesson_words, word};
use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, classed, element, keyed, live_text, view, when};

/// Whether a step is shown; tracked.
pub fn is_reached(state: Memo<Option<LessonState>>, at: usize) -> bool {
    part(state, |state| state.steps.get(at).is_some_and(|step| step.reached))
}

/// Draws it.
pub fn step(store: Store, state: Memo<Option<LessonState>>, at: usize) -> View {
    let step = Memo::new(move |_| part(state, |state| state.steps.get(at).cloned().unwrap_or_default()));
    let text = Memo::new(move |_| step.with(|step| step.text.clone()));
    let section = ElementRef::new();
    // What has just come is what the reader is to see next.
    let is_newest = at > 0 && !is_reached(state, at + 1);
    if is_newest {
        dom::next_frame(move || {
            if let Some(section) = section.get() {
                dom::reveal(&section);
            }
        });
    }
    let has_checks = step.with_untracked(|step| !step.checks.is_empty());
    let checks = has_checks.then(|| checks(store, move || step.with(|step| step.checks.clone())));
    view(
        classed("section", "lessonstep")
            .test_id("lesson-step")
            .reached_by(section)
            .live_attr("data-step", move || step.with(|step| step.id.clone()))
            .live_class("done", move || step.with(|step| step.done))
            .child(rendered(store, text))
            .child(step.with_untracked(|step| step.question.is_some()).then(|| question(store, step)))
            .child(step.with_untracked(|step| step.has_hint).then(|| hint(store, step)))
            .child(checks),
    )
}

fn question(store: Store, step: Memo<StepState>) -> Element {
    let of = move |pick: fn(&QuestionState) -> String| {
        step.with(|step| step.question.as_ref().map(pick).unwrap_or_default())
    };
    let id = step.with_untracked(|step| step.id.clone());
    let n_options = step.with_untracked(|step| step.question.as_ref().map_or(0, |question| question.options.len()));
    let chosen = RwSignal::new(step.with_untracked(|step| step.question.as_ref()?.chosen));
    crate::view::effect(move || {
        // Answered elsewhere: by a host page.
        if let Some(answered) = step.with(|step| step.question.as_ref()?.chosen) {
            chosen.set(Some(answered));
        }
    });
    let name = format!("lesson-{id}");
    let option = |at: usize| {
        element("label")
            .child(
                element("input")
                    .attr("type", "radio")
                    .attr("name", &name)
                    .live_flag("checked", move || chosen.get() == Some(at))
                    .live_flag("disabled", move || is_right(step))
                    .on("change", move |_| chosen.set(Some(at))),
            )
            .child(element("span").child(live_text(move || {
                step.with(|step| step.question.as_ref()?.options.get(at).cloned()).unwrap_or_default()
            })))
    };
    let answer = move || {
        if let Some(option) = chosen.get_untracked() {
            store.send(Command::AnswerLesson { step: id.clone(), option });
        }
    };
    let verdict = move || {
        let right = step.with(|step| step.question.as_ref()?.right);
        // Only of the answer that is marked.
        let is_judged =
            step.with(|step| step.question.as_ref().is_some_and(|question| question.chosen == chosen.get()));
        match right.filter(|_| is_judged) {
            Some(true) => lesson_words(store).right,
            Some(false) => lesson_words(store).wrong,
            None => "",
        }
    };
    let why = Memo::new(move |_| of(|question| question.why.clone().unwrap_or_default()));
    let check = button("btn")
        .test_id("check-answer")
        .live_flag("disabled", move || chosen.get().is_none())
        .on_click(answer)
        .child(word(store, |t| t.check));
    classed("fieldset", "predict")
        .test_id("lesson-question")
        .child(element("legend").child(live_text(move || of(|question| question.ask.clone()))))
        .child((0..n_options).map(option).collect::<Vec<_>>())
        .child(when(move || !is_right(step), move || element("div").child(check.clone())))
        .child(
            classed("div", "verdict")
                .attr("role", "status")
                .child(element("b").child(live_text(verdict)))
                .child(when(move || why.with(|why| !why.is_empty()), move || rendered(store, why))),
        )
}

fn is_right(step: Memo<StepState>) -> bool {
    step.with(|step| step.question.as_ref().is_some_and(|question| question.right == Some(true)))
}

fn hint(store: Store, step: Memo<StepState>) -> Element {
    let id = step.with_untracked(|step| step.id.clone());
    let text = Memo::new(move |_| step.with(|step| step.hint.clone().unwrap_or_default()));
    let is_shown = move || text.with(|text| !text.is_empty());
    let ask = move || store.send(Command::HintLesson { step: id.clone() });
    let button = button("btn quiet").test_id("hint").on_click(ask).child(word(store, |t| t.hint));
    element("div")
        .attr("role", "status")
        .child(when(move || !is_shown() && !step.with(|step| step.done), move || button.clone()))
        .child(when(is_shown, move || rendered(store, text)))
}

/// What has to be so, each with whether it is.
pub fn checks(store: Store, of: impl Fn() -> Vec<CheckState> + Send + Sync + 'static) -> Element {
    let of = Memo::new(move |_| of());
    let numbers = move || (0..of.with(Vec::len)).collect::<Vec<_>>();
    let one = move |at: usize| {
        let is_met = move || of.with(|checks| checks.get(at).is_some_and(|check| check.met));
        let text = move || of.with(|checks| checks.get(at).map(|check| check.text.clone()).unwrap_or_default());
        let state = move || if is_met() { lesson_words(store).met } else { lesson_words(store).not_met };
        view(
            element("li")
                .test_id("lesson-check")
                .live_attr("data-met", move || if is_met() { "true" } else { "false" })
                .child(when(is_met, || glyph(Glyph::Tick)))
                .child(when(move || !is_met(), || glyph(Glyph::Dot)))
                .child(
                    element("span")
                        .child(live_text(text))
                        .child(classed("span", "visually-hidden").child(" ").child(live_text(state))),
                ),
        )
    };
    classed("ul", "checks").child(keyed(numbers, usize::to_string, one))
}
