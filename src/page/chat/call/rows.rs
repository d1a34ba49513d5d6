//! The rows of an open card: model asks, host checks, host runs, host returns, evidence.

use leptos::prelude::*;
use vitrine_agent::event::CallState;
use vitrine_protocol::gates::Gate;

use crate::chat::call::Head;
use crate::chat::output::output;
use crate::chat::row::PartView;
use crate::glyphs::{Glyph, glyph};
use crate::store::Store;

/// The five rows. All are there from the first on, so nothing moves as the call goes on.
pub fn body(part: PartView, head: Memo<Option<Head>>, paused_here: Memo<bool>) -> impl IntoView {
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
                <dt class="model">{store.text(|t| t.model_asks)}</dt>
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
                <dt class=move || if ahead(3) { "ghost" } else { "host" }>{store.text(|t| t.host_runs)}</dt>
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
                <dt class=move || if ahead(4) { "ghost" } else { "host" }>{store.text(|t| t.host_returns)}</dt>
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
                <dt>{store.text(|t| t.evidence)}</dt>
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
