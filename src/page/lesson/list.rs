//! The lessons of the site, and which of them were passed in this browser.

use leptos::prelude::*;
use vitrine::platform::keepsake;
use vitrine_protocol::command::Command;
use vitrine_protocol::lesson::{LessonInfo, LessonState};

use crate::glyphs::{Glyph, glyph};
use crate::lesson::words::{lesson_words, word};
use crate::store::{Store, read};
use crate::view::{View, button, classed, element, keyed, live_text, view, when};

/// Where it is kept which lessons were passed.
const PASSED: &str = "vitrine/lessons";

/// Draws the list.
pub fn list(store: Store) -> View {
    let infos = infos(store);
    let one = move |info: LessonInfo| {
        let LessonInfo { id, title, about, minutes } = info;
        let is_passed = passed().contains(&id);
        let open = move || open(store, &id);
        let mark =
            is_passed.then(|| classed("span", "is-done").child(glyph(Glyph::Tick)).child(word(store, |t| t.passed)));
        let time = minutes
            .map(|minutes| classed("span", "q num").child(live_text(move || (lesson_words(store).minutes)(minutes))));
        view(
            element("li").child(
                classed("button", "lessonline")
                    .attr("type", "button")
                    .test_id("lesson-line")
                    .on_click(open)
                    .child(element("b").child(&*title))
                    .child(classed("span", "facts").child(time).child(mark))
                    .child(classed("span", "q2").child(&*about)),
            ),
        )
    };
    let failed = move || infos.with(|infos| infos.as_ref().is_some_and(Vec::is_empty));
    view(
        classed("div", "lesson scroll")
            .test_id("lesson-list")
            .attr("tabindex", "0")
            .live_attr("aria-label", move || lesson_words(store).lessons)
            .child(element("p").child(word(store, |t| t.lessons_about)))
            .child(when(failed, move || classed("p", "q2").child(word(store, |t| t.no_list))))
            .child(classed("ol", "lessonlines").child(keyed(
                move || infos.get().unwrap_or_default(),
                |info| format!("{} {}", info.id, info.title),
                one,
            ))),
    )
}

/// What leads to the lesson after the open one; nothing after the last.
pub fn next(store: Store, state: Memo<Option<LessonState>>) -> View {
    let infos = infos(store);
    let next = move || {
        let id = state.with(|state| state.as_ref().map(|state| state.id.clone()))?;
        let infos = infos.get()?;
        let at = infos.iter().position(|info| info.id == id)?;
        infos.get(at + 1).cloned()
    };
    when(
        move || next().is_some(),
        move || {
            let go = move || {
                if let Some(info) = next() {
                    open(store, &info.id);
                }
            };
            classed("div", "acts").child(
                button("btn primary")
                    .test_id("next-lesson")
                    .on_click(go)
                    .child(word(store, |t| t.next))
                    .child(": ")
                    .child(live_text(move || next().map(|info| info.title).unwrap_or_default())),
            )
        },
    )
}

/// The list in the language on screen; empty where it cannot be had, nothing until it is here.
fn infos(store: Store) -> RwSignal<Option<Vec<LessonInfo>>> {
    let infos = RwSignal::new(None);
    crate::view::effect(move || {
        let _ = store.language.get();
        store.ask_all(Command::ListLessons {}, None, move |answer| {
            let list = answer.ok().and_then(|value| read::<Vec<LessonInfo>>(value.json.as_ref()).ok());
            infos.try_set(Some(list.unwrap_or_default()));
        });
    });
    infos
}

fn open(store: Store, id: &str) {
    store.send(Command::OpenLesson { url: Some(id.to_owned()), text: None });
}

fn passed() -> Vec<String> {
    keepsake::get(PASSED).map(|text| text.split(' ').map(str::to_owned).collect()).unwrap_or_default()
}

/// Keeps that a lesson was passed.
pub fn note_passed(id: &str) {
    let mut all = passed();
    if all.iter().all(|passed| passed != id) {
        all.push(id.to_owned());
        keepsake::set(PASSED, &all.join(" "));
    }
}
