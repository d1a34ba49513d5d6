//! [`RequestOptions`]: what a caller may ask of one request beside its context, by pi's names.

use serde::Deserialize;
use serde_json::{Map, Value};
use vitrine_agent::model::ModelInfo;

use super::quirks::{PromptCacheKeyMode, Quirks, SessionAffinityFormat};
use super::reasoning;

/// What one session's key may be long.
const MAX_CACHE_KEY_CHARS: usize = 64;

/// How long the server should keep what it has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheRetention {
    /// Not at all, as far as that can be said.
    None,
    /// As it does by itself.
    #[default]
    Short,
    /// As long as it offers.
    Long,
}

/// What is asked of one request. The default asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequestOptions {
    /// Which requests belong together, for the server's cache.
    pub session_id: Option<String>,
    /// How long its cache should last.
    pub cache_retention: CacheRetention,
    /// Tokens to think with, by level, in place of the known ones.
    pub thinking_budgets: Map<String, Value>,
    /// How freely the model chooses.
    pub temperature: Option<Value>,
    /// Which tools it may call.
    pub tool_choice: Option<Value>,
    /// What the model's own description adds to every body.
    pub model_sampling_params: Map<String, Value>,
    /// What it adds at a level of reasoning.
    pub sampling_params_by_thinking_level: Map<String, Value>,
    /// What the caller adds. Of a field that is named twice the later one here counts, and each before what we write.
    pub sampling_params: Map<String, Value>,
}

impl RequestOptions {
    /// Whole fields of the body, which replace those of the same name.
    pub(super) fn overrides(&self, model: &ModelInfo, level: Option<&str>) -> Map<String, Value> {
        let level = reasoning::clamp(model, level.unwrap_or("off"));
        let by_level = self.sampling_params_by_thinking_level.get(level).and_then(Value::as_object);
        let all = [Some(&self.model_sampling_params), by_level, Some(&self.sampling_params)];
        let named = all.into_iter().flatten().flatten();
        named.map(|(field, value)| (field.clone(), value.clone())).collect()
    }

    /// Fields that our own writing of the body does not know.
    pub(super) fn fields(&self, model: &ModelInfo, quirks: &Quirks) -> Vec<(&'static str, Value)> {
        let mut fields = Vec::new();
        let is_long = self.cache_retention == CacheRetention::Long && quirks.supports_long_cache_retention;
        let has_key = match quirks.prompt_cache_key_mode {
            PromptCacheKeyMode::Enabled => true,
            PromptCacheKeyMode::Auto => is_long || model.base_url.contains("api.openai.com"),
            PromptCacheKeyMode::Disabled => false,
        };
        if let Some(id) = self.session().filter(|_| has_key) {
            fields.push(("prompt_cache_key", id.chars().take(MAX_CACHE_KEY_CHARS).collect::<String>().into()));
        }
        if is_long {
            fields.push(("prompt_cache_retention", "24h".into()));
        }
        let given = [("temperature", &self.temperature), ("tool_choice", &self.tool_choice)];
        fields.extend(given.into_iter().filter_map(|(field, value)| Some((field, value.clone()?))));
        fields.extend(quirks.vllm_priority.clone().map(|priority| ("priority", priority)));
        fields.extend(quirks.open_router_routing.clone().map(|routing| ("provider", Value::Object(routing))));
        let mut gateway = Map::new();
        for field in ["only", "order"] {
            let value = quirks.vercel_gateway_routing.get(field).filter(|value| !value.is_null());
            gateway.extend(value.map(|value| (field.to_owned(), value.clone())));
        }
        if !gateway.is_empty() {
            fields.push(("providerOptions", serde_json::json!({"gateway": gateway})));
        }
        fields
    }

    /// Headers that send the requests of a session to one machine.
    pub(super) fn headers(&self, quirks: &Quirks) -> Vec<(String, String)> {
        let Some(id) = self.session().filter(|_| quirks.send_session_affinity_headers) else { return Vec::new() };
        let names: &[&str] = match quirks.session_affinity_format {
            SessionAffinityFormat::Openrouter => &["x-session-id"],
            SessionAffinityFormat::Openai => &["session_id", "x-client-request-id", "x-session-affinity"],
            SessionAffinityFormat::OpenaiNosession => &["x-client-request-id", "x-session-affinity"],
        };
        names.iter().map(|name| ((*name).to_owned(), id.to_owned())).collect()
    }

    fn session(&self) -> Option<&str> {
        let id = self.session_id.as_deref().filter(|id| !id.is_empty());
        id.filter(|_| self.cache_retention != CacheRetention::None)
    }
}
