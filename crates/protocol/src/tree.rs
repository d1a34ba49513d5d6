//! The workspace as a tree: how a listing of all of it crosses, which rows are shown, and what a key does to them.
//!
//! A listing is bytes, not JSON: `path NUL size NUL` for each entry, a folder's path with a slash at its end and what is in
//! it right after it, folders before files. Ten thousand entries are read in a millisecond or two, and the page sorts none.

use std::ops::Range;

/// Rows that are drawn beyond each end of what is in view, so that a scroll does not show a gap.
const BEYOND: usize = 10;
/// Folders start open while there are no more entries than this.
const OPEN_UNTIL: usize = 300;

/// Adds an entry to a listing.
pub fn push_entry(listing: &mut Vec<u8>, path: &str, is_folder: bool, size: u64) {
    listing.extend_from_slice(path.as_bytes());
    if is_folder {
        listing.push(b'/');
    }
    listing.push(0);
    listing.extend_from_slice(size.to_string().as_bytes());
    listing.push(0);
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// From the root, without slashes at its ends.
    pub path: String,
    /// It has others in it, or could.
    pub is_folder: bool,
    /// Bytes; of a folder 0.
    pub size: u64,
}

impl Entry {
    /// The last part of the path.
    pub fn name(&self) -> &str {
        name_of(&self.path)
    }

    /// How many folders it is in.
    pub fn depth(&self) -> usize {
        self.path.bytes().filter(|byte| *byte == b'/').count()
    }

    fn is_in(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// The last part of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder a path is in; of what is in the root, the empty path.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A name in a folder.
pub fn path_in(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { [folder, "/", name].concat() }
}

/// Reads a listing. What is cut off at its end is left out.
pub fn read_listing(bytes: &[u8]) -> Vec<Entry> {
    let mut parts = bytes.split(|byte| *byte == 0).map(|part| std::str::from_utf8(part).unwrap_or_default());
    let mut entries = Vec::new();
    while let (Some(path), Some(size)) = (parts.next(), parts.next()) {
        let Ok(size) = size.parse() else { break };
        let folder = path.strip_suffix('/');
        entries.push(Entry { path: folder.unwrap_or(path).to_owned(), is_folder: folder.is_some(), size });
    }
    entries
}

/// Whether folders start open where there are so many entries: a small workspace is seen whole, a large one by its top.
pub fn starts_open(n_entries: usize) -> bool {
    n_entries <= OPEN_UNTIL
}

/// A row that could be seen: its entry, and where it stands among its siblings, as assistive technology says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which entry.
    pub entry: usize,
    /// From 1.
    pub position: usize,
    /// How many siblings there are, itself among them.
    pub of: usize,
}

/// The rows, in order, with what is in closed folders left out.
pub fn rows(entries: &[Entry], is_open: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    // How many siblings came so far, by depth.
    let mut counts: Vec<usize> = Vec::new();
    let mut closed: Option<&str> = None;
    for (index, entry) in entries.iter().enumerate() {
        if closed.is_some_and(|folder| entry.is_in(folder)) {
            continue;
        }
        closed = (entry.is_folder && !is_open(&entry.path)).then_some(entry.path.as_str());
        counts.resize(entry.depth() + 1, 0);
        let Some(count) = counts.last_mut() else { continue };
        *count += 1;
        rows.push(Row { entry: index, position: *count, of: *count });
    }
    // From the end, the first of each depth is the last of its siblings, until something shallower ends them.
    let mut last: Vec<usize> = Vec::new();
    for row in rows.iter_mut().rev() {
        let depth = entries.get(row.entry).map_or(0, Entry::depth);
        last.resize(depth + 1, 0);
        if let Some(last) = last.last_mut() {
            *last = (*last).max(row.of);
            row.of = *last;
        }
    }
    rows
}

/// The rows to draw: those in view and some beyond, of `n_rows` that are `row_px` high.
pub fn window(top_px: f64, view_px: f64, row_px: f64, n_rows: usize) -> Range<usize> {
    let row_px = row_px.max(1.0);
    // Negative when overscrolled; a cast clamps.
    let first = (top_px / row_px) as usize;
    let count = (view_px / row_px) as usize + 2;
    let start = first.saturating_sub(BEYOND).min(n_rows);
    start..(first.saturating_add(count).saturating_add(BEYOND)).clamp(start, n_rows)
}

/// What a key asks of a tree whose row `at` has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// The focus goes to a row.
    To(usize),
    /// The folder there opens.
    Open,
    /// The folder there closes.
    Close,
}

/// By the pattern of trees: arrows, Home, End; a letter goes to the next name that begins with it. `None` where nothing
/// is to be done.
pub fn key(key: &str, entries: &[Entry], rows: &[Row], at: usize, is_open: bool) -> Option<Move> {
    let entry_at = |row: usize| rows.get(row).and_then(|row| entries.get(row.entry));
    let entry = entry_at(at)?;
    let last = rows.len().checked_sub(1)?;
    match key {
        "ArrowDown" => (at < last).then_some(Move::To(at + 1)),
        "ArrowUp" => at.checked_sub(1).map(Move::To),
        "Home" => Some(Move::To(0)),
        "End" => Some(Move::To(last)),
        "ArrowRight" if entry.is_folder && !is_open => Some(Move::Open),
        "ArrowRight" => entry_at(at + 1).filter(|next| next.is_in(&entry.path)).map(|_| Move::To(at + 1)),
        "ArrowLeft" if entry.is_folder && is_open => Some(Move::Close),
        "ArrowLeft" => {
            let folder = folder_of(&entry.path);
            let above = |row: &usize| entry_at(*row).is_some_and(|other| other.path == folder);
            (0..at).rev().find(above).map(Move::To)
        }
        letter => {
            let mut letters = letter.chars();
            let (letter, None) = (letters.next().filter(|letter| !letter.is_whitespace())?, letters.next()) else {
                return None;
            };
            let begins = |row: &usize| {
                let first = entry_at(*row).and_then(|entry| entry.name().chars().next());
                first.is_some_and(|first| first.to_lowercase().eq(letter.to_lowercase()))
            };
            (at + 1..rows.len()).chain(0..at).find(begins).map(Move::To)
        }
    }
}
