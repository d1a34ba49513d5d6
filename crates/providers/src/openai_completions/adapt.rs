//! [`adapt`]: a server that names the field it does not know can be asked again without it (case b32).

use serde_json::{Map, Value};
use vitrine_agent::json::Json;
use vitrine_agent::model::ModelInfo;

use super::{MaxTokensField, Quirks};
use crate::error::ProviderError;

/// Words by which servers say that a field is not theirs.
const REFUSALS: &[&str] = &[
    "unsupported",
    "not supported",
    "extra_forbidden",
    "extra inputs",
    "not permitted",
    "not allowed",
    "unrecognized",
    "unknown",
    "unexpected",
];

/// The model with the one `compat` flag changed that a refusal asks for; `None` if it asks for nothing that can be changed.
///
/// The caller sends the request once more with it, once only (a server that refuses both names of the limit would go in a
/// circle), and keeps it for this base URL and model.
pub fn adapt(model: &ModelInfo, error: &ProviderError) -> Option<ModelInfo> {
    let text = error.message.to_lowercase();
    if !matches!(error.status, Some(400 | 422)) || !REFUSALS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let quirks = Quirks::of(model);
    let (limit, other_limit) = match quirks.max_tokens_field {
        MaxTokensField::MaxCompletionTokens => ("max_completion_tokens", "max_tokens"),
        MaxTokensField::MaxTokens => ("max_tokens", "max_completion_tokens"),
    };
    let changes = [
        (limit, true, "maxTokensField", Value::from(other_limit)),
        (other_limit, false, "maxTokensField", Value::Null),
        ("stream_options", quirks.supports_usage_in_streaming, "supportsUsageInStreaming", Value::from(false)),
        ("store", quirks.supports_store, "supportsStore", Value::from(false)),
        ("reasoning_effort", quirks.supports_reasoning_effort, "supportsReasoningEffort", Value::from(false)),
    ];
    // The first field that the text names is the refused one; a later one is the advice ("use … instead").
    let named = changes.into_iter().filter_map(|change| Some((position_of_word(&text, change.0)?, change)));
    let (_, (_, is_sent, flag, value)) = named.min_by_key(|(at, _)| *at)?;
    if !is_sent {
        return None;
    }
    let mut compat = match model.compat.as_ref().map(Json::to_value) {
        Some(Value::Object(compat)) => compat,
        Some(_) | None => Map::new(),
    };
    compat.insert(flag.to_owned(), value);
    Some(ModelInfo { compat: Some(Json::from_value(&Value::Object(compat))), ..model.clone() })
}

/// Where a field's name stands by itself: `store` is no part of `restored`.
fn position_of_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).unwrap_or_default();
        let after = text.get(at + word.len()..).unwrap_or_default();
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}
