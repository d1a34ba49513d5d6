//! The rail: the run as a flat list of nodes, read off the transcript, with the now line and what lies ahead.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::notification::Status;
use vitrine_protocol::scroll::follows_bottom;

use crate::glyphs::{Glyph, glyph};
use crate::loop_panel::nodes::{Node, ahead_of, nodes};
use crate::store::Store;

/// Transcript rows the rail is drawn of.
const ROWS: usize = 40;

/// Draws the rail, or the five words of the loop while there is none.
pub fn rail(store: Store) -> impl IntoView {
    let list = NodeRef::<html::Ul>::new();
    let follows = StoredValue::new(true);
    let (happened, ahead) = (RwSignal::new(Vec::<Node>::new()), RwSignal::new(Vec::<Node>::new()));
    let skipped = RwSignal::new(0_usize);
    Effect::new(move || {
        store.drawn.track();
        let t = store.t();
        let paused = store.state.with(|state| state.paused_at.clone().filter(|_| state.status == Status::Paused));
        let read = store.with_transcript(|transcript| {
            let skip = transcript.rows.len().saturating_sub(ROWS);
            let held = paused.and_then(|at| at.call_id).and_then(|id| transcript.call(&id));
            (skip, nodes(transcript, skip, t), held.map(|card| ahead_of(card, t)).unwrap_or_default())
        });
        let Some((skip, nodes, next)) = read else { return };
        if skipped.get_untracked() != skip {
            skipped.set(skip);
        }
        if happened.with_untracked(|old| *old != nodes) {
            happened.set(nodes);
        }
        if ahead.with_untracked(|old| *old != next) {
            ahead.set(next);
        }
        if let Some(list) = list.get_untracked().filter(|_| follows.get_value()) {
            dom::soon(move || dom::scroll_to(&list, f64::from(i32::MAX)));
        }
    });
    let on_scroll = move |_| {
        if let Some(list) = list.get_untracked() {
            let at = dom::scroll_metrics(&list);
            follows.set_value(follows_bottom(at.top, at.client, at.height));
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" | "]" => 1,
            "ArrowUp" | "[" => -1,
            _ => return,
        };
        if let Some(list) = list.get_untracked()
            && dom::rove(&list, step)
        {
            event.prevent_default();
        }
    };
    let empty = Memo::new(move |_| happened.with(Vec::is_empty));
    let last = Memo::new(move |_| happened.with(|nodes| nodes.last().map(|node| node.key)));
    let earlier = move || {
        let skipped = skipped.get();
        (skipped > 0).then(|| view! { <li class="q" role="none">{(store.t().rail_earlier)(skipped)}</li> })
    };
    let now = move || {
        let paused = store.status() == Status::Paused;
        paused.then(|| view! { <li class="railnow" role="none"><span class="nowtag">{store.t().now}</span></li> })
    };
    move || {
        if empty.get() {
            return empty_loop(store).into_any();
        }
        view! {
            <ul
                class="rail scroll"
                role="tree"
                aria-label=move || (store.t().rail_name)(store.state.with(|state| state.turn))
                node_ref=list
                on:scroll=on_scroll
                on:keydown=on_key
            >
                {earlier}
                <For
                    each=move || happened.get()
                    key=|node| (node.key, node.word.clone(), node.what.clone(), node.meta.clone(), node.class)
                    children=move |node| {
                        let key = node.key;
                        node_view(node, move || last.get() == Some(key))
                    }
                />
                {now}
                <For
                    each=move || ahead.get()
                    key=|node| (node.key, node.word.clone())
                    children=|node| node_view(node, || false)
                />
            </ul>
        }
        .into_any()
    }
}

fn node_view(node: Node, current: impl Fn() -> bool + Copy + Send + Sync + 'static) -> impl IntoView {
    let name = [node.word.as_str(), node.what.as_str(), node.meta.as_str()];
    let name = name.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(", ");
    let turn = node.class == "turn";
    view! {
        <li
            class=format!("node {}", node.class)
            role="treeitem"
            attr:aria-level=node.level.to_string()
            aria-label=name
            aria-selected=move || current().to_string()
            tabindex=move || if current() { "0" } else { "-1" }
            data-testid="event"
        >
            {glyph(node.shape)}
            <span class="word">{node.word}</span>
            {(!turn).then(|| view! {
                <span class="what" class:code=node.code>
                    {if node.bar { view! { <span class="bar-x"></span> }.into_any() } else { node.what.into_any() }}
                </span>
                <span class="meta">{node.meta}</span>
            })}
        </li>
    }
}

fn empty_loop(store: Store) -> impl IntoView {
    let shapes = [Glyph::RequestNot, Glyph::Call, Glyph::Ticks, Glyph::ExecuteNot, Glyph::ResultNot];
    let classes = ["node ghost first", "node ghost", "node ghost", "node ghost", "node ghost last"];
    let nodes = move || {
        let words = store.t().loop_empty;
        let nodes = shapes.into_iter().zip(classes).zip(words).map(|((shape, class), (word, what))| {
            view! { <li class=class>{glyph(shape)}<span class="word">{word}</span><span class="what">{what}</span></li> }
        });
        nodes.collect_view()
    };
    view! {
        <div class="scroll">
            <section class="empty">
                <h3>{store.text(|t| t.loop_)}</h3>
                <ul>{nodes}</ul>
            </section>
        </div>
    }
}
