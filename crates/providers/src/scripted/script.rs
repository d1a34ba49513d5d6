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
#[serde(rename_all = "camelCase", tag = "type", try_from = "FlatPart")]
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

/// What every [`Part`] is read through: serde's own way with tagged enums keeps the fields in a buffer first, which is
/// several times this code.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FlatPart {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    thinking: Option<String>,
    id: Option<String>,
    name: Option<String>,
    arguments: Option<Map<String, Value>>,
    raw_arguments: Option<String>,
}

impl TryFrom<FlatPart> for Part {
    type Error = String;

    fn try_from(part: FlatPart) -> Result<Self, String> {
        let FlatPart { kind, text, thinking, id, name, arguments, raw_arguments } = part;
        match (kind.as_str(), text, thinking, name) {
            ("text", Some(text), None, None) => Ok(Self::Text { text }),
            ("thinking", None, Some(thinking), None) => Ok(Self::Thinking { thinking }),
            ("toolCall", None, None, Some(name)) => {
                Ok(Self::ToolCall(Call { id, name, arguments: arguments.unwrap_or_default(), raw_arguments }))
            }
            ("text" | "thinking" | "toolCall", ..) => Err(format!("not the fields of a part of type `{kind}`")),
            (other, ..) => Err(format!("unknown type of part `{other}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_are_read_by_their_type() {
        let call = |arguments: Value, raw_arguments: Option<&str>| {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let raw_arguments = raw_arguments.map(str::to_owned);
            Part::ToolCall(Call { id: None, name: "ls".into(), arguments, raw_arguments })
        };
        let cases = [
            (json!({"type": "text", "text": "a"}), Ok(Part::Text { text: "a".into() })),
            (json!({"type": "thinking", "thinking": "a"}), Ok(Part::Thinking { thinking: "a".into() })),
            (json!({"type": "toolCall", "name": "ls"}), Ok(call(json!({}), None))),
            (json!({"type": "toolCall", "name": "ls", "arguments": {"a": [1]}}), Ok(call(json!({"a": [1]}), None))),
            (json!({"type": "toolCall", "name": "ls", "rawArguments": "{"}), Ok(call(json!({}), Some("{")))),
            (json!({"type": "toolCall"}), Err("not the fields of a part of type `toolCall`")),
            (json!({"type": "text", "thinking": "a"}), Err("not the fields of a part of type `text`")),
            (
                json!({"type": "thinking", "thinking": "a", "text": "b"}),
                Err("not the fields of a part of type `thinking`"),
            ),
            (json!({"type": "image"}), Err("unknown type of part `image`")),
            (json!({"text": "a"}), Err("missing field `type`")),
        ];
        for (json, expected) in cases {
            let read = serde_json::from_value::<Part>(json.clone()).map_err(|error| error.to_string());
            assert_eq!(read, expected.map_err(str::to_owned), "{json}");
        }
    }
}
