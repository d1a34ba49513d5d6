//! A folder of the reader's own: the button in the head of the files, and the sheet that shows what would be done before it is.

use std::collections::BTreeMap;

use leptos::prelude::*;
use vitrine::platform::picker::{self, OnReturn};
use vitrine_protocol::command::Command;
use vitrine_protocol::folder::{FolderChoice, FolderItem, FolderPlan, FolderSide, FolderWay};
use vitrine_protocol::notification::Problem;
use vitrine_protocol::visible::visible;

use crate::page_port::ReplyValue;
use crate::place::Sheet;
use crate::store::{Store, read};
use crate::view::{Element, ElementRef, View, button, choose, classed, element, live_text, view};

/// How many files of a kind are named; all are counted.
const NAMED: usize = 200;

/// Opens a folder, or what differs from the one that is open. `None` where folders cannot be picked.
pub fn folder_button(store: Store) -> Option<Element> {
    if !picker::can_pick() {
        return None;
    }
    // What changed outside is noticed when the reader comes back from there.
    let on_return = OnReturn::new(move || {
        if store.folder.with_untracked(Option::is_some) {
            store.ask_all(Command::FolderPlan {}, None, move |answer| {
                // It is being compared already, or is gone with its worker: the reader has not asked.
                if let Ok(value) = answer {
                    take(store, &value);
                }
            });
        }
    });
    let _ = StoredValue::new_local(on_return);
    let words = move || {
        store.folder.with(|plan| match plan {
            None => store.t().open_folder.to_owned(),
            Some(plan) => (store.t().folder_differs)(&visible(&plan.name), plan.items.len()),
        })
    };
    let click = move || {
        if store.folder.with_untracked(Option::is_none) {
            return pick(store);
        }
        store.sheet.set(Some(Sheet::Folder));
        store.ask(Command::FolderPlan {}, None, move |value| take(store, &value));
    };
    Some(button("btn quiet").test_id("folder").on_click(click).child(live_text(words)))
}

fn pick(store: Store) {
    picker::pick(move |folder| {
        store.open_folder(folder, move |answer| match answer {
            Ok(value) => {
                take(store, &value);
                // What only the folder had is here now. What is left wants a look.
                if store.folder.with_untracked(|plan| plan.as_ref().is_some_and(|plan| !plan.items.is_empty())) {
                    store.sheet.set(Some(Sheet::Folder));
                }
            }
            Err(problem) => store.tell(problem),
        });
    });
}

fn take(store: Store, value: &ReplyValue) {
    match read::<FolderPlan>(value.json.as_ref()) {
        Ok(plan) => store.folder.set(Some(plan)),
        Err(problem) => store.tell(problem),
    }
}

/// What is chosen in the sheet.
#[derive(Clone, Copy)]
struct Chosen {
    remove: RwSignal<bool>,
    conflicts: RwSignal<BTreeMap<String, FolderChoice>>,
}

/// What differs, and what may be done about it.
pub fn folder_sheet(store: Store) -> [Element; 2] {
    let chosen = Chosen { remove: RwSignal::new(false), conflicts: RwSignal::new(BTreeMap::new()) };
    let draw = move |(_, plan): &(_, Option<FolderPlan>)| plan.as_ref().map(|plan| differences(store, plan, chosen));
    let content = classed("div", "scroll").test_id("folder-plan").attr("tabindex", "0");
    let content = content.child(choose(move || (store.language.get(), store.folder.get()), draw));
    let act = move |words, id: &str, class: &str, save: bool| {
        button(class).test_id(id).on_click(move || sync(store, chosen, save)).child(store.text(words))
    };
    let foot = classed("div", "foot")
        .child(act(|t| t.folder_save, "folder-save", "btn primary", true))
        .child(act(|t| t.folder_read, "folder-read", "btn", false))
        .child(classed("span", "sp"))
        .child(button("btn quiet").on_click(move || pick(store)).child(store.text(|t| t.folder_other)));
    [content, foot]
}

