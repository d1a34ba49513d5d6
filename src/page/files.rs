//! The files column: the workspace as a tree, what has changed in it, and one file or difference below.

mod acts;
mod changes;
mod diff;
mod edit;
mod folder;
mod listing;
mod menu;
mod pane;
mod preview;
mod tree;
mod viewer;

pub use diff::lines as patch_lines;

use std::ops::Deref;

use leptos::prelude::*;
use vitrine_protocol::editing::Editing;
use vitrine_protocol::path_set::PathSet;
use vitrine_protocol::tree::{Entry, Row, rows};

use crate::bars::yes_or_no;
use crate::files::acts::{Act, bar};
use crate::files::diff::Difference;
pub use crate::files::folder::folder_sheet;
use crate::glyphs::{Glyph, glyph};
use crate::place::Width;
use crate::store::Store;
use crate::text::Words;
use crate::view::{Element, ElementRef, button, choose, classed, effect, element, when};

/// What the panel knows. A handle of one pointer, like the [`Store`].
#[derive(Clone, Copy)]
struct Files(&'static Signals);

impl Deref for Files {
    type Target = Signals;

    fn deref(&self) -> &Signals {
        self.0
    }
}

struct Signals {
    store: Store,
    /// Everything, in drawing order.
    entries: RwSignal<Vec<Entry>>,
    /// What of it is not in a closed folder.
    rows: Memo<Vec<Row>>,
    /// Folders start open; decided by how much there is, once.
    starts_open: RwSignal<bool>,
    /// Folders that are not as they start.
    toggled: RwSignal<PathSet>,
    /// The row that keys act on.
    active: RwSignal<Option<String>>,
    /// What is being given a name.
    naming: RwSignal<Option<Naming>>,
    /// What the open menu is about; the empty path is the whole column's.
    menu: RwSignal<Option<String>>,
    /// The upper half of the column.
    tab: RwSignal<Tab>,
    /// The lower half.
    shown: RwSignal<Option<Shown>>,
    /// The tree on screen, for the focus to go back to, and the height of a row in it.
    tree: StoredValue<Option<ElementRef>>,
    row_px: RwSignal<f64>,
    /// The file whose changes are listed; empty for all of them.
    changes_of: RwSignal<String>,
    /// Texts that were edited, not saved, and are not on screen.
    drafts: StoredValue<Vec<(String, Editing, String)>>,
    /// Files with an edited text that is not saved.
    unsaved: RwSignal<PathSet>,
    /// What the bar at the foot says.
    bar: RwSignal<Option<Bar>>,
    /// Counts listings that found something else; what shows a file looks at it again.
    looked: RwSignal<u64>,
    /// A listing goes on; when it ends and this is `Some(true)`, another follows.
    listing: StoredValue<Option<bool>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    Tree,
    Changes,
}

/// A name that is being typed.
#[derive(Clone, PartialEq, Eq)]
enum Naming {
    /// Of something new in a folder.
    File(String),
    Folder(String),
    /// Of what has this path.
    Rename(String),
}

/// What the lower half shows.
#[derive(Clone, PartialEq)]
enum Shown {
    File(String, Mode),
    Difference(Difference),
}

/// How a file is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Read,
    Edit,
    Preview,
}

/// What the bar at the foot of the column says or asks.
#[derive(Clone, PartialEq, Eq)]
enum Bar {
    /// Something was removed, by the change of this number.
    Removed(String, u64),
    /// Whether everything goes back to how it was at the snapshot.
    Restore(String),
}

