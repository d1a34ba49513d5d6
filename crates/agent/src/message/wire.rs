//! How messages and blocks are read, field by field.

use std::sync::Arc;

use serde::de::Error as _;
use serde_json::value::RawValue;

use super::fields::Unread;
use super::*;
use crate::json::read;

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        // A block whose fields are not what we take them for is kept as one of a type that we do not know.
        match read::<Unread<'_>>(raw.get()).and_then(block) {
            Ok(Some(block)) => Ok(block),
            Ok(None) | Err(_) => Json::parse(raw.get()).map(Self::Other).map_err(D::Error::custom),
        }
    }
}

/// `None` for a type that we do not know.
fn block(mut fields: Unread<'_>) -> Result<Option<Block>, serde_json::Error> {
    let kind: String = fields.take("type")?.unwrap_or_default();
    Ok(Some(match kind.as_str() {
        "text" => Block::Text(TextBlock {
            text: fields.take("text")?.unwrap_or_default(),
            text_signature: fields.take("textSignature")?,
            more: fields.rest()?,
        }),
        "thinking" => Block::Thinking(ThinkingBlock {
            thinking: fields.take("thinking")?.unwrap_or_default(),
            thinking_signature: fields.take("thinkingSignature")?,
            redacted: fields.take("redacted")?,
            more: fields.rest()?,
        }),
        "image" => Block::Image(ImageBlock {
            data: fields.take("data")?.unwrap_or_default(),
            mime_type: fields.take("mimeType")?.unwrap_or_default(),
            more: fields.rest()?,
        }),
        "toolCall" => Block::ToolCall(Arc::new(ToolCall {
            id: fields.take("id")?.unwrap_or_default(),
            name: fields.take("name")?.unwrap_or_default(),
            arguments: fields.take("arguments")?.unwrap_or_default(),
            thought_signature: fields.take("thoughtSignature")?,
            namespace: fields.take("namespace")?,
            arguments_error: fields.take("argumentsError")?,
            more: fields.rest()?,
        })),
        _ => return Ok(None),
    }))
}

fn content(raw: Option<&RawValue>) -> Result<UserContent, serde_json::Error> {
    let text = raw.map_or("null", |raw| raw.get()).trim_start();
    if text.starts_with('"') { read(text).map(UserContent::Text) } else { blocks(raw).map(UserContent::Blocks) }
}

fn blocks(raw: Option<&RawValue>) -> Result<Vec<Block>, serde_json::Error> {
    let text = raw.map_or("null", |raw| raw.get());
    Ok(read::<Option<Vec<Block>>>(text)?.unwrap_or_default())
}

fn milliseconds(value: Option<f64>) -> Option<u64> {
    // Saturates, and NaN is 0: `as` from a float never wraps.
    value.map(|value| value as u64)
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        from_text(raw.get()).map_err(D::Error::custom)
    }
}

fn from_text(text: &str) -> Result<Message, serde_json::Error> {
    let mut fields: Unread<'_> = read(text)?;
    let role: String = fields.take("role")?.unwrap_or_default();
    if !matches!(role.as_str(), "system" | "user" | "assistant" | "toolResult") {
        return Ok(Message::Other(OtherMessage { role, json: Json::parse(text)? }));
    }
    let raw_content = fields.take_raw("content");
    let timestamp = milliseconds(fields.take("timestamp")?).unwrap_or_default();
    Ok(match role.as_str() {
        "system" => Message::System(SystemMessage {
            content: content(raw_content)?,
            sections: fields.take("sections")?,
            tools_added: fields.take("toolsAdded")?,
            tools_removed: fields.take("toolsRemoved")?,
            timestamp,
            more: fields.rest()?,
        }),
        "user" => Message::User(UserMessage { content: content(raw_content)?, timestamp, more: fields.rest()? }),
        "assistant" => Message::Assistant(AssistantMessage {
            content: blocks(raw_content)?,
            api: fields.take("api")?.unwrap_or_default(),
            provider: fields.take("provider")?.unwrap_or_default(),
            model: fields.take("model")?.unwrap_or_default(),
            response_model: fields.take("responseModel")?,
            response_id: fields.take("responseId")?,
            provider_thinking_level: fields.take_lenient("providerThinkingLevel"),
            thinking_level: fields.take("thinkingLevel")?,
            diagnostics: fields.take("diagnostics")?,
            usage: fields.take_lenient("usage").unwrap_or_default(),
            stop_reason: fields.take_lenient("stopReason").unwrap_or(StopReason::Stop),
            deferred: fields.take("deferred")?,
            error_message: fields.take("errorMessage")?,
            raw_stop_reason: fields.take("rawStopReason")?,
            end_turn: fields.take_lenient("endTurn"),
            timestamp,
            duration_ms: milliseconds(fields.take("durationMs")?),
            more: fields.rest()?,
        }),
        _ => Message::ToolResult(ToolResultMessage {
            tool_call_id: fields.take("toolCallId")?.unwrap_or_default(),
            tool_name: fields.take("toolName")?.unwrap_or_default(),
            content: blocks(raw_content)?,
            details: fields.take("details")?,
            usage: fields.take_lenient("usage"),
            nested_calls: fields.take("nestedCalls")?,
            is_error: fields.take("isError")?.unwrap_or_default(),
            duration_ms: milliseconds(fields.take("durationMs")?),
            timestamp,
            more: fields.rest()?,
        }),
    })
}
