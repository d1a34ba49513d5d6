//! The file format of a script: what a lesson author writes.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use vitrine_agent::message::StopReason;

/// A scripted model: what it answers, turn by turn, and how fast.
///
/// ```
/// let script: vitrine_providers::scripted::Script = serde_json::from_str(
///     r#"{"turns":[
///         {"thinking":"A file is asked for.","calls":[{"name":"read","arguments":{"path":"a.txt"}}],"stop":"toolUse"},
///         {"text":"It says hello."}
///     ],"tokensPerSecond":40,"seed":7}"#,
/// )?;
/// assert_eq!(script.turns.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Script {
    /// The answers, one a request, in order. When they are used up every request fails.
    pub turns: Vec<Turn>,
    /// How fast it writes; absent or 0 is at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_per_second: Option<f64>,
    /// Decides where the text is cut into deltas; the same seed cuts the same.
    #[serde(default)]
    pub seed: u64,
}

/// One answer. `thinking`, `text` and `calls` are short for `content` in that order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Turn {
    /// Reasoning, before everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The calls, after the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// Blocks in any other order; they follow the three above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Part>,
    /// Why it stops: `stop` unless said otherwise, also where there are calls (§10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    /// The failure in words; with it `stop` is `error` unless it is `aborted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One block of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Reasoning.
    Thinking {
        /// The text.
        thinking: String,
    },
    /// A call.
    ToolCall(Call),
}

/// One call of a scripted answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Call {
    /// Its id; absent means `call_N`, counted through the script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The arguments as raw text instead, for calls that are not valid JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_arguments: Option<String>,
}
