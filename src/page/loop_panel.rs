//! The loop column: map, log, request, history and what-if by tabs; the say line, and Run, Pause, Step, Turn, Back.

mod history;
mod log;
mod nodes;
mod rail;
mod requests;
mod what_if;
pub mod words;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_agent::event::CallState;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::Status;
use vitrine_protocol::rail::{Actor, going_on};
use vitrine_protocol::rewind::RewindTo;

use crate::bars::yes_or_no;
use crate::glyphs::{Glyph, glyph};
use crate::late::{Late, late};
pub use crate::loop_panel::history::history;
pub use crate::loop_panel::log::log;
pub use crate::loop_panel::rail::rail;
pub use crate::loop_panel::requests::requests;
pub use crate::loop_panel::what_if::what_if;
use crate::loop_panel::words::{LoopWords, loop_words, word};
use crate::place::{Panel, Width};
use crate::store::Store;
use crate::text::Words;
use crate::view::{Element, ElementRef, View, button, choose, classed, element, live, live_text, view, when};

/// What the column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tab {
    Map,
    Log,
    Request,
    History,
    WhatIf,
    Sandbox,
}

impl Tab {
    const ALL: [Self; 6] = [Self::Map, Self::Log, Self::Request, Self::History, Self::WhatIf, Self::Sandbox];

    fn id(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Log => "log",
            Self::Request => "request",
            Self::History => "history",
            Self::WhatIf => "what-if",
            Self::Sandbox => "sandbox",
        }
    }

    fn word(self, words: &'static LoopWords) -> &'static str {
        match self {
            Self::Map => words.map,
            Self::Log => words.log,
            Self::Request => words.request,
            Self::History => words.history,
            Self::WhatIf => words.what_if,
            Self::Sandbox => words.sandbox,
        }
    }
}

