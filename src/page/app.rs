//! The page: bars, columns, sheets, and the two live regions.

use leptos::prelude::*;
use vitrine::platform::node::Event;
use vitrine::platform::{dom, page_life};
use vitrine_agent::json::Json;
use vitrine_protocol::announce::Language;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::Status;

use crate::bars::{status_line, status_name, tab_bar, top_bar};
use crate::chat::approval::deny;
use crate::chat::chat;
use crate::chat::notice::storage_notice;
use crate::late::{fetch_in_time, files_column, lesson_column};
use crate::loop_panel::{debugger_key, loop_panel};
use crate::page_port::{Link, Settings};
use crate::place::{Mode, Panel, Sheet, Width, theme_of};
use crate::sheets::sheets;
use crate::store::{Store, read};
use crate::text;
use crate::view::{Element, ElementRef, classed, effect, live_text};

/// Draws everything. The element's loader opens the workspace; its reply is seen by the store.
pub fn app(settings: &Settings, link: &Link) -> Element {
    let store = Store::new(settings, link);
    link.on_attribute(move |name, value| match name {
        "lang" => store.speak(Language::from_tag(value)),
        "theme" => store.theme.set(theme_of(value)),
        "answered-by" => store.approval.set(None),
        "problem" => store.tell(read(Json::parse(value).ok().as_ref()).unwrap_or_else(|problem| problem)),
        _ => {}
    });
    let root = ElementRef::new();
    let observer = StoredValue::new_local(None);
    effect(move || {
        let Some(root) = root.get() else { return };
        let changed = move |pixels: f64| {
            let width = Width::of(pixels, store.mode);
            // Not laid out yet, or hidden: keep what was.
            if pixels > 0.0 && store.width.try_get_untracked().is_some_and(|old| old != width) {
                store.width.set(width);
            }
        };
        observer.set_value(dom::observe_size(&[&root], changed));
    });
    let sight = StoredValue::new_local(None);
    effect(move || {
        // Not before the workspace is open; until then it counts as seen.
        if store.storage.with(Option::is_some) && sight.with_value(Option::is_none) {
            let tell = move |seen| store.ask_all(Command::SetSeen { seen }, None, |_| {});
            sight.set_value(page_life::observe_sight(tell));
        }
    });
    fetch_in_time(store);
    let panels = store.mode != Mode::Chat;
    let columns = classed("div", "app")
        .live_attr("data-width", move || store.width.get().as_str())
        .live_attr("data-files", move || if store.wide_files.get() { "wide" } else { "" })
        .live_flag("data-lesson", move || store.lesson_wanted.get())
        .attr("data-panels", if panels { "true" } else { "false" })
        .live_attr("data-status", move || status_name(store.state.with(|state| state.status)))
        .child(top_bar(store))
        .child(storage_notice(store))
        .child(chat(store))
        .child(panels.then(|| loop_panel(store)))
        .child(panels.then(|| files_column(store)))
        .child(panels.then(|| lesson_column(store)))
        .child(tab_bar(store))
        .child(status_line(store));
    let polite = classed("div", "visually-hidden").attr("role", "status").attr("aria-live", "polite");
    let assertive = classed("div", "visually-hidden").attr("role", "alert");
    classed("div", "surface")
        .live_attr("lang", move || text::tag(store.language.get()))
        .live_attr("data-theme", move || store.theme.get())
        .reached_by(root)
        .on("keydown", move |event| page_key(store, event))
        .child(columns)
        .child(sheets(store))
        .child(polite.child(live_text(move || store.polite.get())))
        .child(assertive.child(live_text(move || store.assertive.get())))
}

/// Keys that act anywhere inside the element, never outside it.
fn page_key(store: Store, event: &Event) {
    if event.composes() || event.default_prevented() {
        return;
    }
    if matches!(event.key().as_str(), "F8" | "F10") && store.mode != Mode::Chat && debugger_key(store, event) {
        return;
    }
    let panel = match event.code().as_str() {
        "Digit1" => Some(Panel::Chat),
        "Digit2" => Some(Panel::Loop),
        "Digit3" => Some(Panel::Files),
        "Digit4" => Some(Panel::Lesson),
        _ => None,
    };
    let plain = !event.control() && !event.meta() && !event.alt();
    match event.key().as_str() {
        "Escape" if store.sheet.get_untracked().is_some() => store.sheet.set(None),
        "Escape" if deny(store) => {}
        "Escape" if store.state.with_untracked(|state| state.status != Status::Idle) => store.send(Command::Abort {}),
        "?" if plain && !dom::in_text_field(event) => store.sheet.set(Some(Sheet::Keys)),
        _ => match panel {
            Some(panel) if store.mode == Mode::App && event.alt() && !event.control() => store.show(panel),
            _ => return,
        },
    }
    event.prevent_default();
}
