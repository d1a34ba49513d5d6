//! What can be done to files, by whatever the reader uses: a menu, a key, a button.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::command::Command;
use vitrine_protocol::tree::{folder_of, name_of, path_in};
use vitrine_protocol::visible::visible;

use crate::files::{Bar, Files, Mode, Naming, Shown, Tab};
use crate::view::{View, choose, classed, element};

/// One of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// A file in a folder.
    NewFile,
    /// A folder in a folder.
    NewFolder,
    /// Another name.
    Rename,
    /// Away with it; can be taken back.
    Remove,
    /// As a file to keep.
    Download,
    /// In the reader.
    Read,
    /// In the editor.
    Edit,
    /// As what it is.
    Preview,
    /// What was done to it.
    Changes,
    /// Files from outside.
    Add,
    /// Everything, as an archive.
    DownloadAll,
    /// A snapshot to go back to.
    Keep,
    /// Back to the start, after a question.
    Reset,
}

impl Files {
    /// Does it to what has this path.
    pub(super) fn act(self, act: Act, path: &str) {
        let path = path.to_owned();
        match act {
            Act::NewFile | Act::NewFolder => {
                self.tab.set(Tab::Tree);
                if !path.is_empty() && !self.is_open(&path) {
                    self.toggle(&path);
                }
                self.naming.set(Some(if act == Act::NewFile { Naming::File(path) } else { Naming::Folder(path) }));
            }
            Act::Rename => self.naming.set(Some(Naming::Rename(path))),
            Act::Remove => self.store.ask(Command::RemoveFile { path: path.clone() }, None, move |_| {
                self.bar.set(Some(Bar::Removed(path, self.store.last_change.get_untracked())));
            }),
            Act::Download => self.store.ask(Command::ReadFile { path: path.clone() }, None, move |value| {
                // A browser that offers no downloads says so itself.
                dom::download(name_of(&path), &value.bytes.unwrap_or_default(), "application/octet-stream");
            }),
            Act::Read => self.show(path, Mode::Read),
            Act::Edit => self.show(path, Mode::Edit),
            Act::Preview => self.show(path, Mode::Preview),
            Act::Changes => {
                self.changes_of.set(path);
                self.tab.set(Tab::Changes);
            }
            Act::Add => dom::pick_files("", move |picked| self.add(picked)),
            Act::DownloadAll => self.store.ask(Command::ExportZip {}, None, |value| {
                let _ = value.save("workspace.zip");
            }),
            Act::Keep => {
                self.tab.set(Tab::Changes);
                self.store
                    .ask(Command::Snapshot { name: None }, None, move |_| self.looked.update(|count| *count += 1));
            }
            Act::Reset => self.bar.set(Some(Bar::Restore("start".to_owned()))),
        }
    }

    /// Shows a file below.
    pub(super) fn show(self, path: String, mode: Mode) {
        self.active.set(Some(path.clone()));
        self.shown.set(Some(Shown::File(path, mode)));
    }

    /// Opens or closes a folder.
    pub(super) fn toggle(self, path: &str) {
        self.toggled.update(|toggled| {
            if !toggled.remove(path) {
                toggled.insert(path);
            }
        });
    }

    /// A name was typed: of what is in a folder, or elsewhere if it says so by a slash.
    pub(super) fn named(self, name: &str) {
        let Some(naming) = self.naming.try_update(Option::take).flatten() else { return };
        let name = name.trim();
        if name.is_empty() {
            return;
        }
        match naming {
            Naming::File(folder) => {
                let path = path_in(&folder, name);
                let written = path.clone();
                // What is there already is not overwritten by an empty file.
                self.store.ask_all(Command::StatFile { path: path.clone() }, None, move |found| match found {
                    Ok(_) => self.show(path, Mode::Read),
                    Err(_) => {
                        self.store
                            .ask(Command::WriteFile { path: written }, None, move |_| self.show(path, Mode::Edit));
                    }
                });
            }
            Naming::Folder(folder) => {
                let path = path_in(&folder, name);
                self.active.set(Some(path.clone()));
                self.store.send(Command::MakeFolder { path });
            }
            Naming::Rename(path) if name != name_of(&path) => {
                let to = path_in(folder_of(&path), name);
                self.store.ask(Command::RenameFile { path: path.clone(), to: to.clone() }, None, move |_| {
                    self.moved(&path, &to);
                });
            }
            Naming::Rename(_) => {}
        }
    }

    /// What is on show goes along with a new name.
    fn moved(self, path: &str, to: &str) {
        self.active.set(Some(to.to_owned()));
        let shown = self.shown.get_untracked();
        if let Some(Shown::File(at, mode)) = shown
            && at == path
        {
            // Of an edited text the draft is under the old name: the editor leaves it there when it closes.
            self.shown.set(None);
            let to = to.to_owned();
            dom::soon(move || {
                self.drafts.update_value(|drafts| {
                    if let Some((path, ..)) = drafts.iter_mut().find(|(path, ..)| *path == at) {
                        path.clone_from(&to);
                        self.unsaved.update(|unsaved| {
                            unsaved.remove(&at);
                            unsaved.insert(&to);
                        });
                    }
                });
                self.shown.set(Some(Shown::File(to, mode)));
            });
        }
    }

    /// Takes changes back.
    pub(super) fn undo(self, changes: Vec<u64>) {
        self.store.ask(Command::UndoChanges { changes }, None, move |_| self.store.say_now(self.store.t().undone));
    }
}

/// The bar at the foot: what was just done, with the way back; or a question.
pub fn bar(files: Files) -> View {
    let store = files.store;
    let close = move || files.bar.set(None);
    choose(
        move || files.bar.get(),
        move |bar| {
            let bar = bar.clone()?;
            let words = match &bar {
                Bar::Removed(path, _) => (store.t().removed)(&visible(path)),
                Bar::Restore(_) => store.t().restore_sure.to_owned(),
            };
            let is_question = matches!(bar, Bar::Restore(_));
            let (class, id, label) = if is_question {
                ("btn deny", "restore-sure", store.text(|t| t.restore))
            } else {
                ("btn", "undo-remove", store.text(|t| t.undo))
            };
            let yes = move || {
                files.bar.set(None);
                match &bar {
                    Bar::Removed(_, change) => files.undo(vec![*change]),
                    Bar::Restore(snapshot) => store.send(Command::Restore { snapshot: snapshot.clone() }),
                }
            };
            let acts = classed("div", "acts").child(files.word_button(class, id, label, yes)).child(files.word_button(
                "btn quiet",
                "bar-close",
                store.text(|t| t.dismiss),
                close,
            ));
            let role = if is_question { "alertdialog" } else { "status" };
            Some(
                classed("div", "filebar")
                    .attr("role", role)
                    .test_id("filebar")
                    .child(element("p").child(words))
                    .child(acts),
            )
        },
    )
}
