//! The sessions sheet: open, new, rename, export, import, remove.

use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::SessionInfo;

use crate::glyphs::{Glyph, glyph};
use crate::store::{Store, read};
use crate::text;

/// What is asked about a session before it happens.
#[derive(Clone, PartialEq)]
enum Asked {
    Remove(String),
    Rename(String),
}

/// The list with its actions.
pub fn sessions_sheet(store: Store) -> impl IntoView {
    let asked = RwSignal::new(None::<Asked>);
    store.ask(Command::ListSessions {}, None, move |value| {
        if let Ok(sessions) = read(value.json.as_ref()) {
            store.sessions.set(sessions);
        }
    });
    let close = move || store.sheet.set(None);
    let create = move |_| {
        store.send(Command::CreateSession {});
        close();
    };
    let import = move |_| {
        dom::pick_files(".jsonl,application/jsonl", move |files| {
            for file in files {
                store.ask(Command::ImportSession {}, Some(file.bytes), move |_| close());
            }
        });
    };
    view! {
        <div class="scroll" data-testid="session-list">
            {move || store.sessions.with(Vec::is_empty).then(|| view! {
                <p class="lede">{store.text(|t| t.sessions_empty)}</p>
            })}
            <For
                each=move || store.sessions.get()
                key=|session| (session.id.clone(), session.name.clone(), session.n_messages, session.current)
                children=move |session| row(store, session, asked)
            />
        </div>
        <footer>
            <button class="btn" type="button" data-testid="new-session" on:click=create>
                {store.text(|t| t.new_session)}
            </button>
            <button class="btn" type="button" data-testid="import-session" on:click=import>
                {store.text(|t| t.import_session)}
            </button>
            <span class="sp"></span>
            {move || (!store.sessions.with(Vec::is_empty)).then(|| view! {
                <span class="q">{store.text(|t| t.sessions_empty)}</span>
            })}
        </footer>
    }
}

fn row(store: Store, session: SessionInfo, asked: RwSignal<Option<Asked>>) -> impl IntoView {
    let named = if session.name.is_empty() { session.id.clone() } else { session.name.clone() };
    let id = session.id.clone();
    let open = move |_| {
        store.send(Command::OpenSession { session_id: id.clone() });
        store.sheet.set(None);
    };
    let (label, changed, n_messages, current) =
        (named.clone(), session.changed_at, session.n_messages, session.current);
    let facts = move || {
        let tag = text::tag(store.language.get());
        let time = dom::local_time(changed, tag);
        let open = if current { format!(" · {}", store.t().session_open) } else { String::new() };
        format!("{time} · {}{open}", (store.t().messages)(n_messages))
    };
    let acts = {
        let (id, named) = (session.id.clone(), named.clone());
        move || match asked.get() {
            Some(Asked::Remove(asked_id)) if asked_id == id => ().into_any(),
            Some(Asked::Rename(asked_id)) if asked_id == id => ().into_any(),
            _ => acts(store, id.clone(), named.clone(), asked).into_any(),
        }
    };
    let question = {
        let (id, named) = (session.id.clone(), named);
        move || match asked.get() {
            Some(Asked::Remove(asked_id)) if asked_id == id => {
                Some(remove_question(store, id.clone(), &named, asked).into_any())
            }
            Some(Asked::Rename(asked_id)) if asked_id == id => {
                Some(rename_form(store, id.clone(), named.clone(), asked).into_any())
            }
            _ => None,
        }
    };
    view! {
        <div class="optrow" data-testid="session" data-session-id=session.id>
            {glyph(if current { Glyph::Tick } else { Glyph::Dot })}
            <button class="sessionname clip" type="button" aria-current=current.then_some("true") on:click=open>
                {label}
            </button>
            <p class="num">{facts}</p>
            {acts}
            {question}
        </div>
    }
}

fn acts(store: Store, id: String, named: String, asked: RwSignal<Option<Asked>>) -> impl IntoView {
    let (exported, renamed, removed) = (id.clone(), id.clone(), id);
    let (export_name, rename_name, remove_name) = (named.clone(), named.clone(), named);
    let export = move |_| {
        let command = Command::ExportSession { session_id: exported.clone() };
        store.ask(command, None, |value| {
            if let Ok(export) = read::<Export>(value.json.as_ref()) {
                dom::download(&export.file_name, export.text.as_bytes(), "application/jsonl");
            }
        });
    };
    view! {
        <span class="acts">
            <button
                class="btn quiet"
                type="button"
                aria-label=move || (store.t().export_session)(&export_name)
                on:click=export
            >
                {store.text(|t| t.export)}
            </button>
            <button
                class="btn quiet"
                type="button"
                aria-label=move || (store.t().rename_session)(&rename_name)
                on:click=move |_| asked.set(Some(Asked::Rename(renamed.clone())))
            >
                {store.text(|t| t.rename)}
            </button>
            <button
                class="btn quiet"
                type="button"
                aria-label=move || (store.t().remove_session)(&remove_name)
                on:click=move |_| asked.set(Some(Asked::Remove(removed.clone())))
            >
                {store.text(|t| t.remove)}
            </button>
        </span>
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    text: String,
    file_name: String,
}

fn remove_question(store: Store, id: String, named: &str, asked: RwSignal<Option<Asked>>) -> impl IntoView {
    let keep = NodeRef::<html::Button>::new();
    Effect::new(move || {
        if let Some(keep) = keep.get() {
            dom::focus(&keep);
        }
    });
    let remove = move |_| {
        store.send(Command::RemoveSession { session_id: id.clone() });
        asked.set(None);
    };
    let words = (store.t().remove_sure)(named);
    view! {
        <div class="form" role="alert">
            <span>{words}</span>
            <div class="acts">
                <button class="btn" type="button" node_ref=keep on:click=move |_| asked.set(None)>
                    {store.text(|t| t.keep)}
                </button>
                <button class="btn deny" type="button" data-testid="remove-session" on:click=remove>
                    {store.text(|t| t.remove)}
                </button>
            </div>
        </div>
    }
}

fn rename_form(store: Store, id: String, named: String, asked: RwSignal<Option<Asked>>) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(field) = field.get() {
            dom::focus(&field);
            field.select();
        }
    });
    let save = move |event: SubmitEvent| {
        event.prevent_default();
        let name = field.get_untracked().map(|field| field.value()).unwrap_or_default();
        if !name.trim().is_empty() {
            store.send(Command::RenameSession { session_id: id.clone(), name });
        }
        asked.set(None);
    };
    view! {
        <form class="form" on:submit=save>
            <input class="field" node_ref=field value=named aria-label=store.text(|t| t.rename) />
            <div class="acts">
                <button class="btn" type="submit">{store.text(|t| t.save)}</button>
                <button class="btn quiet" type="button" on:click=move |_| asked.set(None)>
                    {store.text(|t| t.keep)}
                </button>
            </div>
        </form>
    }
}
