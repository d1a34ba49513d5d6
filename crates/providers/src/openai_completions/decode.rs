//! [`Decoder`]: the bytes of a Chat Completions answer to model events.

use vitrine_agent::history::History;
use vitrine_agent::model::{ModelEvent, ModelRequest};

use crate::error::ProviderError;

/// What a decoder must know of the request it answers.
#[derive(Clone, Debug, Default)]
pub struct DecodeOptions {
    /// The model that was asked for; another name in the answer is reported as `response_model`.
    pub model: String,
    /// Tokens the model can read; 0 = not known. Tells an overflow from an empty answer.
    pub context_window: u64,
    /// Names of the declared tools.
    pub tools: Vec<String>,
    /// The history that was sent: new call ids are made unlike the ones in it.
    pub history: History,
    /// Whether the server never sends a finish reason; a clean end then counts as one.
    pub without_finish_reason: bool,
}

impl DecodeOptions {
    /// From the request itself. `tools` is the replay of its system messages.
    pub fn from_request(_request: &ModelRequest) -> Self {
        Self::default()
    }
}

/// Reads one answer. `push` every chunk as it comes, then `finish` at the end of the body, or `fail`/`abort`.
///
/// The stream it yields: at most one `Start`, block events, then exactly one `Done` or `Error`; after that every method
/// returns nothing. A body that is one JSON object (a server that ignored `stream`) reads as one answer; a web page is an
/// error that says so.
#[derive(Debug)]
pub struct Decoder {
    error: Option<ProviderError>,
}

impl Decoder {
    /// For one answer.
    pub fn new(_options: DecodeOptions) -> Self {
        Self { error: None }
    }

    /// The next bytes of the body, cut anywhere.
    pub fn push(&mut self, _bytes: &[u8]) -> Vec<ModelEvent> {
        Vec::new()
    }

    /// The body has ended cleanly.
    pub fn finish(&mut self) -> Vec<ModelEvent> {
        Vec::new()
    }

    /// The driver's own failure: the connection broke, or no bytes came for too long. What came before is kept; an answer
    /// whose finish reason has already been read is whole and ends well.
    pub fn fail(&mut self, _error: ProviderError) -> Vec<ModelEvent> {
        Vec::new()
    }

    /// The run was aborted: open blocks end, then `Error { Aborted }`.
    pub fn abort(&mut self) -> Vec<ModelEvent> {
        Vec::new()
    }

    /// Whether the terminal event has been given out. The driver then cancels the body at once and does not wait for the
    /// server to close.
    pub fn is_complete(&self) -> bool {
        false
    }

    /// Whether a finish reason was read, so that only usage and the end may still come: wait a second, not a minute.
    pub fn is_ending(&self) -> bool {
        false
    }

    /// The error behind `Error`, sorted; `None` for success and for an abort.
    pub fn error(&self) -> Option<&ProviderError> {
        self.error.as_ref()
    }
}
