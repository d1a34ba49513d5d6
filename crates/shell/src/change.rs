//! [`Change`]: something that happened to a file, on either side, and how many of them cross as one message.

use serde::{Deserialize, Serialize};

/// A change to the files. Paths are relative to the root of the workspace and have no `.`, `..` or empty names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file has these contents; it and its folders may be new.
    Write {
        /// The file.
        path: String,
        /// All that is in it.
        bytes: Vec<u8>,
    },
    /// A file, which may be new, has this at its end.
    Append {
        /// The file.
        path: String,
        /// What was added.
        bytes: Vec<u8>,
    },
    /// A folder is there, with those above it.
    Folder {
        /// The folder.
        path: String,
    },
    /// A file, or a folder with all in it, is gone. The empty path is everything.
    Remove {
        /// What is gone.
        path: String,
    },
    /// A file or folder has another path; what was there is gone.
    Rename {
        /// The old path.
        from: String,
        /// The new path.
        to: String,
    },
}

/// Changes as they cross: what happened as data, and the bytes of all files, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// What happened, in order.
    pub(crate) wires: Vec<Wire>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The bytes beside a message are not those that it speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message of changes has other bytes beside it than it says")]
pub struct ChangeError;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "change")]
pub(crate) enum Wire {
    Write { path: String, length: usize },
    Append { path: String, length: usize },
    Folder { path: String },
    Remove { path: String },
    Rename { from: String, to: String },
}

impl Packed {
    /// Adds one.
    pub fn push(&mut self, change: Change) {
        let wire = match change {
            Change::Write { path, bytes } => Wire::Write { path, length: self.take(&bytes) },
            Change::Append { path, bytes } => Wire::Append { path, length: self.take(&bytes) },
            Change::Folder { path } => Wire::Folder { path },
            Change::Remove { path } => Wire::Remove { path },
            Change::Rename { from, to } => Wire::Rename { from, to },
        };
        self.wires.push(wire);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.wires.is_empty()
    }

    /// The changes again.
    pub fn unpack(self) -> Result<Vec<Change>, ChangeError> {
        let mut rest = self.bytes.as_slice();
        let mut take = |length: usize| {
            let (bytes, after) = rest.split_at_checked(length).ok_or(ChangeError)?;
            rest = after;
            Ok(bytes.to_vec())
        };
        let changes = self.wires.into_iter().map(|wire| {
            Ok(match wire {
                Wire::Write { path, length } => Change::Write { path, bytes: take(length)? },
                Wire::Append { path, length } => Change::Append { path, bytes: take(length)? },
                Wire::Folder { path } => Change::Folder { path },
                Wire::Remove { path } => Change::Remove { path },
                Wire::Rename { from, to } => Change::Rename { from, to },
            })
        });
        let changes = changes.collect::<Result<_, _>>()?;
        if rest.is_empty() { Ok(changes) } else { Err(ChangeError) }
    }

    fn take(&mut self, bytes: &[u8]) -> usize {
        self.bytes.extend_from_slice(bytes);
        bytes.len()
    }
}

impl FromIterator<Change> for Packed {
    fn from_iter<I: IntoIterator<Item = Change>>(changes: I) -> Self {
        let mut packed = Self::default();
        changes.into_iter().for_each(|change| packed.push(change));
        packed
    }
}
