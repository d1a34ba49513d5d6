//! The top bar, the status line, and the tabs of a phone.

use leptos::prelude::*;
use vitrine_protocol::announce::Language;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::Status;
use vitrine_protocol::numbers;
use vitrine_protocol::policy::PolicyMode;
use vitrine_protocol::runs::Fingerprint;

use crate::glyphs::{Glyph, glyph};
use crate::loop_panel::words::word;
use crate::place::{Mode, Panel, Sheet, Width};
use crate::store::{Store, read};
use crate::text::Words;
use crate::view::{Element, View, button, choose, classed, effect, element, live, live_text, view, when};

/// Draws the top bar.
pub fn top_bar(store: Store) -> Element {
    let phone = move || store.width.get() == Width::Phone;
    let name = classed("b", "clip").child(live_text(move || model_name(store)));
    let model = classed("button", "chip").attr("type", "button").test_id("model");
    let model = model
        .on_click(move || store.sheet.set(Some(Sheet::Model)))
        .child(when(move || !phone(), move || store.text(|t| t.model)))
        .child(name)
        .child(glyph(Glyph::Down));
    let languages = classed("span", "seg")
        .attr("role", "group")
        .words("aria-label", store.text(|t| t.language))
        .child(language(store, Language::English, "en", "EN"))
        .child(language(store, Language::Chinese, "zh", "中文"));
    classed("div", "topbar")
        .child(
            opener(store, Sheet::Sessions, store.text(|t| t.sessions_and_settings), "sessions")
                .child(glyph(Glyph::Menu)),
        )
        .child(
            classed("span", "mark")
                .child(glyph(Glyph::Mark))
                .child(element("h1").live_class("visually-hidden", phone).child("Vitrine")),
        )
        .child(title(store))
        .child(lessons(store))
        .child(classed("span", "sp"))
        .child(beside(store))
        .child(policy(store))
        .child(model)
        .child(languages)
        .child(theme(store))
        .child(when(
            move || !phone(),
            move || opener(store, Sheet::Keys, store.text(|t| t.keys_and_help), "keys").child("?"),
        ))
}

/// Which calls may run, and what was allowed for the session.
fn policy(store: Store) -> View {
    let set = move |mode: Option<PolicyMode>| {
        let mut policy = store.state.with_untracked(|state| state.policy.clone());
        match mode {
            Some(mode) => policy.mode = mode,
            None => policy.rules.clear(),
        }
        store.send(Command::SetPolicy { policy });
    };
    let mode = move || store.state.with(|state| state.policy.mode);
    let next = move || {
        set(Some(match mode() {
            PolicyMode::Auto => PolicyMode::Ask,
            PolicyMode::Ask => PolicyMode::Edits,
            PolicyMode::Edits => PolicyMode::ReadOnly,
            PolicyMode::ReadOnly => PolicyMode::Auto,
        }));
    };
    let n_rules = move || store.state.with(|state| state.policy.rules.len());
    let forget = move |&n: &usize| {
        (n > 0).then(|| {
            button("btn quiet")
                .test_id("forget-rules")
                .on_click(move || set(None))
                .child(live_text(move || (store.t().forget_rules)(n)))
        })
    };
    when(
        move || store.width.get() == Width::Wide && store.mode == Mode::App,
        move || {
            let chip = classed("button", "chip")
                .attr("type", "button")
                .test_id("policy")
                .on_click(next)
                .child(store.text(|t| t.approvals))
                .child(element("b").child(live_text(move || (store.t().policy_mode)(mode()))));
            view((chip, choose(n_rules, forget)))
        },
    )
}

/// A square button that opens a sheet.
fn opener(store: Store, sheet: Sheet, name: Words, test_id: &str) -> Element {
    button("btn quiet square")
        .test_id(test_id)
        .words("aria-label", name)
        .words("title", name)
        .on_click(move || store.sheet.set(Some(sheet)))
}

/// The session's name, where there is room for it.
fn title(store: Store) -> View {
    live(move || {
        let name = store.session.with(|session| session.name.clone());
        let shown = store.width.get() != Width::Phone && !name.is_empty();
        shown.then(|| [classed("span", "vr"), classed("span", "title clip").child(name)])
    })
}

