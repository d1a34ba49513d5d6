//! The chat column: the transcript, what is wrong, and the composer.

pub mod approval;
pub mod call;
pub mod code;
pub mod composer;
pub mod empty;
pub mod markdown;
pub mod notice;
pub mod output;
pub mod part;
pub mod row;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_protocol::scroll::follows_bottom;

use crate::chat::composer::composer;
use crate::chat::empty::empty_chat;
use crate::chat::notice::{problems, unanswered_notice};
use crate::chat::row::row_view;
use crate::late::{Late, late};
use crate::loop_panel::controls;
use crate::place::{Mode, Panel, Width};
use crate::store::Store;
use crate::view::{Element, ElementRef, button, choose, classed, effect, element, keyed, live_text, when};

/// Closer than this to the top, earlier rows are mounted.
const NEAR_TOP_PX: f64 = 240.0;

/// Draws the column.
pub fn chat(store: Store) -> Element {
    let in_front = move || store.width.get() != Width::Phone || store.panel.get() == Panel::Chat;
    let title = move || {
        let name = store.session.with(|session| session.name.clone());
        if name.is_empty() { store.t().untitled.to_owned() } else { name }
    };
    // Without an inspector there is nothing to step.
    let steps = move || {
        let phone = store.width.get() == Width::Phone && store.panel.get() == Panel::Chat;
        store.mode != Mode::Chat && phone && store.busy()
    };
    let head = classed("div", "colhead")
        .child(element("h2").child(store.text(|t| t.chat)))
        .child(classed("span", "q clip").child(live_text(title)));
    classed("main", "col chat")
        .words("aria-label", store.text(|t| t.chat))
        .live_flag("hidden", move || !in_front())
        .child(head)
        .child(transcript(store))
        .child(
            classed("div", "stack")
                .child(when(
                    move || store.approval.with(Option::is_some),
                    move || late(store, Late::Approval, ElementRef::new()),
                ))
                .child(when(
                    move || store.part.with(Option::is_some),
                    move || late(store, Late::Part, ElementRef::new()),
                ))
                .child(when(steps, move || classed("div", "strip").child(controls(store))))
                .child(composer(store)),
        )
}

fn transcript(store: Store) -> Element {
    let (scroller, content) = (ElementRef::new(), ElementRef::new());
    let last_top = StoredValue::new(0.0);
    let on_scroll = move |_: &Event| {
        let Some(scroller) = scroller.get() else { return };
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
        if let Some(scroller) = scroller.get() {
            dom::scroll_to(&scroller, f64::from(i32::MAX));
        }
    };
    // Whatever grows or shrinks, a reader at the end stays there, within the same frame.
    let observer = StoredValue::new_local(None);
    effect(move || {
        let (Some(scroller), Some(content)) = (scroller.get(), content.get()) else { return };
        let changed = move |_| {
            // The first screen is read from its top.
            let is_empty = store.rows.try_with_untracked(Vec::is_empty) != Some(false);
            if !is_empty && store.following.try_get_untracked() == Some(true) {
                to_end();
            }
        };
        observer.set_value(dom::observe_size(&[&scroller, &content], changed));
    });
    effect(move || {
        if store.following.get() && !store.rows.with_untracked(Vec::is_empty) {
            to_end();
        }
    });
    effect(move || {
        if store.row_at_cursor().is_some()
            && let Some(content) = content.get()
        {
            store.following.set(false);
            dom::soon(move || dom::reveal_within(&content, ".msg.at"));
        }
    });
    let to_newest = move || {
        // The button goes away; its focus must not.
        if let Some(scroller) = scroller.get() {
            dom::focus(&scroller);
        }
        store.following.set(true);
    };
    let newer = move || button("btn newer").on_click(to_newest).child(store.text(|t| t.new_messages));
    let earlier = move |&earlier: &usize| {
        let button = button("btn quiet earlier").on_click(move || {
            store.mount_earlier();
        });
        (earlier > 0).then(|| button.child(live_text(move || (store.t().show_earlier)(earlier))))
    };
    let is_empty = move || store.rows.with(Vec::is_empty);
    let log = classed("div", "transcript")
        .reached_by(content)
        .attr("role", "log")
        .attr("aria-live", "off")
        .words("aria-label", store.text(|t| t.conversation))
        .test_id("transcript")
        .child(choose(move || store.earlier.get(), earlier))
        .child(keyed(move || store.rows.get(), ToString::to_string, move |id| row_view(store, id)))
        .child(unanswered_notice(store))
        .child(when(is_empty, move || empty_chat(store, scroller)));
    let scroll = classed("div", "scroll")
        .attr("role", "region")
        .words("aria-label", store.text(|t| t.chat))
        .attr("tabindex", "0")
        .reached_by(scroller)
        .on("scroll", on_scroll)
        .child(log);
    classed("div", "chatbody")
        .child(scroll)
        .child(when(move || !store.following.get() && !is_empty(), newer))
        .child(problems(store))
}
