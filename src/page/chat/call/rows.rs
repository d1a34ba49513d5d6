//! The rows of an open card: model asks, host checks, host runs, host returns, evidence.

use leptos::prelude::*;
use vitrine_agent::event::CallState;
use vitrine_protocol::edit::EditedPart;
use vitrine_protocol::gates::{self, Gate, Lamp};
use vitrine_protocol::transcript::Executed;

use crate::chat::call::Head;
use crate::chat::call::edit::{edit, value_of};
use crate::chat::output::output;
use crate::chat::row::PartView;
use crate::glyphs::{Glyph, glyph};
use crate::store::Store;
use crate::view::{Element, choose, classed, element, live, when};

/// The five rows. All are there from the first on, so nothing moves as the call goes on.
pub fn body(part: &PartView, head: Memo<Option<Head>>, paused_here: Memo<bool>) -> Element {
    let store = part.store;
    // Where the now line cuts: after this many rows.
    let now = move || {
        let state = head.with(|head| head.as_ref().map(|head| head.state))?;
        paused_here.get().then_some(match state {
            CallState::Requested => 1,
            CallState::Found | CallState::Prepared | CallState::Valid | CallState::Admitted => 2,
            CallState::Executing => 3,
            _ => 4,
        })
    };
    let now_line = move |row: u8| {
        let words = if row == 1 { store.text(|t| t.now_nothing) } else { store.text(|t| t.now) };
        let line = move || classed("div", "now").child(element("dd").child(words));
        when(move || now() == Some(row), line)
    };
    let is_ahead = move |row: u8| now().is_some_and(|now| row > now);
    let host = move |row: u8| element("dt").live_attr("class", move || host_class(is_ahead(row)));
    let returning = part.clone();
    let asked = {
        let part = part.clone();
        move |_: &Option<(CallState, usize)>| {
            let text = part.call(|card| card.arguments.clone()).unwrap_or_default();
            output(store, text, "asked", "arguments.json".into())
        }
    };
    let arguments = move || head.with(|head| head.as_ref().map(|head| (head.state, head.arguments_bytes)));
    let gates = move || head.with(|head| head.as_ref().and_then(|head| head.gates));
    let progress = move || head.with(|head| head.as_ref().and_then(|head| head.progress.clone()));
    let so_far = move || {
        progress().map(|progress| {
            let shown = classed("div", "progress mono clip").child(progress);
            element("div").child(classed("dt", "host").child(store.t().so_far)).child(element("dd").child(shown))
        })
    };
    element("dl")
        .child(
            element("div").child(classed("dt", "model").child(store.text(|t| t.model_asks))).child(
                element("dd")
                    .live_class("struck", move || value_of(store, head, EditedPart::Args).is_some())
                    .child(choose(arguments, asked)),
            ),
        )
        .child(edit(part, head, EditedPart::Args))
        .child(now_line(1))
        .child(live(move || gates().map(|gates| checks(store, gates, is_ahead(2)))))
        .child(now_line(2))
        .child(
            element("div")
                .child(host(3).child(store.text(|t| t.host_runs)))
                .child(live(move || head.with(|head| head.as_ref().map(|head| runs(store, head))))),
        )
        .child(now_line(3))
        .child(live(so_far))
        .child(
            element("div")
                .child(host(4).child(store.text(|t| t.host_returns)))
                .child(choose(move || returned(head), move |state| returns(&returning, state.as_ref()))),
        )
        .child(edit(part, head, EditedPart::Result))
        .child(now_line(4))
        .child(
            element("div")
                .child(element("dt").child(store.text(|t| t.evidence)))
                .child(live(move || head.with(|head| head.as_ref().map(|head| lamps(store, head))))),
        )
}

fn host_class(is_ahead: bool) -> &'static str {
    if is_ahead { "ghost" } else { "host" }
}

/// What decides how a result is drawn.
#[derive(PartialEq)]
struct Returned {
    is_there: bool,
    is_error: bool,
    name: String,
    n_bytes: usize,
}

fn returned(head: Memo<Option<Head>>) -> Option<Returned> {
    head.with(|head| {
        head.as_ref().map(|head| Returned {
            is_there: head.returned,
            is_error: head.is_error,
            name: head.subject.clone(),
            n_bytes: head.result_bytes,
        })
    })
}

