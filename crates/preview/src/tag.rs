//! The tags of a page: where each stands and what its attributes say, in one walk from front to back.
//!
//! As much of HTML's tokenizer as it takes to tell a tag from what only looks like one: comments, the texts of scripts,
//! styles and titles, values in quotes.

use std::ops::Range;

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub struct Tag {
    /// In lower case.
    pub name: String,
    /// From `<` to after `>`.
    pub at: Range<usize>,
    /// In the order they are written.
    pub attributes: Vec<Attribute>,
    /// The text inside, of an element that has nothing but text: `script`, `style`, `textarea`, `title`. Ends before its
    /// end tag, or with the page.
    pub text: Option<Range<usize>>,
}

/// An attribute of a tag.
#[derive(Debug, PartialEq, Eq)]
pub struct Attribute {
    /// In lower case.
    pub name: String,
    /// Its value as written, with the commonest references (`&amp;`) read; empty where there is none.
    pub value: String,
    /// From its name to the end of its value.
    pub at: Range<usize>,
}

impl Tag {
    /// The value of an attribute.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value.as_str())
    }
}

/// Calls `found` with each start tag, in order.
pub fn each_tag(html: &str, mut found: impl FnMut(&Tag)) {
    let bytes = html.as_bytes();
    let mut at = 0;
    while let Some(open) = find_from(html, at, "<") {
        at = open + 1;
        match bytes.get(at) {
            Some(b'!') if html.get(at..).is_some_and(|rest| rest.starts_with("!--")) => {
                at = find_from(html, at + 3, "-->").map_or(html.len(), |end| end + 3);
            }
            Some(first) if first.is_ascii_alphabetic() => {
                let Some(mut tag) = read_tag(html, open) else { return };
                at = tag.at.end;
                if matches!(tag.name.as_str(), "script" | "style" | "textarea" | "title") {
                    let end = end_tag(html, at, &tag.name);
                    tag.text = Some(at..end);
                    at = end;
                }
                found(&tag);
            }
            _ => {}
        }
    }
}

fn find_from(html: &str, from: usize, what: &str) -> Option<usize> {
    html.get(from..)?.find(what).map(|at| from + at)
}

/// Where `</name` begins, in whatever case; the end of the page where it does not.
fn end_tag(html: &str, from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(open) = find_from(html, at, "</") {
        let rest = html.as_bytes().get(open + 2..).unwrap_or_default();
        if rest.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes())) {
            return open;
        }
        at = open + 2;
    }
    html.len()
}

/// `None` for a tag that the page ends in.
fn read_tag(html: &str, open: usize) -> Option<Tag> {
    let bytes = html.as_bytes();
    let name_end = end_of(bytes, open + 1, |byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    let name = html.get(open + 1..name_end)?.to_ascii_lowercase();
    let mut attributes = Vec::new();
    let mut at = name_end;
    loop {
        at = end_of(bytes, at, |byte| !byte.is_ascii_whitespace() && byte != b'/');
        if *bytes.get(at)? == b'>' {
            return Some(Tag { name, at: open..at + 1, attributes, text: None });
        }
        let start = at;
        // A `=` in front is part of the name.
        at = end_of(bytes, at + 1, |byte| byte.is_ascii_whitespace() || matches!(byte, b'=' | b'>' | b'/'));
        let attribute = html.get(start..at)?.to_ascii_lowercase();
        let mut end = at;
        let mut value = "";
        let equals = end_of(bytes, at, |byte| !byte.is_ascii_whitespace());
        if bytes.get(equals) == Some(&b'=') {
            let from = end_of(bytes, equals + 1, |byte| !byte.is_ascii_whitespace());
            let quote = bytes.get(from).copied().filter(|byte| matches!(byte, b'"' | b'\''));
            let (value_from, value_end) = match quote {
                Some(quote) => (from + 1, end_of(bytes, from + 1, |byte| byte == quote)),
                None => (from, end_of(bytes, from, |byte| byte.is_ascii_whitespace() || byte == b'>')),
            };
            value = html.get(value_from..value_end)?;
            end = if quote.is_some() { value_end + 1 } else { value_end };
            bytes.get(value_end)?;
            at = end;
        }
        attributes.push(Attribute { name: attribute, value: value.replace("&amp;", "&"), at: start..end });
    }
}

/// The first place from `at` on whose byte is one of those; the end where none is.
fn end_of(bytes: &[u8], at: usize, is_end: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| is_end(*byte)).map_or(bytes.len().max(at), |n| at + n)
}
