//! What runs came to: fingerprints, how two of them compare, and what of a session the next request carries.

use serde::{Deserialize, Serialize};
use vitrine_agent::json::Json;

/// What the events of a visit come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// SHA-256 of the canonical form, in hex.
    pub hash: String,
    /// How many events.
    pub events: usize,
    /// A person has edited something, or a fault has acted.
    pub modified: bool,
    /// The first four characters of each event's own hash, one after the other, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trail: Option<String>,
}

/// One run of a visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunInfo {
    /// Its id.
    pub run_id: String,
    /// The start of what it was asked, on one line.
    pub prompt: String,
    /// How many events it told.
    pub events: usize,
    /// SHA-256 of the canonical form of its events.
    pub hash: String,
    /// It is on a branch that was left.
    pub left: bool,
}

/// How two runs compare, event by event, in the canonical form: without times, ids numbered anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunDiff {
    /// How many events are the same from the start.
    pub same: usize,
    /// The first that are not; none where both are the same to the end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first: Option<Divergence>,
    /// The types of the events of each, in order, updates of a message as one.
    pub a: Vec<String>,
    /// See `a`.
    pub b: Vec<String>,
}

/// The first events of two runs that differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divergence {
    /// Of the one; none where it had ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub a: Option<Json>,
    /// Of the other.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub b: Option<Json>,
}

/// One entry of a session beside what the next request carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerLine {
    /// The entry.
    pub entry_id: String,
    /// The one before it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent_id: Option<String>,
    /// Its type, as the session's file has it.
    pub kind: String,
    /// The role of its message, if it is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub role: Option<String>,
    /// The start of what it says, on one line.
    pub text: String,
    /// Whether it is on the branch.
    pub on_branch: bool,
    /// Whether the next request carries it, and as what.
    pub in_request: InRequest,
    /// What the request says in its place, where that is another text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instead: Option<String>,
}

/// Whether a request carries an entry, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InRequest {
    /// As it is.
    Whole,
    /// With another content.
    Edited,
    /// Not: it was edited away, as a failed attempt is before it is made again.
    Omitted,
    /// Not: a summary stands in its place.
    Summarised,
    /// Not: it is on another branch.
    OffBranch,
    /// Not: it is for the screen, or for the session itself.
    ScreenOnly,
    /// Not: an answer that failed or was cut off, which a provider would refuse.
    FailedAttempt,
}
