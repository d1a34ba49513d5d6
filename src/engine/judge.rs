//! What became of a response, judged by the text it failed with; and the ids of its calls for another model.

use vitrine_agent::json;
use vitrine_agent::message::{AssistantMessage, Block, ToolCall};
use vitrine_agent::model::ModelInfo;
use vitrine_providers::error;
use vitrine_providers::openai_completions::{IdFormat, Quirks};
use vitrine_providers::transform::{IdRule, wire_ids};
use wasm_bindgen::prelude::wasm_bindgen;

/// Whether a failure says that the context did not fit.
#[wasm_bindgen(js_name = isOverflowText)]
pub fn is_overflow_text(text: &str, provider: &str) -> bool {
    error::is_overflow_text(text) || (provider == "cerebras" && is_bodyless(text))
}

/// Cerebras says no more than the status when the context does not fit.
fn is_bodyless(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let rest = text.strip_prefix("400").or_else(|| text.strip_prefix("413"));
    let rest = rest.map(str::trim_start).map(|rest| rest.strip_prefix("status code").unwrap_or(rest));
    rest.is_some_and(|rest| rest.trim_start().starts_with("(no body)"))
}

/// Whether a failure may be gone at the next try.
#[wasm_bindgen(js_name = isRetryableText)]
pub fn is_retryable_text(text: &str) -> bool {
    error::is_retryable_text(text)
}

/// The id to send to a model, given as JSON text, for a call that another model made. An api that is not known here takes
/// the id as it is.
#[wasm_bindgen(js_name = foreignCallId)]
pub fn foreign_call_id(id: String, model: &str) -> String {
    let Ok(model) = json::read::<ModelInfo>(model) else { return id };
    if *model.api != *"openai-completions" {
        return id;
    }
    let rule = match Quirks::of(&model).id_format {
        IdFormat::Plain => IdRule::Plain,
        IdFormat::Short => IdRule::Short,
        IdFormat::Mistral => IdRule::NineLetters,
    };
    let call = Block::ToolCall(ToolCall { id: id.into(), ..ToolCall::default() }.into());
    let message = AssistantMessage { content: vec![call], ..AssistantMessage::pending("", "", "", 0) };
    wire_ids(&message, false, rule).pop().unwrap_or_default()
}
