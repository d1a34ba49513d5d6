//! How much of a text a model is shown: whole lines from the head or the tail, within a number of lines and bytes.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memrchr_iter};
use serde::Serialize;

/// Lines that a tool shows at most.
pub const MAX_LINES: usize = 2000;
/// Bytes of UTF-8 that a tool shows at most.
pub const MAX_BYTES: usize = 50 * 1024;
/// UTF-16 units of one line of a search result, for [`line`].
pub const MAX_LINE_UNITS: usize = 500;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lines; `usize::MAX` for no limit.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { lines: MAX_LINES, bytes: MAX_BYTES }
    }
}

/// Which limit was hit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The number of lines.
    Lines,
    /// The number of bytes.
    Bytes,
}

/// What was kept, and of how much. Serialises as the `truncation` of a result's details.
///
/// An empty text has no lines, and a line feed at the end begins no further one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncation {
    /// What is shown. Cut text ends without a line feed.
    pub content: String,
    /// Whether anything is missing.
    pub truncated: bool,
    /// Why.
    pub truncated_by: Option<By>,
    /// Lines of the whole text.
    pub total_lines: usize,
    /// Bytes of the whole text.
    pub total_bytes: usize,
    /// Lines shown.
    pub output_lines: usize,
    /// Bytes shown.
    pub output_bytes: usize,
    /// The one line shown is itself cut, at its head.
    pub last_line_partial: bool,
    /// Nothing is shown, since the first line alone is over the limit.
    pub first_line_exceeds_limit: bool,
    /// The limit.
    #[serde(serialize_with = "limit_as_number")]
    pub max_lines: usize,
    /// The limit.
    pub max_bytes: usize,
}

/// No limit is written as the largest integer that a double holds, on whatever machine this runs.
fn limit_as_number<S: serde::Serializer>(limit: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    const NO_LIMIT: u64 = (1 << 53) - 1;
    let limit = if *limit == usize::MAX { NO_LIMIT } else { u64::try_from(*limit).unwrap_or(NO_LIMIT) };
    serializer.serialize_u64(limit)
}

impl Truncation {
    fn of(total_lines: usize, total_bytes: usize, limits: Limits) -> Self {
        Self {
            content: String::new(),
            truncated: true,
            truncated_by: None,
            total_lines,
            total_bytes,
            output_lines: 0,
            output_bytes: 0,
            last_line_partial: false,
            first_line_exceeds_limit: false,
            max_lines: limits.lines,
            max_bytes: limits.bytes,
        }
    }

    fn whole(text: &str, total_lines: usize, limits: Limits) -> Self {
        Self {
            content: text.to_owned(),
            truncated: false,
            output_lines: total_lines,
            output_bytes: text.len(),
            ..Self::of(total_lines, text.len(), limits)
        }
    }

    fn keep(self, content: &str, lines: usize, by: By) -> Self {
        Self {
            content: content.to_owned(),
            truncated_by: Some(by),
            output_lines: lines,
            output_bytes: content.len(),
            ..self
        }
    }
}

/// Lines of a text or of bytes in any encoding with ASCII line feeds.
pub fn count_lines(bytes: &[u8]) -> usize {
    let feeds = memchr_iter(b'\n', bytes).count();
    feeds + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

/// The first lines that fit, whole; the text itself when all of it fits.
pub fn head(text: &str, limits: Limits) -> Truncation {
    let total_lines = count_lines(text.as_bytes());
    if total_lines <= limits.lines && text.len() <= limits.bytes {
        return Truncation::whole(text, total_lines, limits);
    }
    let truncation = Truncation::of(total_lines, text.len(), limits);
    let first = memchr(b'\n', text.as_bytes()).unwrap_or(text.len());
    if first > limits.bytes {
        return Truncation { truncated_by: Some(By::Bytes), first_line_exceeds_limit: true, ..truncation };
    }
    let (mut end, mut lines) = (0, 0);
    let ends = memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len()));
    for line_end in ends.take(total_lines) {
        if lines == limits.lines {
            return truncation.keep(text.get(..end).unwrap_or_default(), lines, By::Lines);
        }
        if line_end > limits.bytes {
            return truncation.keep(text.get(..end).unwrap_or_default(), lines, By::Bytes);
        }
        (end, lines) = (line_end, lines + 1);
    }
    // Every line fits but the last line feed does not.
    truncation.keep(text.get(..end).unwrap_or_default(), lines, By::Bytes)
}

