//! The page: bars, columns, sheets, and the two live regions.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::announce::Language;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::Status;

use crate::bars::{status_line, tab_bar, top_bar};
use crate::chat::chat;
use crate::chat::notice::storage_notice;
use crate::files::files;
use crate::loop_panel::loop_panel;
use crate::page_port::{Link, Settings};
use crate::place::{Mode, Panel, Sheet, Width, theme_of};
use crate::sheets::sheets;
use crate::store::Store;
use crate::text;

/// Draws everything. The element's loader opens the workspace; its reply is seen by the store.
pub fn app(settings: &Settings, link: &Link) -> impl IntoView + use<> {
    let store = Store::new(settings, link);
    link.on_attribute(move |name, value| match name {
        "lang" => store.speak(Language::from_tag(value)),
        "theme" => store.theme.set(theme_of(value)),
        _ => {}
    });
    let root = NodeRef::<html::Div>::new();
    let observer = StoredValue::new_local(None);
    Effect::new(move || {
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
    let panels = store.mode != Mode::Chat;
    view! {
        <div
            class="surface"
            lang=move || text::tag(store.language.get())
            data-theme=move || store.theme.get()
            node_ref=root
            on:keydown=move |event| page_key(store, &event)
        >
            <div class="app" data-width=move || store.width.get().as_str() data-panels=panels.to_string()>
                {top_bar(store)}
                {storage_notice(store)}
                {chat(store)}
                {panels.then(|| loop_panel(store))}
                {panels.then(|| files(store))}
                {tab_bar(store)}
                {status_line(store)}
            </div>
            {sheets(store)}
            <div class="visually-hidden" role="status" aria-live="polite">{move || store.polite.get()}</div>
            <div class="visually-hidden" role="alert">{move || store.assertive.get()}</div>
        </div>
    }
}

/// Keys that act anywhere inside the element, never outside it.
fn page_key(store: Store, event: &KeyboardEvent) {
    if event.is_composing() || event.key_code() == 229 || event.default_prevented() {
        return;
    }
    let panel = match event.code().as_str() {
        "Digit1" => Some(Panel::Chat),
        "Digit2" => Some(Panel::Loop),
        "Digit3" => Some(Panel::Files),
        _ => None,
    };
    let plain = !event.ctrl_key() && !event.meta_key() && !event.alt_key();
    match event.key().as_str() {
        "Escape" if store.sheet.get_untracked().is_some() => store.sheet.set(None),
        "Escape" if store.state.with_untracked(|state| state.status != Status::Idle) => store.send(Command::Abort {}),
        "?" if plain && !dom::in_text_field(event) => store.sheet.set(Some(Sheet::Keys)),
        _ => match panel {
            Some(panel) if store.mode == Mode::App && event.alt_key() && !event.ctrl_key() => store.show(panel),
            _ => return,
        },
    }
    event.prevent_default();
}
