//! Where the old texts of an edit are, and what takes their place.

use memchr::memmem;

use crate::edit::lines::{Replacement, with_line_feeds};
use crate::edit::view::{Blanks, View, is_blank};
use crate::unicode::Unicode;

/// Bytes that all searches of one call may look at: what a second is enough for.
const MAX_WORK: usize = 2 << 30;

/// One old text and the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is in the file exactly once.
    pub old: String,
    /// What comes in its place.
    pub new: String,
}

/// Why nothing was changed. The texts name the file as the model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchError {
    /// An old text is empty.
    Empty(usize),
    /// An old text is not in the file.
    NotFound(usize),
    /// An old text is in the file more than once.
    NotUnique(usize, usize),
    /// Two old texts share characters.
    Overlap(usize, usize),
    /// Old and new text are the same.
    NoChange,
    /// More searching than one call may do.
    TooMuch,
}

impl MatchError {
    /// What the model reads, in a call of `n_edits` edits.
    pub fn text(self, path: &str, n_edits: usize) -> String {
        let one = n_edits == 1;
        match self {
            Self::Empty(_) if one => format!("oldText must not be empty in {path}."),
            Self::Empty(n) => format!("edits[{n}].oldText must not be empty in {path}."),
            Self::NotFound(_) if one => format!(
                "Could not find the exact text in {path}. The old text must match exactly including all whitespace and \
                 newlines."
            ),
            Self::NotFound(n) => format!(
                "Could not find edits[{n}] in {path}. The oldText must match exactly including all whitespace and newlines."
            ),
            Self::NotUnique(_, count) if one => format!(
                "Found {count} occurrences of the text in {path}. The text must be unique. Please provide more context to \
                 make it unique."
            ),
            Self::NotUnique(n, count) => format!(
                "Found {count} occurrences of edits[{n}] in {path}. Each oldText must be unique. Please provide more \
                 context to make it unique."
            ),
            Self::Overlap(a, b) => format!(
                "edits[{a}] and edits[{b}] overlap in {path}. Merge them into one edit or target disjoint regions."
            ),
            Self::NoChange if one => format!(
                "No changes made to {path}. The replacement produced identical content. This might indicate an issue with \
                 special characters or the text not existing as expected."
            ),
            Self::NoChange => format!("No changes made to {path}. The replacements produced identical content."),
            Self::TooMuch => {
                format!(
                    "Too many edits for a file as long as {path}: split them into several calls, or rewrite the file."
                )
            }
        }
    }
}

/// An old text in the text that is searched.
struct Match {
    edit: usize,
    start: usize,
    end: usize,
}

/// The replacements in `file`, which has line feeds only, in order and apart.
///
/// Every old text is looked for in the file as it is; if one of them is only there in the tolerant view, all are looked for
/// in that. What comes back are places in the file all the same, so that nothing that was not matched changes.
pub fn replacements(file: &str, edits: &[Edit], unicode: &dyn Unicode) -> Result<Vec<Replacement>, MatchError> {
    let edits: Vec<Edit> =
        edits.iter().map(|edit| Edit { old: with_line_feeds(&edit.old), new: with_line_feeds(&edit.new) }).collect();
    if let Some(empty) = edits.iter().position(|edit| edit.old.is_empty()) {
        return Err(MatchError::Empty(empty));
    }
    // Each is looked for up to four times.
    if file.len().saturating_mul(edits.len()) > MAX_WORK / 4 && edits.len() > 1 {
        return Err(MatchError::TooMuch);
    }
    let view = View::new(file, unicode);
    let plain: Vec<String> = edits.iter().map(|edit| View::new(&edit.old, unicode).text().to_owned()).collect();
    let is_tolerant = edits
        .iter()
        .zip(&plain)
        .any(|(edit, plain)| find(file, &edit.old).is_none() && find(view.text(), plain).is_some());
    let text = if is_tolerant { view.text() } else { file };
    let mut matches = Vec::new();
    for (n, (edit, plain)) in edits.iter().zip(&plain).enumerate() {
        let exact = find(text, &edit.old).map(|start| (start, edit.old.len()));
        let found = if is_tolerant { exact.or_else(|| Some((find(text, plain)?, plain.len()))) } else { exact };
        let (start, length) = found.ok_or(MatchError::NotFound(n))?;
        let count = occurrences(view.text(), plain);
        if count > 1 {
            return Err(MatchError::NotUnique(n, count));
        }
        if length == 0 {
            return Err(MatchError::NotFound(n));
        }
        matches.push(Match { edit: n, start, end: start + length });
    }
    matches.sort_by_key(|found| found.start);
    for (one, next) in matches.iter().zip(matches.iter().skip(1)) {
        if one.end > next.start {
            return Err(MatchError::Overlap(one.edit, next.edit));
        }
    }
    let new = |found: &Match| edits.get(found.edit).map(|edit| edit.new.as_str()).unwrap_or_default();
    let replacements: Vec<Replacement> = if is_tolerant {
        in_the_file(&view, &matches, &edits)
    } else {
        let place = |found: &Match| Replacement { start: found.start, end: found.end, text: new(found).to_owned() };
        matches.iter().map(place).collect()
    };
    let same = |one: &Replacement| file.get(one.start..one.end) == Some(one.text.as_str());
    if replacements.iter().all(same) {
        return Err(MatchError::NoChange);
    }
    Ok(replacements)
}

/// Matches of the view as replacements in what it is a view of.
fn in_the_file(view: &View, matches: &[Match], edits: &[Edit]) -> Vec<Replacement> {
    let mut replacements: Vec<Replacement> = Vec::new();
    // How much of the last replacement's text is there only because the match ends within a character, and where.
    let (mut kept, mut kept_from) = (0, 0);
    for found in matches {
        let Some(edit) = edits.get(found.edit) else { continue };
        let ends_blank = edit.old.chars().next_back().is_some_and(|last| last != '\n' && is_blank(last));
        let blanks = if ends_blank { Blanks::Matched } else { Blanks::Kept };
        let span = view.span(found.start, found.end, blanks);
        match replacements.last_mut() {
            // Both touch one character of the file, such as a ligature.
            Some(last) if span.start < last.end => {
                last.text.truncate(last.text.len() - kept);
                last.text.push_str(view.text().get(kept_from..found.start).unwrap_or_default());
                last.text.push_str(&edit.new);
                last.text.push_str(span.after);
                last.end = last.end.max(span.end);
            }
            Some(_) | None => {
                let text = [span.before, &edit.new, span.after].concat();
                replacements.push(Replacement { start: span.start, end: span.end, text });
            }
        }
        (kept, kept_from) = (span.after.len(), found.end);
    }
    replacements
}

fn find(text: &str, wanted: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), wanted.as_bytes())
}

/// How often a text is in another, one after the other. Nothing is between all characters, as pi counts.
fn occurrences(text: &str, wanted: &str) -> usize {
    if wanted.is_empty() {
        return text.encode_utf16().count().saturating_sub(1);
    }
    memmem::find_iter(text.as_bytes(), wanted.as_bytes()).count()
}
