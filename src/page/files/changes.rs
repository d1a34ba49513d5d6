//! What has changed during this visit, by the turn that changed it, with the way back; and snapshots.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::change_list::{Group, groups};
use vitrine_protocol::changes::{ChangeKind, Changed, ChangedBy, SnapshotInfo};
use vitrine_protocol::command::Command;
use vitrine_protocol::visible::visible;

use crate::files::acts::Act;
use crate::files::diff::Difference;
use crate::files::pane::note;
use crate::files::{Bar, Files, Shown};
use crate::store::read;
use crate::text;
use crate::view::{Element, ElementRef, View, button, classed, effect, element, live, view, when};

/// Changes that are drawn.
const SHOWN: usize = 300;

/// Draws them.
pub fn changes(files: Files) -> Element {
    let store = files.store;
    let list = RwSignal::new(Vec::<Changed>::new());
    let snapshots = RwSignal::new(Vec::<SnapshotInfo>::new());
    effect(move || {
        files.looked.track();
        store.ask(Command::ListChanges {}, None, move |value| {
            if let Ok(read) = read(value.json.as_ref()) {
                list.try_set(read);
            }
        });
        store.ask(Command::ListSnapshots {}, None, move |value| {
            if let Ok(read) = read::<Vec<SnapshotInfo>>(value.json.as_ref())
                && snapshots.try_with_untracked(|old| *old != read) == Some(true)
            {
                snapshots.set(read);
            }
        });
    });
    let filter = when(
        move || files.changes_of.with(|path| !path.is_empty()),
        move || {
            let path = files.changes_of.get_untracked();
            classed("div", "diffhead")
                .child(classed("span", "clip").child(visible(&path).as_ref()))
                .child(classed("span", "sp"))
                .child(files.word_button("btn quiet small", "all-changes", store.text(|t| t.all_changes), move || {
                    files.changes_of.set(String::new());
                }))
        },
    );
    let groups = live(move || {
        let of = files.changes_of.get();
        let mut shown = list.get();
        shown.retain(|change| of.is_empty() || change.path == of || change.to.as_ref() == Some(&of));
        let cut = shown.len().saturating_sub(SHOWN);
        let shown = shown.split_off(cut);
        if shown.is_empty() {
            return note(store.text(|t| t.no_changes));
        }
        view(groups(shown).iter().map(|group| drawn(files, group)).collect::<Vec<_>>())
    });
    classed("div", "changes scroll").test_id("changes").child(filter).child(groups).child(kept(files, snapshots))
}

/// The changes of a turn.
fn drawn(files: Files, group: &Group) -> Element {
    let store = files.store;
    let who = match (group.turn, group.by) {
        (Some(turn), _) => (store.t().turn)(turn),
        (None, ChangedBy::User) => store.t().you.to_owned(),
        (None, ChangedBy::Import) => store.t().by_import.to_owned(),
        (None, ChangedBy::Tool) => store.t().by_tool.to_owned(),
        (None, ChangedBy::Shell) => store.t().by_shell.to_owned(),
        (None, ChangedBy::OtherTab) => store.t().by_other_tab.to_owned(),
    };
    let undoable = group.undoable();
    let several = group.turn.is_some() && undoable.len() > 1;
    let undo = several.then(|| {
        files.word_button("btn quiet small", "undo-turn", store.text(|t| t.undo_turn), move || {
            files.undo(undoable.clone());
        })
    });
    classed("section", "changegroup")
        .test_id("change-group")
        .child(classed("div", "diffhead").child(element("b").child(who)).child(classed("span", "sp")).child(undo))
        .child(group.changes.iter().map(|change| row(files, change)).collect::<Vec<_>>())
}

