//! The top bar, the status line, and the tabs of a phone.

use leptos::prelude::*;
use vitrine_protocol::announce::Language;
use vitrine_protocol::notification::Status;
use vitrine_protocol::numbers;

use crate::glyphs::{Glyph, glyph};
use crate::place::{Mode, Panel, Sheet, Width};
use crate::store::Store;
use crate::text::Texts;

/// Draws the top bar.
pub fn top_bar(store: Store) -> impl IntoView {
    let phone = move || store.width.get() == Width::Phone;
    let open = move |sheet: Sheet| move |_| store.sheet.set(Some(sheet));
    let speak = move |language: Language, tag: &'static str, label: &'static str| {
        view! {
            <button
                type="button"
                lang=tag
                aria-pressed=move || (store.language.get() == language).to_string()
                on:click=move |_| store.speak(language)
            >
                {label}
            </button>
        }
    };
    let next_theme = move |_| {
        store.theme.update(|theme| {
            *theme = match *theme {
                "auto" => "light",
                "light" => "dark",
                _ => "auto",
            };
        });
    };
    let title = move || {
        let name = store.session.with(|session| session.name.clone());
        (!phone() && !name.is_empty()).then(|| view! { <span class="vr"></span><span class="title clip">{name}</span> })
    };
    let beside = move || {
        let middle = store.width.get() == Width::Middle;
        middle.then(|| {
            let one = move |panel: Panel, label: fn(&'static Texts) -> &'static str| {
                view! {
                    <button
                        type="button"
                        aria-pressed=move || (store.beside.get() == panel).to_string()
                        on:click=move |_| store.show(panel)
                    >
                        {store.text(label)}
                    </button>
                }
            };
            view! {
                <span class="seg" role="group" aria-label=store.text(|t| t.panels)>
                    {one(Panel::Loop, |t| t.loop_)}
                    {one(Panel::Files, |t| t.files)}
                </span>
            }
        })
    };
    view! {
        <header class="topbar">
            <button
                class="btn quiet square"
                type="button"
                data-testid="sessions"
                aria-label=store.text(|t| t.sessions_and_settings)
                title=store.text(|t| t.sessions_and_settings)
                on:click=open(Sheet::Sessions)
            >
                {glyph(Glyph::Menu)}
            </button>
            <span class="mark">
                {glyph(Glyph::Mark)}
                <h1 class:visually-hidden=phone>"Vitrine"</h1>
            </span>
            {title}
            <span class="sp"></span>
            {beside}
            <button class="chip" type="button" data-testid="model" on:click=open(Sheet::Model)>
                {move || (!phone()).then(|| store.t().model)}
                <b class="clip">{move || model_name(store)}</b>
                {glyph(Glyph::Down)}
            </button>
            <span class="seg" role="group" aria-label=store.text(|t| t.language)>
                {speak(Language::English, "en", "EN")}
                {speak(Language::Chinese, "zh", "中文")}
            </span>
            <button
                class="btn quiet square"
                type="button"
                data-testid="theme"
                aria-label=move || (store.t().theme)(store.theme.get())
                title=move || (store.t().theme)(store.theme.get())
                on:click=next_theme
            >
                {glyph(Glyph::Theme)}
            </button>
            {move || (!phone()).then(|| view! {
                <button
                    class="btn quiet square"
                    type="button"
                    data-testid="keys"
                    aria-label=store.text(|t| t.keys_and_help)
                    title=store.text(|t| t.keys_and_help)
                    on:click=open(Sheet::Keys)
                >
                    "?"
                </button>
            })}
        </header>
    }
}

/// The model's name for people: the scripted one never passes for a live one.
pub fn model_name(store: Store) -> String {
    let t = store.t();
    let phone = store.width.get() == Width::Phone;
    store.state.with(|state| match state.model.api.as_str() {
        "" | "scripted" if phone => t.scripted_short.to_owned(),
        "" | "scripted" => t.scripted.to_owned(),
        _ => state.model.id.clone(),
    })
}

/// Draws the status line: state, requests, context, cost, storage, always in this order.
pub fn status_line(store: Store) -> impl IntoView {
    let line = Memo::new(move |_| {
        store.state.with(|state| {
            let scripted = matches!(state.model.api.as_str(), "" | "scripted");
            (
                (state.status, state.turn, state.requests),
                (state.context_tokens, state.context_window),
                (state.usage.cost.total, scripted),
                state.usage.total_tokens,
            )
        })
    });
    move || {
        let t = store.t();
        let ((status, turn, requests), (tokens, window), (dollars, scripted), total) = line.get();
        let starting = store.storage.with(Option::is_none);
        let (shape, role, word) = match status {
            _ if starting => (Glyph::RequestNot, "q", t.starting),
            Status::Idle => (Glyph::Settled, "", t.idle),
            Status::Running => (Glyph::Message, "is-model", t.running),
            Status::Paused => (Glyph::Pause, "", t.paused),
            Status::Waiting => (Glyph::Dot, "is-warn", t.waiting),
        };
        let share = match window {
            0 => numbers::tokens(tokens),
            window => format!("{} / {}", numbers::tokens(tokens), numbers::tokens(window)),
        };
        let part = (tokens as f64 / window.max(1) as f64 * 100.0).min(100.0);
        let cost = if scripted { t.cost_scripted.to_owned() } else { (t.cost)(dollars) };
        let stored = match store.kept() {
            None => "",
            Some(true) => t.stored_browser,
            Some(false) => t.stored_memory,
        };
        view! {
            <footer class="statusline" data-testid="status" data-status=status_name(status)>
                <span>
                    <span class=role>{glyph(shape)}</span>
                    <b>{word}</b>
                    {(turn > 0 && status != Status::Idle).then(|| (t.turn)(turn))}
                </span>
                <span>{(t.requests)(requests)}</span>
                <span title=(t.tokens)(total)>
                    {(t.context)(&share)}
                    {(window > 0).then(|| view! {
                        <i class="meter" aria-hidden="true"><i style:width=format!("{part:.0}%")></i></i>
                    })}
                </span>
                <span class="wide">{cost}</span>
                <span class="wide">{stored}</span>
            </footer>
        }
    }
}

fn status_name(status: Status) -> &'static str {
    match status {
        Status::Idle => "idle",
        Status::Running => "running",
        Status::Paused => "paused",
        Status::Waiting => "waiting",
    }
}

/// Draws the tabs of a phone.
pub fn tab_bar(store: Store) -> impl IntoView {
    let tab = move |panel: Panel, label: fn(&'static Texts) -> &'static str| {
        view! {
            <button
                type="button"
                role="tab"
                aria-selected=move || (store.panel.get() == panel).to_string()
                on:click=move |_| store.show(panel)
            >
                {store.text(label)}
            </button>
        }
    };
    move || {
        let tabs = store.width.get() == Width::Phone && store.mode != Mode::Chat;
        tabs.then(|| {
            view! {
                <nav class="tabbar" role="tablist" aria-label=store.text(|t| t.panels)>
                    {tab(Panel::Chat, |t| t.chat)}
                    {tab(Panel::Loop, |t| t.loop_)}
                    {tab(Panel::Files, |t| t.files)}
                </nav>
            }
        })
    }
}
