//! A page with the files it names put in.

use crate::Files;
use crate::css;
use crate::data_url::data_url;
use crate::path::resolve;
use crate::tag::{Tag, each_tag};

/// The bytes that are put into one page, at most; what comes after is left as it is written.
const BYTES: usize = 12 << 20;
/// The files, at most; one that is named twice counts twice.
const FILES: usize = 500;

/// What a page may still take in.
pub struct Parts<'a> {
    files: &'a mut dyn Files,
    bytes: usize,
    n_files: usize,
}

impl Parts<'_> {
    /// The file that `address` names in the document at `base`, and its path.
    pub fn read(&mut self, base: &str, address: &str) -> Option<(String, Vec<u8>)> {
        let path = resolve(base, address)?;
        if self.n_files == 0 {
            return None;
        }
        let bytes = self.files.read(&path)?;
        self.n_files -= 1;
        self.bytes = self.bytes.checked_sub(bytes.len())?;
        Some((path, bytes))
    }
}

/// The page at `path` with everything inside.
pub fn compose(path: &str, html: &str, files: &mut dyn Files) -> String {
    let mut parts = Parts { files, bytes: BYTES, n_files: FILES };
    let mut out = String::with_capacity(html.len());
    let mut last = String::new();
    let mut copied = 0;
    each_tag(html, |tag| {
        if let Some((until, instead)) = replacement(path, html, tag, &mut parts) {
            out.push_str(html.get(copied..tag.at.start).unwrap_or_default());
            // A script whose text is inside does not wait for the page, as one with an address may.
            let waits = tag.name == "script" && tag.value("defer").is_some() && tag.value("type") != Some("module");
            if waits {
                last.push_str(&instead);
                last.push_str("</script>");
                out.push_str("<script>");
            } else {
                out.push_str(&instead);
            }
            copied = until;
        }
    });
    out.push_str(html.get(copied..).unwrap_or_default());
    out.push_str(&last);
    out
}

/// What stands in a tag's place, and where the page goes on after it.
fn replacement(path: &str, html: &str, tag: &Tag, parts: &mut Parts<'_>) -> Option<(usize, String)> {
    match tag.name.as_str() {
        "link" => {
            let (sheet, bytes) = parts.read(path, tag.value("href")?)?;
            let rel = tag.value("rel").unwrap_or_default().to_ascii_lowercase();
            if !rel.split_ascii_whitespace().any(|word| word == "stylesheet") {
                return Some((tag.at.end, with_address(html, tag, "href", &data_url(&sheet, &bytes))));
            }
            let css = css::compose(&sheet, &String::from_utf8_lossy(&bytes), parts, 0);
            let style = without(html, tag, "style", &["rel", "href", "type", "integrity", "crossorigin"]);
            Some((tag.at.end, format!("{style}{}</style>", unclosed(&css, "style"))))
        }
        "style" => {
            let text = tag.text.clone()?;
            let css = css::compose(path, html.get(text.clone())?, parts, 0);
            let start = html.get(tag.at.clone())?;
            Some((text.end, format!("{start}{}", unclosed(&css, "style"))))
        }
        "script" => {
            let (_, bytes) = parts.read(path, tag.value("src")?)?;
            let script = without(html, tag, "script", &["src", "integrity", "crossorigin"]);
            let code = String::from_utf8_lossy(&bytes);
            Some((tag.text.clone()?.end, format!("{script}{}", unclosed(&code, "script"))))
        }
        "img" | "source" | "audio" | "video" | "input" | "track" | "image" | "embed" => {
            let name = ["src", "href", "xlink:href"].into_iter().find(|name| tag.value(name).is_some())?;
            let (file, bytes) = parts.read(path, tag.value(name)?)?;
            Some((tag.at.end, with_address(html, tag, name, &data_url(&file, &bytes))))
        }
        _ => None,
    }
}

/// A text that does not end the element it is put into.
fn unclosed(text: &str, element: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        let (before, after) = (rest.get(..at).unwrap_or_default(), rest.get(at + 2..).unwrap_or_default());
        let closes =
            after.as_bytes().get(..element.len()).is_some_and(|word| word.eq_ignore_ascii_case(element.as_bytes()));
        out.push_str(before);
        out.push_str(if closes { "<\\/" } else { "</" });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The tag under another name, without some attributes.
fn without(html: &str, tag: &Tag, name: &str, left_out: &[&str]) -> String {
    let mut out = format!("<{name}");
    for attribute in tag.attributes.iter().filter(|attribute| !left_out.contains(&attribute.name.as_str())) {
        out.push(' ');
        out.push_str(html.get(attribute.at.clone()).unwrap_or_default());
    }
    out.push('>');
    out
}

/// The tag with another address in an attribute.
fn with_address(html: &str, tag: &Tag, name: &str, address: &str) -> String {
    let Some(attribute) = tag.attributes.iter().find(|attribute| attribute.name == name) else { return String::new() };
    let before = html.get(tag.at.start..attribute.at.start).unwrap_or_default();
    let after = html.get(attribute.at.end..tag.at.end).unwrap_or_default();
    format!("{before}{name}=\"{address}\"{after}")
}
