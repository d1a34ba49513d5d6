//! The composer: an uncontrolled text area (an input method owns its content), its one button, and what waits.

use leptos::ev::{KeyboardEvent, SubmitEvent};
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::command::Command;
use vitrine_protocol::keys::{Action, composer_key};
use vitrine_protocol::notification::Status;

use crate::glyphs::{Glyph, glyph};
use crate::store::{Store, read};

/// Draws the composer.
pub fn composer(store: Store) -> impl IntoView {
    let area = NodeRef::<html::Textarea>::new();
    let filled = RwSignal::new(false);
    let put = move |text: &str| {
        if let Some(area) = area.get_untracked() {
            area.set_value(text);
            filled.set(!text.is_empty());
        }
    };
    let act = move |action: Action| {
        let text = area.get_untracked().map(|area| dom::text_of(&area)).unwrap_or_default();
        if action != Action::Stop && text.trim().is_empty() {
            return;
        }
        match action {
            Action::Stop => return store.send(Command::Abort {}),
            Action::Send => prompt(store, text),
            Action::Steer => store.send(Command::Steer { text }),
            Action::FollowUp => store.send(Command::FollowUp { text }),
            Action::Newline | Action::None => return,
        }
        put("");
    };
    let take_back = move || {
        store.ask(Command::ClearQueue {}, None, move |value| {
            let Ok(queue) = read::<Queue>(value.json.as_ref()) else { return };
            let kept = area.get_untracked().map(|area| dom::text_of(&area)).unwrap_or_default();
            let texts = queue.steering.into_iter().chain(queue.follow_up).chain([kept]);
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            put(&texts.join("\n\n"));
            if let Some(area) = area.get_untracked() {
                dom::focus(&area);
            }
        });
    };
    let on_key = move |event: KeyboardEvent| {
        let running = store.state.with_untracked(|state| state.status != Status::Idle);
        let composing = event.is_composing() || event.key_code() == 229;
        let waits = store.state.with_untracked(|state| !state.steering.is_empty() || !state.follow_up.is_empty());
        if event.alt_key() && event.key() == "ArrowUp" && !composing && waits {
            event.prevent_default();
            return take_back();
        }
        let action = composer_key(
            &event.key(),
            event.shift_key(),
            event.alt_key(),
            event.is_composing(),
            event.key_code(),
            running,
        );
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
    Effect::new(move || {
        if let Some(draft) = store.draft.get() {
            put(&draft);
            store.draft.set(None);
        }
    });
    let stops = move || store.busy() && !filled.get();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        act(if store.state.with_untracked(|state| state.status != Status::Idle) {
            Action::Steer
        } else {
            Action::Send
        });
    };
    view! {
        <div class="dock">
            {queue(store, take_back)}
            <form class="composer" on:submit=submit>
                <textarea
                    class="field"
                    data-testid="composer"
                    node_ref=area
                    rows="1"
                    aria-label=store.text(|t| t.message)
                    placeholder=store.text(|t| t.message)
                    on:keydown=on_key
                    on:input=move |_| {
                        let text = area.get_untracked().is_some_and(|area| !dom::text_of(&area).is_empty());
                        if filled.get_untracked() != text {
                            filled.set(text);
                        }
                    }
                ></textarea>
                {move || if stops() {
                    view! {
                        <button class="btn" type="button" data-testid="stop" on:click=move |_| act(Action::Stop)>
                            {glyph(Glyph::Stop)}
                            {store.text(|t| t.stop)}
                        </button>
                    }.into_any()
                } else {
                    view! { <button class="btn" type="submit" data-testid="send">{store.text(|t| t.send)}</button> }.into_any()
                }}
            </form>
            {hints(store)}
        </div>
    }
}

/// Starts a run; if it could not start, the words are given back.
pub fn prompt(store: Store, text: String) {
    store.following.set(true);
    let kept = text.clone();
    store.ask_all(Command::Prompt { text }, None, move |answer| {
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
fn queue(store: Store, take_back: impl Fn() + Copy + Send + 'static) -> impl IntoView {
    let queued = Memo::new(move |_| store.state.with(|state| (state.steering.clone(), state.follow_up.clone())));
    let pin = |text: String, tag: &'static str| {
        view! {
            <li class="pin">
                {glyph(Glyph::Pinned)}
                <span class="clip">{format!("“{text}”")}</span>
                <span class="tag">{tag}</span>
            </li>
        }
    };
    move || {
        let (steering, follow_up) = queued.get();
        let t = store.t();
        let pins: Vec<_> = steering
            .into_iter()
            .map(|text| pin(text, t.steering))
            .chain(follow_up.into_iter().map(|text| pin(text, t.follow_up)))
            .collect();
        (!pins.is_empty()).then(|| {
            view! {
                <ul class="pins" aria-label=t.queued>{pins}</ul>
                <div class="pinrow">
                    <button class="btn quiet small" type="button" data-testid="take-back" on:click=move |_| take_back()>
                        {t.take_back} " " <kbd>"Alt"</kbd> <kbd>"↑"</kbd>
                    </button>
                </div>
            }
        })
    }
}

fn hints(store: Store) -> impl IntoView {
    move || {
        let t = store.t();
        let (enter, other) = if store.busy() {
            (
                t.hint_steer,
                view! { <span><kbd>"Alt"</kbd> " " <kbd>"Enter"</kbd> " " {t.hint_follow_up}</span> }.into_any(),
            )
        } else {
            (
                t.hint_send,
                view! { <span><kbd>"Shift"</kbd> " " <kbd>"Enter"</kbd> " " {t.hint_newline}</span> }.into_any(),
            )
        };
        view! {
            <div class="hints" aria-hidden="true">
                <span><kbd>"Enter"</kbd> " " {enter}</span>
                {other}
            </div>
        }
    }
}
