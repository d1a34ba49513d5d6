//! Brings lines of versions 1 and 2 up to version 3.
//!
//! Version 1 was a list without ids, whose compactions named the first kept line by its number; version 2 had one role
//! of another name.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::value::to_raw_value;

use crate::entry::Header;
use crate::entry::line::{Fields, parse_object, string};

/// The state of bringing up one file. Ids are made from line numbers, so the same file gets the same ones each time.
#[derive(Debug)]
pub(crate) struct Migration {
    linear: bool,
    /// The ids of all lines so far, the header's as `None`; compactions count them from 0.
    ids: Vec<Option<String>>,
    taken: HashSet<String>,
}

impl Migration {
    /// What a file of that version needs, `None` for nothing.
    pub(crate) fn from_version(version: u32) -> Option<Self> {
        let needed = version < 3;
        needed.then(|| Self { linear: version < 2, ids: vec![None], taken: HashSet::new() })
    }

    /// The line of version 3; `None` when this one is no object.
    pub(crate) fn line(&mut self, line: &str) -> Option<String> {
        let mut fields: Fields = parse_object(line)?;
        if self.linear {
            self.link(&mut fields);
        }
        rename_role(&mut fields);
        Some(text(&fields))
    }

    /// Gives the line an id and a parent, unless it has an id of its own, and its compaction an id to keep from.
    fn link(&mut self, fields: &mut Fields) {
        let own = string(fields.get("id").map(|raw| &**raw)).map(Cow::into_owned);
        let id = own.unwrap_or_else(|| {
            let mut number = self.ids.len();
            while self.taken.contains(&format!("{number:08x}")) {
                number += 1;
            }
            let id = format!("{number:08x}");
            let previous = self.ids.last().cloned().flatten();
            let mut linked = Fields::new();
            if let Some(kind) = fields.shift_remove("type") {
                linked.insert("type".to_owned(), kind);
            }
            set(&mut linked, "id", &id);
            set(&mut linked, "parentId", &previous);
            for (name, value) in std::mem::take(fields) {
                linked.entry(name).or_insert(value);
            }
            *fields = linked;
            id
        });
        self.taken.insert(id.clone());
        self.ids.push(Some(id));
        if let Some(index) = fields.shift_remove("firstKeptEntryIndex") {
            let kept = index.get().parse::<usize>().ok().and_then(|index| self.ids.get(index).cloned().flatten());
            if let Some(kept) = kept {
                set(fields, "firstKeptEntryId", &kept);
            }
        }
    }
}

impl Header {
    /// The same header in the current version, whatever else its line says.
    pub(crate) fn into_current(mut self) -> Self {
        if let Some(mut fields) = parse_object::<Fields>(&self.line) {
            set(&mut fields, "version", &crate::entry::VERSION);
            self.line = text(&fields).into();
            self.version = crate::entry::VERSION;
        }
        self
    }
}

/// The role `hookMessage` of version 2 is `custom` now.
fn rename_role(fields: &mut Fields) {
    let Some(mut message) = fields.get("message").and_then(|raw| parse_object::<Fields>(raw.get())) else {
        return;
    };
    if string(message.get("role").map(|raw| &**raw)).as_deref() == Some("hookMessage") {
        set(&mut message, "role", "custom");
        set(fields, "message", &message);
    }
}

fn set<T: Serialize + ?Sized>(fields: &mut Fields, name: &str, value: &T) {
    if let Ok(raw) = to_raw_value(value) {
        fields.insert(name.to_owned(), raw);
    }
}

fn text(fields: &Fields) -> String {
    serde_json::to_string(fields).unwrap_or_default()
}
