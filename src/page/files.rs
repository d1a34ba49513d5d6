//! The files column: the workspace as a tree, and one file to read.

mod viewer;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::dom::PickedFile;
use vitrine::platform::node::Event;
use vitrine_protocol::added::is_archive;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{FileInfo, FileKind, Imported, Problem};
use vitrine_protocol::numbers::{numbered, size};
use vitrine_protocol::visible::visible;

use crate::bars::yes_or_no;
use crate::files::viewer::viewer;
use crate::glyphs::{Glyph, glyph};
use crate::place::{Panel, Width};
use crate::store::{Store, read};
use crate::view::{Element, ElementRef, button, choose, classed, effect, element, keyed, live, when};

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
pub fn files(store: Store) -> Element {
    let files = View {
        store,
        entries: RwSignal::new(Vec::new()),
        closed: RwSignal::new(Vec::new()),
        chosen: RwSignal::new(None),
        content: RwSignal::new(None),
        listing: StoredValue::new(None),
    };
    effect(move || {
        store.files_changed.track();
        if store.storage.with(Option::is_some) {
            files.list();
            files.read_chosen();
        }
    });
    let in_front = move || match store.width.get() {
        Width::Phone => store.panel.get() == Panel::Files,
        Width::Middle => store.beside.get() == Panel::Files,
        Width::Wide => true,
    };
    let is_empty = move || files.entries.with(Vec::is_empty);
    let pick = move || dom::pick_files("", move |picked| files.add(picked));
    let empty = move || {
        classed("section", "empty")
            .test_id("files")
            .child(element("h3").child(store.text(|t| t.files)))
            .child(element("p").child(store.text(|t| t.files_empty)))
            .child(element("div").child(button("btn").on_click(pick).child(store.text(|t| t.choose_files))))
    };
    let add = move || button("btn quiet").on_click(pick).child(store.text(|t| t.add_files));
    let save = move || {
        let words = store.text(|t| t.download_all);
        button("btn quiet").test_id("download-all").on_click(move || files.download_all()).child(words)
    };
    let head = classed("div", "colhead")
        .child(element("h2").child(store.text(|t| t.files)))
        .child(classed("span", "sp"))
        .child(when(move || !is_empty(), save))
        .child(when(move || !is_empty(), add));
    let content = classed("div", "stack full")
        .child(choose(is_empty, move |&is_empty| if is_empty { empty() } else { tree(files) }))
        .child(viewer(files));
    let column = classed("aside", "col side files")
        .words("aria-label", store.text(|t| t.files))
        .live_flag("hidden", move || !in_front());
    takes_drops(column, files).child(head).child(content)
}

/// Files dropped on the column are added.
fn takes_drops(column: Element, files: View) -> Element {
    let dropping = RwSignal::new(false);
    column
        .live_class("dropping", move || dropping.get())
        .on("dragover", move |event| {
            event.prevent_default();
            dropping.set(true);
        })
        .on("dragleave", move |_| dropping.set(false))
        .on("drop", move |event| {
            event.prevent_default();
            dropping.set(false);
            dom::dropped_files(event, move |dropped| files.add(dropped));
        })
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
            let children: Vec<FileInfo> =
                answer.ok().and_then(|value| read(value.json.as_ref()).ok()).unwrap_or_default();
            let (mut children, files): (Vec<_>, Vec<_>) =
                children.into_iter().partition(|child| child.kind == FileKind::Folder);
            let closed = |path: &String| self.closed.with_untracked(|closed| closed.contains(path));
            let open = children.iter().map(|folder| folder.path.clone()).filter(|path| !closed(path));
            waiting.extend(open.rev());
            children.extend(files);
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
            if is_archive(&file.name, &file.bytes) {
                self.unpack(file);
            } else {
                self.add_as(file, 1);
            }
        }
    }

    fn unpack(self, archive: PickedFile) {
        self.store.ask(Command::ImportZip {}, Some(archive.bytes), move |value| {
            if let Ok(imported) = read::<Imported>(value.json.as_ref())
                && let Some(first) = imported.missed().next()
            {
                let t = self.store.t();
                let words = (t.left_out_of_archive)(imported.missed().count() as u64, &visible(&first.path));
                self.store.tell(Problem::new("archive-left-out", words, t.rest_is_there));
            }
            self.list();
        });
    }

    fn download_all(self) {
        let name = "workspace.zip";
        self.store.ask(Command::ExportZip {}, None, move |value| {
            // A browser that offers no downloads says so itself.
            let _ = value.save(name);
        });
    }

    /// Adds a file under the first free name: what is there already stays.
    fn add_as(self, file: PickedFile, copy: u32) {
        let path = numbered(&file.name, copy);
        self.store.ask_all(Command::StatFile { path: path.clone() }, None, move |found| match found {
            Ok(_) => self.add_as(file, copy + 1),
            Err(_) => self.store.ask(Command::WriteFile { path }, Some(file.bytes), move |_| self.list()),
        });
    }
}

