//! The tree: only the rows in view are in the document, whatever there is. The focus stays on the whole of it and a row is
//! marked as the active one, since the row itself may be scrolled out of the document.

use leptos::prelude::*;
use vitrine::platform::dom::{self, ScrollMetrics};
use vitrine::platform::node::Event;
use vitrine_protocol::marks::Mark;
use vitrine_protocol::numbers::size;
use vitrine_protocol::tree::{self, Entry, Move, Row, name_of, window};
use vitrine_protocol::visible::visible;

use crate::bars::yes_or_no;
use crate::files::acts::Act;
use crate::files::{Files, Mode, Naming, more};
use crate::glyphs::{Glyph, glyph};
use crate::view::{Element, ElementRef, View, choose, classed, effect, element, keyed, live};

/// Of a row, until one was measured.
pub(super) const ROW_PX: f64 = 26.0;

/// Draws the tree, and above it the field for a new name.
pub fn tree(files: Files) -> Element {
    let (list, spacer) = (ElementRef::new(), ElementRef::new());
    files.tree.set_value(Some(list));
    let seen = RwSignal::new(ScrollMetrics { client: 400.0, ..ScrollMetrics::default() });
    let measure = move || {
        let Some(list) = list.get() else { return };
        if let Some(row) = spacer.get().and_then(|spacer| spacer.first()) {
            let px = dom::scroll_metrics(&row).client;
            if px > 0.0 {
                files.row_px.set(px);
            }
        }
        seen.set(dom::scroll_metrics(&list));
    };
    let observer = StoredValue::new_local(None);
    effect(move || {
        let Some(list) = list.get() else { return };
        observer.set_value(dom::observe_size(&[&list], move |_| measure()));
    });
    let n_rows = Memo::new(move |_| files.rows.with(Vec::len));
    // A row is measured once there is one: for a finger it is higher.
    effect(move || {
        n_rows.track();
        measure();
    });
    let range = Memo::new(move |_| {
        let seen = seen.get();
        window(seen.top, seen.client, files.row_px.get(), n_rows.get())
    });
    let drawn = Memo::new(move |_| {
        let range = range.get();
        files.entries.with(|entries| {
            files.rows.with(|rows| {
                let rows = rows.get(range).unwrap_or_default().iter();
                rows.filter_map(|row| entries.get(row.entry).map(|entry| (*row, entry.clone()))).collect::<Vec<_>>()
            })
        })
    });
    // The active row comes into view when it is another, not when the reader scrolls away from it.
    effect(move || {
        let active = files.active.get();
        let Some(at) = files.row_of(active.as_deref()) else { return };
        if let Some(list) = list.get() {
            let (now, row) = (dom::scroll_metrics(&list), files.row_px.get_untracked());
            let top = at as f64 * row;
            if top < now.top {
                dom::scroll_to(&list, top);
            } else if top + row > now.top + now.client {
                dom::scroll_to(&list, top + row - now.client);
            }
        }
    });
    // Whole pixels: what writes fractions is not small.
    let px = move |rows: usize| format!("{}px", rows * files.row_px.get() as usize);
    let key = |(_, entry): &(Row, Entry)| format!("{}{}", if entry.is_folder { '/' } else { ' ' }, entry.path);
    let rows = element("ul")
        .attr("role", "presentation")
        .reached_by(spacer)
        .live_style("padding-top", move || px(range.get().start))
        .live_style("height", move || px(n_rows.get()))
        .child(keyed(move || drawn.get(), key, move |(_, entry)| leaf(files, entry, drawn)));
    let active_id = move || {
        let active = files.active.get();
        let shown = drawn.with(|drawn| {
            drawn.iter().find(|(_, entry)| Some(&entry.path) == active.as_ref()).map(|(row, _)| row.entry)
        });
        shown.map(|entry| format!("file-{entry}")).unwrap_or_default()
    };
    let list = classed("div", "tree scroll")
        .attr("role", "tree")
        .attr("tabindex", "0")
        .words("aria-label", files.store.text(|t| t.files))
        .test_id("files")
        .live_attr("aria-activedescendant", active_id)
        .reached_by(list)
        .on("scroll", move |_| measure())
        .on("keydown", move |event| on_key(files, event))
        .on("contextmenu", move |event| {
            // By key: the mouse says which row itself, before this hears of it.
            event.prevent_default();
            let active = files.active.get_untracked();
            files.menu.set(Some(active.unwrap_or_default()));
        })
        .child(rows);
    classed("div", "treebox").child(live(move || new_name(files))).child(list)
}

