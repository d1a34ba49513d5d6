//! [`Prints`]: what a run comes to, as one text and as its SHA-256.

use vitrine_lesson::{CanonicalError, Files, canonicalize_json, fingerprint_json};
use wasm_bindgen::prelude::wasm_bindgen;

/// Takes prints of events, with the files that were added. Nothing is an answer too: `failure` says why.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Prints {
    files: Option<Files>,
    failure: String,
}

#[wasm_bindgen]
impl Prints {
    /// Without files, or with none so far.
    #[wasm_bindgen(constructor)]
    pub fn new(has_files: bool) -> Self {
        Self { files: has_files.then(Files::new), failure: String::new() }
    }

    /// Adds a file.
    pub fn add(&mut self, path: String, contents: &[u8]) {
        self.files.get_or_insert_default().add(path, contents);
    }

    /// The canonical form of a JSON list of events.
    pub fn form(&mut self, events: &str) -> Option<String> {
        self.answer(canonicalize_json(events))
    }

    /// The fingerprint, in hex.
    pub fn fingerprint(&mut self, events: &str) -> Option<String> {
        let print = fingerprint_json(events, self.files.as_ref());
        self.answer(print)
    }

    /// Why the last answer was nothing.
    pub fn failure(&self) -> String {
        self.failure.clone()
    }

    fn answer(&mut self, result: Result<String, CanonicalError>) -> Option<String> {
        result.map_err(|error| self.failure = error.to_string()).ok()
    }
}
