//! [`request`]: a model request to an HTTP request, at the cost of what is new in the history.

use serde::Serialize;
use serde_json::{Map, Value, json};
use vitrine_agent::model::{ModelInfo, ModelRequest};

use super::encode::Object;
use super::messages::{BodyCache, Messages};
use super::options::RequestOptions;
use super::quirks::{MaxTokensField, Quirks};
use super::reasoning;
use crate::http::HttpRequest;

/// `POST {base_url}/chat/completions`. Never fails: what cannot be sent is repaired or left out, and the history is not
/// changed. The key goes into a header and nowhere else.
pub fn request(request: &ModelRequest, key: Option<&str>, cache: &mut BodyCache) -> HttpRequest {
    request_with(request, key, cache, &RequestOptions::default())
}

/// The same, with what a caller asks for besides.
pub fn request_with(
    request: &ModelRequest,
    key: Option<&str>,
    cache: &mut BodyCache,
    options: &RequestOptions,
) -> HttpRequest {
    let model = &request.model;
    let quirks = Quirks::of(model);
    let messages = Messages::of(request, &quirks, cache);
    let mut body = Vec::with_capacity(messages.json.len() + 1024);
    let mut fields =
        Fields { object: Object::new(&mut body), overrides: options.overrides(model, request.reasoning.as_deref()) };
    fields.add("model", &model.id);
    fields.add_raw("messages", &messages.json);
    fields.add("stream", &true);
    if quirks.supports_usage_in_streaming {
        fields.add("stream_options", &json!({"include_usage": true}));
    }
    if quirks.supports_store {
        fields.add("store", &false);
    }
    let mut limit = model.max_tokens;
    if model.max_tokens > 0 {
        let field = match quirks.max_tokens_field {
            MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
            MaxTokensField::MaxTokens => "max_tokens",
        };
        limit = room(model, messages.json.len() - messages.state.image_bytes);
        fields.add(field, &limit);
    }
    if let Some(head) = cache.head()
        && (head.has_tools || (quirks.requires_tools_with_tool_history && messages.state.has_calls))
    {
        fields.add_raw("tools", &head.tools);
        if head.has_tools && quirks.zai_tool_stream {
            fields.add("tool_stream", &true);
        }
    }
    for (field, value) in reasoning::fields(model, request.reasoning.as_deref(), &quirks, options, limit) {
        fields.add(&field, &value);
    }
    for (field, value) in options.fields(model, &quirks) {
        fields.add(field, &value);
    }
    fields.end();
    cache.take_back(messages);
    let mut headers = headers(key);
    headers.push(("accept".to_owned(), "text/event-stream".to_owned()));
    headers.push(("content-type".to_owned(), "application/json".to_owned()));
    headers.extend(options.headers(&quirks));
    HttpRequest { method: "POST", url: endpoint(&model.base_url, "chat/completions"), headers, body }
}

/// The body's fields; those that are overridden are left out until the end.
struct Fields<'o> {
    object: Object<'o>,
    overrides: Map<String, Value>,
}

impl Fields<'_> {
    fn add(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        if !self.overrides.contains_key(name) {
            self.object.field(name, value);
        }
    }

    /// The value is JSON already.
    fn add_raw(&mut self, name: &str, json: &[u8]) {
        if !self.overrides.contains_key(name) {
            self.object.name(name).extend_from_slice(json);
        }
    }

    fn end(mut self) {
        for (name, value) in std::mem::take(&mut self.overrides) {
            self.object.field(&name, &value);
        }
        self.object.end();
    }
}

/// `GET {base_url}/models`: the cheapest question to ask when a connection is tested.
pub fn models_request(model: &ModelInfo, key: Option<&str>) -> HttpRequest {
    let mut headers = headers(key);
    headers.push(("accept".to_owned(), "application/json".to_owned()));
    HttpRequest { method: "GET", url: endpoint(&model.base_url, "models"), headers, body: Vec::new() }
}

fn headers(key: Option<&str>) -> Vec<(String, String)> {
    let key = key.map(str::trim).filter(|key| !key.is_empty());
    key.map(|key| ("authorization".to_owned(), format!("Bearer {key}"))).into_iter().collect()
}

/// Readers paste base URLs with a slash at the end, or the whole address of the endpoint.
fn endpoint(base_url: &str, path: &str) -> String {
    let base = base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    format!("{base}/{path}")
}

/// The output limit that still fits (§6.7): the estimate of the prompt is 3.5 characters a token.
fn room(model: &ModelInfo, prompt_bytes: usize) -> u64 {
    if model.context_window == 0 {
        return model.max_tokens;
    }
    let prompt = prompt_bytes as u64 * 2 / 7;
    let free = model.context_window.saturating_sub(prompt);
    let mut room = free.saturating_sub((prompt * 15 / 100).max(4096));
    if room < 32768 {
        room = free.saturating_sub(4096).min(32768);
    }
    model.max_tokens.min(room.max(1))
}