/// Saves to the folder, or reads from it; of conflicts, what was decided.
fn sync(store: Store, chosen: Chosen, save: bool) {
    let command = Command::SyncFolder {
        save,
        remove: save && chosen.remove.get_untracked(),
        read: !save,
        conflicts: chosen.conflicts.get_untracked(),
    };
    store.ask_all(command, None, move |answer: Result<ReplyValue, Problem>| match answer {
        Ok(value) => {
            chosen.conflicts.set(BTreeMap::new());
            take(store, &value);
        }
        Err(problem) => store.tell(problem),
    });
}

fn differences(store: Store, plan: &FolderPlan, chosen: Chosen) -> Vec<View> {
    let t = store.t();
    let mut parts = Vec::new();
    let done = &plan.done;
    if done.written + done.removed + done.read > 0 || !done.held.is_empty() {
        let words = (t.folder_done)(done.written, done.removed, done.read);
        parts.push(view(classed("p", "lede").attr("role", "status").test_id("folder-done").child(words)));
        let held = done.held.iter().take(NAMED).map(|held| row(&held.path, &held.reason));
        parts.push(view(held.collect::<Vec<_>>()));
    }
    if plan.items.is_empty() {
        parts.push(view(classed("p", "lede").child(t.folder_same)));
    }
    let head = |title: &'static str| element("h3").child(title);
    for (way, title) in [(FolderWay::Out, t.folder_out), (FolderWay::In, t.folder_in)] {
        let counts = plan.counts(way);
        if counts == [0; 3] {
            continue;
        }
        let items = plan.items.iter().filter(|item| item.way == way).take(NAMED);
        let words = |item: &FolderItem| side(store, if way == FolderWay::In { item.there } else { item.here });
        parts.push(view(head(title)));
        parts.push(view(classed("p", "q").child((t.folder_counts)(counts))));
        parts.push(view(items.map(|item| row(&item.path, words(item))).collect::<Vec<_>>()));
        if way == FolderWay::Out && counts[2] > 0 {
            let remove = chosen.remove;
            let tick = element("input").attr("type", "checkbox").test_id("folder-remove");
            let tick =
                tick.flag("checked", remove.get_untracked()).on("change", move |_| remove.update(|on| *on = !*on));
            parts.push(view(element("label").child(tick).child(" ").child(t.folder_remove)));
        }
    }
    if plan.conflicts().next().is_some() {
        parts.push(view(head(t.folder_conflicts)));
        parts.push(view(plan.conflicts().take(NAMED).map(|item| conflict(store, item, chosen)).collect::<Vec<_>>()));
    }
    if !plan.skipped.is_empty() {
        parts.push(view(classed("p", "q").child((t.folder_left)(plan.skipped.len()))));
    }
    parts
}

fn row(path: &str, words: &str) -> Element {
    let name = classed("span", "clip sessionname").child(visible(path).as_ref());
    classed("div", "optrow")
        .test_id("folder-row")
        .attr("data-path", path)
        .child(name)
        .child(classed("span", "q").child(words))
}

/// A file that both have changed: skipped, until the reader says whose it is to be.
fn conflict(store: Store, item: &FolderItem, chosen: Chosen) -> Element {
    let t = store.t();
    let field = ElementRef::new();
    let path = item.path.clone();
    let change = move |_: &_| {
        chosen.conflicts.update(|conflicts| {
            match field.value().as_str() {
                "mine" => drop(conflicts.insert(path.clone(), FolderChoice::Mine)),
                "theirs" => drop(conflicts.insert(path.clone(), FolderChoice::Theirs)),
                _ => drop(conflicts.remove(&path)),
            };
        });
    };
    let option = |value: &str, words: &'static str| element("option").attr("value", value).child(words);
    let select = classed("select", "field")
        .reached_by(field)
        .test_id("folder-choice")
        .attr("aria-label", &(t.folder_whose)(&visible(&item.path)))
        .on("change", change)
        .child(option("", t.folder_skip))
        .child(option("mine", t.folder_mine))
        .child(option("theirs", t.folder_theirs));
    let words = (t.folder_both)(side(store, item.here), side(store, item.there));
    row(&item.path, &words).child(select)
}

fn side(store: Store, side: FolderSide) -> &'static str {
    let [same, added, changed, removed] = store.t().folder_sides;
    match side {
        FolderSide::Same => same,
        FolderSide::Added => added,
        FolderSide::Changed => changed,
        FolderSide::Removed => removed,
    }
}
