//! What differs between two versions of a file, as the patch that `edit` makes of its own.

use crate::edit::patch;

/// The larger of two versions that are compared, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// The longest patch.
const MAX_PATCH: usize = 1 << 20;

/// How two versions of a file compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// What changed, as a unified diff; empty if nothing did.
    Patch(String),
    /// One of them is no text: not UTF-8, or with a NUL in it.
    Binary,
    /// One of them, or what changed, is too much to be shown.
    TooLarge,
}

/// What comparing may cost in all, over many files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: 4 * MAX_BYTES }
    }
}

/// A version of a file and its path; no contents where it was not there.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// The path.
    pub path: &'a str,
    /// The contents.
    pub contents: Option<&'a [u8]>,
}

/// Compares two versions. Linear in their size, but for a bounded search for the shortest way.
pub fn compare(before: Version<'_>, after: Version<'_>, budget: &mut Budget) -> Comparison {
    let bytes = |version: Version<'_>| version.contents.unwrap_or_default().len();
    let needed = bytes(before).saturating_add(bytes(after));
    if bytes(before).max(bytes(after)) > MAX_BYTES || needed > budget.bytes {
        return Comparison::TooLarge;
    }
    budget.bytes -= needed;
    let (Some(old), Some(new)) = (text(before), text(after)) else { return Comparison::Binary };
    if old == new {
        return Comparison::Patch(String::new());
    }
    let patch = patch(name(before), name(after), old, new);
    if patch.len() > MAX_PATCH { Comparison::TooLarge } else { Comparison::Patch(patch) }
}

fn name<'a>(version: Version<'a>) -> &'a str {
    if version.contents.is_some() { version.path } else { "/dev/null" }
}

fn text<'a>(version: Version<'a>) -> Option<&'a str> {
    let bytes = version.contents.unwrap_or_default();
    if memchr::memchr(0, bytes).is_some() { None } else { std::str::from_utf8(bytes).ok() }
}
