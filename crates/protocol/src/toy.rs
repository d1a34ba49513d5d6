//! Tools of a reader's own making, and what a reader writes for the scripted model: the free sandbox.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vitrine_agent::json::Json;

/// Toys that are kept; more are refused.
pub const MAX_TOYS: usize = 50;
/// Characters of a toy's code.
pub const MAX_CODE: usize = 100_000;

/// A tool whose body is JavaScript. It runs in a sandbox without network, storage or page, and gets `args`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToyTool {
    /// The exact name.
    pub name: String,
    /// When and how to use it: what the model reads.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Json,
    /// The body of an asynchronous function of `args`. What it returns is the result; what it throws is an error.
    pub code: String,
    /// A batch with a call of it runs one call after the other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sequential: bool,
}

/// What the sandbox is to do for a call: run it, or stop it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToyCall {
    /// Which.
    pub call: u64,
    /// The body; none to stop it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// What it gets.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub args: Option<Json>,
}

/// What a reader has put together: a prompt, what the scripted model answers, and toys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sandbox {
    /// The user message.
    pub prompt: String,
    /// The turns, as JSON.
    pub turns: String,
    /// The tools.
    pub toys: Vec<ToyTool>,
}

/// Why what a reader has put together is no lesson: the line, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotJson {
    /// The line of the turns, from 1.
    pub line: usize,
    /// What.
    pub message: String,
}

impl Sandbox {
    /// As a lesson file.
    pub fn lesson(&self) -> Result<String, NotJson> {
        let turns: Value = serde_json::from_str(&self.turns)
            .map_err(|error| NotJson { line: error.line(), message: error.to_string() })?;
        let prompt = if self.prompt.trim().is_empty() { "Go." } else { &self.prompt };
        let lesson = json!({
            "id": "sandbox",
            "title": "Sandbox",
            "prompt": prompt,
            "toys": self.toys,
            "model": {"turns": turns, "tokensPerSecond": 60},
            "goal": {"text": "It has run.", "check": [{"text": "The session has settled", "seen": {"event": "settled"}}]},
        });
        Ok(serde_json::to_string_pretty(&lesson).unwrap_or_default())
    }

    /// What of a lesson file the sandbox can show; none where it is no lesson.
    pub fn of_lesson(text: &str) -> Option<Self> {
        let lesson: Value = serde_json::from_str(text).ok()?;
        let turns = lesson.get("model")?.get("turns")?;
        let toys = lesson.get("toys").cloned().map_or(Some(Vec::new()), |toys| serde_json::from_value(toys).ok())?;
        let prompt = lesson.get("prompt").and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Self { prompt, turns: serde_json::to_string_pretty(turns).ok()?, toys })
    }
}

/// Turns with one more at their end; as they were where they are no list.
pub fn with_turn(turns: &str, turn: Value) -> String {
    let list = if turns.trim().is_empty() { "[]" } else { turns };
    let Ok(Value::Array(mut list)) = serde_json::from_str(list) else { return turns.to_owned() };
    list.push(turn);
    serde_json::to_string_pretty(&list).unwrap_or_else(|_| turns.to_owned())
}

/// A turn that says something.
pub fn words(text: &str) -> Value {
    json!({"text": text})
}

/// A turn that calls a tool, with an argument for every parameter that its schema requires.
pub fn call(name: &str, parameters: &str) -> Value {
    let schema: Value = serde_json::from_str(parameters).unwrap_or_default();
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let argument = |name: Value| {
        let name = name.as_str()?.to_owned();
        let kind =
            schema.get("properties")?.get(&name)?.get("type").and_then(Value::as_str).unwrap_or("string").to_owned();
        let value = match kind.as_str() {
            "number" | "integer" => json!(1),
            "boolean" => json!(true),
            "array" => json!([]),
            "object" => json!({}),
            _ => json!(""),
        };
        Some((name, value))
    };
    let arguments: serde_json::Map<String, Value> = required.into_iter().filter_map(argument).collect();
    json!({"calls": [{"name": name, "arguments": arguments}], "stop": "toolUse"})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_what_its_schema_requires() {
        let parameters = r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"array"}},"required":["a","b","d"]}"#;
        let turn = call("add", parameters);
        assert_eq!(turn["calls"][0], json!({"name": "add", "arguments": {"a": 1, "b": "", "d": []}}));
        assert_eq!(call("x", "no schema")["calls"][0]["arguments"], json!({}));
    }

    #[test]
    fn turns_grow_at_their_end_and_what_is_no_list_stays() {
        let one = with_turn("", words("a"));
        let two: Value = serde_json::from_str(&with_turn(&one, words("b"))).unwrap_or_default();
        assert_eq!(two, json!([{"text": "a"}, {"text": "b"}]));
        assert_eq!(with_turn("{", words("b")), "{");
    }

    #[test]
    fn what_is_put_together_is_a_lesson_and_comes_back_from_one() {
        let toy = ToyTool {
            name: "add".into(),
            description: "Adds".into(),
            parameters: Json::from_value(&json!({"type": "object"})),
            code: "return args.a".into(),
            sequential: true,
        };
        let sandbox = Sandbox { prompt: "Go on.".into(), turns: r#"[{"text":"a"}]"#.into(), toys: vec![toy] };
        let lesson = sandbox.lesson().unwrap_or_default();
        let back = Sandbox::of_lesson(&lesson).unwrap_or_default();
        assert_eq!((&back.prompt, &back.toys), (&sandbox.prompt, &sandbox.toys));
        assert_eq!(back.lesson(), Ok(lesson));
        let broken = Sandbox { turns: "[\n{\n".into(), ..Sandbox::default() };
        assert_eq!(broken.lesson().map_err(|error| error.line), Err(3));
        assert_eq!(Sandbox::of_lesson("[]"), None);
    }
}
