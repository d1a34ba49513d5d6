//! What is known of the two sides: of the workspace, of the folder, and of the moment when both were last the same.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

/// The fingerprint of a file's contents: SHA-256. Contents with the same one are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Print([u8; 32]);

impl Print {
    /// Of contents.
    pub fn of(contents: &[u8]) -> Self {
        Self(Sha256::digest(contents).into())
    }
}

/// What a folder says of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its size.
    pub bytes: u64,
    /// When it was changed, in milliseconds since 1970.
    pub modified_ms: u64,
}

/// A file of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Here {
    /// Of its contents.
    pub print: Print,
}

/// A file of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct There {
    /// How it looked when it was read.
    pub seen: Seen,
    /// Of its contents.
    pub print: Print,
}

/// The files that were last in step, by path. It begins empty: then nobody knows who changed what, and files that differ are
/// conflicts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base {
    files: BTreeMap<String, There>,
}

impl Base {
    /// What was in step at a path.
    pub fn get(&self, path: &str) -> Option<&There> {
        self.files.get(path)
    }

    /// The print of a file that still looks as it did when it was last in step: it need not be read again. As with `make`, a
    /// change that leaves size and time alone goes unseen.
    pub fn unread(&self, path: &str, seen: Seen) -> Option<Print> {
        self.files.get(path).filter(|known| known.seen == seen).map(|known| known.print)
    }

    /// Both sides have this at a path now, or both have nothing.
    pub fn settle(&mut self, path: &str, both: Option<There>) {
        match both {
            Some(file) => drop(self.files.insert(path.to_owned(), file)),
            None => drop(self.files.remove(path)),
        }
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }
}