fn on_key(files: Files, event: &Event) {
    if event.composes() || event.control() || event.meta() || event.alt() {
        return;
    }
    let pressed = event.key();
    let active = files.active.get_untracked();
    let at = files.row_of(active.as_deref()).unwrap_or_default();
    let Some(entry) = files.entry_at(at) else { return };
    let is_open = untrack(|| files.is_open(&entry.path));
    match pressed.as_str() {
        "Enter" | " " => files.choose(&entry),
        "F2" => files.act(Act::Rename, &entry.path),
        "Delete" => files.act(Act::Remove, &entry.path),
        "ContextMenu" => files.menu.set(Some(entry.path)),
        "F10" if event.shift() => files.menu.set(Some(entry.path)),
        _ => {
            let moved = files.entries.with_untracked(|entries| {
                files.rows.with_untracked(|rows| tree::key(&pressed, entries, rows, at, is_open))
            });
            match moved {
                // Nothing was active yet: the first key shows where the focus is.
                Some(Move::To(_)) if active.is_none() => files.active.set(Some(entry.path)),
                Some(Move::To(row)) => files.active.set(files.entry_at(row).map(|entry| entry.path)),
                Some(Move::Open | Move::Close) => files.toggle(&entry.path),
                None => return,
            }
        }
    }
    event.prevent_default();
    event.stop_propagation();
}

fn leaf(files: Files, entry: Entry, drawn: Memo<Vec<(Row, Entry)>>) -> Element {
    let path = entry.path.clone();
    // Where it stands now, and how large it is: the row itself is drawn once.
    let now = Memo::new(move |_| {
        drawn.with(|drawn| {
            let found = drawn.iter().find(|(_, entry)| entry.path == path);
            found.map(|(row, entry)| (*row, entry.size))
        })
    });
    let number =
        move |read: fn(&Row) -> usize| move || now.get().map(|(row, _)| read(&row)).unwrap_or_default().to_string();
    let (clicked, asked) = (entry.clone(), entry.path.clone());
    let depth = entry.depth();
    let path = entry.path.clone();
    let item = element("li")
        .attr("role", "treeitem")
        .attr("aria-level", &(depth + 1).to_string())
        .live_attr("aria-posinset", number(|row| row.position))
        .live_attr("aria-setsize", number(|row| row.of))
        .live_attr("id", move || format!("file-{}", now.get().map(|(row, _)| row.entry).unwrap_or_default()))
        .attr("data-path", &entry.path)
        .live_class("active", move || files.active.with(|active| active.as_ref() == Some(&path)))
        .style("padding-inline-start", &format!("{}px", 16 + 16 * depth.min(20)))
        .on_click(move || files.choose(&clicked))
        .on("contextmenu", move |event| {
            event.prevent_default();
            event.stop_propagation();
            files.active.set(Some(asked.clone()));
            files.menu.set(Some(asked.clone()));
        });
    let path = entry.path.clone();
    let name = choose(
        move || files.naming.with(|naming| matches!(naming, Some(Naming::Rename(renamed)) if *renamed == path)),
        {
            let path = entry.path.clone();
            move |&renaming| {
                if renaming {
                    name_field(files, name_of(&path))
                } else {
                    classed("span", "clip").child(visible(name_of(&path)).as_ref())
                }
            }
        },
    );
    let more = more(files, entry.path.clone(), "file-menu").attr("tabindex", "-1");
    if entry.is_folder {
        let path = entry.path;
        let is_open = Memo::new(move |_| files.is_open(&path));
        let arrow = choose(move || is_open.get(), |&open| glyph(if open { Glyph::Down } else { Glyph::Forward }));
        return item
            .attr("aria-selected", "false")
            .live_attr("aria-expanded", move || yes_or_no(is_open.get()))
            .child(arrow)
            .child(glyph(Glyph::Folder))
            .child(name)
            .child(more);
    }
    let path = entry.path.clone();
    item.live_attr("aria-selected", move || yes_or_no(files.shown_path().as_ref() == Some(&path)))
        .test_id("file")
        .child(classed("span", "twig"))
        .child(glyph(Glyph::File))
        .child(name)
        .child(mark(files, entry.path, now))
        .child(more)
}

