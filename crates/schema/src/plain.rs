//! [`PlainSchema`]: schemas of a few keywords, judged without the validator.
//!
//! The tools that come with an agent want no more than this, and the validator weighs more than all of them: who has only such
//! schemas does without it. What it says is what [`Schema`](crate::Schema) says, to the letter.

use serde_json::Value;

use crate::coerce::{Coercion, Judge, is_kind};
use crate::explain::{self, MAX_ERRORS};
use crate::pointer::{Targets, join};
use crate::schema::{MAX_ARGUMENT_LEVELS, SchemaError, n_nodes, refusal, too_deep};

/// Levels of a schema. What recurses over it is bounded by it.
const MAX_LEVELS: usize = 16;

/// A schema of nothing but `type` (a single one), `required`, `properties`, `items` (one for all) and `description`, with a type
/// at every node.
#[derive(Debug)]
pub struct PlainSchema {
    source: Value,
    targets: Targets,
}

impl PlainSchema {
    /// Takes a schema, or says where it is not plain.
    pub fn new(schema: &Value) -> Result<Self, SchemaError> {
        check(schema, "", 0)?;
        Ok(Self { source: schema.clone(), targets: Targets::default() })
    }

    /// What the tool gets, or the whole error text that the model reads.
    pub fn prepare(&self, tool_name: &str, raw: &Value) -> Result<Value, String> {
        let n_nodes = n_nodes(raw, MAX_ARGUMENT_LEVELS).ok_or_else(|| too_deep(tool_name))?;
        let mut value = raw.clone();
        Coercion::new(&self.source, &self.targets, self, n_nodes).run(&mut value);
        let mut lines = Vec::new();
        explain(&self.source, &value, &mut Vec::new(), &mut lines);
        if lines.is_empty() { Ok(value) } else { Err(refusal(tool_name, explain::bounded(lines), raw)) }
    }
}

impl Judge for PlainSchema {
    fn accepts(&self, pointer: &str, value: &Value) -> bool {
        let mut lines = Vec::new();
        if let Some(node) = self.source.pointer(pointer) {
            explain(node, value, &mut Vec::new(), &mut lines);
        }
        lines.is_empty()
    }

    fn matches(&self, _: &str, _: &str) -> bool {
        false
    }
}

fn check(schema: &Value, at: &str, level: usize) -> Result<(), SchemaError> {
    let not_plain = || SchemaError::NotPlain { path: at.to_owned() };
    let map = schema.as_object().filter(|_| level < MAX_LEVELS).ok_or_else(not_plain)?;
    if !kind(schema).is_some_and(|kind| KINDS.contains(&kind)) {
        return Err(not_plain());
    }
    for (keyword, value) in map {
        match (keyword.as_str(), value) {
            ("type" | "description", Value::String(_)) => {}
            ("required", Value::Array(names)) if names.iter().all(Value::is_string) => {}
            ("items", Value::Object(_)) => check(value, &join(at, keyword), level + 1)?,
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    check(property, &join(&join(at, keyword), name), level + 1)?;
                }
            }
            _ => return Err(not_plain()),
        }
    }
    Ok(())
}

const KINDS: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

fn kind(schema: &Value) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

/// One line for each thing that is wrong: a type silences what is below it, and what is missing comes before what is there.
fn explain(schema: &Value, value: &Value, path: &mut Vec<String>, lines: &mut Vec<String>) {
    let Some(kind) = kind(schema).filter(|_| lines.len() <= MAX_ERRORS) else { return };
    if !is_kind(kind, value) {
        let found = explain::kind_of(value);
        return lines.push(format!("{}: expected {kind}, got {found}", explain::shown(path)));
    }
    match value {
        Value::Object(object) => {
            let required = schema.get("required").and_then(Value::as_array);
            for name in required.into_iter().flatten().filter_map(Value::as_str) {
                if !object.contains_key(name) {
                    path.push(name.to_owned());
                    lines.push(format!("{}: missing", explain::shown(path)));
                    path.pop();
                }
            }
            for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if let Some(value) = object.get(name) {
                    path.push(name.clone());
                    explain(property, value, path, lines);
                    path.pop();
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                path.push(index.to_string());
                explain(schema, item, path, lines);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
