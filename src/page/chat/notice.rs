//! Failures in words first, then what to do: under the answer they ended, or over the composer.

use leptos::prelude::*;
use vitrine_protocol::command::Command;
use vitrine_protocol::failure::Failure;
use vitrine_protocol::notification::{Problem, StorageKind};
use vitrine_protocol::transcript::RowId;

use crate::glyphs::{Glyph, glyph};
use crate::place::Mode;
use crate::place::Sheet;
use crate::store::Store;
use crate::text::{Texts, Told};

/// How an answer ended, if not well. Its buttons act only while it is the last row and nothing runs.
pub fn failure_notice(store: Store, row: RowId, failure: Failure, words: Option<String>) -> impl IntoView {
    let (class, shape) = match failure {
        Failure::Key | Failure::Unreachable | Failure::Other => ("notice danger", Glyph::Triangle),
        Failure::Overloaded => ("notice warn", Glyph::Hexagon),
        Failure::CutOff | Failure::Length => ("notice warn", Glyph::Cut),
        Failure::Aborted => ("notice", Glyph::Stop),
    };
    let told = move || (store.t().failure)(failure);
    let last = move || !store.busy() && store.rows.with(|rows| rows.last() == Some(&row));
    let retry = move || {
        view! {
            <button class="btn" type="button" on:click=move |_| store.send(Command::Continue {})>
                {store.text(|t| t.try_again)}
            </button>
        }
    };
    let sheet = move |label: fn(&'static Texts) -> &'static str| {
        view! {
            <button class="btn" type="button" on:click=move |_| store.sheet.set(Some(Sheet::Model))>
                {store.text(label)}
            </button>
        }
    };
    let acts = move || {
        let acts = match failure {
            Failure::Key => (sheet(|t| t.edit_key), retry()).into_any(),
            Failure::Unreachable | Failure::Other => (retry(), sheet(|t| t.switch_model)).into_any(),
            Failure::Overloaded | Failure::CutOff => retry().into_any(),
            Failure::Aborted | Failure::Length => return None,
        };
        last().then(|| view! { <div class="acts">{acts}</div> })
    };
    let words = words.filter(|words| !words.is_empty() && failure != Failure::Aborted);
    view! {
        <section class=class>
            {glyph(shape)}
            <h4>{move || told().title}</h4>
            <p>{move || told().text}</p>
            {words.map(|words| view! { <pre tabindex="0" aria-label=store.text(|t| t.details)>{words}</pre> })}
            {acts}
        </section>
    }
}

/// Problems outside a run's events, newest last, each until dismissed.
pub fn problems(store: Store) -> impl IntoView {
    let one = move |problem: Problem| {
        let known = problem.clone();
        let dismiss = move |_| store.problems.update(|problems| problems.retain(|problem| *problem != known));
        view! {
            <section class="notice danger" data-testid="problem" data-code=problem.code>
                {glyph(Glyph::Triangle)}
                <h4>{problem.message}</h4>
                <p>{problem.help}</p>
                <div class="acts">
                    <button class="btn" type="button" on:click=dismiss>
                        {store.text(|t| t.dismiss)}
                    </button>
                </div>
            </section>
        }
    };
    move || {
        let problems = store.problems.get();
        (!problems.is_empty())
            .then(|| view! { <div class="notices">{problems.into_iter().map(one).collect_view()}</div> })
    }
}

/// Where files live, when that is not this browser: said before anything is lost.
pub fn storage_notice(store: Store) -> impl IntoView {
    let dismissed = RwSignal::new(false);
    let told = move || -> Option<(Told, Option<String>, Glyph)> {
        let storage = store.storage.get()?;
        let recovered = (storage.dropped_bytes > 0).then(|| (store.t().recovered)(storage.dropped_bytes));
        match storage.kind {
            StorageKind::Browser => {
                recovered.map(|words| (Told { title: store.t().files, text: "" }, Some(words), Glyph::File))
            }
            // An embedded sandbox is meant to be thrown away; the whole app is not.
            StorageKind::Memory => (store.mode == Mode::App).then(|| (store.t().memory, None, Glyph::File)),
            StorageKind::Unavailable => Some((store.t().unavailable, None, Glyph::File)),
            StorageKind::OtherTab => Some((store.t().other_tab, None, Glyph::Split)),
        }
    };
    move || {
        let (told, words, shape) = told().filter(|_| !dismissed.get())?;
        Some(view! {
            <div class="banner">
                <section class="notice" data-testid="storage-notice">
                    {glyph(shape)}
                    <h4>{told.title}</h4>
                    <p>{words.unwrap_or_else(|| told.text.to_owned())}</p>
                    <div class="acts">
                        <button class="btn" type="button" on:click=move |_| dismissed.set(true)>
                            {store.text(|t| t.dismiss)}
                        </button>
                    </div>
                </section>
            </div>
        })
    }
}
