//! [`SseReader`]: a stream of server-sent events, cut anywhere.

use vitrine_providers::sse::{Decoder, Event, Flow, TooLongError};
use wasm_bindgen::prelude::wasm_bindgen;

/// Reads one stream. Events are told as a flat list of names and data, as JSON text; empty for none.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct SseReader {
    decoder: Decoder,
    failure: Option<String>,
}

#[wasm_bindgen]
impl SseReader {
    /// Nothing read.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.told(|decoder, each| decoder.push(bytes, each))
    }

    /// The stream has ended. What stands there without a blank line after it is an event too.
    pub fn finish(&mut self) -> String {
        self.told(|decoder, each| decoder.finish(each))
    }

    /// Why nothing more is read.
    pub fn failure(&self) -> Option<String> {
        self.failure.clone()
    }

    fn told(
        &mut self,
        read: impl FnOnce(&mut Decoder, &mut dyn FnMut(Event<'_>) -> Flow) -> Result<Flow, TooLongError>,
    ) -> String {
        if self.failure.is_some() {
            return String::new();
        }
        let mut list = Vec::new();
        let result = read(&mut self.decoder, &mut |event| {
            list.extend([event.name.into_owned(), event.data.into_owned()]);
            Flow::Continue
        });
        self.failure = result.err().map(|error| error.to_string());
        if list.is_empty() { String::new() } else { serde_json::to_string(&list).unwrap_or_default() }
    }
}
