//! The log: every event by its number. Only the lines in view are in the document, however many there are.

use leptos::prelude::*;
use vitrine::platform::dom::{self, ScrollMetrics};
use vitrine::platform::node::Event;
use vitrine_protocol::log::{Filter, Hits, KINDS, Line};
use vitrine_protocol::scroll::follows_bottom;
use vitrine_protocol::tree::window;
use vitrine_protocol::visible::visible;

use crate::bars::yes_or_no;
use crate::chat::code::copy_words;
use crate::loop_panel::words::{loop_words, word};
use crate::store::Store;
use crate::view::{Element, ElementRef, button, classed, effect, element, keyed, live, live_text, when};

/// Height of a line; the style sheet has the same.
const LINE_PX: f64 = 24.0;

/// Draws the log.
pub fn log(store: Store) -> Element {
    let list = ElementRef::new();
    let filter = RwSignal::new(Filter::default());
    let hits = StoredValue::new_local(Hits::default());
    let seen = RwSignal::new(ScrollMetrics { client: 400.0, ..ScrollMetrics::default() });
    let follows = StoredValue::new(true);
    // How many there are, and how many fit.
    let count = Memo::new(move |_| {
        store.drawn.track();
        let filter = filter.get();
        store
            .with_log(|log, _| {
                hits.try_update_value(|hits| {
                    hits.update(log, &filter);
                    (log.len(), hits.numbers().len(), log.epoch())
                })
            })
            .flatten()
            .unwrap_or_default()
    });
    let measure = move || {
        if let Some(list) = list.get() {
            seen.set(dom::scroll_metrics(&list));
        }
    };
    let observer = StoredValue::new_local(None);
    effect(move || {
        let Some(list) = list.get() else { return };
        observer.set_value(dom::observe_size(&[&list], move |_| measure()));
    });
    effect(move || {
        count.track();
        let Some(list) = list.get() else { return };
        if follows.get_value() && store.cursor.get_untracked().is_none() {
            dom::soon(move || dom::scroll_to(&list, f64::from(i32::MAX)));
        }
    });
    let lines = Memo::new(move |_| {
        let (_, n_hits, _) = count.get();
        let seen = seen.get();
        let range = window(seen.top, seen.client, LINE_PX, n_hits);
        let start = range.start;
        let lines = store.with_log(|log, _| {
            hits.with_value(|hits| {
                let numbers = hits.numbers().get(range).unwrap_or_default();
                numbers.iter().filter_map(|number| log.line(*number)).collect::<Vec<_>>()
            })
        });
        (start, lines.unwrap_or_default())
    });
    // The cursor's line comes into view when the cursor moves.
    effect(move || {
        let Some(cursor) = store.cursor.get() else { return };
        let place = hits.with_value(|hits| hits.place_of(cursor));
        if let (Some(list), Some(place)) = (list.get(), place) {
            let (now, top) = (dom::scroll_metrics(&list), place as f64 * LINE_PX);
            if top < now.top {
                dom::scroll_to(&list, top);
            } else if top + LINE_PX > now.top + now.client {
                dom::scroll_to(&list, top + LINE_PX - now.client);
            }
        }
    });
    let on_scroll = move |_: &Event| {
        measure();
        let at = seen.get_untracked();
        follows.set_value(follows_bottom(at.top, at.client, at.height));
    };
    let key = |line: &Line| format!("{} {}", line.number, line.kind);
    // Whole pixels: what writes fractions is not small.
    let px = |rows: usize| format!("{}px", rows * LINE_PX as usize);
    let rows = element("ul")
        .attr("role", "presentation")
        .live_style("padding-top", move || lines.with(|(start, _)| px(*start)))
        .live_style("height", move || px(count.get().1))
        .child(keyed(move || lines.with(|(_, lines)| lines.clone()), key, move |line| line_view(store, line)));
    let active = move || store.cursor.get().map(|cursor| format!("log-{cursor}")).unwrap_or_default();
    let list = classed("div", "loglist scroll")
        .attr("role", "listbox")
        .attr("tabindex", "0")
        .live_attr("aria-label", move || loop_words(store).log)
        .live_attr("aria-activedescendant", active)
        .test_id("log")
        .reached_by(list)
        .on("scroll", on_scroll)
        .on("keydown", move |event| {
            let by = match event.key().as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                _ => return,
            };
            event.prevent_default();
            step(store, hits, by);
        })
        .child(rows);
    classed("div", "logbox").child(head(store, filter, hits, count)).child(list)
}

