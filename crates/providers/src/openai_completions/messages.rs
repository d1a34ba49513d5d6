//! [`BodyCache`]: the `messages` list of a request, at the cost of what is new in the history.

use std::collections::HashMap;
use std::sync::Arc;

use vitrine_agent::message::{Message, SharedMessage};
use vitrine_agent::model::{ModelInfo, ModelRequest};
use vitrine_agent::replay::replay;

use super::encode;
use super::quirks::{IdFormat, Quirks};
use crate::transform::{IdRule, Item, NO_RESULT, arrange};

/// What stands between a result and a user message for servers that want an answer there.
const BRIDGE: &str = "I have processed the tool results.";

/// Encoded messages of earlier requests, kept by the identity of the message, and the list that the last request began
/// with. One cache serves one session; it forgets what a request did not use, and everything when the model changes.
#[derive(Debug, Default)]
pub struct BodyCache {
    model: Option<Arc<ModelInfo>>,
    head: Option<Head>,
    entries: HashMap<usize, Entry>,
    /// Those of the request before, while a request is built anew from its beginning.
    earlier: HashMap<usize, Entry>,
    prefix: Option<Prefix>,
    n_encoded: u64,
}

/// The prompt and the tools, for as long as the system messages are the same ones.
#[derive(Debug)]
pub(super) struct Head {
    systems: Vec<SharedMessage>,
    prompt: Vec<u8>,
    pub(super) tools: Vec<u8>,
    pub(super) has_tools: bool,
}

/// One message as bytes. It holds the message, so that no other one can get its address while the entry lives.
#[derive(Debug)]
struct Entry {
    message: SharedMessage,
    /// The ids that repair chose; other ids make other bytes.
    ids: Vec<String>,
    bytes: Arc<[u8]>,
    images: Arc<[u8]>,
}

/// The beginning of a list, up to a message before which everything is settled.
#[derive(Debug, Default)]
struct Prefix {
    messages: Vec<SharedMessage>,
    json: Vec<u8>,
    state: State,
}

/// Where the writing of a list stands between two messages.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) image_bytes: usize,
    pub(super) has_calls: bool,
    /// Images of results that wait for the message that shows them.
    images: Vec<u8>,
    after_result: bool,
}

impl BodyCache {
    /// How many messages have been encoded since the cache was made; a message that was reused does not count again.
    pub fn n_encoded(&self) -> u64 {
        self.n_encoded
    }

    pub(super) fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Takes a list back once it has been sent: the next one may begin as it did.
    pub(super) fn take_back(&mut self, list: Messages) {
        let Messages { mut json, settled, n_settled_bytes, settled_state, .. } = list;
        json.truncate(n_settled_bytes);
        self.prefix = Some(Prefix { messages: settled, json, state: settled_state });
    }

    /// What this list begins with, as the last one did. Else an empty beginning, and every entry has to be asked for.
    fn begin(&mut self, messages: &[SharedMessage], role: &str) -> Prefix {
        let systems: Vec<_> =
            messages.iter().filter(|message| matches!(***message, Message::System(_))).cloned().collect();
        let is_same = |head: &Head| {
            head.systems.len() == systems.len()
                && head.systems.iter().zip(&systems).all(|(a, b)| SharedMessage::ptr_eq(a, b))
        };
        let known = self.head.take().filter(is_same);
        let prefix = self.prefix.take().filter(|prefix| {
            known.is_some()
                && messages.get(prefix.messages.len()).is_some_and(settles)
                && prefix.messages.iter().zip(messages).all(|(a, b)| SharedMessage::ptr_eq(a, b))
                // What is sent no more is found where all are asked for: before it can outweigh what is.
                && self.entries.len() <= 2 * messages.len()
        });
        let head = self.head.insert(known.unwrap_or_else(|| {
            let replayed = replay(&systems);
            let prompt = replayed.prompt.trim();
            Head {
                prompt: if prompt.is_empty() { Vec::new() } else { encode::system(role, &replayed.prompt) },
                tools: encode::tools(&replayed.tools),
                has_tools: !replayed.tools.is_empty(),
                systems,
            }
        }));
        prefix.unwrap_or_else(|| {
            self.earlier = std::mem::take(&mut self.entries);
            let json = [b"[", head.prompt.as_slice()].concat();
            Prefix { json, ..Prefix::default() }
        })
    }

    fn entry(
        &mut self,
        message: &SharedMessage,
        ids: Vec<String>,
        encode: impl FnOnce(&[String]) -> (Vec<u8>, Vec<u8>),
    ) -> &Entry {
        let address = message.address();
        let known = self.entries.remove(&address).or_else(|| self.earlier.remove(&address));
        let known = known.filter(|known| SharedMessage::ptr_eq(&known.message, message) && known.ids == ids);
        let entry = known.unwrap_or_else(|| {
            self.n_encoded += 1;
            let (bytes, images) = encode(&ids);
            Entry { message: message.clone(), ids, bytes: bytes.into(), images: images.into() }
        });
        self.entries.entry(address).insert_entry(entry).into_mut()
    }
}

