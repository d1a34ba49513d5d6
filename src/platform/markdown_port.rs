//! The parser's side of the line to the page: what `markdown.js` exports.

use vitrine_markdown::Feed;
use wasm_bindgen::prelude::wasm_bindgen;

/// A message that grows. Whoever opened it frees it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Stream(Feed);

/// An empty message.
#[wasm_bindgen]
pub fn open() -> Stream {
    Stream(Feed::new())
}

#[wasm_bindgen]
impl Stream {
    /// More text; gives what it changed, as `Delta::decode` reads it.
    pub fn push(&mut self, text: &str) -> Vec<u8> {
        self.0.push(text).encode()
    }

    /// The message is whole; gives what that changed. Nothing changes after it.
    pub fn finish(&mut self) -> Vec<u8> {
        self.0.finish().encode()
    }
}
