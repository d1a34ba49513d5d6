//! [`request`]: a model request to an HTTP request, at the cost of what is new in the history.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};
use vitrine_agent::message::{Message, SharedMessage};
use vitrine_agent::model::{ModelInfo, ModelRequest};
use vitrine_agent::replay::replay;

use super::encode::{self, Object};
use super::options::RequestOptions;
use super::quirks::{IdFormat, MaxTokensField, Quirks};
use super::reasoning;
use crate::http::HttpRequest;
use crate::transform::{IdRule, Item, NO_RESULT, arrange};

/// What stands between a result and a user message for servers that want an answer there.
const BRIDGE: &str = "I have processed the tool results.";

/// Encoded messages of earlier requests, kept by the identity of the message. One cache serves one session; it forgets
/// what a request did not use, and everything when the model changes.
#[derive(Debug, Default)]
pub struct BodyCache {
    model: Option<ModelInfo>,
    head: Option<Head>,
    entries: HashMap<usize, Entry>,
    n_encoded: u64,
}

/// The prompt and the tools, for as long as the system messages are the same ones.
#[derive(Debug)]
struct Head {
    systems: Vec<SharedMessage>,
    prompt: Vec<u8>,
    tools: Vec<u8>,
    has_tools: bool,
}

/// One message as bytes. It holds the message, so that no other one can get its address while the entry lives.
#[derive(Clone, Debug)]
struct Entry {
    message: SharedMessage,
    /// The ids that repair chose; other ids make other bytes.
    ids: Vec<String>,
    bytes: Arc<[u8]>,
    images: Arc<[u8]>,
}

impl BodyCache {
    /// How many messages have been encoded since the cache was made; a message that was reused does not count again.
    pub fn n_encoded(&self) -> u64 {
        self.n_encoded
    }

    fn entry(
        &mut self,
        kept: &mut HashMap<usize, Entry>,
        message: &SharedMessage,
        ids: Vec<String>,
        encode: impl FnOnce(&[String]) -> (Vec<u8>, Vec<u8>),
    ) -> Entry {
        let address = message.address();
        let known = self
            .entries
            .get(&address)
            .filter(|known| SharedMessage::ptr_eq(&known.message, message) && known.ids == ids);
        let entry = match known {
            Some(known) => known.clone(),
            None => {
                self.n_encoded += 1;
                let (bytes, images) = encode(&ids);
                Entry { message: message.clone(), ids, bytes: bytes.into(), images: images.into() }
            }
        };
        kept.insert(address, entry.clone());
        entry
    }

    fn head(&mut self, messages: &[SharedMessage], role: &str) -> &Head {
        let systems: Vec<_> =
            messages.iter().filter(|message| matches!(***message, Message::System(_))).cloned().collect();
        let is_same = |head: &Head| {
            head.systems.len() == systems.len()
                && head.systems.iter().zip(&systems).all(|(a, b)| SharedMessage::ptr_eq(a, b))
        };
        let known = self.head.take().filter(is_same);
        self.head.insert(known.unwrap_or_else(|| {
            let replayed = replay(&systems);
            let prompt = replayed.prompt.trim();
            Head {
                prompt: if prompt.is_empty() { Vec::new() } else { encode::system(role, &replayed.prompt) },
                tools: encode::tools(&replayed.tools),
                has_tools: !replayed.tools.is_empty(),
                systems,
            }
        }))
    }
}

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
    if cache.model.as_ref() != Some(model) {
        *cache = BodyCache { model: Some(model.clone()), n_encoded: cache.n_encoded, ..BodyCache::default() };
    }
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
        limit = room(model, messages.json.len() - messages.image_bytes);
        fields.add(field, &limit);
    }
    if let Some(head) = &cache.head
        && (head.has_tools || (quirks.requires_tools_with_tool_history && messages.has_calls))
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

/// The `messages` list.
#[derive(Default)]
struct Messages {
    json: Vec<u8>,
    image_bytes: usize,
    has_calls: bool,
}

impl Messages {
    fn of(request: &ModelRequest, quirks: &Quirks, cache: &mut BodyCache) -> Self {
        let history = request.history.messages();
        let role = if request.model.reasoning && quirks.supports_developer_role { "developer" } else { "system" };
        let mut messages = Self { json: vec![b'['], ..Self::default() };
        messages.push(&cache.head(&history, role).prompt);
        let n_head = messages.json.len();
        let rule = match quirks.id_format {
            IdFormat::Plain => IdRule::Plain,
            IdFormat::Short => IdRule::Short,
            IdFormat::Mistral => IdRule::NineLetters,
        };
        let mut kept = HashMap::with_capacity(cache.entries.len() + 2);
        let mut images = Vec::new();
        let mut after_result = false;
        for item in arrange(&history, &request.model, rule) {
            let is_result = matches!(item, Item::Result { .. } | Item::Missing { .. });
            if !is_result && !matches!(item, Item::System(_)) {
                let is_user = matches!(item, Item::User(_)) || !images.is_empty();
                if after_result && is_user && quirks.requires_assistant_after_tool_result {
                    messages.push(&encode::assistant_text(BRIDGE));
                }
                messages.attach(&mut images);
                after_result = false;
            }
            after_result |= is_result;
            match item {
                // They are in the head: a prompt in mid-conversation is known to few servers.
                Item::System(_) => {}
                Item::User(message) => {
                    let Message::User(user) = &**message else { continue };
                    let encode = |_: &[String]| (encode::user(user), Vec::new());
                    messages.push(&cache.entry(&mut kept, message, Vec::new(), encode).bytes);
                }
                Item::Assistant { message, assistant, is_own, call_ids } => {
                    messages.has_calls |= !call_ids.is_empty();
                    let encode = |ids: &[String]| (encode::assistant(assistant, is_own, ids, quirks), Vec::new());
                    messages.push(&cache.entry(&mut kept, message, call_ids, encode).bytes);
                }
                Item::Result { message, result, id } => {
                    let encode =
                        |ids: &[String]| encode::result(result, ids.first().map_or("", String::as_str), quirks);
                    let entry = cache.entry(&mut kept, message, vec![id], encode);
                    messages.push(&entry.bytes);
                    if !entry.images.is_empty() {
                        if !images.is_empty() {
                            images.push(b',');
                        }
                        images.extend_from_slice(&entry.images);
                    }
                }
                Item::Missing { name, id } => messages.push(&encode::result_text(&id, name, NO_RESULT, quirks)),
            }
        }
        if !images.is_empty() && quirks.requires_assistant_after_tool_result {
            messages.push(&encode::assistant_text(BRIDGE));
        }
        messages.attach(&mut images);
        cache.entries = kept;
        if messages.json.len() == n_head {
            // A request without a message is refused everywhere.
            messages.push(&encode::user_text("(no message)"));
        }
        messages.json.push(b']');
        messages
    }

    fn push(&mut self, message: &[u8]) {
        if message.is_empty() {
            return;
        }
        if self.json.len() > 1 {
            self.json.push(b',');
        }
        self.json.extend_from_slice(message);
    }

    fn attach(&mut self, images: &mut Vec<u8>) {
        if !images.is_empty() {
            self.image_bytes += images.len();
            self.push(&encode::attached_images(images));
            images.clear();
        }
    }
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
