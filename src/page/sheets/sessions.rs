//! The sessions sheet: open, new, rename, export, import, remove.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::SessionInfo;

use crate::glyphs::{Glyph, glyph};
use crate::store::{Store, read};
use crate::text::{self, Texts};
use crate::view::{Element, ElementRef, button, choose, classed, effect, element, keyed, live_text, when};

/// What is asked about a session before it happens.
#[derive(Clone, PartialEq)]
enum Asked {
    Remove(String),
    Rename(String),
}

/// The question that is open, and the list to go back to.
#[derive(Clone, Copy)]
struct Asking {
    now: RwSignal<Option<Asked>>,
    list: ElementRef,
}

impl Asking {
    /// The question goes away; the focus in it must not.
    fn end(self) {
        self.now.set(None);
        if let Some(list) = self.list.get() {
            dom::focus(&list);
        }
    }
}

/// The list with its actions.
pub fn sessions_sheet(store: Store) -> [Element; 2] {
    let asked = Asking { now: RwSignal::new(None), list: ElementRef::new() };
    store.ask(Command::ListSessions {}, None, move |value| {
        if let Ok(sessions) = read(value.json.as_ref()) {
            store.sessions.set(sessions);
        }
    });
    let close = move || store.sheet.set(None);
    let create = move || {
        store.send(Command::CreateSession {});
        close();
    };
    let import = move || {
        dom::pick_files(".jsonl,application/jsonl", move |files| {
            for file in files {
                store.ask(Command::ImportSession {}, Some(file.bytes), move |_| close());
            }
        });
    };
    let is_empty = move || store.sessions.with(Vec::is_empty);
    let words = move |tag, class| classed(tag, class).child(store.text(|t| t.sessions_empty));
    let key = |session: &SessionInfo| {
        let SessionInfo { id, name, n_messages, current, .. } = session;
        format!("{id} {n_messages} {current} {name}")
    };
    let list = classed("div", "scroll")
        .test_id("session-list")
        .attr("tabindex", "-1")
        .reached_by(asked.list)
        .child(when(is_empty, move || words("p", "lede")))
        .child(keyed(move || store.sessions.get(), key, move |session| row(store, session, asked)));
    let create = button("btn").test_id("new-session").on_click(create).child(store.text(|t| t.new_session));
    let import = button("btn").test_id("import-session").on_click(import).child(store.text(|t| t.import_session));
    let foot = classed("div", "foot").child(create).child(import).child(classed("span", "sp"));
    [list, foot.child(when(move || !is_empty(), move || words("span", "q")))]
}

fn row(store: Store, session: SessionInfo, asked: Asking) -> Element {
    let SessionInfo { id, name, changed_at, n_messages, current, .. } = session;
    let named = if name.is_empty() { id.clone() } else { name };
    let open = {
        let id = id.clone();
        move || {
            store.send(Command::OpenSession { session_id: id.clone() });
            store.sheet.set(None);
        }
    };
    let facts = move || {
        let tag = text::tag(store.language.get());
        let time = dom::local_time(changed_at, tag);
        let open = if current { format!(" · {}", store.t().session_open) } else { String::new() };
        format!("{time} · {}{open}", (store.t().messages)(n_messages))
    };
    // What is asked of this row, and of no other.
    let asked_here = {
        let id = id.clone();
        move || {
            asked.now.get().filter(|asked| match asked {
                Asked::Remove(asked_id) | Asked::Rename(asked_id) => *asked_id == id,
            })
        }
    };
    let label = button("sessionname clip").on_click(open).child(named.as_str());
    let label = if current { label.attr("aria-current", "true") } else { label };
    let row = classed("div", "optrow").test_id("session").attr("data-session-id", &id).child(glyph(if current {
        Glyph::Tick
    } else {
        Glyph::Dot
    }));
    let doing = move |asked_here: &Option<Asked>| match asked_here {
        None => acts(store, &id, &named, asked),
        Some(Asked::Remove(_)) => remove_question(store, id.clone(), &named, asked),
        Some(Asked::Rename(_)) => rename_form(store, id.clone(), &named, asked),
    };
    row.child(label).child(classed("p", "num").child(live_text(facts))).child(choose(asked_here, doing))
}

fn acts(store: Store, id: &str, named: &str, asked: Asking) -> Element {
    let act = |name: fn(&Texts) -> fn(&str) -> String| {
        let named = named.to_owned();
        button("btn quiet").live_attr("aria-label", move || name(store.t())(&named))
    };
    let (exported, renamed, removed) = (id.to_owned(), id.to_owned(), id.to_owned());
    let export = move || {
        let command = Command::ExportSession { session_id: exported.clone() };
        store.ask(command, None, |value| {
            if let Ok(export) = read::<Export>(value.json.as_ref()) {
                dom::download(&export.file_name, export.text.as_bytes(), "application/jsonl");
            }
        });
    };
    let rename = move || asked.now.set(Some(Asked::Rename(renamed.clone())));
    let remove = move || asked.now.set(Some(Asked::Remove(removed.clone())));
    classed("span", "acts")
        .child(act(|t| t.export_session).on_click(export).child(store.text(|t| t.export)))
        .child(act(|t| t.rename_session).on_click(rename).child(store.text(|t| t.rename)))
        .child(act(|t| t.remove_session).on_click(remove).child(store.text(|t| t.remove)))
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    text: String,
    file_name: String,
}

fn remove_question(store: Store, id: String, named: &str, asked: Asking) -> Element {
    let keep = ElementRef::new();
    effect(move || {
        if let Some(keep) = keep.get() {
            dom::focus(&keep);
        }
    });
    let remove = move || {
        store.send(Command::RemoveSession { session_id: id.clone() });
        asked.end();
    };
    let words = element("span").child((store.t().remove_sure)(named));
    let keep = button("btn").reached_by(keep).on_click(move || asked.end()).child(store.text(|t| t.keep));
    let remove = button("btn deny").test_id("remove-session").on_click(remove).child(store.text(|t| t.remove));
    classed("div", "form").attr("role", "alert").child(words).child(classed("div", "acts").child(keep).child(remove))
}

fn rename_form(store: Store, id: String, named: &str, asked: Asking) -> Element {
    let field = ElementRef::new();
    effect(move || {
        if let Some(field) = field.get() {
            dom::focus(&field);
            field.select();
        }
    });
    let save = move |event: &Event| {
        event.prevent_default();
        let name = field.value();
        if !name.trim().is_empty() {
            store.send(Command::RenameSession { session_id: id.clone(), name });
        }
        asked.end();
    };
    // Escape gives up the new name, not the sheet.
    let on_key = move |event: &Event| {
        if event.key() == "Escape" && !event.composes() {
            event.prevent_default();
            event.stop_propagation();
            asked.end();
        }
    };
    let input =
        classed("input", "field").reached_by(field).attr("value", named).words("aria-label", store.text(|t| t.rename));
    let save_button = classed("button", "btn").attr("type", "submit").child(store.text(|t| t.save));
    let keep = button("btn quiet").on_click(move || asked.end()).child(store.text(|t| t.keep));
    classed("form", "form")
        .on("submit", save)
        .on("keydown", on_key)
        .child(input)
        .child(classed("div", "acts").child(save_button).child(keep))
}
