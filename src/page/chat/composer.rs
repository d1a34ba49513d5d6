//! The composer: an uncontrolled text area (an input method owns its content), its one button, and what waits.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_protocol::command::Command;
use vitrine_protocol::keys::{Action, KeyPress, composer_key};
use vitrine_protocol::notification::Status;

use crate::glyphs::{Glyph, glyph};
use crate::store::{Store, read};
use crate::view::{Element, ElementRef, View, button, choose, classed, effect, element, live, when};

/// A second click that follows on Send within this time was meant for Send.
const DOUBLE_CLICK_MS: f64 = 500.0;

/// Draws the composer.
pub fn composer(store: Store) -> Element {
    let area = ElementRef::new();
    let filled = RwSignal::new(false);
    let put = move |text: &str| {
        if let Some(area) = area.get() {
            area.set_value(text);
            filled.set(!text.is_empty());
        }
    };
    let act = move |action: Action| {
        let text = area.value();
        if action != Action::Stop && (text.trim().is_empty() || store.reads()) {
            return;
        }
        match action {
            Action::Stop => return store.send(Command::Abort {}),
            Action::Send => prompt(store, text),
            Action::Steer => store.send(Command::Steer { text, images: Vec::new() }),
            Action::FollowUp => store.send(Command::FollowUp { text, images: Vec::new() }),
            Action::Newline | Action::None => return,
        }
        put("");
    };
    let take_back = move || {
        store.ask(Command::ClearQueue {}, None, move |value| {
            let Ok(queue) = read::<Queue>(value.json.as_ref()) else { return };
            let kept = area.value();
            let texts = queue.steering.into_iter().chain(queue.follow_up).chain([kept]);
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            put(&texts.join("\n\n"));
            if let Some(area) = area.get() {
                dom::focus(&area);
            }
        });
    };
    let on_key = move |event: &Event| {
        let composing = event.composes();
        let waits = store.state.with_untracked(|state| !state.steering.is_empty() || !state.follow_up.is_empty());
        if event.alt() && event.key() == "ArrowUp" && !composing && waits {
            event.prevent_default();
            return take_back();
        }
        let key = event.key();
        let press = KeyPress {
            key: &key,
            shift: event.shift(),
            alt: event.alt(),
            is_composing: event.is_composing(),
            key_code: event.key_code(),
        };
        let action = composer_key(press, store.state.with_untracked(|state| state.status));
        match action {
            Action::Newline | Action::None => {}
            // Stopping also closes a sheet first; the frame of the page decides.
            Action::Stop => {}
            Action::Send | Action::Steer | Action::FollowUp => {
                event.prevent_default();
                act(action);
            }
        }
    };
    effect(move || {
        if let Some(draft) = store.draft.get() {
            put(&draft);
            store.draft.set(None);
        }
    });
    let sent_at = StoredValue::new(f64::NEG_INFINITY);
    let submit = move |event: &Event| {
        event.prevent_default();
        sent_at.set_value(event.time_stamp());
        act(if store.state.with_untracked(|state| state.status != Status::Idle) {
            Action::Steer
        } else {
            Action::Send
        });
    };
    let on_input = move |_: &Event| {
        let text = !area.value().is_empty();
        if filled.get_untracked() != text {
            filled.set(text);
        }
    };
    // Stop takes the place of Send; a message being written during a run needs both.
    let sends = move || !store.busy() || filled.get();
    let send = move || {
        let send = classed("button", "btn").attr("type", "submit").test_id("send");
        send.live_flag("disabled", move || store.reads()).child(store.text(|t| t.send))
    };
    let stop = move || {
        // The second click of a double one on Send falls on Stop, which is there by then.
        let press = move |event: &Event| {
            if event.time_stamp() - sent_at.get_value() > DOUBLE_CLICK_MS {
                act(Action::Stop);
            }
        };
        let stop = button("btn").test_id("stop").on("click", press);
        stop.child(glyph(Glyph::Stop)).child(store.text(|t| t.stop))
    };
    let field = classed("textarea", "field")
        .test_id("composer")
        .reached_by(area)
        .attr("rows", "1")
        .words("aria-label", store.text(|t| t.message))
        .live_attr("placeholder", move || if store.reads() { store.t().composer_reads } else { store.t().message })
        .live_flag("disabled", move || store.reads())
        .on("keydown", on_key)
        .on("input", on_input);
    classed("div", "dock")
        .child(queue(store, take_back))
        .child(
            classed("form", "composer")
                .on("submit", submit)
                .child(field)
                .child(when(sends, send))
                .child(when(move || store.busy(), stop)),
        )
        .child(hints(store))
}

/// Starts a run; if it could not start, the words are given back.
pub fn prompt(store: Store, text: String) {
    store.ask_to_keep();
    store.following.set(true);
    let kept = text.clone();
    store.ask_all(Command::Prompt { text, images: Vec::new() }, None, move |answer| {
        if let Err(problem) = answer {
            store.draft.set(Some(kept));
            store.tell(problem);
        }
    });
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Queue {
    steering: Vec<String>,
    follow_up: Vec<String>,
}

/// Messages that wait, as pins, until they are read or taken back.
fn queue(store: Store, take_back: impl Fn() + Copy + 'static) -> View {
    let pin = |text: &String, tag: &str| {
        classed("li", "pin")
            .child(glyph(Glyph::Pinned))
            .child(classed("span", "clip").child(format!("“{text}”")))
            .child(classed("span", "tag").child(tag))
    };
    let pins = move |(steering, follow_up): &(Vec<String>, Vec<String>)| {
        let (steering, follow_up) = (steering.clone(), follow_up.clone());
        let list = classed("ul", "pins").words("aria-label", store.text(|t| t.queued)).child(live(move || {
            let t = store.t();
            let steering = steering.iter().map(|text| pin(text, t.steering));
            steering.chain(follow_up.iter().map(|text| pin(text, t.follow_up))).collect::<Vec<_>>()
        }));
        let back = button("btn quiet small").test_id("take-back").on_click(take_back);
        let back = back.child(store.text(|t| t.take_back)).child(" ").child(keys("Alt", "↑"));
        [list, classed("div", "pinrow").child(back)]
    };
    let queued = move || store.state.with(|state| (state.steering.clone(), state.follow_up.clone()));
    choose(queued, move |queued| (*queued != Default::default()).then(|| pins(queued)))
}

/// Two keys pressed together.
fn keys(held: &str, pressed: &str) -> (Element, (&'static str, Element)) {
    (element("kbd").child(held), (" ", element("kbd").child(pressed)))
}

fn hints(store: Store) -> Element {
    let idle = move || {
        let send = element("span").child(element("kbd").child("Enter")).child(" ").child(store.text(|t| t.hint_send));
        let line = element("span").child(keys("Shift", "Enter")).child(" ").child(store.text(|t| t.hint_newline));
        [send, line]
    };
    let busy = move || {
        let steer = element("span").child(element("kbd").child("Enter")).child(" ").child(store.text(|t| t.hint_steer));
        let later = element("span").child(keys("Alt", "Enter")).child(" ").child(store.text(|t| t.hint_follow_up));
        [steer, later]
    };
    let hints = choose(move || store.busy(), move |&is_busy| if is_busy { busy() } else { idle() });
    classed("div", "hints").attr("aria-hidden", "true").child(hints)
}
