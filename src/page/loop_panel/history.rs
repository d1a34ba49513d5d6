//! The history beside the projection: each entry of the session, and what of it the next request carries, or why not.

use leptos::prelude::*;
use vitrine_protocol::command::Command;
use vitrine_protocol::rewind::RewindTo;
use vitrine_protocol::runs::{InRequest, LedgerLine};
use vitrine_protocol::visible::visible;

use crate::loop_panel::words::{loop_words, word};
use crate::store::{Store, read};
use crate::view::{Element, button, classed, effect, element, keyed, when};

/// Draws both, side by side, entry by entry.
pub fn history(store: Store) -> Element {
    let lines = RwSignal::new(Vec::<LedgerLine>::new());
    let asked = StoredValue::new(false);
    // Messages that are in the history now, and the branch: what changes the ledger.
    let changed = Memo::new(move |_| {
        store.drawn.track();
        let rows = store.with_transcript(|transcript| transcript.rows.len()).unwrap_or_default();
        (rows, store.state.with(|state| (state.status, state.requests, state.context_tokens)))
    });
    effect(move || {
        changed.track();
        if asked.get_value() {
            return;
        }
        asked.set_value(true);
        store.ask_all(Command::ReadLedger {}, None, move |answer| {
            if asked.try_set_value(false).is_some() {
                return;
            }
            match answer.and_then(|value| read::<Vec<LedgerLine>>(value.json.as_ref())) {
                Ok(list) => lines.set(list),
                Err(problem) => store.tell(problem),
            }
        });
    });
    let key = |line: &LedgerLine| format!("{} {:?} {} {:?}", line.entry_id, line.in_request, line.text, line.instead);
    let empty = move || classed("p", "empty q2").child(word(store, |t| t.no_entries));
    classed("div", "scroll ledgerview")
        .test_id("history")
        .child(
            classed("div", "ledgerhead")
                .child(element("b").child(word(store, |t| t.ledger)))
                .child(element("b").child(word(store, |t| t.carried))),
        )
        .child(when(move || lines.with(Vec::is_empty), empty))
        .child(element("ul").child(keyed(move || lines.get(), key, move |line| ledger_line(store, &line))))
}

fn ledger_line(store: Store, line: &LedgerLine) -> Element {
    let reason = line.in_request;
    let role = line.role.clone().unwrap_or_else(|| line.kind.clone());
    let text = visible(&line.text).into_owned();
    let is_carried = matches!(reason, InRequest::Whole | InRequest::Edited | InRequest::Summarised);
    let carried = line.instead.as_ref().map_or_else(|| text.clone(), |instead| visible(instead).into_owned());
    let chip = classed("span", if reason == InRequest::Whole { "tag host" } else { "tag" })
        .child(crate::view::live_text(move || (loop_words(store).reason)(reason)));
    let to = line.entry_id.clone();
    let back = button("btn quiet")
        .test_id("rewind-entry")
        .on_click(move || store.send(Command::Rewind { to: RewindTo::Entry(to.clone()) }))
        .child(word(store, |t| t.go_back_here));
    let left = classed("div", "led")
        .child(element("b").child(role.clone()))
        .child(" ")
        .child(classed("span", "what").child(text));
    let right =
        classed("div", "led").child(chip).child(" ").child(is_carried.then(|| classed("span", "what").child(carried)));
    classed("li", if line.on_branch { "ledgerline" } else { "ledgerline off" })
        .test_id("ledger-entry")
        .attr("data-reason", loop_reason(reason))
        .child(left)
        .child(right)
        .child(back)
}

fn loop_reason(reason: InRequest) -> &'static str {
    match reason {
        InRequest::Whole => "whole",
        InRequest::Edited => "edited",
        InRequest::Omitted => "omitted",
        InRequest::Summarised => "summarised",
        InRequest::OffBranch => "off-branch",
        InRequest::ScreenOnly => "screen-only",
        InRequest::FailedAttempt => "failed-attempt",
    }
}
