//! The canonical form of a run's events, and its SHA-256: equal for two runs that did the same.
//!
//! The form is a JSON array as RFC 8785 writes it: object keys in the order of their UTF-16 code units, numbers as
//! ECMAScript writes them, no white space. Two spellings of one event list have one form: a key that stands twice counts
//! as the last of its name, as `JSON.parse` reads it, and an integer beyond 2^53 as the nearest number of JavaScript's.
//!
//! *Left out*, because it tells when and not what:
//! - `timestamp` and `durationMs` of an event, a message, an entry; `durationMs` of a nested call; `timestamp` of a
//!   diagnostic;
//! - of a `message_update` what it repeats of the message so far: `message`, `usage`, and in its `assistantMessageEvent`
//!   the `partial` and a `toolcall_start`'s `id` and `toolName`. The JSON mode writes other parts of it than the library,
//!   whose partial message grows on after the event; all of it stands again at the end of the call and of the message.
//!
//! *Numbered anew*, by first appearance in the form, because another run of the same calls them otherwise:
//! - tool call ids, as `call-1`, `call-2` …: `toolCallId` and `parentToolCallId` of an event, `toolCallId` of a message,
//!   `id` of a `toolCall` block and of a nested call. An id `<parent>/<n>` whose parent came before is the parent's and
//!   `/<n>`.
//! - a response's `responseId`, as `response-1` …: the server makes it up for each response. Where it is missing it stays
//!   missing.
//! - ids of a session's header and entries, as `entry-1` …, wherever an entry names one.
//!
//! Everything else counts, to the letter: arguments, results and details too, even where a key in them is called `id` or
//! `timestamp`, for those are a tool's own.

use std::collections::BTreeMap;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

mod form;
mod parts;
mod tree;

/// Why there is no canonical form.
#[derive(Debug, thiserror::Error)]
pub enum CanonicalError {
    /// The text is no JSON.
    #[error("not JSON: {0}")]
    NotJson(serde_json::Error),
    /// Events come as an array.
    #[error("not an array of events")]
    NotAnArray,
    /// Half of a surrogate pair, which RFC 8785 refuses.
    #[error("a string has half of a surrogate pair: {0}")]
    LoneSurrogate(String),
    /// A number that is none of JavaScript's, which RFC 8785 refuses.
    #[error("a number is out of range: {0}")]
    NumberOutOfRange(String),
}

/// The files of a run's workspace, as far as a fingerprint knows them: a path and the SHA-256 of the contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(BTreeMap<String, String>);

impl Files {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. The same path again replaces it; the order does not matter.
    pub fn add(&mut self, path: impl Into<String>, contents: &[u8]) {
        self.0.insert(path.into(), hex(contents));
    }
}

/// The canonical form of events.
///
/// ```
/// use serde_json::json;
/// let events = [json!({"type": "tool_execution_end", "toolCallId": "c7f3", "durationMs": 12, "isError": false})];
/// let form = vitrine_lesson::canonicalize(&events)?;
/// assert_eq!(form, r#"[{"isError":false,"toolCallId":"call-1","type":"tool_execution_end"}]"#);
/// # Ok::<(), vitrine_lesson::CanonicalError>(())
/// ```
pub fn canonicalize<E: Serialize>(events: &[E]) -> Result<String, CanonicalError> {
    canonicalize_json(&serde_json::to_string(events).map_err(CanonicalError::NotJson)?)
}

/// The canonical form of events that are JSON text already: an array. Nesting may be as deep as the text is long.
pub fn canonicalize_json(events: &str) -> Result<String, CanonicalError> {
    let tree = tree::read(events)?;
    form::write_events(&tree).ok_or(CanonicalError::NotAnArray)
}

/// The fingerprint of events: the SHA-256 of their canonical form, in hex.
///
/// With files it is the SHA-256 of `{"events":…,"files":{path:sha256,…}}` in the same form, so that no files and an empty
/// workspace are different.
pub fn fingerprint<E: Serialize>(events: &[E], files: Option<&Files>) -> Result<String, CanonicalError> {
    Ok(hash(&canonicalize(events)?, files))
}

/// The fingerprint of events that are JSON text already.
pub fn fingerprint_json(events: &str, files: Option<&Files>) -> Result<String, CanonicalError> {
    Ok(hash(&canonicalize_json(events)?, files))
}

fn hash(events: &str, files: Option<&Files>) -> String {
    match files {
        None => hex(events.as_bytes()),
        Some(files) => hex(format!("{{\"events\":{events},\"files\":{}}}", form::write_map(&files.0)).as_bytes()),
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
