//! The flat shapes that tagged enums are read through, and the tagged shapes they are written as.

use serde::{Serializer, de::Error as _};
use serde_json::value::RawValue;

use super::*;
use crate::json::read;

#[derive(Serialize)]
struct Tagged<'a, T> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    body: &'a T,
}

#[derive(Serialize)]
struct TaggedCall<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
    name: &'a str,
    arguments: &'a Json,
    #[serde(rename = "thoughtSignature", skip_serializing_if = "Option::is_none")]
    thought_signature: &'a Option<String>,
    #[serde(rename = "argumentsError", skip_serializing_if = "Option::is_none")]
    arguments_error: &'a Option<String>,
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(body) => Tagged { kind: "text", body }.serialize(serializer),
            Self::Thinking(body) => Tagged { kind: "thinking", body }.serialize(serializer),
            Self::Image(body) => Tagged { kind: "image", body }.serialize(serializer),
            Self::ToolCall(call) => TaggedCall {
                kind: "toolCall",
                id: &call.id,
                name: &call.name,
                arguments: &call.arguments,
                thought_signature: &call.thought_signature,
                arguments_error: &call.arguments_error,
            }
            .serialize(serializer),
            Self::Other(json) => json.serialize(serializer),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlatBlock {
    #[serde(rename = "type", default)]
    kind: String,
    text: Option<String>,
    text_signature: Option<String>,
    thinking: Option<String>,
    thinking_signature: Option<String>,
    redacted: Option<bool>,
    data: Option<String>,
    mime_type: Option<String>,
    id: Option<String>,
    name: Option<String>,
    arguments: Option<Json>,
    thought_signature: Option<String>,
    arguments_error: Option<String>,
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        // A block of a type we do not know may use our field names for other things.
        let Ok(flat) = read::<FlatBlock>(raw.get()) else {
            return Json::parse(raw.get()).map(Self::Other).map_err(D::Error::custom);
        };
        Ok(match flat.kind.as_str() {
            "text" => {
                Self::Text(TextBlock { text: flat.text.unwrap_or_default(), text_signature: flat.text_signature })
            }
            "thinking" => Self::Thinking(ThinkingBlock {
                thinking: flat.thinking.unwrap_or_default(),
                thinking_signature: flat.thinking_signature,
                redacted: flat.redacted,
            }),
            "image" => Self::Image(ImageBlock {
                data: flat.data.unwrap_or_default(),
                mime_type: flat.mime_type.unwrap_or_default(),
            }),
            "toolCall" => Self::ToolCall(ToolCall {
                id: flat.id.unwrap_or_default(),
                name: flat.name.unwrap_or_default(),
                arguments: flat.arguments.unwrap_or_default(),
                thought_signature: flat.thought_signature,
                arguments_error: flat.arguments_error,
            }),
            _ => Self::Other(Json::parse(raw.get()).map_err(D::Error::custom)?),
        })
    }
}

#[derive(Serialize)]
struct Roled<'a, T> {
    role: &'static str,
    #[serde(flatten)]
    body: &'a T,
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::System(body) => Roled { role: "system", body }.serialize(serializer),
            Self::User(body) => Roled { role: "user", body }.serialize(serializer),
            Self::Assistant(body) => Roled { role: "assistant", body }.serialize(serializer),
            Self::ToolResult(body) => Roled { role: "toolResult", body }.serialize(serializer),
            Self::Other(other) => other.json.serialize(serializer),
        }
    }
}

fn content(raw: Option<&RawValue>) -> Result<UserContent, serde_json::Error> {
    let text = raw.map_or("null", |raw| raw.get()).trim_start();
    if text.starts_with('"') { read(text).map(UserContent::Text) } else { blocks(raw).map(UserContent::Blocks) }
}

fn blocks(raw: Option<&RawValue>) -> Result<Vec<Block>, serde_json::Error> {
    let text = raw.map_or("null", |raw| raw.get());
    Ok(read::<Option<Vec<Block>>>(text)?.unwrap_or_default())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlatMessage<'a> {
    #[serde(default)]
    role: String,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    sections: Option<IndexMap<String, Option<String>>>,
    tools_added: Option<Vec<ToolSpec>>,
    tools_removed: Option<Vec<ToolName>>,
    api: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    response_model: Option<String>,
    response_id: Option<String>,
    thinking_level: Option<String>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    stop_reason: Option<&'a RawValue>,
    error_message: Option<String>,
    raw_stop_reason: Option<String>,
    tool_call_id: Option<String>,
    tool_name: Option<String>,
    details: Option<Json>,
    nested_calls: Option<Json>,
    is_error: Option<bool>,
    #[serde(default)]
    timestamp: f64,
    duration_ms: Option<f64>,
}

/// A value that may be missing, or of a later version that spells it otherwise: the message counts without it.
fn lenient<T: for<'a> Deserialize<'a>>(raw: Option<&RawValue>) -> Option<T> {
    read(raw?.get()).ok()
}

fn milliseconds(value: f64) -> u64 {
    // Saturates, and NaN is 0: `as` from a float never wraps.
    value as u64
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        from_text(raw.get()).map_err(D::Error::custom)
    }
}

fn from_text(text: &str) -> Result<Message, serde_json::Error> {
    #[derive(Deserialize)]
    struct Role {
        #[serde(default)]
        role: String,
    }
    let role = read::<Role>(text)?.role;
    if !matches!(role.as_str(), "system" | "user" | "assistant" | "toolResult") {
        return Ok(Message::Other(OtherMessage { role, json: Json::parse(text)? }));
    }
    let flat: FlatMessage<'_> = read(text)?;
    let timestamp = milliseconds(flat.timestamp);
    let duration_ms = flat.duration_ms.map(milliseconds);
    Ok(match flat.role.as_str() {
        "system" => Message::System(SystemMessage {
            content: content(flat.content)?,
            sections: flat.sections,
            tools_added: flat.tools_added,
            tools_removed: flat.tools_removed,
            timestamp,
        }),
        "user" => Message::User(UserMessage { content: content(flat.content)?, timestamp }),
        "assistant" => Message::Assistant(AssistantMessage {
            content: blocks(flat.content)?,
            api: flat.api.unwrap_or_default(),
            provider: flat.provider.unwrap_or_default(),
            model: flat.model.unwrap_or_default(),
            response_model: flat.response_model,
            response_id: flat.response_id,
            thinking_level: flat.thinking_level,
            usage: lenient(flat.usage).unwrap_or_default(),
            stop_reason: lenient(flat.stop_reason).unwrap_or(StopReason::Stop),
            error_message: flat.error_message,
            raw_stop_reason: flat.raw_stop_reason,
            timestamp,
            duration_ms,
        }),
        _ => Message::ToolResult(ToolResultMessage {
            tool_call_id: flat.tool_call_id.unwrap_or_default(),
            tool_name: flat.tool_name.unwrap_or_default(),
            content: blocks(flat.content)?,
            details: flat.details,
            usage: lenient(flat.usage),
            nested_calls: flat.nested_calls,
            is_error: flat.is_error.unwrap_or_default(),
            duration_ms,
            timestamp,
        }),
    })
}