fn tree(files: View) -> Element {
    let list = ElementRef::new();
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
    let stop = Memo::new(move |_| {
        let first = files.entries.with(|entries| entries.first().map(|entry| entry.path.clone()));
        files.chosen.get().or(first)
    });
    let key = |entry: &FileInfo| format!("{}{}", if entry.kind == FileKind::File { ' ' } else { '/' }, entry.path);
    classed("ul", "tree scroll")
        .attr("role", "tree")
        .words("aria-label", files.store.text(|t| t.files))
        .test_id("files")
        .reached_by(list)
        .on("keydown", on_key)
        .child(keyed(move || files.entries.get(), key, move |entry| leaf(files, &entry, stop)))
}

fn leaf(files: View, entry: &FileInfo, stop: Memo<Option<String>>) -> Element {
    let depth = entry.path.matches('/').count();
    let path = entry.path.clone();
    let tabindex = move || if stop.with(|stop| stop.as_ref() == Some(&path)) { "0" } else { "-1" };
    let (clicked, pressed) = (entry.clone(), entry.clone());
    let item = element("li")
        .attr("role", "treeitem")
        .attr("aria-level", &(depth + 1).to_string())
        .live_attr("tabindex", tabindex)
        .attr("data-path", &entry.path)
        .style("padding-inline-start", &format!("{}px", 16 + 16 * depth))
        .on_click(move || files.choose(&clicked))
        .on("keydown", move |event| {
            if matches!(event.key().as_str(), "Enter" | " ") {
                event.prevent_default();
                files.choose(&pressed);
            }
        });
    match entry.kind {
        FileKind::File => file_leaf(files, item, entry),
        FileKind::Folder => folder_leaf(files, item, entry),
    }
}

fn file_leaf(files: View, item: Element, entry: &FileInfo) -> Element {
    let (path, n_bytes) = (entry.path.clone(), usize::try_from(entry.size).unwrap_or(usize::MAX));
    let note = move || {
        if files.store.written.with(|paths| paths.contains(&path)) {
            classed("span", "st m").child(files.store.t().file_written)
        } else {
            classed("span", "st").child(size(n_bytes))
        }
    };
    let path = entry.path.clone();
    item.live_attr("aria-selected", move || yes_or_no(files.chosen.with(|chosen| chosen.as_ref() == Some(&path))))
        .test_id("file")
        .child(classed("span", "twig"))
        .child(glyph(Glyph::File))
        .child(classed("span", "clip").child(visible(&entry.name).as_ref()))
        .child(live(note))
}

fn folder_leaf(files: View, item: Element, entry: &FileInfo) -> Element {
    let path = entry.path.clone();
    let open = Memo::new(move |_| files.closed.with(|closed| !closed.contains(&path)));
    let arrow = choose(move || open.get(), |&open| glyph(if open { Glyph::Down } else { Glyph::Forward }));
    item.attr("aria-selected", "false")
        .live_attr("aria-expanded", move || yes_or_no(open.get()))
        .child(arrow)
        .child(glyph(Glyph::Folder))
        .child(classed("span", "clip").child(visible(&entry.name).as_ref()))
}