fn row(files: Files, change: &Changed) -> Element {
    let store = files.store;
    let t = store.t();
    let kind = match change.change {
        ChangeKind::Written => t.file_written,
        ChangeKind::Made => t.diff_added,
        ChangeKind::Removed => t.diff_removed,
        ChangeKind::Renamed => t.diff_renamed,
        ChangeKind::Restored => t.restored,
    };
    let path = if change.path.is_empty() { t.all_files.to_owned() } else { visible(&change.path).into_owned() };
    let name = match &change.to {
        Some(to) => format!("{path} → {}", visible(to)),
        None if change.paths > 1 => format!("{path} ({})", change.paths),
        None => path,
    };
    let id = change.id;
    let called = name.clone();
    let open = move || files.shown.set(Some(Shown::Difference(Difference::Change(id, called.clone()))));
    let what = button("changename").test_id("change").attr("title", &name).on_click(open);
    let what = what.child(element("span").child(kind)).child(classed("span", "clip").child(name.as_str()));
    let when = classed("span", "q num").child(dom::time_of_day(change.at_ms, text::tag(store.language.get())));
    let undo = change
        .can_undo
        .then(|| files.word_button("btn quiet small", "undo", store.text(|t| t.undo), move || files.undo(vec![id])));
    let undone = change.undone.then(|| classed("span", "q").child(t.undone));
    classed("div", "change")
        .live_class("gone", {
            let undone = change.undone;
            move || undone
        })
        .child(what)
        .child(when)
        .child(undone)
        .child(undo)
}

/// The snapshots: kept, compared, gone back to.
fn kept(files: Files, snapshots: RwSignal<Vec<SnapshotInfo>>) -> View {
    let store = files.store;
    let (from, to, name) = (ElementRef::new(), ElementRef::new(), ElementRef::new());
    let keep = move || {
        let typed = Some(name.value().trim().to_owned()).filter(|name| !name.is_empty());
        store.ask(Command::Snapshot { name: typed }, None, move |_| {
            if let Some(field) = name.get() {
                field.set_value("");
            }
            files.looked.update(|count| *count += 1);
        });
    };
    let compare = move || {
        let to = Some(to.value()).filter(|to| !to.is_empty());
        files.shown.set(Some(Shown::Difference(Difference::Snapshots(from.value(), to))));
    };
    let restore = move || files.bar.set(Some(Bar::Restore(from.value())));
    let choice = move |reference: ElementRef, id: &str, label, with_now: bool| {
        let now = with_now.then(|| element("option").attr("value", "").child(store.t().now_files));
        let options = snapshots.with(|snapshots| {
            let one = |snapshot: &SnapshotInfo| {
                let when = dom::local_time(snapshot.at_ms, text::tag(store.language.get()));
                let words = match (&snapshot.name, &*snapshot.id) {
                    (Some(name), _) => format!("{} · {when}", visible(name)),
                    (None, "start") => store.t().start_files.to_owned(),
                    (None, _) => when,
                };
                element("option").attr("value", &snapshot.id).child(words)
            };
            snapshots.iter().map(one).collect::<Vec<_>>()
        });
        let list = classed("select", "field").test_id(id).reached_by(reference).child(now).child(options);
        element("label").child(label).child(list)
    };
    let fields = live(move || {
        let from = choice(from, "snapshot-from", store.text(|t| t.snapshot), false);
        [from, choice(to, "snapshot-to", store.text(|t| t.compare_with), true)]
    });
    let acts = classed("div", "acts")
        .child(files.word_button("btn small", "compare-snapshots", store.text(|t| t.compare), compare))
        .child(files.word_button("btn small", "restore", store.text(|t| t.restore), restore))
        .child(files.word_button("btn quiet small", "reset-start", store.text(|t| t.reset), move || {
            files.act(Act::Reset, "");
        }));
    let field = classed("input", "field").words("placeholder", store.text(|t| t.snapshot_name));
    let field = field.words("aria-label", store.text(|t| t.snapshot_name)).test_id("snapshot-name").reached_by(name);
    let new = classed("div", "keep").child(field).child(files.word_button(
        "btn small",
        "keep",
        store.text(|t| t.keep_snapshot),
        keep,
    ));
    let head = classed("div", "diffhead").child(element("b").child(store.text(|t| t.snapshots)));
    view(classed("section", "snapshots form").test_id("snapshots").child(head).child(fields).child(acts).child(new))
}
