//! A tool call: what the model asks, what the host checks, runs and returns, and the evidence for it.
//!
//! A closed card is its header alone and mounts nothing else, however large the result is.

use leptos::prelude::*;
use vitrine_agent::event::CallState;
use vitrine_protocol::gates::{Gate, gates};
use vitrine_protocol::transcript::{CallCard, Evidence};

use crate::chat::output::output;
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

/// The five rows. All are there from the first on, so nothing moves as the call goes on.
fn body(part: PartView, head: Memo<Option<Head>>, paused_here: Memo<bool>) -> impl IntoView {
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
        move || {
            (now() == Some(row)).then(|| {
                let words = if row == 1 { store.t().now_nothing } else { store.t().now };
                view! { <div class="now" role="presentation"><span>{words}</span></div> }
            })
        }
    };
    let ahead = move |row: u8| now().is_some_and(|now| row > now);
    let (asked, returned) = (part.clone(), part);
    view! {
        <dl>
            <div>
                <dt class="model">{move || store.t().model_asks}</dt>
                <dd>
                    {move || {
                        let _size = head.with(|head| head.as_ref().map(|head| head.arguments_bytes));
                        let text = asked.call(|card| card.arguments.clone()).unwrap_or_default();
                        output(store, text, "asked", "arguments.json".into())
                    }}
                </dd>
            </div>
            {now_line(1)}
            {move || {
                let gates = head.with(|head| head.as_ref().and_then(|head| head.gates));
                gates.map(|gates| checks(store, gates, ahead(2)))
            }}
            {now_line(2)}
            <div>
                <dt class=move || if ahead(3) { "ghost" } else { "host" }>{move || store.t().host_runs}</dt>
                {move || head.get().map(|head| runs(store, &head))}
            </div>
            {now_line(3)}
            {move || {
                let progress = head.with(|head| head.as_ref().and_then(|head| head.progress.clone()));
                progress.map(|progress| view! {
                    <div>
                        <dt class="host">{store.t().so_far}</dt>
                        <dd><div class="progress mono clip">{progress}</div></dd>
                    </div>
                })
            }}
            <div>
                <dt class=move || if ahead(4) { "ghost" } else { "host" }>{move || store.t().host_returns}</dt>
                {move || {
                    let (there, error, name) = head.with(|head| head.as_ref().map(|head| (head.returned, head.is_error, head.subject.clone())))?;
                    let text = returned.call(|card| card.result.as_ref().map(|result| result.text.clone())).flatten();
                    Some(match text.filter(|_| there) {
                        None => view! { <dd class="ghost">{store.t().nothing_yet}</dd> }.into_any(),
                        Some(text) if text.is_empty() => view! { <dd class="q2">{store.t().nothing_returned}</dd> }.into_any(),
                        Some(text) => view! {
                            <dd>
                                {output(store, text, "out", name)}
                                {error.then(|| view! { <p class="q2">{store.t().model_reads_this}</p> })}
                            </dd>
                        }.into_any(),
                    })
                }}
            </div>
            {now_line(4)}
            <div>
                <dt>{move || store.t().evidence}</dt>
                {move || head.get().map(|head| lamps(store, &head))}
            </div>
        </dl>
    }
}

fn checks(store: Store, gates: [Gate; 4], ahead: bool) -> impl IntoView {
    let t = store.t();
    let pending = gates == [Gate::NotTried; 4];
    let gates = gates.into_iter().zip(t.gates).map(|(gate, name)| {
        let (class, shape, word) = match gate {
            Gate::Passed => ("gate pass", Glyph::Tick, t.passed),
            Gate::Failed => ("gate fail", Glyph::Hexagon, t.refused),
            Gate::Blocked => ("gate block", Glyph::Shield, t.refused),
            Gate::NotTried => ("gate", Glyph::Dot, t.not_tried),
        };
        view! {
            <span class=class role="listitem">
                {glyph(shape)}
                {name}
                <span class="visually-hidden">{format!(" {word}")}</span>
            </span>
        }
    });
    view! {
        <div>
            <dt class=if ahead { "ghost" } else { "host" }>{t.host_checks}</dt>
            <dd class="row">
                <span class="gates" class:pending=pending role="list" aria-label=if pending { t.gates_none } else { t.gates_name }>
                    {gates.collect_view()}
                </span>
            </dd>
        </div>
    }
}

fn runs(store: Store, head: &Head) -> AnyView {
    let t = store.t();
    match (head.duration_ms, head.state) {
        (Some(ms), _) => view! {
            <dd class="row">
                <span class="bar-x" style:width=format!("{}px", bar_width(ms))></span>
                <span class="num q2">{format!("{ms} ms")}</span>
            </dd>
        }
        .into_any(),
        (None, CallState::Executing) => {
            view! { <dd class="row"><span class="bar-x moving"></span><span class="q2">{t.running_now}</span></dd> }
                .into_any()
        }
        (None, _) if head.returned => view! { <dd class="q2">{t.never_ran}</dd> }.into_any(),
        (None, _) => view! { <dd class="ghost">{t.not_started}</dd> }.into_any(),
    }
}

/// Wider for longer, never out of the card: logarithmic, 1 ms is 24 px and 10 s is 160 px.
fn bar_width(ms: u64) -> u32 {
    24 + 10 * (ms.saturating_add(1)).ilog2().min(14)
}

fn lamps(store: Store, head: &Head) -> AnyView {
    let t = store.t();
    let over = head.returned;
    let [start, ended, duration, history] = t.lamps;
    let evidence = head.evidence;
    let lit = |lit: bool| {
        if lit {
            "lamp lit"
        } else if over {
            "lamp off"
        } else {
            "lamp"
        }
    };
    let lamps = [
        (lit(evidence.started), start),
        match evidence.ended {
            Some(true) => ("lamp lit", ended),
            Some(false) => ("lamp bad", t.ended_with_error),
            None => (lit(false), ended),
        },
        (lit(evidence.has_duration), duration),
        (lit(evidence.in_history), history),
    ];
    let count = [evidence.started, evidence.ended == Some(true), evidence.has_duration, evidence.in_history];
    let count = count.into_iter().filter(|lit| *lit).count();
    let lamps = lamps.map(|(class, name)| {
        let word = match class {
            "lamp lit" => t.lit,
            "lamp off" => t.never,
            "lamp" => t.unlit,
            _ => "",
        };
        view! { <span class=class role="listitem">{name}<span class="visually-hidden">{format!(" {word}")}</span></span> }
    });
    view! {
        <dd class="row">
            <span class="lamps" role="list">{lamps.into_iter().collect_view()}</span>
            <span class="q num">{format!("{count} / 4")}</span>
        </dd>
    }
    .into_any()
}