/// Draws the inside of the column.
pub fn files(store: Store) -> [Element; 2] {
    let entries = RwSignal::new(Vec::new());
    let (starts_open, toggled) = (RwSignal::new(true), RwSignal::new(PathSet::default()));
    let files = Files(Box::leak(Box::new(Signals {
        store,
        entries,
        rows: Memo::new(move |_| {
            let start = starts_open.get();
            toggled
                .with(|toggled: &PathSet| entries.with(|entries| rows(entries, |path| start != toggled.contains(path))))
        }),
        starts_open,
        toggled,
        active: RwSignal::new(None),
        naming: RwSignal::new(None),
        menu: RwSignal::new(None),
        tab: RwSignal::new(Tab::Tree),
        shown: RwSignal::new(None),
        tree: StoredValue::new(None),
        row_px: RwSignal::new(tree::ROW_PX),
        changes_of: RwSignal::new(String::new()),
        drafts: StoredValue::new(Vec::new()),
        unsaved: RwSignal::new(PathSet::default()),
        bar: RwSignal::new(None),
        looked: RwSignal::new(0),
        listing: StoredValue::new(None),
    })));
    effect(move || {
        store.files_changed.track();
        if store.storage.with(Option::is_some) {
            files.list();
        }
    });
    let upper = choose(
        // The changes are not drawn anew, and what is typed there is not lost, because a first file comes.
        move || match files.tab.get() {
            Tab::Changes => None,
            Tab::Tree => Some(files.entries.with(Vec::is_empty) && files.naming.with(Option::is_none)),
        },
        move |tree_is_empty| match tree_is_empty {
            None => changes::changes(files),
            Some(true) => empty(files),
            Some(false) => tree::tree(files),
        },
    );
    let content =
        classed("div", "stack full").child(upper).child(pane::pane(files)).child(bar(files)).child(menu::menu(files));
    effect(move || {
        if store.dropped.with(|dropped| !dropped.is_empty()) {
            files.add(store.dropped.try_update(std::mem::take).unwrap_or_default());
        }
    });
    [head(files), content]
}

fn head(files: Files) -> Element {
    let store = files.store;
    let tab = move |tab: Tab, words: Words, id: &str| {
        element("button")
            .attr("type", "button")
            .attr("class", "tab")
            .test_id(id)
            .live_attr("aria-pressed", move || yes_or_no(files.tab.get() == tab))
            .on_click(move || {
                files.tab.set(tab);
                // There one thing has room at a time.
                if files.store.width.get_untracked() == Width::Phone {
                    files.shown.set(None);
                }
            })
            .child(words)
    };
    classed("div", "colhead")
        .child(element("h2").child(store.text(|t| t.files)))
        .child(tab(Tab::Tree, store.text(|t| t.tree), "tab-tree"))
        .child(tab(Tab::Changes, store.text(|t| t.changes), "tab-changes"))
        .child(classed("span", "sp"))
        .child(folder::folder_button(store))
        .child(more(files, String::new(), "files-menu"))
}

/// The button that opens a menu: for the mouse and for a finger; keys have their own.
fn more(files: Files, path: String, id: &str) -> Element {
    let words = files.store.text(|t| t.more);
    button("btn quiet square")
        .test_id(id)
        .words("aria-label", words)
        .words("title", words)
        .attr("aria-haspopup", "menu")
        .on("click", move |event| {
            event.stop_propagation();
            files.menu.set(Some(path.clone()));
        })
        .child(glyph(Glyph::More))
}

/// Nothing here yet.
fn empty(files: Files) -> Element {
    let store = files.store;
    let choices = element("div")
        .child(button("btn").on_click(move || files.act(Act::Add, "")).child(store.text(|t| t.choose_files)))
        .child(button("btn quiet").on_click(move || files.act(Act::NewFile, "")).child(store.text(|t| t.new_file)));
    classed("section", "empty")
        .test_id("files")
        .child(element("h3").child(store.text(|t| t.files)))
        .child(element("p").child(store.text(|t| t.files_empty)))
        .child(choices)
}

impl Files {
    /// Whether a folder is open; tracked.
    fn is_open(self, path: &str) -> bool {
        self.starts_open.get() != self.toggled.with(|toggled| toggled.contains(path))
    }

    /// The file on show; tracked.
    fn shown_path(self) -> Option<String> {
        self.shown.with(|shown| match shown {
            Some(Shown::File(path, _)) => Some(path.clone()),
            Some(Shown::Difference(_)) | None => None,
        })
    }

    /// A button of a word, the commonest.
    fn word_button(self, class: &str, id: &str, words: Words, act: impl Fn() + 'static) -> Element {
        button(class).test_id(id).on_click(act).child(words)
    }

    /// Whether the column may be as wide as two; where only one has room it is as wide as it gets.
    fn wider(self) -> crate::view::View {
        let store = self.store;
        when(
            move || store.width.get() == Width::Wide,
            move || {
                let words = store.text(|t| t.wider);
                button("btn quiet square small")
                    .test_id("wider")
                    .words("aria-label", words)
                    .words("title", words)
                    .live_attr("aria-pressed", move || yes_or_no(store.wide_files.get()))
                    .on_click(move || store.wide_files.update(|wide| *wide = !*wide))
                    .child(glyph(Glyph::Split))
            },
        )
    }
}
