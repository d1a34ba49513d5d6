//! A tool call: what the model asks, what the host checks, runs and returns, and the evidence for it.
//!
//! A closed card is its header alone and mounts nothing else, however large the result is.

mod edit;
mod rows;

use leptos::prelude::*;
use vitrine_agent::event::CallState;
use vitrine_protocol::gates::{Gate, gates};
use vitrine_protocol::transcript::{CallCard, Evidence, Executed};

use crate::bars::yes_or_no;
use crate::chat::call::rows::body;
use crate::chat::row::PartView;
use crate::glyphs::{Glyph, glyph};
use crate::store::Store;
use crate::view::{Element, View, button, classed, element, live, view, when};

/// What the card shows of its call, without the texts that may be large.
#[derive(Clone, PartialEq)]
struct Head {
    id: String,
    name: String,
    /// The path, or what has arrived of the arguments.
    subject: String,
    state: CallState,
    executed: Executed,
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
        executed: card.executed(),
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
pub fn call_card(part: PartView) -> Element {
    let store = part.store;
    let (watched, read) = (part.trigger.clone(), part.clone());
    let head = Memo::new(move |_| {
        watched.track();
        read.call(head_of)
    });
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
    let state = move || head.with(|head| head.as_ref().map_or("", |head| head.state.as_str()));
    let id = move || head.with(|head| head.as_ref().map(|head| head.id.clone()).unwrap_or_default());
    let name = move || {
        let name = |head: &Head| (store.t().call_name)(&head.name, &head.subject, state_words(store, head));
        head.with(|head| head.as_ref().map(name).unwrap_or_default())
    };
    let open = button("open")
        .live_attr("aria-expanded", move || yes_or_no(opened.get()))
        .on_click(move || chosen.set(Some(!opened.get_untracked())))
        .child(live(move || head.with(|head| head.as_ref().map(|head| header(store, head)))));
    classed("section", "call")
        .live_class("closed", move || !opened.get())
        .live_class("hatched", move || state() == "truncated")
        .test_id("tool-call")
        .live_attr("data-call-id", id)
        .live_attr("data-state", state)
        .live_attr("aria-label", name)
        .child(element("header").child(open))
        .child(when(move || opened.get(), move || body(&part, head, paused_here)))
}

fn state_words(store: Store, head: &Head) -> &'static str {
    let t = store.t();
    let done = matches!(head.state, CallState::Finalized | CallState::Recorded);
    if done && head.is_error { t.ended_with_error } else { (t.state)(head.state, head.executed) }
}

fn header(store: Store, head: &Head) -> View {
    let (shape, role) = look(head.state, head.is_error);
    let done = matches!(head.state, CallState::Finalized | CallState::Recorded) && !head.is_error;
    let moving = head.state == CallState::Executing;
    let ended = !done && !moving && role != "is-model" && role != "is-host";
    let words = state_words(store, head);
    let lines = head.n_lines.filter(|_| done).map(|lines| (store.t().lines)(lines));
    // The words for a truncated and for an aborted call say it already.
    let is_said = matches!(head.state, CallState::Truncated | CallState::Aborted);
    let never = (ended && !is_said && head.returned && head.executed == Executed::No).then(|| store.t().never_ran);
    let glyph = classed("span", role).child(glyph(shape));
    let state = classed("span", &format!("state {}", if done { "q2" } else { role }))
        .child(lines)
        .child((!done).then(|| element("b").child(words)))
        .child(never)
        .child(head.duration_ms.map(|ms| classed("span", "num").child(format!("{ms} ms"))))
        .child(done.then(|| classed("span", "visually-hidden").child(words)));
    view([
        if moving { glyph.attr("class", &format!("{role} moving")) } else { glyph },
        classed("span", "name").child(head.name.as_str()),
        classed("span", "arg clip").child(head.subject.as_str()),
        state,
    ])
}
