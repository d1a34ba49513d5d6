//! Playing a part: a person in the place of the model, or of the harness.

use serde::{Deserialize, Serialize};
use vitrine_agent::json::Json;
use vitrine_agent::tool::ToolSpec;

/// Whose part a person plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Nobody's.
    #[default]
    None,
    /// The model's: gets each request and answers it.
    Model,
    /// The harness's: gets each call and says what becomes of it.
    Harness,
}

impl Part {
    /// As it is spelt.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Model => "model",
            Self::Harness => "harness",
        }
    }
}

/// What the person is to answer: a request, or a call that was found and is valid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartRequest {
    /// In whose place.
    pub part: Part,
    /// The number of the request; its bytes are in the log of requests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request: Option<u32>,
    /// The tools that the request declares.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tools: Vec<ToolSpec>,
    /// The call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_id: Option<String>,
    /// Its tool.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    /// Its arguments, checked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub args: Option<Json>,
}

/// What the person does with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HarnessAction {
    /// It does not run; the text is the reason.
    Reject,
    /// The tool runs.
    Run,
    /// The tool does not run, and the text is its result.
    Result,
}
