//! The line feeds that matching works on, and the line endings that the file keeps.

use memchr::{memchr, memchr2_iter, memrchr};

/// A part of the matched text and what replaces it. Both have line feeds only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// First byte that goes.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// What comes instead.
    pub text: String,
}

/// A text with every CR LF, and every CR alone, as one line feed.
pub fn with_line_feeds(text: &str) -> String {
    if memchr(b'\r', text.as_bytes()).is_none() {
        return text.to_owned();
    }
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Replacements, in order and apart, in a text with line feeds only.
pub fn apply(text: &str, replacements: &[Replacement]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut position = 0;
    for replacement in replacements {
        result.push_str(text.get(position..replacement.start).unwrap_or_default());
        result.push_str(&replacement.text);
        position = replacement.end;
    }
    result.push_str(text.get(position..).unwrap_or_default());
    result
}

/// The same replacements in the file itself, in whose every other line not a byte changes.
///
/// The n-th new line gets the ending of the n-th line that was matched, further ones that of the last matched line that has
/// one. With line feeds alone the result is what [`apply`] makes.
pub fn apply_to_file(file: &str, replacements: &[Replacement]) -> String {
    let mut result = Joined { text: String::with_capacity(file.len()) };
    let mut offsets = Offsets::new(file);
    let mut position = 0;
    for replacement in replacements {
        let start = offsets.in_file(replacement.start);
        let end = offsets.in_file(replacement.end);
        result.push(file.get(position..start).unwrap_or_default());
        let mut endings = Endings::of(file, start, end);
        for line in replacement.text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => {
                    result.push(line);
                    result.push(endings.next());
                }
                None => result.push(line),
            }
        }
        position = end;
    }
    result.push(file.get(position..).unwrap_or_default());
    result.text
}

/// From offsets in the text with line feeds to offsets in the file; asked in ascending order.
struct Offsets<'a> {
    /// Where a CR stands that is followed by a line feed, from the next one on.
    pairs: Box<dyn Iterator<Item = usize> + 'a>,
    next: Option<usize>,
    before: usize,
}

impl<'a> Offsets<'a> {
    fn new(file: &'a str) -> Self {
        let mut pairs = Box::new(memchr::memmem::find_iter(file.as_bytes(), b"\r\n"));
        let next = pairs.next();
        Self { pairs, next, before: 0 }
    }

    fn in_file(&mut self, offset: usize) -> usize {
        while self.next.is_some_and(|pair| pair - self.before < offset) {
            self.before += 1;
            self.next = self.pairs.next();
        }
        offset + self.before
    }
}

/// A text put together of parts. A CR at the end of one and a line feed at the head of the next would become one ending where
/// there were two lines, so the CR gets a line feed of its own.
struct Joined {
    text: String,
}

impl Joined {
    fn push(&mut self, part: &str) {
        if self.text.ends_with('\r') && part.starts_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(part);
    }
}

/// The endings that the lines of a new text get, one after another.
struct Endings<'a> {
    file: &'a str,
    /// Where the next matched line is looked for, as long as there is one.
    position: usize,
    end: usize,
    /// For lines beyond the matched ones.
    last: &'a str,
}

impl<'a> Endings<'a> {
    /// For a text that replaces `start..end` of the file.
    fn of(file: &'a str, start: usize, end: usize) -> Self {
        // The last line that was matched ends where its own ending is; a match that ends with one takes no part of the next.
        let matched = file.as_bytes().get(..end).unwrap_or_default();
        let end = if start < end && matches!(matched.last(), Some(b'\n' | b'\r')) { end - 1 } else { end };
        let mut endings = Self { file, position: start, end, last: before(file, start) };
        // A CR alone in a file that has line feeds is a character of its line rather than an ending to go on with.
        let has_line_feed = memchr(b'\n', file.as_bytes()).is_some();
        let mut position = start;
        while let Some((ending, after)) = ending_from(file, position).filter(|_| position <= endings.end) {
            if ending != "\r" || !has_line_feed {
                endings.last = ending;
            }
            position = after;
        }
        endings
    }

    fn next(&mut self) -> &'a str {
        match ending_from(self.file, self.position).filter(|_| self.position <= self.end) {
            Some((ending, after)) => {
                self.position = after;
                ending
            }
            None => self.last,
        }
    }
}

/// The first ending at or after a place, and where the line after it begins.
fn ending_from(file: &str, position: usize) -> Option<(&str, usize)> {
    let rest = file.get(position..)?;
    let at = memchr2_iter(b'\r', b'\n', rest.as_bytes()).next()?;
    let rest = rest.get(at..)?;
    let length = if rest.starts_with("\r\n") { 2 } else { 1 };
    Some((rest.get(..length)?, position + at + length))
}

/// The ending of the line before a place; of a file without any, a line feed.
fn before(file: &str, position: usize) -> &str {
    let head = file.as_bytes().get(..position).unwrap_or_default();
    match memrchr(b'\n', head) {
        Some(at) if at > 0 && head.get(at - 1) == Some(&b'\r') => "\r\n",
        Some(_) => "\n",
        None if memchr(b'\n', file.as_bytes()).is_none() && memchr(b'\r', file.as_bytes()).is_some() => "\r",
        None => "\n",
    }
}
