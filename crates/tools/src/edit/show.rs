//! What an edit changed, for a person and as a patch: found near the replacements only, so that it costs what the change costs.

use memchr::{memchr, memchr_iter, memrchr};
use serde::Serialize;

use crate::edit::diff::{Fate, Run, diff};
use crate::edit::lines::Replacement;

/// Unchanged lines shown round a change.
const CONTEXT: usize = 4;
/// Unchanged lines compared round a replacement: many more, so that lines pair up as they would in the whole text.
const MARGIN: usize = 32;

/// The details of an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// Lines with their numbers, `+` and `-` before those that changed.
    pub diff: String,
    /// The same as a unified diff.
    pub patch: String,
    /// The number of the first line that changed, in the new text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_changed_line: Option<usize>,
}

/// What becomes of `old` by replacements, which are in order and apart, and whose result is `new`. Line feeds only.
pub fn shown(path: &str, old: &str, new: &str, replacements: &[Replacement]) -> Shown {
    let width = (feeds(old).max(feeds(new)) + 1).to_string().len();
    let skipped = format!(" {:width$} ...", "");
    let mut lines: Vec<String> = Vec::new();
    let mut patch = format!("--- {path}\n+++ {path}\n");
    let mut first_changed_line = None;
    for window in windows(old, replacements) {
        let old = old.get(window.old.0..window.old.1).unwrap_or_default();
        let new = new.get(window.new.0..window.new.1).unwrap_or_default();
        let runs = diff(old, new);
        let mut listing = Listing { old: window.old_line, new: window.new_line, width, lines: Vec::new(), first: None };
        listing.all(&runs, &skipped);
        first_changed_line = first_changed_line.or(listing.first);
        // Two windows mark the lines between them once.
        let twice = lines.last() == Some(&skipped) && listing.lines.first() == Some(&skipped);
        lines.extend(listing.lines.into_iter().skip(usize::from(twice)));
        hunks(&runs, window.old_line, window.new_line, &mut patch);
    }
    Shown { diff: lines.join("\n"), patch, first_changed_line }
}

/// What makes one text into another, as a unified diff; the two are not the same. Line feeds are part of the lines.
pub fn patch(old_path: &str, new_path: &str, old: &str, new: &str) -> String {
    let mut patch = format!("--- {old_path}\n+++ {new_path}\n");
    hunks(&diff(old, new), 1, 1, &mut patch);
    patch
}

/// A part of both texts that is compared: bytes, and the number of the first line.
struct Window {
    old: (usize, usize),
    new: (usize, usize),
    old_line: usize,
    new_line: usize,
}

fn windows(old: &str, replacements: &[Replacement]) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    // By how much the new text is ahead, in bytes and in lines; and how far lines have been counted.
    let (mut bytes, mut lines) = (0_isize, 0_isize);
    let (mut counted, mut line) = (0, 0);
    let ahead = |position: usize, by: isize| position.saturating_add_signed(by);
    for replacement in replacements {
        let (start, end) = (window_start(old, replacement.start), window_end(old, replacement));
        let gone = old.get(replacement.start..replacement.end).unwrap_or_default();
        let more = |new: usize, old: usize| new.cast_signed() - old.cast_signed();
        let more_bytes = more(replacement.text.len(), gone.len());
        match windows.last_mut() {
            Some(last) if start <= last.old.1 => {
                last.old.1 = last.old.1.max(end);
                last.new.1 = ahead(last.old.1, bytes + more_bytes);
            }
            Some(_) | None => {
                line += feeds(old.get(counted..start).unwrap_or_default());
                counted = start;
                windows.push(Window {
                    old: (start, end),
                    new: (ahead(start, bytes), ahead(end, bytes + more_bytes)),
                    old_line: line + 1,
                    new_line: ahead(line + 1, lines),
                });
            }
        }
        bytes += more_bytes;
        lines += more(feeds(&replacement.text), feeds(gone));
    }
    windows
}

fn window_start(text: &str, position: usize) -> usize {
    let line_start = |position: usize| {
        let head = text.as_bytes().get(..position).unwrap_or_default();
        memrchr(b'\n', head).map_or(0, |feed| feed + 1)
    };
    let mut start = line_start(position);
    for _ in 0..MARGIN {
        start = line_start(start.saturating_sub(1));
    }
    start
}

fn window_end(text: &str, replacement: &Replacement) -> usize {
    let line_end = |position: usize| {
        let tail = text.as_bytes().get(position..).unwrap_or_default();
        memchr(b'\n', tail).map_or(text.len(), |feed| position + feed + 1)
    };
    // A match that ends with its line's feed does not reach into the next line.
    let mut end = line_end((replacement.end.saturating_sub(1)).max(replacement.start));
    for _ in 0..MARGIN {
        end = line_end(end);
    }
    end
}

