//! The loop column: the rail, the say line, and Run, Pause, Step, Turn.

mod nodes;
mod rail;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_agent::event::CallState;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::Status;
use vitrine_protocol::transcript::RowContent;

use crate::glyphs::{Glyph, glyph};
use crate::loop_panel::rail::rail;
use crate::place::{Panel, Width};
use crate::store::Store;

/// Draws the column.
pub fn loop_panel(store: Store) -> impl IntoView {
    let hidden = move || match store.width.get() {
        Width::Phone => store.panel.get() != Panel::Loop,
        Width::Middle => store.beside.get() != Panel::Loop,
        Width::Wide => false,
    };
    let has_dock = move || store.width.get() != Width::Phone || store.panel.get() == Panel::Loop;
    view! {
        <section
            class="col loop"
            aria-label=store.text(|t| t.loop_)
            data-testid="loop"
            hidden=hidden
            on:keydown=move |event| loop_key(store, &event)
        >
            <div class="colhead">
                <h2>{store.text(|t| t.loop_)}</h2>
                <span class="sp"></span>
                <span class="rolekey">
                    <span class="is-model">{glyph(Glyph::Call)}{store.text(|t| t.model_asks)}</span>
                    <span class="is-host">{glyph(Glyph::Request)}{store.text(|t| t.host_acts)}</span>
                </span>
            </div>
            {rail(store)}
            {move || has_dock().then(|| view! {
                <div class="dock loopdock">
                    <div class="say">{say(store)}</div>
                    {controls(store)}
                </div>
            })}
        </section>
    }
}

/// Single keys act only while the focus is in this panel.
fn loop_key(store: Store, event: &KeyboardEvent) {
    if event.is_composing() || event.key_code() == 229 || dom::in_text_field(event) {
        return;
    }
    let paused = store.state.with_untracked(|state| state.status == Status::Paused);
    let running = store.state.with_untracked(|state| state.status == Status::Running);
    let command = match (event.key().as_str(), event.shift_key()) {
        ("F10", false) | ("s" | "S", _) if paused => Command::Step {},
        ("F10", true) | ("t" | "T", _) if paused => Command::StepTurn {},
        ("F8" | "r" | "R", _) if paused => Command::Resume {},
        ("F8" | "p" | "P", _) if running => Command::Pause {},
        _ => return,
    };
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    event.prevent_default();
    store.send(command);
}

/// What is going on, in two lines.
fn say(store: Store) -> impl IntoView {
    let at = Memo::new(move |_| store.state.with(|state| (state.status, state.paused_at.clone())));
    move || {
        let t = store.t();
        store.drawn.track();
        match at.get() {
            (Status::Paused, paused_at) => {
                let event = paused_at.as_ref().map(|at| at.event.clone()).unwrap_or_default();
                let asked = paused_at.and_then(|at| at.call_id).is_some_and(|call_id| {
                    let state = store.with_transcript(|transcript| transcript.call(&call_id).map(|card| card.state));
                    state.flatten() == Some(CallState::Requested)
                });
                let (at, words) = if asked {
                    (t.paused_at_call.to_owned(), view! { <b>{t.paused_asked}</b> " " {t.press_step} }.into_any())
                } else {
                    ((t.paused_at)(&event), view! { <span class="q2">{t.paused_held}</span> }.into_any())
                };
                view! {
                    <p>
                        <span class="nowtag">{t.paused}</span>
                        " "
                        {at}
                        <br />
                        {words}
                    </p>
                }
                .into_any()
            }
            (Status::Running | Status::Waiting, _) => {
                let read = store.with_transcript(|transcript| {
                    let answers = transcript.rows.iter().filter_map(|row| match &row.content {
                        RowContent::Assistant(row) => Some(row.streaming),
                        RowContent::Turn { .. } | RowContent::User { .. } => None,
                    });
                    let acting = transcript
                        .rows
                        .last()
                        .is_some_and(|row| matches!(&row.content, RowContent::Assistant(row) if !row.streaming));
                    (answers.count(), acting)
                });
                let (requests, acting) = read.unwrap_or_default();
                let (class, words) = if acting { ("is-host", t.tools_running) } else { ("is-model", t.answering) };
                view! {
                    <p>
                        <span class=class><b>{words}</b></span>
                        <br />
                        <span class="q2 num">{(t.answering_detail)(requests)}</span>
                    </p>
                }
                .into_any()
            }
            (Status::Idle, ..) => {
                view! { <p><b>{t.no_run}</b><br /><span class="q2">{t.no_run_detail}</span></p> }.into_any()
            }
        }
    }
}

/// Run or Pause, Step, Turn. They keep their places; what cannot act now is disabled.
pub fn controls(store: Store) -> impl IntoView {
    let status = Memo::new(move |_| store.status());
    let idle_or_running = move || status.get() != Status::Paused;
    let first = move || match status.get() {
        Status::Running | Status::Waiting => view! {
            <button class="btn" type="button" data-testid="pause" on:click=move |_| store.send(Command::Pause {})>
                {glyph(Glyph::Pause)}
                {store.text(|t| t.pause)}
                " "
                <kbd>"F8"</kbd>
            </button>
        }
        .into_any(),
        Status::Paused => view! {
            <button class="btn" type="button" data-testid="run" on:click=move |_| store.send(Command::Resume {})>
                {glyph(Glyph::Play)}
                {store.text(|t| t.run)}
                " "
                <kbd>"F8"</kbd>
            </button>
        }
        .into_any(),
        Status::Idle => view! {
            <button class="btn" type="button" disabled=true>
                {glyph(Glyph::Play)}
                {store.text(|t| t.run)}
                " "
                <kbd>"F8"</kbd>
            </button>
        }
        .into_any(),
    };
    view! {
        <div class="controls" role="toolbar" aria-label=store.text(|t| t.loop_)>
            {first}
            <button
                class="btn step"
                class:primary=move || !idle_or_running()
                type="button"
                data-testid="step"
                disabled=idle_or_running
                on:click=move |_| store.send(Command::Step {})
            >
                {glyph(Glyph::Step)}
                {store.text(|t| t.step)}
                " "
                <kbd>"F10"</kbd>
            </button>
            <button
                class="btn"
                type="button"
                data-testid="step-turn"
                disabled=idle_or_running
                on:click=move |_| store.send(Command::StepTurn {})
            >
                {store.text(|t| t.step_turn)}
            </button>
        </div>
    }
}
