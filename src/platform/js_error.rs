//! The one place where a `JsValue` becomes a typed error.

use wasm_bindgen::{JsCast as _, JsValue};

/// What JavaScript threw or rejected with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {message}")]
pub struct JsError {
    /// `TypeError`, `NoModificationAllowedError`, …; `Error` where it has none.
    pub name: String,
    /// Its message, or the value as text.
    pub message: String,
}

impl From<JsValue> for JsError {
    fn from(value: JsValue) -> Self {
        if let Some(error) = value.dyn_ref::<js_sys::Error>() {
            return Self { name: error.name().into(), message: error.message().into() };
        }
        // A DOMException is no `Error` for `instanceof` in every engine.
        let text =
            |key: &str| js_sys::Reflect::get(&value, &JsValue::from_str(key)).ok().and_then(|value| value.as_string());
        match (text("name"), text("message")) {
            (name, Some(message)) => Self { name: name.unwrap_or_else(|| "Error".into()), message },
            _ => Self { name: "Error".into(), message: value.as_string().unwrap_or_else(|| format!("{value:?}")) },
        }
    }
}
