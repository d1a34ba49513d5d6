//! What-if faults: what a person can break on purpose, and what is told when it breaks.

use serde::{Deserialize, Serialize};

/// What breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The model asks for a tool that does not exist.
    UnknownTool,
    /// The model's arguments do not fit the tool's schema.
    InvalidArguments,
    /// The host does not let the call run.
    Block,
    /// The tool throws in place of running.
    Throw,
    /// The model asks for a file that is not there.
    MissingFile,
    /// The tool takes three seconds more.
    Slow,
    /// The response hits the output token limit.
    Length,
    /// The results hint that the run may stop.
    Terminate,
    /// The run is aborted as the call begins to run.
    Abort,
    /// The call's result is left out of all later requests.
    DropResult,
    /// The tool shows progress after it has settled.
    LateUpdate,
    /// The calls of a batch finish in the reverse of their order.
    ReverseOrder,
    /// The provider says that the context is too long.
    ContextOverflow,
    /// The provider is overloaded.
    Overloaded,
    /// The model's stream breaks off.
    MalformedStream,
}

impl FaultKind {
    /// Whether it says something that can be put in other words.
    pub fn has_reason(self) -> bool {
        matches!(self, Self::Block | Self::Throw)
    }

    /// All of them, as a switchboard shows them: of the model's words, of the host's act, of the batch, of the provider.
    pub const ALL: [Self; 15] = [
        Self::UnknownTool,
        Self::InvalidArguments,
        Self::MissingFile,
        Self::Length,
        Self::Block,
        Self::Throw,
        Self::Slow,
        Self::Abort,
        Self::DropResult,
        Self::LateUpdate,
        Self::Terminate,
        Self::ReverseOrder,
        Self::ContextOverflow,
        Self::Overloaded,
        Self::MalformedStream,
    ];

    /// As contract and JSON spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown-tool",
            Self::InvalidArguments => "invalid-arguments",
            Self::Block => "block",
            Self::Throw => "throw",
            Self::MissingFile => "missing-file",
            Self::Slow => "slow",
            Self::Length => "length",
            Self::Terminate => "terminate",
            Self::Abort => "abort",
            Self::DropResult => "drop-result",
            Self::LateUpdate => "late-update",
            Self::ReverseOrder => "reverse-order",
            Self::ContextOverflow => "context-overflow",
            Self::Overloaded => "overloaded",
            Self::MalformedStream => "malformed-stream",
        }
    }
}

/// One fault that is armed: it acts once, on the first call, batch or response that it can act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What breaks.
    pub kind: FaultKind,
    /// What the model reads of it: the reason of a block, the text of what is thrown. A default text without it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Of a batch: which results hint that the run may stop. All of them without it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub of: Option<FaultOf>,
    /// Not the first that it could act on from now, but the n-th, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nth: Option<u32>,
}

impl Fault {
    /// A fault of the next one.
    pub fn new(kind: FaultKind) -> Self {
        Self { kind, reason: None, of: None, nth: None }
    }
}

/// Which calls of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultOf {
    /// Each of them.
    All,
    /// Each but the last.
    Some,
}

/// A fault has acted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FaultActed {
    /// Which.
    pub kind: FaultKind,
    /// On which call, where it is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_spelled_as_in_json() {
        for kind in FaultKind::ALL {
            assert_eq!(serde_json::to_string(&kind).ok(), Some(format!("\"{}\"", kind.as_str())));
        }
    }
}
