//! Entries and headers as JSON text: one line each.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use vitrine_agent::message::{Block, Message, UserContent};

use super::{
    BranchSummary, Compaction, ContextEdit, Custom, CustomMessage, Entry, Header, Label, ModelChange, Payload,
    SessionInfoEntry, ThinkingLevelChange, UsageNote, VERSION,
};
use crate::ids::{EntryId, SessionId};
use crate::time;

impl Header {
    /// The line of the current version that says what the fields say.
    pub(super) fn encode(&self) -> Arc<str> {
        let Self { id, timestamp, cwd, parent_session, .. } = self;
        let (version, parent_session) = (VERSION, parent_session.as_deref());
        encode_line(&NewHeader { r#type: "session", version, id: id.as_str(), timestamp, cwd, parent_session })
    }

    /// The header of a line, or `None` when the line is not one: another type, or no string id.
    pub fn parse(line: &str) -> Option<Self> {
        let parsed: HeaderLine<'_> = parse_object(line)?;
        if string(parsed.kind).as_deref() != Some("session") {
            return None;
        }
        let owned = |raw| string(raw).map(Cow::into_owned);
        Some(Self {
            // A version that is no small number is of a later format, which is read as this one.
            version: parsed.version.map_or(1, |raw| raw.get().parse().unwrap_or(VERSION)),
            id: SessionId::from(owned(parsed.id)?),
            timestamp: owned(parsed.timestamp).unwrap_or_default(),
            cwd: owned(parsed.cwd).unwrap_or_default(),
            parent_session: owned(parsed.parent_session),
            line: line.into(),
        })
    }
}

impl Entry {
    /// A new entry with its line encoded. An [`Payload::Other`] is written as its bare type.
    pub fn new(id: EntryId, parent_id: Option<EntryId>, now_ms: u64, payload: Payload) -> Self {
        let timestamp = time::to_iso(now_ms);
        let base = Base { kind: payload.kind(), id: &id, parent_id: parent_id.as_ref(), timestamp: &timestamp };
        let line = match &payload {
            Payload::Message(message) => base.line(&MessageRef { message }),
            Payload::ModelChange(body) => base.line(body),
            Payload::ThinkingLevelChange(body) => base.line(body),
            Payload::Usage(body) => base.line(body),
            Payload::Compaction(body) => base.line(body),
            Payload::BranchSummary(body) => base.line(body),
            Payload::ContextEdit(body) => base.line(body),
            Payload::Custom(body) => base.line(body),
            Payload::CustomMessage(body) => base.line(body),
            Payload::Label(body) => base.line(body),
            Payload::SessionInfo(body) => base.line(body),
            Payload::Other { .. } => base.line(&SessionInfoEntry::default()),
        };
        Self { id, parent_id, timestamp, payload, line }
    }

    /// Reads one line: a JSON object with a string `id`. `None` when it is not.
    pub fn parse(line: &str) -> Option<Self> {
        let base: BaseLine<'_> = parse_object(line)?;
        let kind = string(base.kind).unwrap_or_default();
        Some(Self {
            id: EntryId::from(string(base.id)?.as_ref()),
            parent_id: string(base.parent_id).map(|id| EntryId::from(id.as_ref())),
            timestamp: string(base.timestamp).unwrap_or_default().into_owned(),
            payload: Payload::parse(&kind, line),
            line: line.into(),
        })
    }
}

impl Payload {
    /// Reads the body of a line of type `kind`. A body that is not what its type says is kept as [`Payload::Other`].
    fn parse(kind: &str, line: &str) -> Self {
        // Before, not after a failed reading: a block that cannot be read would be kept as one of an unknown type.
        let mended = mend_surrogates(line);
        Self::parse_exact(kind, mended.as_deref().unwrap_or(line))
            .unwrap_or_else(|| Self::Other { kind: kind.to_owned() })
    }

    fn parse_exact(kind: &str, line: &str) -> Option<Self> {
        let body = Body(parse_object(line)?);
        Some(match kind {
            "message" => Self::Message(body.required("message")?),
            "model_change" => Self::ModelChange(ModelChange {
                provider: body.required("provider")?,
                model_id: body.required("modelId")?,
            }),
            "thinking_level_change" => {
                Self::ThinkingLevelChange(ThinkingLevelChange { thinking_level: body.required("thinkingLevel")? })
            }
            "usage" => Self::Usage(UsageNote {
                kind: body.required("kind")?,
                provider: body.required("provider")?,
                model: body.required("model")?,
                usage: body.required("usage")?,
                note: body.optional("note")?,
            }),
            "compaction" => Self::Compaction(Compaction {
                summary: body.required("summary")?,
                first_kept_entry_id: body.optional("firstKeptEntryId")?,
                // A count. JavaScript has one kind of number; what is no count saturates.
                tokens_before: body.optional::<f64>("tokensBefore")? as u64,
                details: body.optional("details")?,
                usage: body.optional("usage")?,
                from_hook: body.optional("fromHook")?,
                system_message: body.optional("systemMessage")?,
            }),
            "branch_summary" => Self::BranchSummary(BranchSummary {
                from_id: body.required("fromId")?,
                summary: body.required("summary")?,
                details: body.optional("details")?,
                usage: body.optional("usage")?,
                from_hook: body.optional("fromHook")?,
            }),
            "context_edit" => Self::ContextEdit(ContextEdit {
                target_id: body.required("targetId")?,
                replacement: body.optional("replacement")?,
            }),
            "custom" => {
                Self::Custom(Custom { custom_type: body.required("customType")?, data: body.optional("data")? })
            }
            "custom_message" => Self::CustomMessage(CustomMessage {
                custom_type: body.required("customType")?,
                content: body.0.get("content").and_then(|raw| user_content(raw.get()).ok())?,
                display: body.optional("display")?,
                details: body.optional("details")?,
            }),
            "label" => Self::Label(Label { target_id: body.required("targetId")?, label: body.optional("label")? }),
            "session_info" => Self::SessionInfo(SessionInfoEntry { name: body.optional("name")? }),
            _ => return None,
        })
    }
}

/// The fields of a line, unread. One shape for all types: a reader for each is several times this code.
struct Body(Fields);

impl Body {
    /// A field that has to be there. `None` where it is not, or is not what it should be.
    fn required<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// A field that may be missing. `None` where it is there and is not what it should be.
    fn optional<T: DeserializeOwned + Default>(&self, name: &str) -> Option<T> {
        if self.0.contains_key(name) { self.required(name) } else { Some(T::default()) }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewHeader<'a> {
    r#type: &'a str,
    version: u32,
    id: &'a str,
    timestamp: &'a str,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_session: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeaderLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    version: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    cwd: Option<&'a RawValue>,
    #[serde(borrow)]
    parent_session: Option<&'a RawValue>,
}

/// What all entries share, each field read on its own, so that one odd field does not cost the line.
#[derive(Deserialize)]
struct BaseLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(rename = "parentId", borrow)]
    parent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

#[derive(Clone, Copy)]
struct Base<'a> {
    kind: &'a str,
    id: &'a EntryId,
    parent_id: Option<&'a EntryId>,
    timestamp: &'a str,
}

impl Base<'_> {
    fn line<B: Serialize>(self, body: &B) -> Arc<str> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Line<'a, B> {
            r#type: &'a str,
            id: &'a EntryId,
            parent_id: Option<&'a EntryId>,
            timestamp: &'a str,
            #[serde(flatten)]
            body: &'a B,
        }
        let Base { kind, id, parent_id, timestamp } = self;
        encode_line(&Line { r#type: kind, id, parent_id, timestamp, body })
    }
}