/// What became of a file, in a word; else its size.
fn mark(files: Files, path: String, now: Memo<Option<(Row, u64)>>) -> View {
    live(move || {
        let t = files.store.t();
        if files.unsaved.with(|unsaved| unsaved.contains(&path)) {
            return classed("span", "st u").child(t.unsaved);
        }
        match files.store.marks.with(|marks| marks.of(&path)) {
            Mark::Changed => classed("span", "st m").child(t.file_written),
            Mark::Read => classed("span", "st r").child(t.file_read),
            Mark::None => {
                let n_bytes = now.get().map(|(_, n_bytes)| n_bytes).unwrap_or_default();
                classed("span", "st").child(size(usize::try_from(n_bytes).unwrap_or(usize::MAX)))
            }
        }
    })
}

/// The field for the name of something new.
fn new_name(files: Files) -> Option<Element> {
    let (shape, folder, words) = files.naming.with(|naming| match naming {
        Some(Naming::File(folder)) => Some((Glyph::File, folder.clone(), files.store.text(|t| t.new_file))),
        Some(Naming::Folder(folder)) => Some((Glyph::Folder, folder.clone(), files.store.text(|t| t.new_folder))),
        Some(Naming::Rename(_)) | None => None,
    })?;
    let place = if folder.is_empty() { String::new() } else { format!("{}/", visible(&folder)) };
    let place = (!place.is_empty()).then(|| classed("span", "q clip").child(place));
    Some(
        classed("div", "newname")
            .words("title", words)
            .child(glyph(shape))
            .child(place)
            .child(name_field(files, "").words("placeholder", words)),
    )
}

/// A field for a name. Enter takes it, so does leaving; Escape does not.
fn name_field(files: Files, name: &str) -> Element {
    let field = ElementRef::new();
    let name = name.to_owned();
    effect(move || {
        if let Some(field) = field.get() {
            field.set_value(&name);
            dom::focus(&field);
            field.select();
        }
    });
    let done = move || files.named(&field.value());
    classed("input", "field name")
        .attr("spellcheck", "false")
        .attr("autocapitalize", "off")
        .words("aria-label", files.store.text(|t| t.name))
        .test_id("name")
        .reached_by(field)
        .on("click", Event::stop_propagation)
        .on("blur", move |_| done())
        .on("keydown", move |event| {
            event.stop_propagation();
            match event.key().as_str() {
                _ if event.composes() => {}
                "Enter" => {
                    done();
                    files.focus_tree();
                }
                "Escape" => {
                    files.naming.set(None);
                    files.focus_tree();
                }
                _ => {}
            }
        })
}

impl Files {
    /// Where a path stands among the rows; untracked.
    fn row_of(self, path: Option<&str>) -> Option<usize> {
        let path = path?;
        self.entries.with_untracked(|entries| {
            self.rows.with_untracked(|rows| {
                rows.iter().position(|row| entries.get(row.entry).is_some_and(|entry| entry.path == path))
            })
        })
    }

    fn entry_at(self, row: usize) -> Option<Entry> {
        let entry = self.rows.with_untracked(|rows| rows.get(row).map(|row| row.entry))?;
        self.entries.with_untracked(|entries| entries.get(entry).cloned())
    }

    fn choose(self, entry: &Entry) {
        if entry.is_folder {
            self.active.set(Some(entry.path.clone()));
            self.toggle(&entry.path);
        } else {
            self.show(entry.path.clone(), Mode::Read);
        }
    }

    /// The focus goes back to the tree, if it is on screen.
    pub(super) fn focus_tree(self) {
        if let Some(list) = self.tree.get_value().and_then(ElementRef::get) {
            dom::focus(&list);
        }
    }

    /// Where the menu of a row goes, in pixels: under it. `None` for the column's own.
    pub(super) fn menu_top(self, path: &str) -> Option<i32> {
        let at = self.row_of(Some(path).filter(|path| !path.is_empty()))?;
        let list = self.tree.get_value().and_then(ElementRef::get)?;
        let seen = dom::scroll_metrics(&list);
        let top = at as f64 * self.row_px.get_untracked() - seen.top;
        // A row that is out of view has its menu at the nearest end.
        Some((top + self.row_px.get_untracked()).clamp(0.0, seen.client) as i32)
    }
}
