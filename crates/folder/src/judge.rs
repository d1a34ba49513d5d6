//! What of a folder counts. A folder is chosen by the reader and filled by anybody: it may be their whole disk.

use std::fmt;

/// Folders that are made and not written, and what systems leave behind: left out unless they are asked for.
const IGNORED: [&str; 5] = [".git", "node_modules", ".DS_Store", "Thumbs.db", "desktop.ini"];

/// The longest name, in bytes.
const NAME_BYTES: usize = 255;
/// The longest path, in bytes.
const PATH_BYTES: usize = 4096;
/// How deep it goes, in names.
const DEPTH: usize = 100;

/// Whether a path is, or lies in, what is left out unless it is asked for.
pub fn is_ignored(path: &str) -> bool {
    path.split('/').any(|name| IGNORED.contains(&name))
}

/// What a folder may come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files and folders.
    pub entries: u64,
    /// The bytes of one file; a larger one is left out.
    pub file_bytes: u64,
    /// The bytes of all files.
    pub total_bytes: u64,
}

/// Why a folder is not taken at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// More files and folders than this.
    Entries(u64),
    /// More bytes than this.
    TotalSize(u64),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries(limit) => write!(f, "the folder has more than {limit} files and folders"),
            Self::TotalSize(limit) => write!(f, "the folder's files have more than {limit} bytes together"),
        }
    }
}

/// Something that is left out, on both sides: nothing is done to it or below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its path.
    pub path: String,
    /// Why.
    pub why: Why,
}

/// Why it is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Made, not written: `.git`, `node_modules`, …
    Ignored,
    /// Larger than a file of the workspace may be.
    TooLarge,
    /// Its name or its path cannot be one of the workspace.
    Name,
}

impl Why {
    /// A name for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::TooLarge => "too-large",
            Self::Name => "name",
        }
    }

    /// In words: a sentence's end.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Ignored => "such files are left alone unless they are asked for",
            Self::TooLarge => "it is larger than a file of the workspace may be",
            Self::Name => "its name, or where it lies, is too long or not plain text",
        }
    }
}

/// Judges a folder, entry by entry, while it is walked. What is refused stays refused.
#[derive(Debug)]
pub struct Judge {
    limits: Limits,
    with_ignored: bool,
    n_entries: u64,
    n_bytes: u64,
    left: Vec<Left>,
}

impl Judge {
    /// For one walk. `with_ignored`: what is usually left out was asked for.
    pub fn new(limits: Limits, with_ignored: bool) -> Self {
        Self { limits, with_ignored, n_entries: 0, n_bytes: 0, left: Vec::new() }
    }

    /// The path of an entry of a folder (the root is the empty text), if it counts. Its size is still to come.
    pub fn enter(&mut self, folder: &str, name: &str) -> Result<Option<String>, Refusal> {
        self.n_entries += 1;
        if self.n_entries > self.limits.entries {
            return Err(Refusal::Entries(self.limits.entries));
        }
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let is_plain =
            !matches!(name, "" | "." | "..") && !name.contains(['/', '\\']) && !name.contains(char::is_control);
        let fits = name.len() <= NAME_BYTES && path.len() <= PATH_BYTES && path.matches('/').count() < DEPTH;
        let why = match (is_plain && fits, !self.with_ignored && is_ignored(name)) {
            (false, _) => Some(Why::Name),
            (true, true) => Some(Why::Ignored),
            (true, false) => None,
        };
        Ok(match why {
            Some(why) => {
                self.left.push(Left { path, why });
                None
            }
            None => Some(path),
        })
    }

    /// Whether a file of this size counts.
    pub fn weigh(&mut self, path: &str, bytes: u64) -> Result<bool, Refusal> {
        if bytes > self.limits.file_bytes {
            self.left.push(Left { path: path.to_owned(), why: Why::TooLarge });
            return Ok(false);
        }
        self.n_bytes = self.n_bytes.saturating_add(bytes);
        if self.n_bytes > self.limits.total_bytes { Err(Refusal::TotalSize(self.limits.total_bytes)) } else { Ok(true) }
    }

    /// Whether a file of the workspace counts: what would be left out there is left out here.
    pub fn minds(&self, path: &str) -> bool {
        self.with_ignored || !is_ignored(path)
    }

    /// What was left out.
    pub fn into_left(self) -> Vec<Left> {
        self.left
    }
}