/// The lines that a person sees.
struct Listing {
    /// The numbers of the next lines.
    old: usize,
    new: usize,
    width: usize,
    lines: Vec<String>,
    first: Option<usize>,
}

impl Listing {
    fn all(&mut self, runs: &[Run<'_>], skipped: &str) {
        for (n, run) in runs.iter().enumerate() {
            if run.fate != Fate::Kept {
                self.first = self.first.or(Some(self.new));
                run.lines.iter().for_each(|line| self.line(run.fate, line));
                continue;
            }
            // The first lines stand after a change, the last ones before one.
            let after = if n > 0 { CONTEXT } else { 0 };
            let before = if n + 1 < runs.len() { CONTEXT } else { 0 };
            let total = run.lines.len();
            let left_out = total.saturating_sub(after + before);
            for (at, line) in run.lines.iter().enumerate() {
                if at >= after && at - after < left_out {
                    if at == after && after + before > 0 {
                        self.lines.push(skipped.to_owned());
                    }
                    self.old += 1;
                    self.new += 1;
                } else {
                    self.line(Fate::Kept, line);
                }
            }
        }
    }

    fn line(&mut self, fate: Fate, line: &str) {
        let text = line.strip_suffix('\n').unwrap_or(line);
        let width = self.width;
        let (sign, number) = match fate {
            Fate::Kept => (' ', self.old),
            Fate::Removed => ('-', self.old),
            Fate::Added => ('+', self.new),
        };
        self.lines.push(format!("{sign}{number:>width$} {text}"));
        self.old += usize::from(fate != Fate::Added);
        self.new += usize::from(fate != Fate::Removed);
    }
}

/// One part of a unified diff.
#[derive(Default)]
struct Hunk {
    old_lines: usize,
    new_lines: usize,
    text: String,
}

impl Hunk {
    fn push(&mut self, fate: Fate, line: &str) {
        self.text.push(match fate {
            Fate::Kept => ' ',
            Fate::Removed => '-',
            Fate::Added => '+',
        });
        self.text.push_str(line);
        if !line.ends_with('\n') {
            self.text.push_str("\n\\ No newline at end of file\n");
        }
        self.old_lines += usize::from(fate != Fate::Added);
        self.new_lines += usize::from(fate != Fate::Removed);
    }

    /// `old` and `new` are the numbers of the lines after it. An empty side has the number of the line before.
    fn write(self, old: usize, new: usize, patch: &mut String) {
        let start = |after: usize, lines: usize| (after - lines) - usize::from(lines == 0);
        let (old_start, new_start) = (start(old, self.old_lines), start(new, self.new_lines));
        let (old_lines, new_lines) = (self.old_lines, self.new_lines);
        patch.push_str(&format!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@\n"));
        patch.push_str(&self.text);
    }
}

fn hunks(runs: &[Run<'_>], mut old: usize, mut new: usize, patch: &mut String) {
    let mut hunk: Option<Hunk> = None;
    for (n, run) in runs.iter().enumerate() {
        match run.fate {
            Fate::Kept => {
                let is_last = n + 1 == runs.len();
                if is_last || run.lines.len() > 2 * CONTEXT {
                    if let Some(mut open) = hunk.take() {
                        let shown = run.lines.len().min(CONTEXT);
                        run.lines.iter().take(shown).for_each(|line| open.push(Fate::Kept, line));
                        open.write(old + shown, new + shown, patch);
                    }
                    if !is_last {
                        let mut next = Hunk::default();
                        let skip = run.lines.len().saturating_sub(CONTEXT);
                        run.lines.iter().skip(skip).for_each(|line| next.push(Fate::Kept, line));
                        hunk = Some(next);
                    }
                } else {
                    let context = hunk.is_some();
                    let open = hunk.get_or_insert_default();
                    let skip = if context { 0 } else { run.lines.len().saturating_sub(CONTEXT) };
                    run.lines.iter().skip(skip).for_each(|line| open.push(Fate::Kept, line));
                }
                old += run.lines.len();
                new += run.lines.len();
            }
            Fate::Removed | Fate::Added => {
                let open = hunk.get_or_insert_default();
                run.lines.iter().for_each(|line| open.push(run.fate, line));
                old += if run.fate == Fate::Removed { run.lines.len() } else { 0 };
                new += if run.fate == Fate::Added { run.lines.len() } else { 0 };
            }
        }
    }
    if let Some(open) = hunk {
        open.write(old, new, patch);
    }
}

fn feeds(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}
