//! What is different: between the two sides of a change, or between two snapshots.

use leptos::prelude::*;
use vitrine_protocol::changes::{FileDiff, FileDiffKind, Side};
use vitrine_protocol::command::Command;
use vitrine_protocol::numbers::size;
use vitrine_protocol::visible::visible;

use crate::bars::yes_or_no;
use crate::files::Files;
use crate::files::pane::{note, title};
use crate::part_link::{Opening, Part};
use crate::place::Width;
use crate::store::{Store, read};
use crate::text;
use crate::view::{Element, ElementRef, View, button, choose, classed, effect, element, live, nothing, view};

/// Lines of a patch that are drawn.
const LINES: usize = 2000;
/// Files of a difference that are drawn.
const FILES: usize = 200;

/// Which difference.
#[derive(Clone, PartialEq, Eq)]
pub enum Difference {
    /// Of a change, by its number; with what it is called.
    Change(u64, String),
    /// Of two snapshots, by their ids; now, where there is no second.
    Snapshots(String, Option<String>),
}

/// Draws it.
pub fn difference(files: Files, difference: &Difference) -> View {
    let store = files.store;
    let found = RwSignal::new(None::<Vec<FileDiff>>);
    let (command, name, change) = match difference {
        Difference::Change(change, name) => (Command::DiffChange { change: *change }, name.clone(), Some(*change)),
        Difference::Snapshots(from, to) => {
            (Command::DiffSnapshots { from: from.clone(), to: to.clone() }, store.t().difference.to_owned(), None)
        }
    };
    // Of now the difference follows; what has been stays.
    let follows = matches!(difference, Difference::Snapshots(_, None));
    effect(move || {
        if follows {
            files.looked.track();
        }
        store.ask(command.clone(), None, move |value| match read::<Vec<FileDiff>>(value.json.as_ref()) {
            Ok(diffs) => drop(found.try_set(Some(diffs))),
            Err(problem) => store.tell(problem),
        });
    });
    let body = live(move || {
        found.with(|found| match found {
            None => nothing(),
            Some(diffs) if diffs.is_empty() => note(store.text(|t| t.no_difference)),
            Some(diffs) => {
                let one = |diff: &FileDiff| file(files, diff, change, diffs.len() == 1);
                view(diffs.iter().take(FILES).map(one).collect::<Vec<_>>())
            }
        })
    });
    let undo = change.map(|change| {
        let undo =
            files.word_button("btn small", "undo-this", store.text(|t| t.undo), move || files.undo(vec![change]));
        classed("div", "filefoot").child(undo)
    });
    let body = classed("div", "payload scroll")
        .attr("tabindex", "0")
        .attr("role", "region")
        .attr("aria-label", &name)
        .test_id("diff")
        .child(body);
    view((title(files, &name), view((body, view(undo)))))
}

/// One file of it.
fn file(files: Files, diff: &FileDiff, change: Option<u64>, is_only: bool) -> Element {
    let store = files.store;
    let t = store.t();
    let name = match &diff.from {
        Some(from) => format!("{} → {}", visible(from), visible(&diff.path)),
        None => visible(&diff.path).into_owned(),
    };
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| size(usize::try_from(bytes).unwrap_or(usize::MAX)));
    let sizes = match (bytes(diff.bytes_before), bytes(diff.bytes_after)) {
        (Some(before), Some(after)) if before == after => after,
        (Some(before), Some(after)) => format!("{before} → {after}"),
        (before, after) => before.or(after).unwrap_or_default(),
    };
    let kind = match diff.change {
        FileDiffKind::Added => t.diff_added,
        FileDiffKind::Removed => t.diff_removed,
        FileDiffKind::Changed => t.diff_changed,
        FileDiffKind::Renamed => t.diff_renamed,
    };
    let whole = RwSignal::new(false);
    let comparable = change.filter(|_| diff.patch.is_some());
    let toggle = comparable.map(|_| {
        let words = store.text(|t| t.whole_file);
        button("btn quiet small")
            .test_id("whole-file")
            .live_attr("aria-pressed", move || yes_or_no(whole.get()))
            .on_click(move || whole.update(|whole| *whole = !*whole))
            .child(words)
    });
    let head = classed("div", "diffhead")
        .child(element("b").child(kind))
        // Of one file the name is above.
        .child(
            (!is_only || change.is_none()).then(|| classed("span", "clip").attr("title", &name).child(name.as_str())),
        )
        .child(classed("span", "q num").child(sizes))
        .child(classed("span", "sp"))
        .child(toggle);
    let patch = diff.patch.clone();
    let why = if diff.too_large { store.text(|t| t.diff_too_large) } else { store.text(|t| t.diff_binary) };
    let unsaid = diff.too_large || diff.binary;
    let path = diff.path.clone();
    let is_wide = move || store.width.get() == Width::Wide && store.wide_files.get();
    let body = choose(
        move || (whole.get(), is_wide()),
        move |&(is_whole, is_wide)| match (&patch, comparable) {
            (_, Some(change)) if is_whole => {
                view(sides(files, change, path.clone(), whole, if is_wide { "sides" } else { "diff" }))
            }
            (Some(patch), _) => view(lines(store, patch)),
            (None, _) if unsaid => note(why),
            (None, _) => nothing(),
        },
    );
    classed("section", "filediff").test_id("file-diff").attr("data-path", &diff.path).child(head).child(body)
}

/// A patch, line by line; each says by its sign what it is.
pub fn lines(store: Store, patch: &str) -> Element {
    // What names the two files is in the head already.
    let shown = patch.lines().skip_while(|line| !line.starts_with("@@"));
    let line = |line: &str| {
        let class = match line.as_bytes().first() {
            Some(b'+') => "dl add",
            Some(b'-') => "dl del",
            Some(b'@') => "dl at",
            Some(_) | None => "dl",
        };
        classed("div", class).child(line)
    };
    let mut shown = shown.peekable();
    let drawn = shown.by_ref().take(LINES).map(line).collect::<Vec<_>>();
    let more = shown.peek().map(|_| classed("div", "dl at").child(store.t().diff_cut));
    classed("div", "patch").child(drawn).child(more)
}

/// Both sides of a change in the editor, one beside the other where there is room. Without the editor the patch stays.
fn sides(files: Files, change: u64, path: String, whole: RwSignal<bool>, kind: &'static str) -> Element {
    let store = files.store;
    let place = ElementRef::new();
    let part = StoredValue::new_local(None);
    effect(move || {
        if place.get().is_none() {
            return;
        }
        let path = path.clone();
        let version = |side| Command::ReadVersion { change, side, path: Some(path.clone()) };
        let after = version(Side::After);
        let text = |bytes: Option<Vec<u8>>| String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        let name = path.clone();
        store.ask_all(version(Side::Before), None, move |before| {
            // A file that is new has nothing before, one that is gone nothing after.
            let before = text(before.ok().and_then(|value| value.bytes));
            store.ask_all(after, None, move |after| {
                let Some(place) = place.get() else { return };
                let opening = Opening {
                    file: "editor.js",
                    kind,
                    place,
                    name,
                    before,
                    text: text(after.ok().and_then(|value| value.bytes)),
                    lang: text::tag(store.language.get_untracked()),
                };
                Part::open(
                    opening,
                    |_| {},
                    move |arrived| {
                        if arrived.is_none() {
                            whole.try_set(false);
                        }
                        part.try_set_value(arrived);
                    },
                );
            });
        });
    });
    classed("div", "editbox compared").test_id("whole-diff").reached_by(place)
}