/// Whether everything before this message is settled: no result can come that belongs there, and nothing is held back.
fn settles(message: &SharedMessage) -> bool {
    matches!(**message, Message::User(_) | Message::Assistant(_))
}

/// The `messages` list, and what of it the next one may begin with.
pub(super) struct Messages {
    pub(super) json: Vec<u8>,
    pub(super) state: State,
    settled: Vec<SharedMessage>,
    n_settled_bytes: usize,
    settled_state: State,
}

impl Messages {
    pub(super) fn of(request: &ModelRequest, quirks: &Quirks, cache: &mut BodyCache) -> Self {
        let model = &request.model;
        if cache.model.as_deref() != Some(&**model) {
            *cache = BodyCache { model: Some(model.clone()), n_encoded: cache.n_encoded, ..BodyCache::default() };
        }
        let history = request.history.messages();
        let role = if model.reasoning && quirks.supports_developer_role { "developer" } else { "system" };
        let Prefix { messages: mut settled, json, state } = cache.begin(&history, role);
        let n_head = cache.head().map_or(0, |head| head.prompt.len()) + 1;
        let (mut list, n_before) = (List { json, state, quirks }, settled.len());
        let n_settled = history.iter().rposition(settles).unwrap_or_default().max(n_before);
        let (middle, last) = history.get(n_before..).unwrap_or_default().split_at(n_settled - n_before);
        list.add(middle, model, cache);
        settled.extend(middle.iter().cloned());
        let (n_settled_bytes, settled_state) = (list.json.len(), list.state.clone());
        list.add(last, model, cache);
        cache.earlier.clear();
        list.end(n_head);
        Self { json: list.json, state: list.state, settled, n_settled_bytes, settled_state }
    }
}

/// A list while it is written.
struct List<'q> {
    json: Vec<u8>,
    state: State,
    quirks: &'q Quirks,
}

impl List<'_> {
    /// Messages that stand at the end, or before one that settles them.
    fn add(&mut self, messages: &[SharedMessage], model: &ModelInfo, cache: &mut BodyCache) {
        let quirks = self.quirks;
        let rule = match quirks.id_format {
            IdFormat::Plain => IdRule::Plain,
            IdFormat::Short => IdRule::Short,
            IdFormat::Mistral => IdRule::NineLetters,
        };
        for item in arrange(messages, model, rule) {
            let is_result = matches!(item, Item::Result { .. } | Item::Missing { .. });
            if !is_result && !matches!(item, Item::System(_)) {
                self.leave_results(matches!(item, Item::User(_)));
            }
            self.state.after_result |= is_result;
            match item {
                // They are in the head: a prompt in mid-conversation is known to few servers.
                Item::System(_) => {}
                Item::User(message) => {
                    let Message::User(user) = &**message else { continue };
                    let encode = |_: &[String]| (encode::user(user), Vec::new());
                    self.push(&cache.entry(message, Vec::new(), encode).bytes);
                }
                Item::Assistant { message, assistant, is_own, call_ids } => {
                    self.state.has_calls |= !call_ids.is_empty();
                    let encode = |ids: &[String]| (encode::assistant(assistant, is_own, ids, quirks), Vec::new());
                    self.push(&cache.entry(message, call_ids, encode).bytes);
                }
                Item::Result { message, result, id } => {
                    let encode =
                        |ids: &[String]| encode::result(result, ids.first().map_or("", String::as_str), quirks);
                    let entry = cache.entry(message, vec![id], encode);
                    self.push(&entry.bytes);
                    if !entry.images.is_empty() {
                        if !self.state.images.is_empty() {
                            self.state.images.push(b',');
                        }
                        self.state.images.extend_from_slice(&entry.images);
                    }
                }
                Item::Missing { name, id } => self.push(&encode::result_text(&id, name, NO_RESULT, quirks)),
            }
        }
    }

    /// What has to stand after a run of results, and before a user message or an answer.
    fn leave_results(&mut self, is_user: bool) {
        let is_user = is_user || !self.state.images.is_empty();
        if self.state.after_result && is_user && self.quirks.requires_assistant_after_tool_result {
            self.push(&encode::assistant_text(BRIDGE));
        }
        self.attach();
        self.state.after_result = false;
    }

    fn end(&mut self, n_head: usize) {
        if !self.state.images.is_empty() && self.quirks.requires_assistant_after_tool_result {
            self.push(&encode::assistant_text(BRIDGE));
        }
        self.attach();
        if self.json.len() == n_head {
            // A request without a message is refused everywhere.
            self.push(&encode::user_text("(no message)"));
        }
        self.json.push(b']');
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

    fn attach(&mut self) {
        let images = std::mem::take(&mut self.state.images);
        if !images.is_empty() {
            self.state.image_bytes += images.len();
            self.push(&encode::attached_images(&images));
        }
    }
}
