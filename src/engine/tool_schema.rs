//! [`ToolSchema`]: a tool's schema, compiled once for all its calls.

use serde_json::Value;
use vitrine_schema::Schema;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::edits;

/// A compiled schema, or why there is none.
#[wasm_bindgen]
#[derive(Debug)]
pub struct ToolSchema(Result<Schema, String>);

#[wasm_bindgen]
impl ToolSchema {
    /// Compiles the JSON text of a schema.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: &str) -> Self {
        let value = serde_json::from_str(schema).map_err(|error| format!("schema is not JSON: {error}"));
        Self(value.and_then(|value: Value| Schema::compile(&value).map_err(|error| error.to_string())))
    }

    /// Why it does not compile.
    pub fn failure(&self) -> Option<String> {
        self.0.as_ref().err().cloned()
    }

    /// Coerces and validates the JSON text of arguments. Nothing when they are valid as they are; a list of edits as JSON
    /// text, which begins with `[`; `?` when the text cannot be read; else why they are invalid.
    pub fn check(&self, tool_name: &str, arguments: &str) -> Option<String> {
        let Ok(schema) = &self.0 else { return self.failure() };
        let Ok(raw) = serde_json::from_str::<Value>(arguments) else { return Some("?".to_owned()) };
        match schema.coerce(tool_name, &raw) {
            Err(error) => Some(error),
            Ok(coerced) => coerced.map(|coerced| Value::Array(edits::between(&raw, &coerced)).to_string()),
        }
    }
}
