//! Before the first message: the first lesson, and three prompts that run.

use leptos::prelude::*;
use vitrine_protocol::command::Command;

use crate::chat::composer::prompt;
use crate::glyphs::{Glyph, glyph};
use crate::place::{Mode, Sheet};
use crate::store::Store;

/// What an empty chat shows.
pub fn empty_chat(store: Store) -> impl IntoView {
    let prompts = move || {
        let asks = store.t().prompts.map(|text| {
            let ask = move |_| prompt(store, text.to_owned());
            view! { <button class="btn ask" type="button" data-testid="ask" on:click=ask>{text}</button> }
        });
        asks.into_iter().collect_view()
    };
    view! {
        {(store.mode == Mode::App).then(|| lesson(store))}
        <section class="empty">
            <h3>{store.text(|t| t.chat)}</h3>
            <p>{store.text(|t| t.chat_empty)}</p>
            {prompts}
        </section>
    }
}

fn lesson(store: Store) -> impl IntoView {
    let steps = move || {
        let [asks, reads, answers] = store.t().lesson_steps;
        [(Glyph::Call, "is-model", asks), (Glyph::Execute, "is-host", reads), (Glyph::Result, "is-host", answers)]
            .map(|(shape, role, words)| view! { <li><span class=role>{glyph(shape)}</span>{words}</li> })
            .into_iter()
            .collect_view()
    };
    let play = move |_| {
        store.following.set(true);
        store.send(Command::PlayLesson {});
    };
    view! {
        <section class="lessoncard" aria-label=store.text(|t| t.first_lesson)>
            <p class="eyebrow">{store.text(|t| t.lesson_eyebrow)}</p>
            <h2>{store.text(|t| t.lesson_title)}</h2>
            <p>{store.text(|t| t.lesson_text)}</p>
            <ol>{steps}</ol>
            <div class="acts">
                <button class="btn primary big" type="button" data-testid="run" on:click=play>
                    {glyph(Glyph::Play)}
                    {store.text(|t| t.run_it)}
                </button>
                <button class="btn quiet" type="button" on:click=move |_| store.sheet.set(Some(Sheet::Model))>
                    {store.text(|t| t.or_use_a_model)}
                </button>
                <span class="q">{store.text(|t| t.no_key_needed)}</span>
            </div>
        </section>
    }
}
