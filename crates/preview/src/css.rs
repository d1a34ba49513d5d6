//! A style sheet with the files it names put in: pictures, fonts and other sheets.

use crate::data_url::data_url;
use crate::page::Parts;
use crate::path::extension;

/// Sheets that import sheets, at most.
const DEPTH: usize = 4;

/// The sheet at `base` with everything inside.
pub fn compose(base: &str, css: &str, parts: &mut Parts<'_>, depth: usize) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(found) = next_address(rest) {
        let (before, after) = (rest.get(..found.at).unwrap_or_default(), rest.get(found.end..).unwrap_or_default());
        out.push_str(before);
        let written = rest.get(found.at..found.end).unwrap_or_default();
        match parts.read(base, found.address) {
            Some((path, bytes)) if extension(&path) == "css" => {
                if depth < DEPTH {
                    let sheet = compose(&path, &String::from_utf8_lossy(&bytes), parts, depth + 1);
                    push_url(&mut out, &data_url(&path, sheet.as_bytes()));
                } else {
                    out.push_str(written);
                }
            }
            Some((path, bytes)) => push_url(&mut out, &data_url(&path, &bytes)),
            None => out.push_str(written),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn push_url(out: &mut String, url: &str) {
    out.push_str("url(");
    out.push_str(url);
    out.push(')');
}

/// An address in a sheet: `url(a.png)`, `url("a.png")`, or the text after `@import`.
struct Address<'a> {
    at: usize,
    end: usize,
    address: &'a str,
}

/// The first one. A bracket that is never closed is the last: what is in it is not looked at again.
fn next_address(css: &str) -> Option<Address<'_>> {
    for (at, _) in css.match_indices(['u', '@']) {
        let rest = css.get(at..)?;
        if let Some(inside) = rest.strip_prefix("url(") {
            return in_brackets(css, at, at + 4 + space_before(inside));
        }
        if let Some(after) = rest.strip_prefix("@import") {
            let start = at + 7 + space_before(after);
            if let Some((end, address)) = quoted(css, start) {
                return Some(Address { at: start, end, address });
            }
        }
    }
    None
}

/// The one in `url(…)`, which begins at `start`.
fn in_brackets(css: &str, at: usize, start: usize) -> Option<Address<'_>> {
    let (until, address) = match quoted(css, start) {
        Some((end, address)) => (end, address),
        None => {
            let length = css.get(start..)?.find(')')?;
            (start + length, css.get(start..start + length)?.trim_end())
        }
    };
    let close = css.get(until..)?.find(')')?;
    Some(Address { at, end: until + close + 1, address })
}

fn space_before(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The text in quotes at `at`, if there are quotes, and where it ends.
fn quoted(css: &str, at: usize) -> Option<(usize, &str)> {
    let quote = css.get(at..)?.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let length = css.get(at + 1..)?.find(quote)?;
    Some((at + length + 2, css.get(at + 1..at + 1 + length)?))
}
