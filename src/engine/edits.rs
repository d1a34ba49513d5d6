//! What coercion has changed, as edits: JavaScript applies them to its own copy, so that all else stays as it was, bit by
//! bit.

use serde_json::{Value, json};

/// The edits that make `raw` into `coerced`: a list of `[path, value]`, `[path]` to take a key away. A path is a list of
/// keys and indices; the empty one is the whole.
pub fn between(raw: &Value, coerced: &Value) -> Vec<Value> {
    let mut edits = Vec::new();
    collect(raw, coerced, &mut Vec::new(), &mut edits);
    edits
}

/// Recurses as deep as arguments may be nested, which validation has bounded.
fn collect(raw: &Value, coerced: &Value, path: &mut Vec<Value>, edits: &mut Vec<Value>) {
    match (raw, coerced) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in after {
                path.push(json!(key));
                match before.get(key) {
                    Some(old) => collect(old, value, path, edits),
                    None => edits.push(json!([path, value])),
                }
                path.pop();
            }
            for key in before.keys().filter(|key| !after.contains_key(*key)) {
                path.push(json!(key));
                edits.push(json!([path]));
                path.pop();
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (index, (old, value)) in before.iter().zip(after).enumerate() {
                path.push(json!(index));
                collect(old, value, path, edits);
                path.pop();
            }
        }
        _ if raw == coerced => {}
        _ => edits.push(json!([path, coerced])),
    }
}
