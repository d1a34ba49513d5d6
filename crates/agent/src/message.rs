//! What a model reads and writes: messages and their content blocks, field for field as pi 1.6 serialises them.
//!
//! Reading is tolerant (a missing `content` is empty, an unknown role is kept whole as [`Message::Other`]); writing is
//! exact. Tagged enums are read through one flat struct each: serde's tagged enums buffer, which would lose the raw text
//! that [`Json`] keeps.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};

use crate::json::Json;
use crate::tool::ToolSpec;

mod fields;
mod shared;
mod usage;
mod wire;
pub(crate) mod write;

pub use fields::Fields;
pub use shared::SharedMessage;
pub(crate) use usage::as_javascript_writes_it;
pub use usage::{Cost, Usage};

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The prompt and the tool declarations, or a later change to them.
    System(SystemMessage),
    /// What a person wrote.
    User(UserMessage),
    /// What the model answered.
    Assistant(AssistantMessage),
    /// What the host answered to one tool call.
    ToolResult(ToolResultMessage),
    /// A role of someone else's, kept as it came and not sent to a model.
    Other(OtherMessage),
}

impl Message {
    /// A user message of one text block.
    pub fn user(text: impl Into<String>, timestamp: u64) -> Self {
        let content = UserContent::Blocks(vec![Block::text(text)]);
        Self::User(UserMessage { content, timestamp, ..UserMessage::default() })
    }

    /// The `role` field.
    pub fn role(&self) -> &str {
        match self {
            Self::System(_) => "system",
            Self::User(_) => "user",
            Self::Assistant(_) => "assistant",
            Self::ToolResult(_) => "toolResult",
            Self::Other(other) => &other.role,
        }
    }
}

/// A system message: text, named sections and tool changes. Replaying all of them gives the prompt and the tools.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemMessage {
    /// Text or text blocks.
    pub content: UserContent,
    /// Sections set (`Some`) or removed (`None`), in order.
    pub sections: Option<IndexMap<String, Option<String>>>,
    /// Tools declared from here on.
    pub tools_added: Option<Vec<ToolSpec>>,
    /// Tools withdrawn from here on.
    pub tools_removed: Option<Vec<ToolName>>,
    /// Milliseconds since 1970; 0 for the initial one.
    pub timestamp: u64,
    /// What else the JSON has, written back behind the rest.
    pub more: Fields,
}

/// `{name}`, as `toolsRemoved` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolName {
    /// The tool's exact name.
    pub name: String,
}

/// A user message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserMessage {
    /// Text, or text and image blocks.
    pub content: UserContent,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// What else the JSON has, written back behind the rest.
    pub more: Fields,
}

/// `string | Block[]`, written back as it was read.
#[derive(Clone, Debug, PartialEq)]
pub enum UserContent {
    /// Plain text.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
}

impl Default for UserContent {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl UserContent {
    /// All text in it, blocks joined by a line feed.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => join_text(blocks),
        }
    }
}

/// The text blocks of a content list, joined by a line feed.
pub fn join_text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        if let Block::Text(part) = block {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&part.text);
        }
    }
    text
}

/// An assistant message: one model response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantMessage {
    /// Text, thinking and tool calls, in the order the model wrote them.
    pub content: Vec<Block>,
    /// The wire it came over (`openai-completions`, `scripted`, …).
    pub api: Arc<str>,
    /// Whose API.
    pub provider: Arc<str>,
    /// The model that was asked for.
    pub model: Arc<str>,
    /// The model that answered, where the server says another name.
    pub response_model: Option<String>,
    /// The server's id of the response.
    pub response_id: Option<String>,
    /// The provider's own word for the effort it used.
    pub provider_thinking_level: Option<String>,
    /// Stamped by the loop on the final message: the level asked for, or `off`.
    pub thinking_level: Option<Arc<str>>,
    /// What went wrong on the way and was survived, as pi records it: a list of `{type, timestamp, error?, details?}`.
    pub diagnostics: Option<Json>,
    /// Tokens and cost.
    pub usage: Usage,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Where a `deferred` answer can be fetched, in its provider's terms.
    pub deferred: Option<Json>,
    /// The failure in words, for `error` and `aborted`.
    pub error_message: Option<String>,
    /// The server's own word for the stop reason, where it is not ours.
    pub raw_stop_reason: Option<String>,
    /// Whether the model ended its turn on purpose, where the server says; the loop does not go by it.
    pub end_turn: Option<bool>,
    /// Milliseconds since 1970, at the start of the request.
    pub timestamp: u64,
    /// Milliseconds from request to end.
    pub duration_ms: Option<u64>,
    /// What else the JSON has, written back behind the rest.
    pub more: Fields,
}

