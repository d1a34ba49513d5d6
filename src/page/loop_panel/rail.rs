//! The rail: the run as a flat list of nodes, read off the transcript, with the now line and what lies ahead.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_protocol::course::{course, first_row};
use vitrine_protocol::lanes::{Lane, span};
use vitrine_protocol::notification::Status;
use vitrine_protocol::scroll::follows_bottom;
use vitrine_protocol::transcript::Executed;
use vitrine_protocol::visible::visible;

use crate::bars::yes_or_no;
use crate::chat::call::look;
use crate::glyphs::{Glyph, glyph};
use crate::loop_panel::nodes::{Node, ahead_of, told};
use crate::loop_panel::words::loop_words;
use crate::store::Store;
use crate::view::{Element, ElementRef, View, choose, classed, effect, element, keyed, live, live_text, view, when};

/// Transcript rows the rail is drawn of.
const ROWS: usize = 40;

/// Draws the rail, or the five words of the loop while there is none.
pub fn rail(store: Store) -> View {
    let list = ElementRef::new();
    let follows = StoredValue::new(true);
    let (happened, ahead) = (RwSignal::new(Vec::<Node>::new()), RwSignal::new(Vec::<Node>::new()));
    let skipped = RwSignal::new(0_usize);
    effect(move || {
        store.drawn.track();
        let t = store.t();
        let paused = store.state.with(|state| state.paused_at.clone().filter(|_| state.status == Status::Paused));
        let (cursor, words) = (store.cursor.get(), loop_words(store));
        let read = store.with_log(|log, transcript| {
            let skip = first_row(transcript, log, cursor, ROWS);
            let held = paused.and_then(|at| at.call_id).and_then(|id| transcript.call(&id));
            let nodes = course(transcript, log, skip, ROWS).into_iter();
            let nodes = nodes.map(|placed| told(placed, t, words)).collect::<Vec<_>>();
            (skip, nodes, held.map(|card| ahead_of(card, t)).unwrap_or_default())
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
        if let Some(list) = list.get().filter(|_| follows.get_value() && cursor.is_none()) {
            dom::soon(move || dom::scroll_to(&list, f64::from(i32::MAX)));
        }
    });
    // The node that the cursor is in, by its place: the last one whose event was told by then.
    let last = Memo::new(move |_| {
        let cursor = store.cursor.get();
        let is_past = |node: &&Node| cursor.is_none_or(|cursor| node.event.is_some_and(|event| event <= cursor));
        happened.with(|nodes| nodes.iter().rev().find(is_past).map(|node| node.key))
    });
    effect(move || {
        last.track();
        if store.cursor.get().is_some()
            && let Some(list) = list.get()
        {
            dom::soon(move || dom::reveal_within(&list, ".at"));
        }
    });
    let on_scroll = move |_: &Event| {
        if let Some(list) = list.get() {
            let at = dom::scroll_metrics(&list);
            follows.set_value(follows_bottom(at.top, at.client, at.height));
        }
    };
    let on_key = move |event: &Event| {
        let step = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            _ => return,
        };
        if let Some(list) = list.get()
            && dom::rove(&list, step)
        {
            event.prevent_default();
        }
    };
    let earlier = move || {
        let words = move || (store.t().rail_earlier)(skipped.get());
        classed("li", "q").attr("role", "none").child(live_text(words))
    };
    let now = move || {
        let tag = classed("span", "nowtag").child(store.text(|t| t.now));
        classed("li", "railnow").attr("role", "none").child(tag)
    };
    let tree = move || {
        classed("ul", "rail scroll")
            .attr("role", "tree")
            .live_attr("aria-label", move || (store.t().rail_name)(store.state.with(|state| state.turn)))
            .reached_by(list)
            .on("scroll", on_scroll)
            .on("keydown", on_key)
            .child(when(move || skipped.get() > 0, earlier))
            .child(keyed(
                move || happened.get(),
                Node::key,
                move |node| {
                    let key = node.key;
                    let event = node.event;
                    let current = move || last.get() == Some(key);
                    let is_ahead = move || store.cursor.get().is_some_and(|cursor| event > Some(cursor));
                    let look = move || {
                        if event.is_some() {
                            store.cursor.set(event);
                        }
                    };
                    node_view(store, node)
                        .live_class("at", move || store.cursor.get().is_some() && current())
                        .live_class("later", is_ahead)
                        .on_click(look)
                        .on("keydown", move |event: &Event| {
                            if event.key() == "Enter" {
                                event.prevent_default();
                                look();
                            }
                        })
                        .live_attr("aria-selected", move || yes_or_no(current()))
                        .live_attr("tabindex", move || if current() { "0" } else { "-1" })
                },
            ))
            .child(when(move || store.status() == Status::Paused && store.cursor.get().is_none(), now))
            .child(keyed(
                move || ahead.get(),
                Node::key,
                move |node| node_view(store, node).attr("aria-selected", "false").attr("tabindex", "-1"),
            ))
    };
    choose(
        move || happened.with(Vec::is_empty),
        move |&is_empty| if is_empty { view(empty_loop(store)) } else { view(tree()) },
    )
}

/// A batch in time, to the right; the table's words say the same.
fn lanes_view(store: Store, lanes: &[Lane]) -> Element {
    let t = loop_words(store);
    let whole = span(lanes);
    // Whole per cents: what writes fractions is not small.
    let share = |ms: f64| format!("{}%", (ms * 100.0 / whole) as u32);
    let row = |lane: &Lane| {
        let (shape, role) = look(lane.state, lane.is_error);
        let bar = lane.ran.map(|(from, until)| {
            classed("span", if until.is_none() { "bar-x moving" } else { "bar-x" })
                .style("margin-inline-start", &share(from))
                .style("width", &share((until.unwrap_or(whole) - from).max(whole / 50.0)))
        });
        let place = lane.place.map(|place| place.to_string()).unwrap_or_default();
        let words = (store.t().state)(lane.state, if lane.ran.is_some() { Executed::Yes } else { Executed::No });
        element("tr")
            .child(element("th").attr("scope", "row").child(visible(&lane.name).into_owned()))
            .child(classed("td", "track").child(bar))
            .child(classed("td", "num").child(place))
            .child(element("td").child(classed("span", role).child(glyph(shape))).child(" ").child(words))
    };
    let head = t.lanes.map(|name| element("th").attr("scope", "col").child(name));
    classed("div", "lanes").test_id("lanes").child(
        element("table")
            .child(element("caption").child(t.lanes_caption))
            .child(element("thead").child(element("tr").child(head)))
            .child(element("tbody").child(lanes.iter().map(row).collect::<Vec<_>>())),
    )
}

fn node_view(store: Store, node: Node) -> Element {
    let name = [node.word.as_str(), node.what.as_str(), node.meta.as_str()];
    let name = name.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(", ");
    let detail = (node.class != "turn").then(|| {
        let what = classed("span", if node.code { "what code" } else { "what" });
        let what = if node.bar { what.child(classed("span", "bar-x")) } else { what.child(node.what) };
        [what, classed("span", "meta").child(node.meta)]
    });
    let lanes = (!node.lanes.is_empty()).then(|| untrack(|| lanes_view(store, &node.lanes)));
    classed("li", &format!("node {}", node.class))
        .attr("role", "treeitem")
        .attr("aria-level", &node.level.to_string())
        .attr("aria-label", &name)
        .test_id("event")
        .child(glyph(node.shape))
        .child(classed("span", "word").child(node.word))
        .child(detail)
        .child(lanes)
}

fn empty_loop(store: Store) -> Element {
    let shapes = [Glyph::RequestNot, Glyph::Call, Glyph::Ticks, Glyph::ExecuteNot, Glyph::ResultNot];
    let classes = ["node ghost first", "node ghost", "node ghost", "node ghost", "node ghost last"];
    let nodes = move || {
        let nodes = shapes.into_iter().zip(classes).zip(store.t().loop_empty);
        let node = |((shape, class), (word, what)): ((Glyph, &str), (&str, &str))| {
            classed("li", class)
                .child(glyph(shape))
                .child(classed("span", "word").child(word))
                .child(classed("span", "what").child(what))
        };
        nodes.map(node).collect::<Vec<_>>()
    };
    let empty = classed("section", "empty")
        .child(element("h3").child(store.text(|t| t.loop_)))
        .child(element("ul").child(live(nodes)));
    classed("div", "scroll").child(empty)
}