fn returns(part: &PartView, state: Option<&Returned>) -> Option<Element> {
    let (store, state) = (part.store, state?);
    let text = part.call(|card| card.result.as_ref().map(|result| result.text.clone())).flatten();
    Some(match text.filter(|_| state.is_there) {
        None => classed("dd", "ghost").child(store.text(|t| t.nothing_yet)),
        Some(text) if text.is_empty() => classed("dd", "q2").child(store.text(|t| t.nothing_returned)),
        Some(text) => {
            let note = || classed("p", "q2").child(store.text(|t| t.model_reads_this));
            element("dd").child(output(store, text, "out", state.name.clone())).child(state.is_error.then(note))
        }
    })
}

fn checks(store: Store, gates: [Gate; 4], is_ahead: bool) -> Element {
    let t = store.t();
    let pending = gates == [Gate::NotTried; 4];
    let gates = gates.into_iter().zip(t.gates).map(|(gate, name)| {
        let (class, shape, word) = match gate {
            Gate::Passed => ("gate pass", Glyph::Tick, t.passed),
            Gate::Failed => ("gate fail", Glyph::Hexagon, t.refused),
            Gate::Blocked => ("gate block", Glyph::Shield, t.refused),
            Gate::NotTried => ("gate", Glyph::Dot, t.not_tried),
        };
        classed("span", class).attr("role", "listitem").child(glyph(shape)).child(name).child(aside(word))
    });
    let list = classed("span", if pending { "gates pending" } else { "gates" })
        .attr("role", "list")
        .attr("aria-label", if pending { t.gates_none } else { t.gates_name })
        .child(gates.collect::<Vec<_>>());
    element("div")
        .child(classed("dt", host_class(is_ahead)).child(t.host_checks))
        .child(classed("dd", "row").child(list))
}

/// What a shape says, for who does not see it.
fn aside(word: &str) -> Element {
    classed("span", "visually-hidden").child(" ").child(word)
}

fn runs(store: Store, head: &Head) -> Element {
    let t = store.t();
    match (head.duration_ms, head.state) {
        (Some(ms), _) => classed("dd", "row")
            .child(classed("span", "bar-x").style("width", &format!("{}px", bar_width(ms))))
            .child(classed("span", "num q2").child(format!("{ms} ms"))),
        (None, CallState::Executing) => classed("dd", "row")
            .child(classed("span", "bar-x moving"))
            .child(classed("span", "q2").child(t.running_now)),
        (None, _) if head.returned => classed("dd", "q2").child(match head.executed {
            Executed::No => t.never_ran,
            Executed::Perhaps => t.may_have_run,
            // A session of an older version has no durations.
            Executed::Yes => (t.state)(head.state, head.executed),
        }),
        (None, _) => classed("dd", "ghost").child(t.not_started),
    }
}

/// Wider for longer, never out of the card: logarithmic, 1 ms is 24 px and 10 s is 160 px.
fn bar_width(ms: u64) -> u32 {
    24 + 10 * (ms.saturating_add(1)).ilog2().min(14)
}

fn lamps(store: Store, head: &Head) -> Element {
    let t = store.t();
    let [start, ended, duration, history] = t.lamps;
    let lamps = gates::lamps(head.evidence, head.returned);
    let count = lamps.iter().filter(|lamp| **lamp == Lamp::Lit).count();
    let [started, end, timed, recorded] = lamps;
    let ended = if end == Lamp::Failed { t.ended_with_error } else { ended };
    let lamps = [(started, start), (end, ended), (timed, duration), (recorded, history)].map(|(lamp, name)| {
        let (class, word) = match lamp {
            Lamp::Lit => ("lamp lit", t.lit),
            Lamp::Failed => ("lamp bad", ""),
            Lamp::NotYet => ("lamp", t.unlit),
            Lamp::Never => ("lamp off", t.never),
        };
        classed("span", class).attr("role", "listitem").child(name).child(aside(word))
    });
    classed("dd", "row")
        .child(classed("span", "lamps").attr("role", "list").child(lamps))
        .child(classed("span", "q num").child(format!("{count} / 4")))
}