/// What brings the lessons up, where there is room for them beside everything else.
fn lessons(store: Store) -> View {
    when(
        move || store.width.get() == Width::Wide && store.mode == Mode::App && !store.lesson_wanted.get(),
        move || {
            button("btn quiet")
                .test_id("lessons")
                .on_click(move || store.show(Panel::Lesson))
                .child(store.text(|t| t.lesson))
        },
    )
}

/// Which panel is beside the chat, where only one has room.
fn beside(store: Store) -> View {
    let one = move |panel: Panel, label: Words| {
        element("button")
            .attr("type", "button")
            .live_attr("aria-pressed", move || yes_or_no(store.beside.get() == panel))
            .on_click(move || store.show(panel))
            .child(label)
    };
    when(
        move || store.width.get() == Width::Middle,
        move || {
            classed("span", "seg")
                .attr("role", "group")
                .words("aria-label", store.text(|t| t.panels))
                .child(one(Panel::Loop, store.text(|t| t.loop_)))
                .child(one(Panel::Files, store.text(|t| t.files)))
                .child(one(Panel::Lesson, store.text(|t| t.lesson)))
        },
    )
}

fn language(store: Store, language: Language, tag: &str, label: &str) -> Element {
    element("button")
        .attr("type", "button")
        .attr("lang", tag)
        .live_attr("aria-pressed", move || yes_or_no(store.language.get() == language))
        .on_click(move || store.speak(language))
        .child(label)
}

fn theme(store: Store) -> Element {
    let name = move || (store.t().theme)(store.theme.get());
    let next = move || {
        store.theme.update(|theme| {
            *theme = match *theme {
                "auto" => "light",
                "light" => "dark",
                _ => "auto",
            };
        });
    };
    button("btn quiet square")
        .test_id("theme")
        .live_attr("aria-label", name)
        .live_attr("title", name)
        .on_click(next)
        .child(glyph(Glyph::Theme))
}

