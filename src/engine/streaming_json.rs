//! [`StreamingJson`]: JSON that arrives in pieces, as changes for a value that JavaScript keeps.

use vitrine_providers::json_stream::JsonChanges;
use wasm_bindgen::prelude::wasm_bindgen;

/// Reads the pieces of one JSON text. What an answer of `push` means is in `vitrine_providers::json_stream`.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct StreamingJson(JsonChanges);

#[wasm_bindgen]
impl StreamingJson {
    /// Nothing read.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next piece and gives the changes as JSON text, `[]` for none.
    pub fn push(&mut self, text: &str) -> String {
        self.0.push(text)
    }

    /// Whether a string is open that a piece without quotes and backslashes only makes longer: such a piece need not be
    /// pushed.
    #[wasm_bindgen(js_name = isInText)]
    pub fn is_in_text(&self) -> bool {
        self.0.is_in_text()
    }
}
