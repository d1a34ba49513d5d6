//! The lesson panel: the list of lessons, and the steps of the open one.

mod list;
mod step;
mod words;

use leptos::prelude::*;
use vitrine_protocol::command::Command;
use vitrine_protocol::lesson::LessonState;
use vitrine_protocol::visible::visible;

use crate::glyphs::{Glyph, glyph};
use crate::lesson::words::{lesson_words, word};
use crate::place::Panel;
use crate::store::{Store, read};
use crate::view::{Element, View, button, choose, classed, effect, element, keyed, live_text, view, when};

/// Draws the inside of the panel.
pub fn lesson(store: Store) -> View {
    let state = Memo::new(move |_| store.lesson.with(|json| read::<Option<LessonState>>(json.as_ref()).ok().flatten()));
    keep(store, state);
    let id = Memo::new(move |_| state.with(|state| state.as_ref().map(|state| state.id.clone())));
    view((
        head(store, state),
        choose(
            move || id.get(),
            move |id| match id {
                Some(_) => open(store, state),
                None => list::list(store),
            },
        ),
    ))
}

/// What of the open lesson a view shows; nothing once another is open.
fn part<T: Default>(state: Memo<Option<LessonState>>, pick: impl Fn(&LessonState) -> T) -> T {
    state.with(|state| state.as_ref().map(pick)).unwrap_or_default()
}

/// Notes that a lesson was passed, where something is kept.
fn keep(store: Store, state: Memo<Option<LessonState>>) {
    effect(move || {
        let passed = state.with(|state| state.as_ref().filter(|state| state.passed).map(|state| state.id.clone()));
        if let Some(id) = passed
            && store.kept() == Some(true)
        {
            list::note_passed(&id);
        }
    });
}

fn head(store: Store, state: Memo<Option<LessonState>>) -> Element {
    let is_open = move || state.with(Option::is_some);
    let place = move || {
        let (at, of) = part(state, |state| (state.current.unwrap_or(state.steps.len()), state.steps.len()));
        (lesson_words(store).step)((at + 1).min(of), of)
    };
    let close = move || {
        store.lesson_wanted.set(false);
        store.send(Command::CloseLesson {});
        store.show(Panel::Chat);
    };
    classed("div", "colhead")
        .child(element("h2").child(word(store, |t| t.lessons)))
        .child(when(is_open, move || classed("span", "q num").test_id("lesson-place").child(live_text(place))))
        .child(classed("span", "sp"))
        .child(when(is_open, move || {
            button("btn quiet")
                .test_id("all-lessons")
                .on_click(move || store.send(Command::CloseLesson {}))
                .child(word(store, |t| t.all))
        }))
        .child(
            button("btn quiet square")
                .test_id("close-lesson")
                .live_attr("aria-label", move || lesson_words(store).close)
                .live_attr("title", move || lesson_words(store).close)
                .on_click(close)
                .child(glyph(Glyph::Cross)),
        )
}

fn open(store: Store, state: Memo<Option<LessonState>>) -> View {
    let n_steps = part(state, |state| state.steps.len());
    let bar = (0..n_steps).map(|at| {
        element("i")
            .live_class("done", move || part(state, |state| state.steps.get(at).is_some_and(|step| step.done)))
            .live_class("at", move || part(state, |state| state.current == Some(at)))
    });
    let reached = move || (0..n_steps).filter(|at| step::is_reached(state, *at)).collect::<Vec<_>>();
    view(
        classed("div", "lesson scroll")
            .test_id("lesson")
            .attr("tabindex", "0")
            .live_attr("aria-label", move || part(state, |state| state.title.clone()))
            .child(classed("div", "steps").attr("aria-hidden", "true").child(bar.collect::<Vec<_>>()))
            .child(element("h3").child(live_text(move || part(state, |state| state.title.clone()))))
            .child(when(
                move || part(state, |state| !state.played),
                move || element("p").child(live_text(move || part(state, |state| state.about.clone()))),
            ))
            .child(start(store, state))
            .child(keyed(reached, usize::to_string, move |at| step::step(store, state, at)))
            .child(goal(store, state))
            .child(end(store, state)),
    )
}

/// What begins it, and what begins it again.
fn start(store: Store, state: Memo<Option<LessonState>>) -> Element {
    let played = move || part(state, |state| state.played);
    let play = move |fresh: bool| {
        store.following.set(true);
        store.show(Panel::Chat);
        store.send(Command::PlayLesson { fresh });
    };
    let first = move || {
        button("btn primary")
            .test_id("start-lesson")
            .on_click(move || play(false))
            .child(glyph(Glyph::Play))
            .child(word(store, |t| t.start))
    };
    let again = button("btn quiet")
        .test_id("start-over")
        .live_attr("title", move || lesson_words(store).start_over_detail)
        .live_flag("disabled", move || store.busy())
        .on_click(move || play(true))
        .child(word(store, |t| t.start_over));
    let differing = move || part(state, |state| state.differs.clone());
    let differs = move || {
        let names = differing().iter().map(|path| visible(path)).collect::<Vec<_>>().join(", ");
        (lesson_words(store).differs)(&names)
    };
    element("div")
        .child(
            classed("div", "acts")
                .child(when(move || !played(), first))
                .child(when(move || played() || !differing().is_empty(), move || again.clone())),
        )
        .child(when(
            move || !differing().is_empty(),
            move || classed("p", "q2").test_id("lesson-differs").child(live_text(differs)),
        ))
}

/// What has to come out, and how far it is.
fn goal(store: Store, state: Memo<Option<LessonState>>) -> Element {
    classed("section", "goal")
        .test_id("lesson-goal")
        .child(element("h4").child(word(store, |t| t.goal)))
        .child(element("p").child(live_text(move || part(state, |state| state.goal.clone()))))
        .child(step::checks(store, move || part(state, |state| state.goal_checks.clone())))
}

/// Once it is passed: how, and what comes next.
fn end(store: Store, state: Memo<Option<LessonState>>) -> View {
    let compared = move || {
        part(state, |state| {
            let author = state.author.clone()?;
            let t = lesson_words(store);
            Some(if author.same { t.as_author.to_owned() } else { (t.unlike_author)(author.differs_at) })
        })
    };
    let author = when(
        move || part(state, |state| state.author.is_some()),
        move || classed("p", "q2").test_id("lesson-author").child(live_text(move || compared().unwrap_or_default())),
    );
    let score = move || part(state, |state| (lesson_words(store).foreseen)(state.foreseen, state.questions));
    let receipt = move || part(state, |state| state.receipt.clone()).unwrap_or_default();
    let passed = move || {
        classed("section", "notice passed")
            .test_id("lesson-passed")
            .child(glyph(Glyph::Tick))
            .child(element("h3").child(word(store, |t| t.passed)))
            .child(when(move || part(state, |state| state.questions > 0), move || element("p").child(live_text(score))))
            .child(
                classed("p", "q2").child(word(store, |t| t.receipt)).child(" ").child(
                    classed("code", "clip")
                        .live_attr("title", receipt)
                        .child(live_text(move || receipt().chars().take(12).collect::<String>())),
                ),
            )
            .child(list::next(store, state))
    };
    let heard = classed("div", "stack").attr("role", "status");
    view((author, heard.child(when(move || part(state, |state| state.passed), passed))))
}
