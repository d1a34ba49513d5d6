//! [`ReasoningDetails`]: reasoning as OpenRouter sends it beside the text, to be given back as it came (§6.4).

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// An answer with more than this is a runaway: it keeps none of them.
const MAX_BYTES: usize = 16 << 20;

/// The details of one answer. They stream: what continues the last one is added to it.
#[derive(Debug, Default)]
pub(super) struct ReasoningDetails {
    list: Vec<Map<String, Value>>,
    n_bytes: usize,
}

impl ReasoningDetails {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes those that are well-formed, and says whether there were any.
    pub(super) fn push(&mut self, details: &RawValue) -> bool {
        self.n_bytes = self.n_bytes.saturating_add(details.get().len());
        if self.n_bytes > MAX_BYTES {
            self.list.clear();
            return false;
        }
        let Ok(Value::Array(details)) = serde_json::from_str(details.get()) else { return false };
        let mut has_any = false;
        for detail in details {
            let Value::Object(detail) = detail else { continue };
            if let Some(growing) = growing_field(&detail) {
                has_any = true;
                self.add(detail, growing);
            }
        }
        has_any
    }

    fn add(&mut self, detail: Map<String, Value>, growing: Option<&'static str>) {
        let last = self.list.last_mut().filter(|last| last.get("type") == detail.get("type"));
        let (Some(last), Some(growing)) = (last, growing) else {
            self.list.push(detail);
            return;
        };
        if let (Some(Value::String(text)), Some(Value::String(more))) = (last.get_mut(growing), detail.get(growing)) {
            text.push_str(more);
        }
        for (field, value) in detail {
            let is_wanted =
                matches!(field.as_str(), "id" | "index" | "format") || (field == "signature" && growing == "text");
            let is_missing = match last.get(&field) {
                None | Some(Value::Null) => true,
                Some(Value::String(text)) => text.is_empty() && field != "id",
                Some(_) => false,
            };
            if is_wanted && is_missing {
                last.insert(field, value);
            }
        }
    }

    /// As the signature of the block of thinking they belong to.
    pub(super) fn into_signature(self) -> String {
        Value::Array(self.list.into_iter().map(Value::Object).collect()).to_string()
    }
}

/// Of a detail that is one: the field that later ones add to, if it has such a field.
fn growing_field(detail: &Map<String, Value>) -> Option<Option<&'static str>> {
    let text = |field: &str| detail.get(field).is_some_and(Value::is_string);
    let text_or = |field: &str, may_be_null: bool| match detail.get(field) {
        None => true,
        Some(Value::Null) => may_be_null,
        Some(value) => value.is_string(),
    };
    let is_common = text_or("id", true) && text_or("format", false) && detail.get("index").is_none_or(Value::is_number);
    if !is_common {
        return None;
    }
    match detail.get("type").and_then(Value::as_str) {
        Some("reasoning.summary") if text("summary") => Some(Some("summary")),
        Some("reasoning.text") if text("text") && text_or("signature", true) => Some(Some("text")),
        Some("reasoning.encrypted") if text("data") => Some(None),
        _ => None,
    }
}
