//! One message of the history as the bytes that a request carries. Each is made once and kept by [`super::BodyCache`].

use std::borrow::Cow;

use serde::Serialize;
use vitrine_agent::message::{
    AssistantMessage, Block, ImageBlock, ToolResultMessage, UserContent, UserMessage, join_text,
};
use vitrine_agent::tool::ToolSpec;

use super::Quirks;

/// Writes one JSON object, field by field.
pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
    is_empty: bool,
}

impl<'o> Object<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    pub(super) fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> &mut Self {
        write(self.name(name), value);
        self
    }

    /// The place for a field's value, which the caller must write.
    pub(super) fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b',');
        }
        write(self.out, name);
        self.out.push(b':');
        self.out
    }

    pub(super) fn end(self) {
        self.out.push(b'}');
    }
}

/// JSON of a value whose serialisation cannot fail: strings, numbers, and structs and lists of them.
fn write(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.extend_from_slice(b"null");
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
struct ImageUrl {
    url: String,
}

impl<'a> Part<'a> {
    fn image(image: &ImageBlock) -> Self {
        Self::ImageUrl { image_url: ImageUrl { url: format!("data:{};base64,{}", image.mime_type, image.data) } }
    }

    /// What a user message sends of a block; blank text is refused by some servers.
    fn of(block: &'a Block) -> Option<Self> {
        match block {
            Block::Text(text) if text.text.trim().is_empty() => None,
            Block::Text(text) => Some(Self::Text { text: &text.text }),
            Block::Image(image) => Some(Self::image(image)),
            Block::Thinking(_) | Block::ToolCall(_) | Block::Other(_) => None,
        }
    }
}

pub(super) fn system(role: &str, prompt: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::new(&mut out);
    object.field("role", role).field("content", prompt);
    object.end();
    out
}

/// Empty if the message says nothing.
pub(super) fn user(user: &UserMessage) -> Vec<u8> {
    let mut out = Vec::new();
    match &user.content {
        UserContent::Text(text) if text.trim().is_empty() => return out,
        UserContent::Text(text) => user_object(&mut out, text),
        UserContent::Blocks(blocks) => {
            let parts: Vec<_> = blocks.iter().filter_map(Part::of).collect();
            if parts.is_empty() {
                return out;
            }
            user_object(&mut out, &parts);
        }
    }
    out
}

pub(super) fn user_text(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    user_object(&mut out, text);
    out
}

fn user_object(out: &mut Vec<u8>, content: &(impl Serialize + ?Sized)) {
    let mut object = Object::new(out);
    object.field("role", "user").field("content", content);
    object.end();
}

pub(super) fn assistant_text(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::new(&mut out);
    object.field("role", "assistant").field("content", text);
    object.end();
    out
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: &'a str,
}

/// The name of a call as servers take it back. A model may ask for a name that no server accepts in a history; that one
/// call would make every later request fail.
fn wire_name(name: &str) -> Cow<'_, str> {
    const MAX: usize = 64;
    let fits = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !name.is_empty() && name.len() <= MAX && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let plain: String = name.chars().take(MAX).map(|character| if fits(character) { character } else { '_' }).collect();
    Cow::Owned(if plain.is_empty() { "unnamed".to_owned() } else { plain })
}

/// Empty if there is neither text nor a call.
pub(super) fn assistant(assistant: &AssistantMessage, is_own: bool, call_ids: &[String], quirks: &Quirks) -> Vec<u8> {
    let mut text = String::new();
    let mut reasoning = Vec::<(&str, String)>::new();
    let mut details = None;
    for block in &assistant.content {
        match block {
            Block::Text(part) => text.push_str(&part.text),
            Block::Thinking(thinking) if is_own => match thinking.thinking_signature.as_deref() {
                _ if quirks.requires_thinking_as_text => {
                    text.push_str(&thinking.thinking);
                    text.push_str("\n\n");
                }
                Some("reasoning_content" | "reasoning" | "reasoning_text") if thinking.thinking.trim().is_empty() => {}
                Some(field @ ("reasoning_content" | "reasoning" | "reasoning_text")) => {
                    match reasoning.iter_mut().find(|(name, _)| *name == field) {
                        Some((_, joined)) => {
                            joined.push('\n');
                            joined.push_str(&thinking.thinking);
                        }
                        None => reasoning.push((field, thinking.thinking.clone())),
                    }
                }
                Some(signature) if signature.starts_with('[') => {
                    details = serde_json::from_str::<Box<serde_json::value::RawValue>>(signature).ok();
                }
                Some(_) | None => {}
            },
            Block::Thinking(_) | Block::Image(_) | Block::ToolCall(_) | Block::Other(_) => {}
        }
    }
    let calls: Vec<_> = assistant
        .tool_calls()
        .zip(call_ids)
        .map(|(call, id)| {
            let arguments = call.arguments.as_str();
            let arguments = if arguments.trim_start().starts_with('{') { arguments } else { "{}" };
            Call { id, kind: "function", function: Function { name: wire_name(&call.name), arguments } }
        })
        .collect();
    let mut out = Vec::new();
    let is_blank = text.trim().is_empty();
    if is_blank && calls.is_empty() {
        return out;
    }
    let mut object = Object::new(&mut out);
    object.field("role", "assistant");
    match is_blank {
        false => object.field("content", &text),
        true if quirks.requires_non_null_assistant_content => object.field("content", ""),
        true => object.field("content", &None::<&str>),
    };
    if quirks.requires_reasoning_content_on_assistant_messages
        && !reasoning.iter().any(|(field, _)| *field == "reasoning_content")
    {
        reasoning.push(("reasoning_content", quirks.reasoning_placeholder.to_owned()));
    }
    for (field, text) in &reasoning {
        object.field(field, text);
    }
    if let Some(details) = &details {
        object.field("reasoning_details", details);
    }
    if !calls.is_empty() {
        object.field("tool_calls", &calls);
    }
    object.end();
    out
}

/// The result's message, and its images as parts for the user message that follows the run of results.
pub(super) fn result(result: &ToolResultMessage, id: &str, quirks: &Quirks) -> (Vec<u8>, Vec<u8>) {
    let mut images = Vec::new();
    for block in &result.content {
        if let Block::Image(image) = block {
            if !images.is_empty() {
                images.push(b',');
            }
            write(&mut images, &Part::image(image));
        }
    }
    let text = join_text(&result.content);
    let text = match text.trim().is_empty() {
        false => &text,
        true if images.is_empty() => "(no tool output)",
        true => "(see attached image)",
    };
    (result_text(id, &result.tool_name, text, quirks), images)
}

pub(super) fn result_text(id: &str, name: &str, text: &str, quirks: &Quirks) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::new(&mut out);
    object.field("role", "tool").field("tool_call_id", id);
    if quirks.requires_tool_result_name {
        object.field("name", name);
    }
    object.field("content", text);
    object.end();
    out
}

/// The images of a run of results, as one user message.
pub(super) fn attached_images(parts: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::new(&mut out);
    object.field("role", "user");
    let content = object.name("content");
    content.push(b'[');
    write(content, &Part::Text { text: "Attached image(s) from tool result:" });
    content.push(b',');
    content.extend_from_slice(parts);
    content.push(b']');
    object.end();
    out
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: &'a ToolSpec,
}

pub(super) fn tools(specs: &[ToolSpec]) -> Vec<u8> {
    let mut out = Vec::new();
    let tools: Vec<_> = specs.iter().map(|function| Tool { kind: "function", function }).collect();
    write(&mut out, &tools);
    out
}