#[derive(Serialize)]
struct MessageRef<'a> {
    message: &'a Message,
}

/// JSON on one line. A [`Json`] inside keeps the model's own white space, and a line feed there would end the line; in
/// well-formed JSON it can only stand between tokens, so a space says the same.
fn encode_line<T: Serialize>(value: &T) -> Arc<str> {
    let text = serde_json::to_string(value).unwrap_or_default();
    debug_assert!(!text.is_empty(), "the types of this file always serialise");
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ").into() } else { text.into() }
}

/// A JSON object whose values stay as they are spelled. Of two fields of one name the last counts, as in JavaScript.
pub(crate) type Fields = IndexMap<String, Box<RawValue>>;

/// Reads a JSON object. An array is refused, which serde would read as the fields in order.
pub(crate) fn parse_object<'a, T: Deserialize<'a>>(line: &'a str) -> Option<T> {
    if line.trim_start().starts_with('{') { serde_json::from_str(line).ok() } else { None }
}

/// The text of a JSON string; `None` for any other value.
pub(crate) fn string(raw: Option<&RawValue>) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Text<'_>>(raw?.get()).ok().map(|text| text.0)
}

/// `string | Block[]`; `null` is empty.
pub(super) fn content<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<UserContent, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    user_content(raw.get()).map_err(serde::de::Error::custom)
}

fn user_content(text: &str) -> Result<UserContent, serde_json::Error> {
    if text.starts_with('"') {
        return serde_json::from_str(text).map(UserContent::Text);
    }
    let blocks: Option<Vec<Block>> = serde_json::from_str(text)?;
    Ok(UserContent::Blocks(blocks.unwrap_or_default()))
}

/// Replaces escapes of unpaired surrogates, which JavaScript writes when a string was cut inside a character and which
/// no Rust string can hold, by the replacement character's. `None` when there are none.
fn mend_surrogates(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    let unit = |at: usize| -> Option<u16> {
        let escape = bytes.get(at..at + 6)?;
        if !escape.starts_with(b"\\u") {
            return None;
        }
        u16::from_str_radix(line.get(at + 2..at + 6)?, 16).ok()
    };
    if !line.contains("\\ud") && !line.contains("\\uD") {
        return None;
    }
    let mut mended = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = line.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                mended.push_str(line.get(copied..at)?);
                mended.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // An escape is at least two bytes, and the second is ASCII in well-formed JSON.
            _ => at += 2,
        }
    }
    if copied == 0 {
        return None;
    }
    mended.push_str(line.get(copied..)?);
    Some(mended)
}

#[cfg(test)]
mod tests;
