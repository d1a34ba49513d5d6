//! Going back: where to, and where that came to.

use serde::{Deserialize, Serialize};
use vitrine_agent::message::SharedMessage;

/// Where to go back to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RewindTo {
    /// Just before this event of the visit: the run stands there, held, and can go on.
    #[serde(rename = "event")]
    Event(usize),
    /// After this entry of the session, on whatever branch it is: nothing runs.
    #[serde(rename = "entryId")]
    Entry(String),
}

/// Where the session is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WentTo {
    /// The last entry of the branch; none before the first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub entry_id: Option<String>,
    /// How many events stand.
    pub event: usize,
    /// Whether the files are as they were there. `false` for a place that another visit made: they stay as they are.
    pub files_restored: bool,
}

/// The session is at another place; told before the events that lead from its messages to there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rewound {
    /// How many events of the visit stand before those that are told next.
    pub events: usize,
    /// The run whose events are told next, under its new id, if one goes on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_id: Option<String>,
    /// The messages of the branch before them.
    pub messages: Vec<SharedMessage>,
}
