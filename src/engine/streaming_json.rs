//! [`StreamingJson`]: JSON that arrives in pieces, as changes for a value that JavaScript keeps.
//!
//! A piece is small and there are many, so nothing is allocated and freed for one: JavaScript writes it into a buffer that
//! stays, and reads the changes where they were written.

use vitrine_providers::json_stream::JsonChanges;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "./lent.js")]
extern "C" {
    /// Keeps the views for whoever asked for them.
    #[wasm_bindgen(js_name = noteLent)]
    fn note_lent(piece: &[u8], changes: &[f64]);
}

/// More than the changes of a piece can be.
const IN_TEXT: usize = 1 << 16;

/// Room for a piece, in bytes.
const ROOM: usize = 768;

/// Reads the pieces of one JSON text. What the changes mean is in `vitrine_providers::json_stream`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct StreamingJson {
    changes: JsonChanges,
    piece: Box<[u8]>,
}

#[wasm_bindgen]
impl StreamingJson {
    /// Nothing read.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self { changes: JsonChanges::new(), piece: vec![0; ROOM].into() }
    }

    /// Gives views of the room for a piece and of the last changes to `lent.js`. To be asked for again when a piece has no
    /// room or there are more changes than the view is long: views end when the memory grows, and the changes may move.
    pub fn lend(&self) {
        note_lent(&self.piece, self.changes.last());
    }

    /// Reads the next piece, UTF-8 of so many bytes, and gives how many numbers the changes are; and `IN_TEXT` more when a
    /// piece without quotes and backslashes would be a run, whole, and need not be read.
    pub fn push(&mut self, length: usize) -> usize {
        // JavaScript's encoder writes nothing else.
        let piece = self.piece.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
        let count = self.changes.push(piece).len();
        if self.changes.is_in_text() { count + IN_TEXT } else { count }
    }
}

impl Default for StreamingJson {
    fn default() -> Self {
        Self::new()
    }
}