/// To the next line that is shown, or the one before.
fn step(store: Store, hits: StoredValue<Hits, LocalStorage>, by: isize) {
    let cursor = store.cursor.get_untracked().unwrap_or(usize::MAX);
    let to = hits.with_value(|hits| {
        let place = hits.place_of(cursor)?;
        hits.numbers().get(place.checked_add_signed(by)?).copied()
    });
    if to.is_some() {
        store.cursor.set(to);
    }
}

fn head(
    store: Store,
    filter: RwSignal<Filter>,
    hits: StoredValue<Hits, LocalStorage>,
    count: Memo<(usize, usize, u64)>,
) -> Element {
    let (kind, words) = (ElementRef::new(), ElementRef::new());
    let changed = move || filter.set(Filter { kind: kind.value(), words: words.value() });
    let choice = |value: &str| element("option").attr("value", value);
    let kinds = classed("select", "field")
        .live_attr("aria-label", move || loop_words(store).types)
        .test_id("log-type")
        .reached_by(kind)
        .on("change", move |_| changed())
        .child(choice("").child(word(store, |t| t.all_types)))
        .child(choice("-message_update").child(word(store, |t| t.no_updates)))
        .child(KINDS.map(|kind| choice(kind).child(kind)).into_iter().collect::<Vec<_>>());
    let search = classed("input", "field")
        .attr("type", "search")
        .attr("spellcheck", "false")
        .live_attr("aria-label", move || loop_words(store).search)
        .live_attr("placeholder", move || loop_words(store).search)
        .test_id("log-search")
        .reached_by(words)
        .on("input", move |event| {
            if !event.composes() {
                changed();
            }
        })
        .on("compositionend", move |_| changed());
    let clear = move || {
        for field in [kind.get(), words.get()].into_iter().flatten() {
            field.set_value("");
        }
        changed();
    };
    let is_filtered = move || filter.with(|filter| *filter != Filter::default());
    let copy =
        move || store.with_log(|log, _| hits.with_value(|hits| log.json_lines(hits.numbers()))).unwrap_or_default();
    classed("div", "loghead")
        .child(kinds)
        .child(search)
        .child(classed("span", "q2 num").attr("role", "status").test_id("log-count").child(live_text(move || {
            let (n_events, n_hits, _) = count.get();
            (loop_words(store).matches)(n_hits, n_events)
        })))
        .child(when(is_filtered, move || {
            button("btn quiet").test_id("log-clear").on_click(clear).child(word(store, |t| t.clear))
        }))
        .child(classed("span", "sp"))
        .child(copy_words(store, move || loop_words(store).copy_lines, copy).test_id("log-copy"))
}

fn line_view(store: Store, line: Line) -> Element {
    let number = line.number;
    let is_at = move || store.cursor.get() == Some(number);
    let detail = line.detail.clone();
    let is_end = line.kind == "agent_end";
    let words =
        live(move || if is_end { (loop_words(store).n_messages)(&detail) } else { visible(&detail).into_owned() });
    classed("li", if line.is_error { "logline danger" } else { "logline" })
        .attr("role", "option")
        .attr("id", &format!("log-{number}"))
        .test_id("log-event")
        .attr("data-number", &number.to_string())
        .live_class("at", is_at)
        .live_attr("aria-selected", move || yes_or_no(is_at()))
        .on_click(move || store.cursor.set(Some(number)))
        .child(classed("span", "n num").child(number.to_string()))
        .child(classed("span", "kind").child(line.kind))
        .child(classed("span", "what clip").child(words))
        .child(line.call_id.map(|id| classed("span", "meta clip").child(visible(&id).into_owned())))
}
