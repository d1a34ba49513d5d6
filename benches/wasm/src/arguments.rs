//! A tool call whose arguments arrive in pieces over the wire.

use vitrine_agent::model::ModelEvent;
use vitrine_providers::json_stream::JsonStream;
use vitrine_providers::openai_completions::{DecodeOptions, Decoder};
use wasm_bindgen::prelude::wasm_bindgen;

/// An answer of a Chat Completions server, with a preview of its call's arguments after each delta.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ArgumentStream {
    decoder: Decoder,
    preview: JsonStream,
    n_deltas: u32,
    length: usize,
}

#[wasm_bindgen]
impl ArgumentStream {
    /// Before the first byte.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        let decoder = Decoder::new(DecodeOptions { model: "bench".into(), ..DecodeOptions::default() });
        Self { decoder, preview: JsonStream::new(), n_deltas: 0, length: 0 }
    }

    /// The next network chunk.
    pub fn push(&mut self, bytes: &[u8]) {
        let events = self.decoder.push(bytes);
        self.take(events);
    }

    /// The end of the body. Gives the size of the arguments, 0 if the answer was not whole.
    pub fn finish(&mut self) -> usize {
        let events = self.decoder.finish();
        self.take(events);
        self.length
    }

    /// How many pieces the arguments came in.
    pub fn deltas(&self) -> u32 {
        self.n_deltas
    }

    fn take(&mut self, events: Vec<ModelEvent>) {
        for event in events {
            match event {
                ModelEvent::ToolCallDelta { delta, .. } => {
                    self.n_deltas += 1;
                    self.preview.push(&delta);
                }
                ModelEvent::ToolCallEnd { tool_call, .. } => self.length = tool_call.arguments.as_str().len(),
                _ => {}
            }
        }
    }
}

impl Default for ArgumentStream {
    fn default() -> Self {
        Self::new()
    }
}