impl AssistantMessage {
    /// An empty message that a stream will fill, `pending`.
    pub fn pending(
        api: impl Into<Arc<str>>,
        provider: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        timestamp: u64,
    ) -> Self {
        Self {
            api: api.into(),
            provider: provider.into(),
            model: model.into(),
            stop_reason: StopReason::Pending,
            timestamp,
            ..Self::default()
        }
    }

    /// Its tool calls, in source order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.shared_tool_calls().map(|call| &**call)
    }

    pub(crate) fn shared_tool_calls(&self) -> impl Iterator<Item = &Arc<ToolCall>> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            Block::Text(_) | Block::Thinking(_) | Block::Image(_) | Block::Other(_) => None,
        })
    }
}

/// Why a response stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// Still streaming; never persisted.
    #[default]
    Pending,
    /// The model was done.
    Stop,
    /// The output token limit was hit: its calls are void.
    Length,
    /// It wants tools.
    ToolUse,
    /// It failed.
    Error,
    /// It was cancelled.
    Aborted,
    /// The answer comes later, out of band.
    Deferred,
}

impl StopReason {
    /// The name as it is serialised.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolUse => "toolUse",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Deferred => "deferred",
        }
    }
}

/// The answer to one tool call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResultMessage {
    /// The call it answers.
    pub tool_call_id: Arc<str>,
    /// The tool's name as the model wrote it.
    pub tool_name: Arc<str>,
    /// What the model reads.
    pub content: Vec<Block>,
    /// What a person may look at; the model never sees it.
    pub details: Option<Json>,
    /// Tokens a tool used itself.
    pub usage: Option<Usage>,
    /// Calls the tool made in turn, as pi records them.
    pub nested_calls: Option<Json>,
    /// Whether it failed.
    pub is_error: bool,
    /// Milliseconds of execution; absent unless the tool ran.
    pub duration_ms: Option<u64>,
    /// Milliseconds since 1970.
    pub timestamp: u64,
    /// What else the JSON has, written back behind the rest.
    pub more: Fields,
}

/// A message of an unknown role, whole.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherMessage {
    /// Its `role`.
    pub role: String,
    /// The whole message.
    pub json: Json,
}

/// A content block.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Text.
    Text(TextBlock),
    /// Reasoning.
    Thinking(ThinkingBlock),
    /// An image.
    Image(ImageBlock),
    /// A request to run a tool.
    ToolCall(Arc<ToolCall>),
    /// A block of an unknown type, kept as it came and not sent to a model.
    Other(Json),
}

impl Block {
    /// A text block without a signature.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock { text: text.into(), ..TextBlock::default() })
    }
}

/// Text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextBlock {
    /// The text.
    pub text: String,
    /// Opaque to us; goes back to the provider it came from.
    pub text_signature: Option<String>,
    /// What else the JSON has, written back behind the rest.
    pub more: Fields,
}

/// Reasoning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThinkingBlock {
    /// The text; may be empty when only the signature matters.
    pub thinking: String,
    /// Opaque to us; for completions the name of the field it came in.
    pub thinking_signature: Option<String>,
    /// The provider hid the text; the payload is in the signature.
    pub redacted: Option<bool>,
    /// What else the JSON has, written back behind the rest.
    pub more: Fields,
}

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageBlock {
    /// Base64.
    pub data: String,
    /// `image/png`, …
    pub mime_type: String,
    /// What else the JSON has, written back behind the rest. An image outside a message has nothing else.
    #[serde(skip)]
    pub more: Fields,
}

/// What the model asks: nothing has run yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The model's id for it; its result carries the same.
    pub id: Arc<str>,
    /// The tool's name.
    pub name: Arc<str>,
    /// A JSON object, as the model wrote it.
    pub arguments: Json,
    /// Google's signature of the thought behind it.
    pub thought_signature: Option<String>,
    /// The namespace of a tool that was loaded while the conversation went on (Responses).
    pub namespace: Option<String>,
    /// Why the arguments were refused; they are `{}` then and the call must not run.
    pub arguments_error: Option<String>,
    /// What else the JSON has, written back behind the rest.
    pub more: Fields,
}
