//! How messages and blocks are written: the fields in pi's order, absent ones left out, unknown ones behind the rest.

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;

use super::*;
use crate::json::write::{flag, head, key, list, number, plain, text, value};

/// Appends a field that may be absent.
macro_rules! optional {
    ($out:expr, $name:literal, $field:expr, $write:expr) => {
        if let Some(field) = &$field {
            key!($out, $name);
            $write($out, field);
        }
    };
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(|out| self.write_json(out), serializer)
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(|out| self.write_json(out), serializer)
    }
}

/// What was written by hand, for serde_json.
pub(crate) fn raw<S: Serializer>(write: impl FnOnce(&mut String), serializer: S) -> Result<S::Ok, S::Error> {
    let mut out = String::new();
    write(&mut out);
    RawValue::from_string(out).map_err(S::Error::custom)?.serialize(serializer)
}

impl Message {
    /// Appends it as JSON.
    pub(crate) fn write_json(&self, out: &mut String) {
        let more = match self {
            Self::System(message) => {
                out.push_str(r#"{"role":"system""#);
                key!(out, "content");
                content(out, &message.content);
                optional!(out, "sections", message.sections, value);
                optional!(out, "toolsAdded", message.tools_added, value);
                optional!(out, "toolsRemoved", message.tools_removed, value);
                key!(out, "timestamp");
                number(out, message.timestamp);
                &message.more
            }
            Self::User(message) => {
                out.push_str(r#"{"role":"user""#);
                key!(out, "content");
                content(out, &message.content);
                key!(out, "timestamp");
                number(out, message.timestamp);
                &message.more
            }
            Self::Assistant(message) => {
                assistant(out, message);
                &message.more
            }
            Self::ToolResult(message) => {
                tool_result(out, message);
                &message.more
            }
            Self::Other(message) => return out.push_str(message.json.as_str()),
        };
        more.write_json(out);
        out.push('}');
    }
}

fn assistant(out: &mut String, message: &AssistantMessage) {
    out.push_str(r#"{"role":"assistant","content":"#);
    list(out, &message.content, |out, block| block.write_json(out));
    key!(out, "api");
    text(out, &message.api);
    key!(out, "provider");
    text(out, &message.provider);
    key!(out, "model");
    text(out, &message.model);
    optional!(out, "responseModel", message.response_model, text);
    optional!(out, "responseId", message.response_id, text);
    optional!(out, "providerThinkingLevel", message.provider_thinking_level, text);
    optional!(out, "thinkingLevel", message.thinking_level, text);
    optional!(out, "diagnostics", message.diagnostics, json);
    key!(out, "usage");
    message.usage.write_json(out);
    key!(out, "stopReason");
    plain(out, message.stop_reason.as_str());
    optional!(out, "deferred", message.deferred, json);
    optional!(out, "errorMessage", message.error_message, text);
    optional!(out, "rawStopReason", message.raw_stop_reason, text);
    optional!(out, "endTurn", message.end_turn, |out, end_turn: &bool| flag(out, *end_turn));
    key!(out, "timestamp");
    number(out, message.timestamp);
    optional!(out, "durationMs", message.duration_ms, |out, duration: &u64| number(out, *duration));
}

fn tool_result(out: &mut String, message: &ToolResultMessage) {
    out.push_str(r#"{"role":"toolResult","toolCallId":"#);
    text(out, &message.tool_call_id);
    key!(out, "toolName");
    text(out, &message.tool_name);
    key!(out, "content");
    list(out, &message.content, |out, block| block.write_json(out));
    optional!(out, "details", message.details, json);
    optional!(out, "usage", message.usage, |out, usage: &Usage| usage.write_json(out));
    optional!(out, "nestedCalls", message.nested_calls, json);
    key!(out, "isError");
    flag(out, message.is_error);
    optional!(out, "durationMs", message.duration_ms, |out, duration: &u64| number(out, *duration));
    key!(out, "timestamp");
    number(out, message.timestamp);
}

fn content(out: &mut String, content: &UserContent) {
    match content {
        UserContent::Text(plain) => text(out, plain),
        UserContent::Blocks(blocks) => list(out, blocks, |out, block| block.write_json(out)),
    }
}

fn json(out: &mut String, json: &Json) {
    out.push_str(json.as_str());
}

impl Block {
    /// Appends it as JSON.
    pub(crate) fn write_json(&self, out: &mut String) {
        let more = match self {
            Self::Text(block) => {
                head!(out, "text", "text");
                text(out, &block.text);
                optional!(out, "textSignature", block.text_signature, text);
                &block.more
            }
            Self::Thinking(block) => {
                head!(out, "thinking", "thinking");
                text(out, &block.thinking);
                optional!(out, "thinkingSignature", block.thinking_signature, text);
                optional!(out, "redacted", block.redacted, |out, redacted: &bool| flag(out, *redacted));
                &block.more
            }
            Self::Image(block) => {
                head!(out, "image", "data");
                text(out, &block.data);
                key!(out, "mimeType");
                text(out, &block.mime_type);
                &block.more
            }
            Self::ToolCall(call) => return call.write_json(out),
            Self::Other(json) => return out.push_str(json.as_str()),
        };
        more.write_json(out);
        out.push('}');
    }
}

impl ToolCall {
    /// Appends it as the content block that it is.
    pub(crate) fn write_json(&self, out: &mut String) {
        head!(out, "toolCall", "id");
        text(out, &self.id);
        key!(out, "name");
        text(out, &self.name);
        key!(out, "arguments");
        out.push_str(self.arguments.as_str());
        optional!(out, "thoughtSignature", self.thought_signature, text);
        optional!(out, "namespace", self.namespace, text);
        optional!(out, "argumentsError", self.arguments_error, text);
        self.more.write_json(out);
        out.push('}');
    }
}

impl Usage {
    /// Appends it as JSON.
    pub(crate) fn write_json(&self, out: &mut String) {
        // Nearly all of them, while a response streams.
        const NONE: &str = concat!(
            r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"#,
            r#""cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#
        );
        if *self == Self::default() {
            return out.push_str(NONE);
        }
        value(out, self);
    }
}

impl Fields {
    fn write_json(&self, out: &mut String) {
        for (name, value) in self.iter() {
            out.push(',');
            text(out, name);
            out.push(':');
            out.push_str(value.as_str());
        }
    }
}

impl Serialize for UserContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(|out| content(out, self), serializer)
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        raw(|out| self.write_json(out), serializer)
    }
}
