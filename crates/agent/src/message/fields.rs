//! [`Fields`]: what a message or a block has beside the fields we know; and how both are read.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::json::{Json, read};

/// Fields that are not ours, by name and in order: of a later version, or of whoever wrote the message. Kept, so that
/// reading and writing loses nothing; empty nearly always, and then it costs no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(Vec<(String, Json)>);

impl Fields {
    /// The value of a field; of the last, if it is there twice.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Json)> for Fields {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(fields: I) -> Self {
        Self(fields.into_iter().collect())
    }
}

/// An object that is being read: its fields as raw text, taken out by name one after the other.
#[derive(Default)]
pub(super) struct Unread<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Unread<'a> {
    /// Takes a field; `None` when it is missing or null. The last one counts when it is there twice, as in JavaScript.
    pub(super) fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, serde_json::Error> {
        match self.take_raw(name) {
            Some(raw) => read::<Option<T>>(raw.get()),
            None => Ok(None),
        }
    }

    /// Takes a field that may be of a later version, which spells it otherwise: the rest counts without it.
    pub(super) fn take_lenient<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        self.take(name).ok().flatten()
    }

    /// Takes a field as it is.
    pub(super) fn take_raw(&mut self, name: &str) -> Option<&'a RawValue> {
        let mut taken = None;
        self.0.retain(|(key, raw)| {
            let is_other = key != name;
            if !is_other {
                taken = Some(*raw);
            }
            is_other
        });
        taken
    }

    /// What nobody has taken.
    pub(super) fn rest(self) -> Result<Fields, serde_json::Error> {
        self.0.into_iter().map(|(name, raw)| Ok((name.into_owned(), Json::parse(raw.get())?))).collect()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Unread<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UnreadVisitor).map(Self)
    }
}

struct UnreadVisitor;

impl<'de> Visitor<'de> for UnreadVisitor {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::with_capacity(12);
        while let Some((Name(name), value)) = map.next_entry()? {
            fields.push((name, value));
        }
        Ok(fields)
    }
}

/// A key, borrowed unless it has escapes.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor).map(Self)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}
