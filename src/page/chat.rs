//! The chat column: the transcript, what is wrong, and the composer.

pub mod call;
pub mod code;
pub mod composer;
pub mod empty;
pub mod markdown;
pub mod notice;
pub mod output;
pub mod row;

use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::scroll::follows_bottom;

use crate::chat::composer::composer;
use crate::chat::empty::empty_chat;
use crate::chat::notice::problems;
use crate::chat::row::row_view;
use crate::loop_panel::controls;
use crate::place::{Mode, Panel, Width};
use crate::store::Store;

/// Closer than this to the top, earlier rows are mounted.
const NEAR_TOP_PX: f64 = 240.0;

/// Draws the column.
pub fn chat(store: Store) -> impl IntoView {
    let hidden = move || store.width.get() == Width::Phone && store.panel.get() != Panel::Chat;
    let title = move || {
        let name = store.session.with(|session| session.name.clone());
        if name.is_empty() { store.t().untitled.to_owned() } else { name }
    };
    view! {
        <main class="col chat" aria-label=store.text(|t| t.chat) hidden=hidden>
            <div class="colhead">
                <h2>{store.text(|t| t.chat)}</h2>
                <span class="q clip">{title}</span>
            </div>
            {transcript(store)}
            <div class="stack">
                {move || {
                    // Without an inspector there is nothing to step.
                    let inspects = store.mode != Mode::Chat;
                    let strip = inspects && store.width.get() == Width::Phone && store.panel.get() == Panel::Chat && store.busy();
                    strip.then(|| view! { <div class="strip">{controls(store)}</div> })
                }}
                {composer(store)}
            </div>
        </main>
    }
}

fn transcript(store: Store) -> impl IntoView {
    let scroller = NodeRef::<html::Div>::new();
    let content = NodeRef::<html::Div>::new();
    let last_top = StoredValue::new(0.0);
    let on_scroll = move |_| {
        let Some(scroller) = scroller.get_untracked() else { return };
        let at = dom::scroll_metrics(&scroller);
        // Only the reader moves up. Our own scrolling to the end is told late, when more may have been drawn below it.
        let moved_up = at.top < last_top.get_value();
        last_top.set_value(at.top);
        let at_end = follows_bottom(at.top, at.client, at.height);
        let follows = at_end || (store.following.get_untracked() && !moved_up);
        if store.following.get_untracked() != follows {
            store.following.set(follows);
        }
        if at.top < NEAR_TOP_PX && !follows && store.mount_earlier() {
            // Keep what the reader looks at where it is; a browser that anchors by itself finds nothing left to do.
            dom::next_frame(move || {
                let now = dom::scroll_metrics(&scroller);
                if now.top <= at.top {
                    dom::scroll_to(&scroller, now.top + now.height - at.height);
                }
            });
        }
    };
    let to_end = move || {
        if let Some(scroller) = scroller.get_untracked() {
            dom::scroll_to(&scroller, f64::from(i32::MAX));
        }
    };
    // Whatever grows or shrinks, a reader at the end stays there, within the same frame.
    let observer = StoredValue::new_local(None);
    Effect::new(move || {
        let (Some(scroller), Some(content)) = (scroller.get(), content.get()) else { return };
        let changed = move |_| {
            if store.following.try_get_untracked() == Some(true) {
                to_end();
            }
        };
        observer.set_value(dom::observe_size(&[&scroller, &content], changed));
    });
    Effect::new(move || {
        if store.following.get() {
            to_end();
        }
    });
    let to_newest = move |_| {
        // The button goes away; its focus must not.
        if let Some(scroller) = scroller.get_untracked() {
            dom::focus(&scroller);
        }
        store.following.set(true);
    };
    let newer = move || {
        let waits = !store.following.get() && !store.rows.with(Vec::is_empty);
        waits.then(|| {
            view! {
                <button class="btn newer" type="button" on:click=to_newest>
                    {store.text(|t| t.new_messages)}
                </button>
            }
        })
    };
    let earlier = move || {
        let earlier = store.earlier.get();
        (earlier > 0).then(|| {
            view! {
                <button class="btn quiet earlier" type="button" on:click=move |_| {
                    store.mount_earlier();
                }>
                    {move || (store.t().show_earlier)(earlier)}
                </button>
            }
        })
    };
    view! {
        <div class="chatbody">
            <div
                class="scroll"
                role="region"
                aria-label=store.text(|t| t.chat)
                tabindex="0"
                node_ref=scroller
                on:scroll=on_scroll
            >
                <div
                    class="transcript"
                    node_ref=content
                    role="log"
                    aria-live="off"
                    aria-label=store.text(|t| t.conversation)
                    data-testid="transcript"
                >
                    {earlier}
                    <For each=move || store.rows.get() key=|id| *id children=move |id| row_view(store, id) />
                    {move || store.rows.with(Vec::is_empty).then(|| empty_chat(store))}
                </div>
            </div>
            {newer}
            {problems(store)}
        </div>
    }
}
