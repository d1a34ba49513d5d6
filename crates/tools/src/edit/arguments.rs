//! The forms in which models send the arguments of `edit`, made the one that the schema has.

use serde_json::{Map, Value, json};

/// `edits` as JSON text or as a single edit, and an edit beside `edits`, become a list. What fits none is left for the schema
/// to refuse.
pub fn normal(arguments: Value) -> Value {
    let Value::Object(mut arguments) = arguments else { return arguments };
    if let Some(edits) = arguments.get_mut("edits") {
        let parsed = edits.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        match parsed {
            Some(list @ Value::Array(_)) => *edits = list,
            Some(one) if is_edit(&one) => *edits = json!([one]),
            None if is_edit(edits) => *edits = json!([edits.take()]),
            Some(_) | None => {}
        }
    }
    if is_pair(&arguments) {
        let pair = json!({"oldText": arguments.remove("oldText"), "newText": arguments.remove("newText")});
        let mut edits = match arguments.remove("edits") {
            Some(Value::Array(edits)) => edits,
            Some(_) | None => Vec::new(),
        };
        edits.push(pair);
        arguments.insert("edits".to_owned(), Value::Array(edits));
    }
    Value::Object(arguments)
}

fn is_edit(value: &Value) -> bool {
    value.as_object().is_some_and(is_pair)
}

fn is_pair(map: &Map<String, Value>) -> bool {
    ["oldText", "newText"].iter().all(|name| map.get(*name).is_some_and(Value::is_string))
}
