//! The files column: the workspace as a tree, and one file to read.

mod viewer;

use leptos::ev::{DragEvent, KeyboardEvent};
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::dom::PickedFile;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{FileInfo, FileKind};
use vitrine_protocol::numbers::size;

use crate::files::viewer::viewer;
use crate::glyphs::{Glyph, glyph};
use crate::place::{Panel, Width};
use crate::store::{Store, read};

/// Folders that are read to draw the tree; deeper ones wait to be opened.
const FOLDERS: usize = 60;

/// What the panel knows: the tree in drawing order, what is closed, and the file on show.
#[derive(Clone, Copy)]
struct View {
    store: Store,
    entries: RwSignal<Vec<FileInfo>>,
    closed: RwSignal<Vec<String>>,
    chosen: RwSignal<Option<String>>,
    content: RwSignal<Option<Content>>,
    /// A listing goes on; when it ends and this is `Some(true)`, another follows.
    listing: StoredValue<Option<bool>>,
}

#[derive(Clone, PartialEq)]
enum Content {
    Text(String),
    Binary(Vec<u8>),
}

/// Draws the column.
pub fn files(store: Store) -> impl IntoView {
    let view = View {
        store,
        entries: RwSignal::new(Vec::new()),
        closed: RwSignal::new(Vec::new()),
        chosen: RwSignal::new(None),
        content: RwSignal::new(None),
        listing: StoredValue::new(None),
    };
    Effect::new(move || {
        store.files_changed.track();
        if store.storage.with(Option::is_some) {
            view.list();
            view.read_chosen();
        }
    });
    let hidden = move || match store.width.get() {
        Width::Phone => store.panel.get() != Panel::Files,
        Width::Middle => store.beside.get() != Panel::Files,
        Width::Wide => false,
    };
    let dropping = RwSignal::new(false);
    let on_drop = move |event: DragEvent| {
        event.prevent_default();
        dropping.set(false);
        dom::dropped_files(&event, move |files| view.add(files));
    };
    let pick = move |_| dom::pick_files("", move |files| view.add(files));
    view! {
        <aside
            class="col side files"
            class:dropping=move || dropping.get()
            aria-label=store.text(|t| t.files)
            hidden=hidden
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                dropping.set(true);
            }
            on:dragleave=move |_| dropping.set(false)
            on:drop=on_drop
        >
            <div class="colhead">
                <h2>{store.text(|t| t.files)}</h2>
                <span class="sp"></span>
                {move || (!view.entries.with(Vec::is_empty)).then(|| view! {
                    <button class="btn quiet" type="button" on:click=pick>{store.text(|t| t.add_files)}</button>
                })}
            </div>
            <div class="stack full">
                {move || if view.entries.with(Vec::is_empty) {
                    view! {
                        <section class="empty" data-testid="files">
                            <h3>{store.text(|t| t.files)}</h3>
                            <p>{store.text(|t| t.files_empty)}</p>
                            <div>
                                <button class="btn" type="button" on:click=pick>{store.text(|t| t.choose_files)}</button>
                            </div>
                        </section>
                    }.into_any()
                } else {
                    tree(view).into_any()
                }}
                {viewer(view)}
            </div>
        </aside>
    }
}

impl View {
    /// Reads the tree again; changes that come meanwhile are one more reading.
    fn list(self) {
        if self.listing.get_value().is_some() {
            self.listing.set_value(Some(true));
            return;
        }
        self.listing.set_value(Some(false));
        self.list_next(Vec::new(), vec![String::new()], 0);
    }

    /// Lists the folders that wait, one by one; each folder's children go right after it.
    fn list_next(self, mut entries: Vec<FileInfo>, mut waiting: Vec<String>, n_listed: usize) {
        let folder = if n_listed < FOLDERS { waiting.pop() } else { None };
        let Some(folder) = folder else {
            if self.entries.with_untracked(|old| *old != entries) {
                self.entries.set(entries);
            }
            if self.listing.get_value() == Some(true) {
                self.listing.set_value(None);
                self.list();
            } else {
                self.listing.set_value(None);
            }
            return;
        };
        self.store.ask_all(Command::ListFiles { path: folder.clone() }, None, move |answer| {
            // A folder may be gone by now: its change is on the way.
            let mut children: Vec<FileInfo> =
                answer.ok().and_then(|value| read(value.json.as_ref()).ok()).unwrap_or_default();
            children.sort_by_key(|child| child.kind == FileKind::File);
            let closed = |path: &String| self.closed.with_untracked(|closed| closed.contains(path));
            let folders =
                children.iter().filter(|child| child.kind == FileKind::Folder).map(|child| child.path.clone());
            waiting.extend(folders.filter(|path| !closed(path)).collect::<Vec<_>>().into_iter().rev());
            let at = entries.iter().position(|entry| entry.path == folder).map_or(0, |at| at + 1);
            entries.splice(at..at, children);
            self.list_next(entries, waiting, n_listed + 1);
        });
    }

