//! A tool call: what the model asks, what the host checks, runs and returns, and the evidence for it.
//!
//! A closed card is its header alone and mounts nothing else, however large the result is.

mod rows;

use leptos::prelude::*;
use vitrine_agent::event::CallState;
use vitrine_protocol::gates::{Gate, gates};
use vitrine_protocol::transcript::{CallCard, Evidence};

use crate::chat::call::rows::body;
use crate::chat::row::PartView;
use crate::glyphs::{Glyph, glyph};
use crate::store::Store;

/// What the card shows of its call, without the texts that may be large.
#[derive(Clone, PartialEq)]
struct Head {
    id: String,
    name: String,
    /// The path, or what has arrived of the arguments.
    subject: String,
    state: CallState,
    is_error: bool,
    n_lines: Option<usize>,
    duration_ms: Option<u64>,
    reason: Option<String>,
    progress: Option<String>,
    returned: bool,
    evidence: Evidence,
    gates: Option<[Gate; 4]>,
    arguments_bytes: usize,
    result_bytes: usize,
}

/// The look of a state: shape and role.
pub fn look(state: CallState, is_error: bool) -> (Glyph, &'static str) {
    match state {
        CallState::Requested => (Glyph::Call, "is-model"),
        CallState::Found | CallState::Prepared | CallState::Valid => (Glyph::Ticks, "is-host"),
        CallState::Admitted => (Glyph::Tick, "is-host"),
        CallState::Executing => (Glyph::Execute, "is-host"),
        CallState::Finalized | CallState::Recorded if is_error => (Glyph::Triangle, "is-danger"),
        CallState::Finalized | CallState::Recorded => (Glyph::Result, "is-host"),
        CallState::NotFound => (Glyph::Unknown, "is-danger"),
        CallState::Invalid => (Glyph::Hexagon, "is-danger"),
        CallState::Blocked => (Glyph::Shield, "is-warn"),
        CallState::Truncated => (Glyph::Cut, "is-warn"),
        CallState::Aborted => (Glyph::Stop, "q2"),
        CallState::Threw => (Glyph::Triangle, "is-danger"),
    }
}

fn head_of(card: &CallCard) -> Head {
    let subject = card.subject.clone().unwrap_or_else(|| card.arguments.chars().take(160).collect());
    Head {
        id: card.id.clone(),
        name: card.name.clone(),
        subject,
        state: card.state,
        is_error: card.result.as_ref().is_some_and(|result| result.is_error),
        n_lines: card.result.as_ref().filter(|result| !result.is_error).map(|result| result.text.lines().count()),
        duration_ms: card.result.as_ref().and_then(|result| result.duration_ms),
        reason: card.reason.clone(),
        progress: card.progress.clone(),
        returned: card.result.is_some(),
        evidence: card.evidence,
        gates: gates(card),
        arguments_bytes: card.arguments.len(),
        result_bytes: card.result.as_ref().map_or(0, |result| result.text.len()),
    }
}

/// Draws a card.
pub fn call_card(part: PartView) -> impl IntoView {
    let store = part.store;
    let (watched, read) = (part.trigger.clone(), part.clone());
    let head = Memo::new(move |_| {
        watched.track();
        read.call(head_of)
    });
    let get = move || head.get();
    let paused_here = Memo::new(move |_| {
        let id = head.with(|head| head.as_ref().map(|head| head.id.clone()));
        store.state.with(|state| state.paused_at.as_ref().and_then(|at| at.call_id.clone()) == id && id.is_some())
    });
    // Opened by the reader, by a pause at this call, or by a failure; a plain success stays a header.
    let chosen = RwSignal::new(None::<bool>);
    let opened = Memo::new(move |before: Option<&bool>| {
        let failed =
            head.with(|head| head.as_ref().is_some_and(|head| look(head.state, head.is_error).1 == "is-danger"));
        chosen.get().unwrap_or(before.copied().unwrap_or(false) || paused_here.get() || failed)
    });
    let data_state = move || head.with(|head| head.as_ref().map_or("", |head| head.state.as_str()));
    let name = move || get().map(|head| (store.t().call_name)(&head.name, &head.subject, state_words(store, &head)));
    view! {
        <section
            class="call"
            class:closed=move || !opened.get()
            class:hatched=move || data_state() == "truncated"
            data-testid="tool-call"
            data-call-id=move || get().map(|head| head.id)
            data-state=data_state
            aria-label=name
        >
            <header>
                <button
                    class="open"
                    type="button"
                    aria-expanded=move || opened.get().to_string()
                    on:click=move |_| chosen.set(Some(!opened.get_untracked()))
                >
                    {move || get().map(|head| header(store, head))}
                </button>
            </header>
            {move || opened.get().then(|| body(part.clone(), head, paused_here))}
        </section>
    }
}

fn state_words(store: Store, head: &Head) -> &'static str {
    let t = store.t();
    let done = matches!(head.state, CallState::Finalized | CallState::Recorded);
    if done && head.is_error { t.ended_with_error } else { (t.state)(head.state) }
}

fn header(store: Store, head: Head) -> impl IntoView {
    let (shape, role) = look(head.state, head.is_error);
    let done = matches!(head.state, CallState::Finalized | CallState::Recorded) && !head.is_error;
    let moving = head.state == CallState::Executing;
    let ended = !done && !moving && role != "is-model" && role != "is-host";
    let words = state_words(store, &head);
    let lines = head.n_lines.filter(|_| done).map(|lines| (store.t().lines)(lines));
    let time = head.duration_ms.map(|ms| format!("{ms} ms"));
    let never = (ended && head.duration_ms.is_none() && head.returned).then(|| store.t().never_ran);
    // The state's own word already says that a truncated call was not executed.
    let never = never.filter(|_| head.state != CallState::Truncated);
    view! {
        <span class=role class:moving=moving>{glyph(shape)}</span>
        <span class="name">{head.name}</span>
        <span class="arg clip">{head.subject}</span>
        <span class=format!("state {}", if done { "q2" } else { role })>
            {if done { lines.map(IntoAny::into_any) } else { Some(view! { <b>{words}</b> }.into_any()) }}
            {never}
            {time.map(|time| view! { <span class="num">{time}</span> })}
            {done.then(|| view! { <span class="visually-hidden">{words}</span> })}
        </span>
    }
}