/// [`head`] of bytes that may not be UTF-8, and whether they are. Only what can be shown is decoded, and bytes that are
/// no UTF-8 become U+FFFD; the totals are those of the bytes.
pub fn head_of_bytes(bytes: &[u8], limits: Limits) -> (Truncation, Encoding) {
    let total_lines = count_lines(bytes);
    // One byte past the limit shows that it was passed.
    let shown = if bytes.len() <= limits.bytes { bytes } else { bytes.get(..=limits.bytes).unwrap_or(bytes) };
    // The window may end inside of a character, which does not make the file anything but UTF-8.
    let shown = shown.get(..char_boundary(bytes, shown.len())).unwrap_or(shown);
    let (text, encoding) = decode(shown);
    let mut truncation = head(&text, limits);
    if shown.len() < bytes.len() {
        if !truncation.truncated {
            // The window fits but the file does not: its last line is cut, so it does not count.
            let end = memrchr_iter(b'\n', text.as_bytes()).next();
            let keep = end.and_then(|end| text.get(..end));
            let blank = Truncation::of(total_lines, bytes.len(), limits);
            truncation = match keep {
                Some(keep) => blank.keep(keep, memchr_iter(b'\n', keep.as_bytes()).count() + 1, By::Bytes),
                None => Truncation { truncated_by: Some(By::Bytes), first_line_exceeds_limit: true, ..blank },
            };
        }
        if truncation.output_lines == limits.lines {
            // The window ended where the lines did, so it could not see that there are more.
            truncation.truncated_by = Some(By::Lines);
        }
        truncation.total_lines = total_lines;
        truncation.total_bytes = bytes.len();
    }
    (truncation, encoding)
}

/// Whether bytes are UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// They are.
    Utf8,
    /// They are not: the text has replacement characters that the file has not.
    Other,
}

fn decode(bytes: &[u8]) -> (Cow<'_, str>, Encoding) {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => (Cow::Borrowed(text), Encoding::Utf8),
        Cow::Owned(text) => (Cow::Owned(text), Encoding::Other),
    }
}

/// The last place at or before `end` where a UTF-8 character begins.
fn char_boundary(bytes: &[u8], end: usize) -> usize {
    let continues = |index: &usize| bytes.get(*index).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    (end.saturating_sub(3)..=end).rev().find(|index| !continues(index)).unwrap_or(end)
}

/// The last lines that fit, whole; of a last line that is over the limit by itself, its end.
pub fn tail(text: &str, limits: Limits) -> Truncation {
    let total_lines = count_lines(text.as_bytes());
    if total_lines <= limits.lines && text.len() <= limits.bytes {
        return Truncation::whole(text, total_lines, limits);
    }
    let truncation = Truncation::of(total_lines, text.len(), limits);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let (mut start, mut lines) = (text.len(), 0);
    // Where each line starts, from the last to the first.
    let feeds = memrchr_iter(b'\n', text.as_bytes()).map(|feed| feed + 1);
    for line_start in feeds.chain(std::iter::once(0)) {
        if lines == limits.lines {
            return truncation.keep(text.get(start..).unwrap_or_default(), lines, By::Lines);
        }
        if text.len() - line_start > limits.bytes {
            if lines > 0 {
                return truncation.keep(text.get(start..).unwrap_or_default(), lines, By::Bytes);
            }
            let from = text.len() - limits.bytes;
            let from = (from..=text.len()).find(|index| text.is_char_boundary(*index)).unwrap_or(text.len());
            let kept = truncation.keep(text.get(from..).unwrap_or_default(), 1, By::Bytes);
            return Truncation { last_line_partial: true, ..kept };
        }
        (start, lines) = (line_start, lines + 1);
    }
    truncation.keep(text, lines, By::Bytes)
}

/// A line of at most `max` UTF-16 units, or the first of them and a mark. No character is cut in two.
pub fn line(text: &str, max: usize) -> Cow<'_, str> {
    let mut units = 0;
    for (index, character) in text.char_indices() {
        units += character.len_utf16();
        if units > max {
            return Cow::Owned(format!("{}... [truncated]", text.get(..index).unwrap_or_default()));
        }
    }
    Cow::Borrowed(text)
}

/// `12B`, `1.5KB`, `2.0MB`: one decimal, halves up.
pub fn format_size(bytes: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = KB * 1024;
    let decimal = |unit: u64| {
        let tenths = (bytes.saturating_mul(20).saturating_add(unit)) / (2 * unit);
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match bytes {
        0..KB => format!("{bytes}B"),
        KB..MB => format!("{}KB", decimal(KB)),
        _ => format!("{}MB", decimal(MB)),
    }
}