/// The tabs. One is in the order of Tab; arrows go to the next and show it.
fn tabs(store: Store, shown: RwSignal<Tab>) -> Element {
    let list = ElementRef::new();
    let one = |tab: Tab| {
        let is_shown = move || shown.get() == tab;
        element("button")
            .attr("type", "button")
            .attr("role", "tab")
            .attr("id", &format!("tab-{}", tab.id()))
            .attr("aria-controls", "loop-shown")
            .test_id(&format!("tab-{}", tab.id()))
            .live_attr("aria-selected", move || yes_or_no(is_shown()))
            .live_attr("tabindex", move || if is_shown() { "0" } else { "-1" })
            .on_click(move || shown.set(tab))
            .child(live_text(move || tab.word(loop_words(store))))
    };
    let on_key = move |event: &Event| {
        let at = Tab::ALL.iter().position(|tab| *tab == shown.get_untracked()).unwrap_or_default();
        let to = match event.key().as_str() {
            "ArrowRight" => (at + 1) % Tab::ALL.len(),
            "ArrowLeft" => (at + Tab::ALL.len() - 1) % Tab::ALL.len(),
            "Home" => 0,
            "End" => Tab::ALL.len() - 1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(tab) = Tab::ALL.get(to) {
            shown.set(*tab);
            if let Some(list) = list.get() {
                dom::soon(move || dom::focus_within(&list, "[aria-selected=true]"));
            }
        }
    };
    classed("div", "tabs")
        .attr("role", "tablist")
        .words("aria-label", store.text(|t| t.loop_))
        .reached_by(list)
        .on("keydown", on_key)
        .child(Tab::ALL.map(one))
}

/// Draws the column.
pub fn loop_panel(store: Store) -> Element {
    let (shown, home) = (RwSignal::new(Tab::Map), ElementRef::new());
    let in_front = move || match store.width.get() {
        Width::Phone => store.panel.get() == Panel::Loop,
        Width::Middle => store.beside.get() == Panel::Loop,
        Width::Wide => true,
    };
    let has_dock = move || store.width.get() != Width::Phone || store.panel.get() == Panel::Loop;
    let role = |class: &str, shape: Glyph, words: Words| classed("span", class).child(glyph(shape)).child(words);
    let head =
        classed("div", "colhead")
            .child(element("h2").child(store.text(|t| t.loop_)))
            .child(tabs(store, shown))
            .child(classed("span", "sp"))
            .child(
                classed("span", "rolekey")
                    .child(role("is-model", Glyph::Call, store.text(|t| t.model_asks)))
                    .child(role("is-host", Glyph::Request, store.text(|t| t.host_acts))),
            );
    let dock =
        move || classed("div", "dock loopdock").child(classed("div", "say").child(say(store))).child(controls(store));
    classed("section", "col loop")
        .words("aria-label", store.text(|t| t.loop_))
        .test_id("loop")
        .live_flag("hidden", move || !in_front())
        .on("keydown", move |event| loop_key(store, event))
        .child(head)
        .child(
            classed("div", "loopshown")
                .attr("role", "tabpanel")
                .attr("id", "loop-shown")
                .reached_by(home)
                .live_attr("aria-labelledby", move || format!("tab-{}", shown.get().id()))
                .child(choose(
                    move || shown.get(),
                    move |tab| match tab {
                        Tab::Map => late(store, Late::Map, home),
                        Tab::Log => late(store, Late::Log, home),
                        Tab::Request => late(store, Late::Request, home),
                        Tab::History => late(store, Late::History, home),
                        Tab::WhatIf => late(store, Late::WhatIf, home),
                        Tab::Sandbox => late(store, Late::Sandbox, home),
                    },
                )),
        )
        .child(cursor_line(store))
        .child(when(has_dock, dock))
}

/// Single keys act only while the focus is in this panel.
fn loop_key(store: Store, event: &Event) {
    let letters = !dom::in_text_field(event);
    let is_letter = event.key().chars().count() == 1;
    if !letters || event.composes() || event.control() || event.meta() || event.alt() {
        return;
    }
    let newest = store.with_log(|log, _| log.len()).unwrap_or_default() as isize;
    match event.key().as_str() {
        "[" => store.move_cursor(-1),
        "]" => store.move_cursor(1),
        "Home" => store.move_cursor(-newest),
        "End" => store.move_cursor(newest),
        _ if is_letter => {
            debugger_key(store, event);
            return;
        }
        _ => return,
    }
    event.prevent_default();
}

/// Where the cursor is, while it is not at the newest event, and what can be done there.
fn cursor_line(store: Store) -> View {
    when(
        move || store.cursor.get().is_some(),
        move || {
            let place = move || {
                store.drawn.track();
                let n_events = store.with_log(|log, _| log.len()).unwrap_or_default();
                (loop_words(store).at_event)(store.cursor.get().unwrap_or_default(), n_events)
            };
            let branch = move || {
                if let Some(cursor) = store.cursor.get_untracked() {
                    store.send(Command::Rewind { to: RewindTo::Event(cursor) });
                }
            };
            classed("div", "cursorline")
                .child(classed("span", "num").test_id("cursor").child(live_text(place)))
                .child(classed("span", "sp"))
                .child(button("btn quiet").test_id("branch").on_click(branch).child(word(store, |t| t.branch)))
                .child(
                    button("btn quiet")
                        .test_id("newest")
                        .on_click(move || store.cursor.set(None))
                        .child(word(store, |t| t.newest)),
                )
        },
    )
}

/// Steps, goes on or pauses if the key says so; function keys do so from anywhere in the element, the composer too.
/// Gives back whether it did.
pub fn debugger_key(store: Store, event: &Event) -> bool {
    if event.composes() || event.control() || event.meta() || event.alt() {
        return false;
    }
    let paused = store.state.with_untracked(|state| state.status == Status::Paused);
    let running = store.state.with_untracked(|state| state.status == Status::Running);
    let command = match (event.key().as_str(), event.shift()) {
        ("F10", false) | ("s" | "S", _) if paused => Command::Step {},
        ("F10", true) | ("t" | "T", _) if paused => Command::StepTurn {},
        ("F8" | "r" | "R", _) if paused => Command::Resume {},
        ("F8" | "p" | "P", _) if running => Command::Pause {},
        _ => return false,
    };
    event.prevent_default();
    store.send(command);
    true
}

/// What is going on, in two lines.
fn say(store: Store) -> View {
    let at = Memo::new(move |_| store.state.with(|state| (state.status, state.paused_at.clone())));
    let line = |first: Element, second: Element| view(element("p").child(first).child(element("br")).child(second));
    live(move || {
        let t = store.t();
        match at.get() {
            (Status::Paused, paused_at) => {
                store.drawn.track();
                let words =
                    paused_at.as_ref().map(|at| if at.answer { t.paused_at_answer } else { t.paused_at }(&at.event));
                let asked = paused_at.and_then(|at| at.call_id).is_some_and(|call_id| {
                    let state = store.with_transcript(|transcript| transcript.call(&call_id).map(|card| card.state));
                    state.flatten() == Some(CallState::Requested)
                });
                let tag = classed("span", "nowtag").child(t.paused);
                let paused = element("p").child(tag).child(" ");
                view(if asked {
                    let press = element("b").child(t.paused_asked);
                    paused.child(t.paused_at_call).child(element("br")).child(press).child(" ").child(t.press_step)
                } else {
                    let held = classed("span", "q2").child(t.paused_held);
                    paused.child(words.unwrap_or_default()).child(element("br")).child(held)
                })
            }
            (Status::Waiting, _) => {
                let tag = classed("span", "nowtag").child(t.waiting);
                let detail = element("b").child(t.waiting_detail);
                view(element("p").child(tag).child(element("br")).child(detail))
            }
            (Status::Running, _) => choose(
                move || {
                    store.drawn.track();
                    store.with_transcript(going_on).unwrap_or_default()
                },
                move |&(requests, actor)| {
                    let t = store.t();
                    let (class, words) = match actor {
                        Actor::Host => ("is-host", t.tools_running),
                        Actor::Model => ("is-model", t.answering),
                    };
                    let detail = classed("span", "q2 num").child((t.answering_detail)(requests));
                    line(classed("span", class).child(element("b").child(words)), detail)
                },
            ),
            (Status::Idle, ..) => line(element("b").child(t.no_run), classed("span", "q2").child(t.no_run_detail)),
        }
    })
}

/// Run or Pause, Step, Turn. They keep their places; what cannot act now is disabled.
pub fn controls(store: Store) -> Element {
    let is_held = move || store.status() == Status::Paused;
    let first = move |status: &Status| match status {
        Status::Running | Status::Waiting => {
            let pause = button("btn").test_id("pause").on_click(move || store.send(Command::Pause {}));
            labelled(pause, Glyph::Pause, store.text(|t| t.pause), "F8")
        }
        Status::Paused => {
            let run = button("btn").test_id("run").on_click(move || store.send(Command::Resume {}));
            labelled(run, Glyph::Play, store.text(|t| t.run), "F8")
        }
        Status::Idle => labelled(button("btn").flag("disabled", true), Glyph::Play, store.text(|t| t.run), "F8"),
    };
    let step = button("btn step")
        .live_class("primary", is_held)
        .test_id("step")
        .live_flag("disabled", move || !is_held())
        .on_click(move || store.send(Command::Step {}));
    let step_turn = button("btn")
        .test_id("step-turn")
        .live_flag("disabled", move || !is_held())
        .on_click(move || store.send(Command::StepTurn {}));
    classed("div", "controls")
        .attr("role", "toolbar")
        .words("aria-label", store.text(|t| t.loop_))
        .child(choose(move || store.status(), first))
        .child(labelled(step, Glyph::Step, store.text(|t| t.step), "F10"))
        .child(step_turn.child(store.text(|t| t.step_turn)))
        .child(
            button("btn")
                .test_id("back")
                // Never because the cursor is at the first event: a button that goes off takes the keys with it.
                .live_flag("disabled", move || {
                    store.drawn.track();
                    store.with_log(|log, _| log.is_empty()) != Some(false)
                })
                .on_click(move || store.move_cursor(-1))
                .child(word(store, |t| t.back))
                .child(" ")
                .child(element("kbd").child("[")),
        )
}

/// A button with its shape, word and key.
fn labelled(button: Element, shape: Glyph, words: Words, key: &str) -> Element {
    button.child(glyph(shape)).child(words).child(" ").child(element("kbd").child(key))
}
