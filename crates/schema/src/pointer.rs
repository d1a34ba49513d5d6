//! JSON Pointers and references inside one schema.

use std::collections::HashMap;

use serde_json::Value;

/// Adds one segment to a pointer.
pub fn join(pointer: &str, segment: &str) -> String {
    format!("{pointer}/{}", segment.replace('~', "~0").replace('/', "~1"))
}

/// The segments of a pointer, unescaped. An empty segment is a key of its own.
pub fn segments(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect()
}

/// Where the references of one schema lead.
#[derive(Debug, Default)]
pub struct Targets {
    anchors: HashMap<String, String>,
    id: Option<String>,
}

impl Targets {
    /// Notes the anchors of a schema. `nodes` are all its nodes with their pointers.
    pub fn new<'a>(schema: &Value, nodes: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Self {
        let mut anchors = HashMap::new();
        for (pointer, node) in nodes {
            for keyword in ["$anchor", "$dynamicAnchor", "$id"] {
                let Some(name) = node.get(keyword).and_then(Value::as_str) else { continue };
                let name = if keyword == "$id" { name.strip_prefix('#') } else { Some(name) };
                if let Some(name) = name {
                    anchors.entry(name.to_owned()).or_insert_with(|| pointer.to_owned());
                }
            }
        }
        let id = schema.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#').to_owned());
        Self { anchors, id }
    }

    /// The pointer a local reference names, whether or not anything is there; `None` for one that leads elsewhere.
    pub fn pointer(&self, reference: &str) -> Option<String> {
        let local = match &self.id {
            Some(id) if !id.is_empty() => reference.strip_prefix(id.as_str()).unwrap_or(reference),
            _ => reference,
        };
        let fragment = match local.strip_prefix('#') {
            Some(fragment) => decode(fragment),
            None if local.is_empty() => String::new(),
            None => return None,
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(fragment);
        }
        self.anchors.get(&fragment).cloned()
    }

    /// The schema a reference names.
    pub fn resolve<'a>(&self, root: &'a Value, reference: &str) -> Option<(String, &'a Value)> {
        let pointer = self.pointer(reference)?;
        let target = root.pointer(&pointer)?;
        Some((pointer, target))
    }
}

/// Percent-decoding. An escape that is none stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escaped = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_leaves_what_is_no_escape() {
        for (text, expected) in [("/a%20b", "/a b"), ("%", "%"), ("%2", "%2"), ("%zz", "%zz"), ("%C3%A9", "é")] {
            assert_eq!(decode(text), expected);
        }
        assert_eq!(segments(&join(&join("", "a/b~c"), "")), ["a/b~c", ""]);
    }
}