    fn choose(self, file: &FileInfo) {
        match file.kind {
            FileKind::Folder => {
                self.closed.update(|closed| match closed.iter().position(|path| *path == file.path) {
                    Some(at) => drop(closed.remove(at)),
                    None => closed.push(file.path.clone()),
                });
                self.list();
            }
            FileKind::File => {
                self.chosen.set(Some(file.path.clone()));
                self.read_chosen();
            }
        }
    }

    fn read_chosen(self) {
        let Some(path) = self.chosen.get_untracked() else { return };
        self.store.ask_all(Command::ReadFile { path: path.clone() }, None, move |answer| {
            if self.chosen.get_untracked().as_ref() != Some(&path) {
                return;
            }
            match answer {
                Ok(value) => {
                    let content = match String::from_utf8(value.bytes.unwrap_or_default()) {
                        Ok(text) => Content::Text(text),
                        Err(error) => Content::Binary(error.into_bytes()),
                    };
                    if self.content.with_untracked(|old| old.as_ref() != Some(&content)) {
                        self.content.set(Some(content));
                    }
                }
                // Removed or renamed meanwhile.
                Err(_) => {
                    self.chosen.set(None);
                    self.content.set(None);
                }
            }
        });
    }

    fn add(self, files: Vec<PickedFile>) {
        for file in files {
            self.store.ask(Command::WriteFile { path: file.name }, Some(file.bytes), move |_| self.list());
        }
    }
}

fn tree(view: View) -> impl IntoView {
    let list = NodeRef::<html::Ul>::new();
    let on_key = move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            _ => return,
        };
        if let Some(list) = list.get_untracked()
            && dom::rove(&list, step)
        {
            event.prevent_default();
        }
    };
    let stop = Memo::new(move |_| {
        let first = view.entries.with(|entries| entries.first().map(|entry| entry.path.clone()));
        view.chosen.get().or(first)
    });
    view! {
        <ul
            class="tree scroll"
            role="tree"
            aria-label=view.store.text(|t| t.files)
            data-testid="files"
            node_ref=list
            on:keydown=on_key
        >
            <For
                each=move || view.entries.get()
                key=|entry| (entry.path.clone(), entry.kind == FileKind::File)
                children=move |entry| leaf(view, entry, stop)
            />
        </ul>
    }
}

fn leaf(view: View, entry: FileInfo, stop: Memo<Option<String>>) -> impl IntoView {
    let depth = entry.path.matches('/').count();
    let is_file = entry.kind == FileKind::File;
    let path = entry.path.clone();
    let (selected, open, written, focus) = (path.clone(), path.clone(), path.clone(), path.clone());
    let selected = move || is_file && view.chosen.with(|chosen| chosen.as_ref() == Some(&selected));
    let open = move || view.closed.with(|closed| !closed.contains(&open));
    let expanded = open.clone();
    let clicked = entry.clone();
    let pressed = entry.clone();
    view! {
        <li
            role="treeitem"
            attr:aria-level=(depth + 1).to_string()
            aria-selected=move || selected().to_string()
            aria-expanded=move || (!is_file).then(|| expanded().to_string())
            tabindex=move || if stop.with(|stop| stop.as_ref() == Some(&focus)) { "0" } else { "-1" }
            data-testid=is_file.then_some("file")
            data-path=path
            style:padding-inline-start=format!("{}px", 16 + 16 * depth)
            on:click=move |_| view.choose(&clicked)
            on:keydown=move |event: KeyboardEvent| {
                if matches!(event.key().as_str(), "Enter" | " ") {
                    event.prevent_default();
                    view.choose(&pressed);
                }
            }
        >
            {(!is_file).then_some(move || glyph(if open() { Glyph::Down } else { Glyph::Forward }))}
            {is_file.then(|| view! { <span class="twig"></span> })}
            {glyph(if is_file { Glyph::File } else { Glyph::Folder })}
            <span class="clip">{entry.name}</span>
            {is_file.then(|| view! {
                {move || {
                    let written = view.store.written.with(|paths| paths.contains(&written));
                    let (class, words) = if written {
                        ("st m", view.store.t().file_written.to_owned())
                    } else {
                        ("st", size(usize::try_from(entry.size).unwrap_or(usize::MAX)))
                    };
                    view! { <span class=class>{words}</span> }
                }}
            })}
        </li>
    }
}
