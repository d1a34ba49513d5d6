//! The JSON of an answer, typed and borrowed from the event's data.
//!
//! Servers send null, numbers and lists where strings belong; [`Text`] takes them all, so that one odd field does not lose
//! a chunk. Unknown fields are skipped.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json_stream::repair_json;

/// One chunk of a stream, or the whole answer of a server that does not stream.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) model: Text<'a>,
    #[serde(borrow, default)]
    pub(super) object: Text<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    message: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Text<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

impl<'a> Choice<'a> {
    /// What it adds; a whole answer has it under `message`.
    pub(super) fn delta(&mut self) -> Option<Delta<'a>> {
        self.delta.take().or_else(|| self.message.take())
    }
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Text<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: Text<'a>,
    #[serde(borrow, default)]
    reasoning_content: Text<'a>,
    #[serde(borrow, default)]
    reasoning: Text<'a>,
    #[serde(borrow, default)]
    reasoning_text: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<CallDelta<'a>>>,
    #[serde(borrow)]
    pub(super) function_call: Option<FunctionDelta<'a>>,
}

impl Delta<'_> {
    /// The first field of reasoning that says something, by name: a server that sends two sends the same text twice.
    pub(super) fn thinking(&self) -> Option<(&'static str, &str)> {
        [
            ("reasoning_content", &self.reasoning_content),
            ("reasoning", &self.reasoning),
            ("reasoning_text", &self.reasoning_text),
        ]
        .into_iter()
        .find_map(|(field, text)| (!text.0.is_empty()).then_some((field, &*text.0)))
    }
}

#[derive(Debug, serde::Deserialize)]
pub(super) struct CallDelta<'a> {
    #[serde(borrow, default)]
    index: Text<'a>,
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) function: Option<FunctionDelta<'a>>,
}

impl CallDelta<'_> {
    pub(super) fn index(&self) -> Option<i64> {
        self.index.0.parse().ok()
    }
}

#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct FunctionDelta<'a> {
    #[serde(borrow, default)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl FunctionDelta<'_> {
    /// The arguments' text; a server that sends an object instead means its JSON (case b08).
    pub(super) fn arguments(&self) -> Cow<'_, str> {
        let Some(raw) = self.arguments.map(RawValue::get) else { return Cow::Borrowed("") };
        if !raw.starts_with('"') {
            return Cow::Borrowed(raw);
        }
        match serde_json::from_str::<Text<'_>>(raw) {
            Ok(text) => text.0,
            Err(_) => serde_json::from_str(&repair_json(raw)).map(Cow::Owned).unwrap_or_default(),
        }
    }
}

/// `usage`, where every number may be missing.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct WireUsage {
    pub(super) prompt_tokens: Option<f64>,
    pub(super) completion_tokens: Option<f64>,
    pub(super) prompt_tokens_details: Option<PromptDetails>,
    pub(super) completion_tokens_details: Option<CompletionDetails>,
    pub(super) prompt_cache_hit_tokens: Option<f64>,
    pub(super) cached_tokens: Option<f64>,
    pub(super) reasoning_tokens: Option<f64>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Option<f64>,
    pub(super) cache_write_tokens: Option<f64>,
}

#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(super) struct CompletionDetails {
    pub(super) reasoning_tokens: Option<f64>,
}

/// Reads one payload. `Ok(None)` is JSON that is no object and says nothing (`null`).
///
/// A payload that serde refuses is mended and read through a [`Value`] once more: half a surrogate pair and a doubled key
/// are legal to JavaScript's parser, and servers that were only tried with it send them.
pub(super) fn read<T>(payload: &str, take: impl FnOnce(Chunk<'_>) -> T) -> Result<Option<T>, serde_json::Error> {
    match serde_json::from_str::<Chunk<'_>>(payload) {
        Ok(chunk) => return Ok(Some(take(chunk))),
        Err(failure) if failure.is_eof() => return Err(failure),
        Err(_) => {}
    }
    let value: Value = serde_json::from_str(&repair_json(payload))?;
    if !value.is_object() {
        return Ok(None);
    }
    serde_json::from_str(&value.to_string()).map(|chunk| Some(take(chunk)))
}

/// A string, or what can be read as one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor).map(Text)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(""))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(""))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Cow::Owned(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Cow::Owned(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Cow::Owned(number.to_string()))
    }

    /// Content in parts: the text of the text parts.
    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        #[derive(serde::Deserialize)]
        struct Part<'a> {
            #[serde(borrow, default)]
            text: Text<'a>,
        }
        let mut joined = String::new();
        while let Some(raw) = parts.next_element::<&RawValue>()? {
            if let Ok(part) = serde_json::from_str::<Part<'_>>(raw.get()) {
                joined.push_str(&part.text.0);
            }
        }
        Ok(Cow::Owned(joined))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cow::Borrowed(""))
    }
}