/// As ARIA spells a state.
pub fn yes_or_no(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

/// The model's name for people: the scripted one never passes for a live one.
pub fn model_name(store: Store) -> String {
    let t = store.t();
    let phone = store.width.get() == Width::Phone;
    store.state.with(|state| match &*state.model.api {
        "" | "scripted" if phone => t.scripted_short.to_owned(),
        "" | "scripted" => t.scripted.to_owned(),
        _ => state.model.id.to_string(),
    })
}

/// Draws the status line: state, requests, context, cost, storage, always in this order.
pub fn status_line(store: Store) -> Element {
    let status = move || store.status();
    let starting = move || store.storage.with(Option::is_none);
    let shape = move |&(status, starting): &(Status, bool)| {
        let (shape, role) = match status {
            _ if starting => (Glyph::RequestNot, "q"),
            Status::Idle => (Glyph::Settled, ""),
            Status::Running => (Glyph::Message, "is-model"),
            Status::Paused => (Glyph::Pause, ""),
            Status::Waiting => (Glyph::Dot, "is-warn"),
        };
        classed("span", role).child(glyph(shape))
    };
    let word = move || {
        let t = store.t();
        match status() {
            _ if starting() => t.starting,
            Status::Idle => t.idle,
            Status::Running => t.running,
            Status::Paused => t.paused,
            Status::Waiting => t.waiting,
        }
    };
    let turn = move || {
        let turn = store.state.with(|state| state.turn);
        if turn > 0 && status() != Status::Idle { (store.t().turn)(turn) } else { String::new() }
    };
    let cost = move || {
        let t = store.t();
        store.state.with(|state| match &*state.model.api {
            "" | "scripted" => t.cost_scripted.to_owned(),
            _ => (t.cost)(state.usage.cost.total),
        })
    };
    let stored = move || match store.kept() {
        None => "",
        Some(true) if store.reads() => store.t().stored_elsewhere,
        Some(true) => match store.kept_for_good.get() {
            None => store.t().stored_browser,
            Some(true) => store.t().stored_for_good,
            Some(false) => store.t().stored_while_room,
        },
        Some(false) => store.t().stored_memory,
    };
    classed("div", "statusline")
        .test_id("status")
        .live_attr("data-status", move || status_name(status()))
        .child(
            element("span")
                .child(choose(move || (status(), starting()), shape))
                .child(element("b").child(live_text(word)))
                .child(live_text(turn)),
        )
        .child(element("span").child(live_text(move || (store.t().requests)(store.state.with(|state| state.requests)))))
        .child(context(store))
        .child(classed("span", "wide").child(live_text(cost)))
        .child(classed("span", "wide").child(live_text(stored)))
        .child(fingerprint(store))
}

/// What the events come to, once they rest, and whether a person had a hand in them.
fn fingerprint(store: Store) -> View {
    let hash = RwSignal::new(None::<Fingerprint>);
    let n_events = Memo::new(move |_| {
        store.drawn.track();
        let n_events = store.with_log(|log, _| log.len()).unwrap_or_default();
        (store.status() == Status::Idle && n_events > 0).then_some(n_events)
    });
    effect(move || {
        if n_events.get().is_none() {
            hash.set(None);
            return;
        }
        store.ask_all(Command::Fingerprint { trail: false }, None, move |answer| {
            if let Ok(fingerprint) = answer.and_then(|value| read::<Fingerprint>(value.json.as_ref())) {
                hash.try_set(Some(fingerprint));
            }
        });
    });
    choose(
        move || hash.get(),
        move |hash| {
            hash.as_ref().map(|Fingerprint { hash, modified, .. }| {
                let short = hash.get(..8).unwrap_or_default();
                let changed = modified.then(|| classed("span", "tag").child(word(store, |t| t.modified)));
                classed("span", "wide")
                    .test_id("fingerprint")
                    .attr("title", hash)
                    .child(word(store, |t| t.fingerprint))
                    .child(" ")
                    .child(classed("span", "mono").child(short))
                    .child(changed)
            })
        },
    )
}

/// How much of the model's window is taken.
fn context(store: Store) -> Element {
    let tokens = move || store.state.with(|state| (state.context_tokens, state.context_window));
    let share = move || {
        let words = match tokens() {
            (tokens, 0) => numbers::tokens(tokens),
            (tokens, window) => format!("{} / {}", numbers::tokens(tokens), numbers::tokens(window)),
        };
        (store.t().context)(&words)
    };
    let width = move || {
        let (tokens, window) = tokens();
        let percent = (tokens.saturating_mul(100) / window.max(1)).min(100);
        format!("{percent}%")
    };
    let meter =
        move || classed("i", "meter").attr("aria-hidden", "true").child(element("i").live_style("width", width));
    element("span")
        .live_attr("title", move || (store.t().tokens)(store.state.with(|state| state.usage.total_tokens)))
        .child(live_text(share))
        .child(when(move || tokens().1 > 0, meter))
}

/// As the page's attributes spell it.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Idle => "idle",
        Status::Running => "running",
        Status::Paused => "paused",
        Status::Waiting => "waiting",
    }
}

/// Draws the tabs of a phone.
pub fn tab_bar(store: Store) -> View {
    let tab = move |panel: Panel, label: Words| {
        element("button")
            .attr("type", "button")
            .attr("role", "tab")
            .live_attr("aria-selected", move || yes_or_no(store.panel.get() == panel))
            .on_click(move || store.show(panel))
            .child(label)
    };
    when(
        move || store.width.get() == Width::Phone && store.mode != Mode::Chat,
        move || {
            classed("nav", "tabbar")
                .attr("role", "tablist")
                .words("aria-label", store.text(|t| t.panels))
                .child(tab(Panel::Chat, store.text(|t| t.chat)))
                .child(tab(Panel::Loop, store.text(|t| t.loop_)))
                .child(tab(Panel::Files, store.text(|t| t.files)))
                .child(tab(Panel::Lesson, store.text(|t| t.lesson)))
        },
    )
}
