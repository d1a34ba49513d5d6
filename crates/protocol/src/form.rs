//! A form for a tool's arguments, read off its schema: what a person who plays the model fills in.

use serde_json::{Map, Value, json};
use vitrine_agent::json::Json;

/// Fields of a form; a schema with more is filled in as JSON.
const MOST: usize = 40;

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// How what is typed is read.
    pub kind: FieldKind,
    /// Whether the schema asks for it.
    pub required: bool,
    /// What the schema says of it.
    pub description: String,
}

/// How what is typed is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// As it is.
    Text,
    /// As a number, if it is one.
    Number,
    /// `true` or `false`.
    Flag,
    /// As JSON, if it is some.
    Json,
}

/// The fields of a schema; none for one that names no properties.
pub fn fields(schema: &str) -> Vec<Field> {
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let field = |(name, of): (&String, &Value)| Field {
        name: name.clone(),
        kind: match of.get("type").and_then(Value::as_str) {
            Some("string") => FieldKind::Text,
            Some("number" | "integer") => FieldKind::Number,
            Some("boolean") => FieldKind::Flag,
            _ => FieldKind::Json,
        },
        required: required.contains(&name.as_str()),
        description: of.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    properties.into_iter().flatten().take(MOST).map(field).collect()
}

/// What was typed into the fields, in their order, as a JSON object. What is empty is left out unless it is asked for as a
/// text; what does not read as its kind goes in as the text it is: a model may be wrong, too, and the host has to see it.
pub fn arguments(fields: &[Field], typed: &[String]) -> String {
    let mut object = Map::new();
    for (field, text) in fields.iter().zip(typed) {
        let is_text = field.kind == FieldKind::Text;
        if text.is_empty() && !(is_text && field.required) {
            continue;
        }
        let value = if is_text { None } else { serde_json::from_str(text).ok() };
        object.insert(field.name.clone(), value.unwrap_or_else(|| Value::String(text.clone())));
    }
    Value::Object(object).to_string()
}

/// The content of a model's answer: its text, if it has one, and its calls by name and arguments. `None` where arguments
/// are no JSON.
pub fn answer(text: &str, calls: &[(String, String)]) -> Option<Json> {
    let mut blocks = Vec::new();
    if !text.is_empty() {
        blocks.push(json!({ "type": "text", "text": text }));
    }
    for (name, arguments) in calls {
        let arguments: Value = serde_json::from_str(arguments).ok()?;
        blocks.push(json!({ "type": "toolCall", "id": "", "name": name, "arguments": arguments }));
    }
    Some(Json::from_value(&Value::Array(blocks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_text_and_its_calls() {
        let call = ("read".to_owned(), r#"{"path":"a"}"#.to_owned());
        let json = answer("I \"look\"", &[call]);
        let expected = r#"[{"type":"text","text":"I \"look\""},{"type":"toolCall","id":"","name":"read","arguments":{"path":"a"}}]"#;
        assert_eq!(json.as_ref().map(Json::as_str), Some(expected));
        assert_eq!(answer("", &[("read".to_owned(), "{".to_owned())]), None);
    }

    const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"Where"},"limit":{"type":"integer"},"deep":{"type":"boolean"},"edits":{"type":"array"}},"required":["path"]}"#;

    #[test]
    fn each_property_is_a_field_and_reads_as_its_type() {
        let fields = fields(SCHEMA);
        let read: Vec<_> = fields.iter().map(|field| (field.name.as_str(), field.kind, field.required)).collect();
        let expected = [
            ("path", FieldKind::Text, true),
            ("limit", FieldKind::Number, false),
            ("deep", FieldKind::Flag, false),
            ("edits", FieldKind::Json, false),
        ];
        assert_eq!(read, expected);
        let cases = [
            (["a.txt", "3", "true", "[1]"], r#"{"path":"a.txt","limit":3,"deep":true,"edits":[1]}"#),
            (["", "", "", ""], r#"{"path":""}"#),
            (["12", "three", "", "{"], r#"{"path":"12","limit":"three","edits":"{"}"#),
        ];
        for (typed, json) in cases {
            assert_eq!(arguments(&fields, &typed.map(str::to_owned)), json);
        }
    }

    #[test]
    fn what_is_no_schema_has_no_fields() {
        for schema in ["", "[]", "{}", r#"{"properties":3}"#, r#"{"properties":{},"required":7}"#] {
            assert_eq!(fields(schema), [], "{schema}");
        }
    }
}
