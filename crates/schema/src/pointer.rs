//! JSON Pointers and references inside one schema.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
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
            Some(fragment) => percent_decode_str(fragment).decode_utf8_lossy().into_owned(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_what_was_joined() {
        assert_eq!(join(&join("", "a/b~c"), ""), "/a~1b~0c/");
        assert_eq!(segments("/a~1b~0c/"), ["a/b~c", ""]);
        assert_eq!(segments(""), [""; 0]);
    }

    #[test]
    fn references_lead_to_pointers_anchors_and_the_root() {
        let root = serde_json::json!({
            "$id": "https://example.com/root",
            "$defs": {"a b": {"$anchor": "spaced"}, "old": {"$id": "#named"}},
        });
        let nodes = ["/$defs/a b", "/$defs/old"].map(|pointer| (pointer, root.pointer(pointer).unwrap()));
        let targets = Targets::new(&root, nodes);
        let cases = [
            ("#", Some("")),
            ("#/$defs/a%20b", Some("/$defs/a b")),
            ("#spaced", Some("/$defs/a b")),
            ("#named", Some("/$defs/old")),
            ("https://example.com/root#/x", Some("/x")),
            ("https://example.com/root", Some("")),
            ("#nowhere", None),
            ("https://example.com/other#/x", None),
            ("other.json", None),
        ];
        for (reference, expected) in cases {
            assert_eq!(targets.pointer(reference).as_deref(), expected, "{reference}");
        }
        assert_eq!(targets.resolve(&root, "#/x"), None);
    }
}
