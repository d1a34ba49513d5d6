//! The menu of a file, of a folder, of the column: what can be done there.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_preview::Shown;
use vitrine_protocol::tree::name_of;
use vitrine_protocol::visible::visible;

use crate::files::Files;
use crate::files::acts::Act;
use crate::text::Texts;
use crate::view::{Element, ElementRef, View, button, choose, classed, effect};

type Item = (Act, &'static str, fn(&'static Texts) -> &'static str);

const COLUMN: [Item; 6] = [
    (Act::NewFile, "new-file", |t| t.new_file),
    (Act::NewFolder, "new-folder", |t| t.new_folder),
    (Act::Add, "add-files", |t| t.add_files),
    (Act::DownloadAll, "download-all", |t| t.download_all),
    (Act::Keep, "keep-snapshot", |t| t.keep_snapshot),
    (Act::Reset, "reset", |t| t.reset),
];
const FOLDER: [Item; 4] = [
    (Act::NewFile, "new-file", |t| t.new_file),
    (Act::NewFolder, "new-folder", |t| t.new_folder),
    (Act::Rename, "rename", |t| t.rename),
    (Act::Remove, "remove", |t| t.remove),
];
const FILE: [Item; 6] = [
    (Act::Edit, "edit", |t| t.edit),
    (Act::Preview, "show-preview", |t| t.preview),
    (Act::Changes, "show-changes", |t| t.show_changes),
    (Act::Download, "download", |t| t.download),
    (Act::Rename, "rename", |t| t.rename),
    (Act::Remove, "remove", |t| t.remove),
];

/// Draws the open menu, if there is one.
pub fn menu(files: Files) -> View {
    choose(move || files.menu.get(), move |path| path.as_ref().map(|path| open(files, path)))
}

fn open(files: Files, path: &str) -> Element {
    let list = ElementRef::new();
    let is_folder =
        files.entries.with_untracked(|entries| entries.iter().any(|entry| entry.is_folder && entry.path == path));
    let items: &'static [Item] = match path {
        "" => &COLUMN,
        _ if is_folder => &FOLDER,
        _ => &FILE,
    };
    let close = move || {
        files.menu.set(None);
        files.focus_tree();
    };
    let on_key = move |event: &Event| {
        let step = match event.key().as_str() {
            "ArrowDown" => 1,
            "ArrowUp" => -1,
            "Escape" | "Tab" => {
                event.prevent_default();
                event.stop_propagation();
                return close();
            }
            _ => return,
        };
        event.prevent_default();
        if let Some(list) = list.get() {
            dom::rove(&list, step);
        }
    };
    let item = |&(act, id, words): &Item| {
        let path = path.to_owned();
        let has_none = act == Act::Preview && Shown::of(&path).is_none();
        (!has_none).then(|| {
            button("item").attr("role", "menuitem").test_id(id).child(files.store.text(words)).on(
                "click",
                move |event| {
                    // What is round the menu only closes it, and would take the focus from what opens now.
                    event.stop_propagation();
                    files.menu.set(None);
                    if !matches!(act, Act::NewFile | Act::NewFolder | Act::Rename) {
                        files.focus_tree();
                    }
                    files.act(act, &path);
                },
            )
        })
    };
    effect(move || {
        if let Some(list) = list.get() {
            dom::rove(&list, 1);
        }
    });
    let name = if path.is_empty() { files.store.t().files.to_owned() } else { visible(name_of(path)).into_owned() };
    let menu = classed("div", "menu")
        .attr("role", "menu")
        .attr("aria-label", &name)
        .test_id("menu")
        .reached_by(list)
        .on("keydown", on_key)
        .child(items.iter().map(item).collect::<Vec<_>>());
    let menu = match files.menu_top(path) {
        // Not below the end of the column, which cuts it off.
        Some(px) => menu.style("top", &format!("max(0px, min({px}px, 100% - 220px))")),
        None => menu,
    };
    classed("div", "menuback").on_click(close).child(menu)
}
