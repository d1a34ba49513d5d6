//! [`Exchange`]: one request to a server that speaks Chat Completions, and the reading of its answer. The IO is the driver's.

use serde::Serialize;
use serde::de::DeserializeOwned;
use vitrine_agent::json;
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest};
use vitrine_providers::error::{self, ErrorKind, ProviderError};
use vitrine_providers::http::HttpRequest;
use vitrine_providers::openai_completions::{self, DecodeOptions, Decoder, RequestOptions};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::kept_messages;

mod batch;

/// A request, then its answer. What reads the answer gives events as text, which `batch` describes; empty for none.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Exchange {
    request: ModelRequest,
    options: RequestOptions,
    key: Option<String>,
    http: HttpRequest,
    decoder: Decoder,
    refusal: Option<ProviderError>,
    failure: Option<String>,
}

#[wasm_bindgen]
impl Exchange {
    /// From the JSON text of a model and of what is asked besides, and the numbers of messages (`kept_messages`).
    #[wasm_bindgen(constructor)]
    pub fn new(model: &str, messages: &[u32], reasoning: Option<String>, key: Option<String>, options: &str) -> Self {
        let mut failure = None;
        let model = read::<ModelInfo>("model", model, &mut failure);
        let options = read::<RequestOptions>("options", options, &mut failure);
        let history = kept_messages::history(messages);
        let request = ModelRequest { model: model.into(), history, reasoning, signal: Default::default() };
        let http = build(&request, key.as_deref(), &options);
        let decoder = Decoder::new(DecodeOptions::from_request(&request));
        Self { request, options, key, http, decoder, refusal: None, failure }
    }

    /// Why nothing can be sent.
    pub fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    /// Where to send it.
    pub fn url(&self) -> String {
        self.http.url.clone()
    }

    /// Names and values in turn, as JSON text. One of them may be the key.
    pub fn headers(&self) -> String {
        let flat: Vec<&String> = self.http.headers.iter().flat_map(|(name, value)| [name, value]).collect();
        text_of(&flat)
    }

    /// What to send. To be asked once: it is given away.
    pub fn body(&mut self) -> String {
        String::from_utf8(std::mem::take(&mut self.http.body)).unwrap_or_default()
    }

    /// The server refused the request. Whether it may be sent once more, in the server's way: then the request is another
    /// one from now on. Else `failed` gives the events.
    pub fn refuse(&mut self, status: u16, body: &str) -> bool {
        let refusal = error::from_response(status, body.as_bytes());
        let adapted = openai_completions::adapt(&self.request.model, &refusal);
        let is_adapted = adapted.is_some();
        if let Some(model) = adapted {
            self.request.model = model.into();
            self.http = build(&self.request, self.key.as_deref(), &self.options);
            self.decoder = Decoder::new(DecodeOptions::from_request(&self.request));
        }
        self.refusal = Some(refusal);
        is_adapted
    }

    /// What the last refusal says, in our words.
    #[wasm_bindgen(js_name = refusalText)]
    pub fn refusal_text(&self) -> String {
        self.refusal.as_ref().map(|refusal| self.redacted(&refusal.message)).unwrap_or_default()
    }

    /// It failed, and this is what there is to say.
    pub fn failed(&mut self, text: &str) -> String {
        let events = self.decoder.fail(ProviderError::of(ErrorKind::ProviderError, false, text));
        self.told(events)
    }

    /// The next bytes of the answer.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let events = self.decoder.push(bytes);
        self.told(events)
    }

    /// The answer has ended.
    pub fn finish(&mut self) -> String {
        let events = self.decoder.finish();
        self.told(events)
    }

    /// Nothing came for so long.
    pub fn stalled(&mut self, milliseconds: u32) -> String {
        let events = self.decoder.fail(ProviderError::stalled(milliseconds.into()));
        self.told(events)
    }

    /// Nobody wants the rest.
    pub fn abort(&mut self) -> String {
        let events = self.decoder.abort();
        self.told(events)
    }

    /// Whether the last event has been given.
    #[wasm_bindgen(js_name = isComplete)]
    pub fn is_complete(&self) -> bool {
        self.decoder.is_complete()
    }

    /// Whether only usage and the end may still come.
    #[wasm_bindgen(js_name = isEnding)]
    pub fn is_ending(&self) -> bool {
        self.decoder.is_ending()
    }

    /// A text without the key, which a server may have sent back.
    pub fn redact(&self, text: &str) -> String {
        self.redacted(text)
    }

    fn told(&self, mut events: Vec<ModelEvent>) -> String {
        for event in &mut events {
            if let ModelEvent::Error { message, .. } = event {
                *message = self.redacted(message);
            }
        }
        batch::encode(&events)
    }

    fn redacted(&self, text: &str) -> String {
        let known: Vec<&str> = self.key.as_deref().into_iter().collect();
        error::redact(text, &known)
    }
}

fn build(request: &ModelRequest, key: Option<&str>, options: &RequestOptions) -> HttpRequest {
    kept_messages::with_cache(&request.history, |cache| openai_completions::request_with(request, key, cache, options))
}

/// The value of a JSON text, or an empty one; the first that is wrong is the failure.
fn read<T: DeserializeOwned + Default>(what: &str, text: &str, failure: &mut Option<String>) -> T {
    match json::read(text) {
        Ok(value) => value,
        Err(error) => {
            failure.get_or_insert_with(|| format!("{what}: {error}"));
            T::default()
        }
    }
}

fn text_of(value: &impl Serialize) -> String {
    // Text and lists of text cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}
