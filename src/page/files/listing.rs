//! Reading the tree again, and putting files into it.

use leptos::prelude::*;
use vitrine::platform::dom::{self, PickedFile};
use vitrine_protocol::added::is_archive;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{Imported, Problem};
use vitrine_protocol::numbers::numbered;
use vitrine_protocol::path_set::PathSet;
use vitrine_protocol::tree::{read_listing, starts_open};
use vitrine_protocol::visible::visible;

use crate::files::Files;
use crate::store::read;

/// Between two listings, in milliseconds: a run that writes file after file is not held up by them.
const REST_MS: u32 = 150;

impl Files {
    /// Reads the tree again; changes that come meanwhile are one more reading.
    pub(super) fn list(self) {
        if self.listing.get_value().is_some() {
            self.listing.set_value(Some(true));
            return;
        }
        self.listing.set_value(Some(false));
        self.store.ask_all(Command::ListTree {}, None, move |answer| {
            if let Ok(value) = answer {
                let entries = read_listing(&value.bytes.unwrap_or_default());
                if self.starts_open.get_untracked() && !starts_open(entries.len()) {
                    self.toggled.update(PathSet::clear);
                    self.starts_open.set(false);
                }
                if self.entries.with_untracked(|old| *old != entries) {
                    self.entries.set(entries);
                }
            }
            self.looked.update(|count| *count += 1);
            dom::after(REST_MS, move || {
                if self.listing.try_update_value(Option::take).flatten() == Some(true) {
                    self.list();
                }
            });
        });
    }

    pub(super) fn add(self, files: Vec<PickedFile>) {
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
        });
    }

    /// Adds a file under the first free name: what is there already stays.
    fn add_as(self, file: PickedFile, copy: u32) {
        let path = numbered(&file.name, copy);
        self.store.ask_all(Command::StatFile { path: path.clone() }, None, move |found| match found {
            Ok(_) => self.add_as(file, copy + 1),
            Err(_) => self.store.ask(Command::WriteFile { path }, Some(file.bytes), |_| {}),
        });
    }
}
