//! Asking again without the field that a server refused (case b32).

use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::model::ModelInfo;
use vitrine_providers::error::from_response;
use vitrine_providers::openai_completions::adapt;

fn adapted(compat: Option<&Value>, status: u16, body: &str) -> Option<Value> {
    let model = ModelInfo { id: "m".into(), compat: compat.map(Json::from_value), ..ModelInfo::default() };
    let adapted = adapt(&model, &from_response(status, body.as_bytes()))?;
    assert_eq!(ModelInfo { compat: model.compat.clone(), ..adapted.clone() }, model, "nothing else changes");
    adapted.compat.map(|compat| compat.to_value())
}

#[test]
fn the_named_field_is_swapped_or_dropped_once() {
    let newer =
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    let older = "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted'}]";
    let store = "{\"error\":{\"message\":\"Unrecognized request argument supplied: store\"}}";
    let options = "unknown field stream_options";
    let max_tokens = json!({"maxTokensField": "max_tokens"});
    for (compat, status, body, expected) in [
        (None, 400, older, Some(max_tokens.clone())),
        (None, 422, older, Some(max_tokens.clone())),
        (None, 400, store, Some(json!({"supportsStore": false}))),
        (Some(max_tokens.clone()), 400, store, Some(json!({"maxTokensField": "max_tokens", "supportsStore": false}))),
        (None, 400, options, Some(json!({"supportsUsageInStreaming": false}))),
        (Some(max_tokens.clone()), 400, newer, Some(json!({"maxTokensField": "max_completion_tokens"}))),
        // A field that is not sent cannot be the refused one.
        (None, 400, newer, None),
        (Some(max_tokens), 400, older, None),
        (Some(json!({"supportsStore": false})), 400, store, None),
        // Not a refusal of a field.
        (None, 500, older, None),
        (None, 400, "max_completion_tokens is too large", None),
        (None, 400, "unknown model: restored", None),
    ] {
        assert_eq!(adapted(compat.as_ref(), status, body), expected, "{status} {body}");
    }
}
