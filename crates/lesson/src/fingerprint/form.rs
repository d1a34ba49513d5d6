//! The writing of RFC 8785, and what of the events stands in it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::parts::{Ids, Part, Place};
use super::tree::{Node, Tree};

/// The form of events; `None` when the root is no array.
pub(super) fn write_events(tree: &Tree<'_>) -> Option<String> {
    let Some(Node::Array(_)) = tree.get(0) else { return None };
    Some(Writer { tree, ids: Ids::default(), out: String::new(), open: Vec::new() }.write())
}

/// A flat object in the same form.
pub(super) fn write_map(map: &BTreeMap<String, String>) -> String {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    let mut out = String::from("{");
    for (key, value) in members {
        separate(&mut out);
        write_text(key, &mut out);
        out.push(':');
        write_text(value, &mut out);
    }
    out.push('}');
    out
}

/// A container that is being written: what is left of it, last first.
struct Open<'t> {
    rest: Vec<(Option<&'t str>, usize, Part)>,
    end: char,
}

struct Writer<'t, 'a> {
    tree: &'t Tree<'a>,
    ids: Ids<'t>,
    out: String,
    open: Vec<Open<'t>>,
}

impl<'t> Writer<'t, '_> {
    fn write(mut self) -> String {
        self.value(0, Part::At(Place::Events));
        while let Some(open) = self.open.last_mut() {
            let Some((key, index, part)) = open.rest.pop() else {
                self.out.push(open.end);
                self.open.pop();
                continue;
            };
            separate(&mut self.out);
            if let Some(key) = key {
                write_text(key, &mut self.out);
                self.out.push(':');
            }
            self.value(index, part);
        }
        self.out
    }

    /// A value, or the beginning of a container.
    fn value(&mut self, index: usize, part: Part) {
        let place = match part {
            Part::Omit => return,
            Part::Id(kind) => match self.tree.text(index) {
                Some(id) => return write_text(self.ids.name(kind, id), &mut self.out),
                // No id is `null`, and anything else is none.
                None => Place::Data,
            },
            Part::At(place) => place,
        };
        match self.tree.get(index) {
            None => {}
            Some(Node::Word(word)) => self.out.push_str(word),
            Some(Node::Number(number)) => self.out.push_str(ryu_js::Buffer::new().format_finite(*number)),
            Some(Node::Text(text)) => write_text(text, &mut self.out),
            Some(Node::Array(items)) => {
                let item = Part::At(place.item());
                self.out.push('[');
                let rest = items.iter().rev().map(|&index| (None, index, item)).collect();
                self.open.push(Open { rest, end: ']' });
            }
            Some(Node::Object(members)) => {
                let rest = self.members(members, place);
                self.out.push('{');
                self.open.push(Open { rest, end: '}' });
            }
        }
    }

    /// The members that stand in the form, in the order in which they are taken from the end.
    fn members(&self, members: &'t [(Cow<'_, str>, usize)], place: Place) -> Vec<(Option<&'t str>, usize, Part)> {
        // Of two members with one key the last counts: it comes first, and the sort is stable.
        let mut rest: Vec<_> = members.iter().rev().map(|(key, index)| (&**key, *index)).collect();
        rest.sort_by(|(a, _), (b, _)| b.encode_utf16().cmp(a.encode_utf16()));
        rest.dedup_by(|(a, _), (b, _)| a == b);
        let kind = rest.iter().find(|(key, _)| *key == "type").and_then(|(_, index)| self.tree.text(*index));
        let part = |key: &str| place.member(key, kind.unwrap_or_default());
        let parts = rest.into_iter().map(|(key, index)| (Some(key), index, part(key)));
        parts.filter(|(_, _, part)| *part != Part::Omit).collect()
    }
}

/// A comma, unless something has just begun.
fn separate(out: &mut String) {
    if !out.ends_with(['[', '{']) {
        out.push(',');
    }
}

/// serde's escapes are those of RFC 8785: the five short ones, `\u00xx` for the other control characters, no more.
fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}
