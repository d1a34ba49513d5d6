//! [`Quirks`]: how compatible servers differ, as data (§6.11).

use serde::Deserialize;
use serde_json::{Map, Value};
use vitrine_agent::model::ModelInfo;

/// The field that limits the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// OpenAI's newer name.
    MaxCompletionTokens,
    /// The older name, which many servers alone know.
    MaxTokens,
}

/// How a level of reasoning is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThinkingFormat {
    /// `reasoning_effort`.
    Openai,
    /// `reasoning: {effort}`.
    Openrouter,
    /// `thinking: {type}` and `reasoning_effort`.
    Deepseek,
    /// `thinking: {type, clear_thinking}`.
    Zai,
    /// `reasoning: {enabled}`.
    Together,
    /// `reasoning: {effort}`, when one is asked for.
    AntLing,
    /// `enable_thinking`.
    Qwen,
    /// `chat_template_kwargs: {enable_thinking, preserve_thinking}`.
    QwenChatTemplate,
    /// `chat_template_kwargs`, as the model's `compat` has them.
    ChatTemplate,
    /// `chat_template_args`, as the model's `compat` has them, and `reasoning_effort`.
    Baseten,
    /// `thinking: "<level>"`.
    StringThinking,
}

/// Which call ids a server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdFormat {
    /// Any id; foreign ones are made plain (§6.2).
    Plain,
    /// Like `Plain`, and none longer than 40 characters.
    Short,
    /// Nine letters or digits (case b33).
    Mistral,
}

/// Whether a session's requests name it to the server's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptCacheKeyMode {
    /// Where that is known to be understood.
    Auto,
    /// Always.
    Enabled,
    /// Never.
    Disabled,
}

/// By which headers the requests of a session are sent to one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionAffinityFormat {
    /// `session_id` and two more.
    Openai,
    /// Those two.
    OpenaiNosession,
    /// `x-session-id`.
    Openrouter,
}

/// What is different about one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// Knows `store`.
    pub supports_store: bool,
    /// Wants the prompt under the role `developer` for reasoning models.
    pub supports_developer_role: bool,
    /// Knows `reasoning_effort`.
    pub supports_reasoning_effort: bool,
    /// Knows `stream_options.include_usage`.
    pub supports_usage_in_streaming: bool,
    /// Sends a finish reason.
    pub supports_finish_reason: bool,
    /// Its name for the output limit.
    pub max_tokens_field: MaxTokensField,
    /// Wants `name` on tool results.
    pub requires_tool_result_name: bool,
    /// Wants an assistant message between a tool result and a user message.
    pub requires_assistant_after_tool_result: bool,
    /// Refuses `content: null` beside calls.
    pub requires_non_null_assistant_content: bool,
    /// Wants `tools` whenever the history has calls.
    pub requires_tools_with_tool_history: bool,
    /// Wants earlier reasoning as text.
    pub requires_thinking_as_text: bool,
    /// Wants `reasoning_content` on every assistant message.
    pub requires_reasoning_content_on_assistant_messages: bool,
    /// What stands there where nothing was reasoned: DeepSeek takes the empty text, Kimi a space (case b30).
    pub reasoning_placeholder: &'static str,
    /// How reasoning is asked for.
    pub thinking_format: ThinkingFormat,
    /// Which call ids it takes.
    pub id_format: IdFormat,
    /// Arguments of its chat template, for [`ThinkingFormat::ChatTemplate`].
    pub chat_template_kwargs: Map<String, Value>,
    /// The same for [`ThinkingFormat::Baseten`].
    pub chat_template_args: Map<String, Value>,
    /// Wants to be told that calls may stream.
    pub zai_tool_stream: bool,
    /// Its name for the tokens to think with, if it takes a number.
    pub thinking_token_budget_field: Option<String>,
    /// Which of the servers behind it should answer.
    pub open_router_routing: Option<Map<String, Value>>,
    /// The same, where `only` and `order` count.
    pub vercel_gateway_routing: Map<String, Value>,
    /// How urgent a request is.
    pub vllm_priority: Option<Value>,
    /// Whether a session is named to its cache.
    pub prompt_cache_key_mode: PromptCacheKeyMode,
    /// Keeps what it has read for a day, if it is asked.
    pub supports_long_cache_retention: bool,
    /// Wants headers that name the session.
    pub send_session_affinity_headers: bool,
    /// Which ones.
    pub session_affinity_format: SessionAffinityFormat,
}

impl Default for Quirks {
    fn default() -> Self {
        Self {
            supports_store: true,
            supports_developer_role: false,
            supports_reasoning_effort: true,
            supports_usage_in_streaming: true,
            supports_finish_reason: true,
            max_tokens_field: MaxTokensField::MaxCompletionTokens,
            requires_tool_result_name: false,
            requires_assistant_after_tool_result: false,
            requires_non_null_assistant_content: false,
            requires_tools_with_tool_history: false,
            requires_thinking_as_text: false,
            requires_reasoning_content_on_assistant_messages: false,
            reasoning_placeholder: "",
            thinking_format: ThinkingFormat::Openai,
            id_format: IdFormat::Plain,
            chat_template_kwargs: Map::new(),
            chat_template_args: Map::new(),
            zai_tool_stream: false,
            thinking_token_budget_field: None,
            open_router_routing: None,
            vercel_gateway_routing: Map::new(),
            vllm_priority: None,
            prompt_cache_key_mode: PromptCacheKeyMode::Auto,
            supports_long_cache_retention: true,
            send_session_affinity_headers: false,
            session_affinity_format: SessionAffinityFormat::Openai,
        }
    }
}

/// A server we know: by the base URL's host, else by the provider's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    OpenAi,
    Nvidia,
    Cerebras,
    Xai,
    Together,
    Chutes,
    DeepSeek,
    Zai,
    Moonshot,
    OpenCode,
    CloudflareGateway,
    Cloudflare,
    AntLing,
    OpenRouter,
    Mistral,
}

const SERVERS: &[(Server, &str, &[&str])] = &[
    (Server::OpenAi, "openai", &["api.openai.com"]),
    (Server::Nvidia, "nvidia", &["integrate.api.nvidia.com"]),
    (Server::Cerebras, "cerebras", &["cerebras.ai"]),
    (Server::Xai, "xai", &["api.x.ai"]),
    (Server::Together, "together", &["together.ai", "together.xyz"]),
    (Server::Chutes, "chutes", &["chutes.ai"]),
    (Server::DeepSeek, "deepseek", &["deepseek.com"]),
    (Server::Zai, "zai", &["api.z.ai", "bigmodel.cn"]),
    (Server::Moonshot, "moonshotai", &["moonshot.ai", "moonshot.cn", "api.kimi.com"]),
    (Server::OpenCode, "opencode", &["opencode.ai"]),
    (Server::CloudflareGateway, "cloudflare-ai-gateway", &["gateway.ai.cloudflare.com"]),
    (Server::Cloudflare, "cloudflare-workers-ai", &["api.cloudflare.com"]),
    (Server::AntLing, "ant-ling", &["ant-ling.com"]),
    (Server::OpenRouter, "openrouter", &["openrouter.ai"]),
    (Server::Mistral, "mistral", &["api.mistral.ai"]),
];

impl Quirks {
    /// What the provider's name and the base URL say, then what the model's `compat` says.
    pub fn of(model: &ModelInfo) -> Self {
        let mut quirks = Self::of_server(server(model), model.reasoning);
        if let Some(overrides) = &model.compat
            && let Ok(overrides) = serde_json::from_str::<Overrides>(overrides.as_str())
        {
            quirks.apply(overrides);
        }
        quirks
    }

    fn of_server(server: Option<Server>, reasoning: bool) -> Self {
        use Server::*;
        let is = |servers: &[Server]| server.is_some_and(|server| servers.contains(&server));
        let needs_reasoning_content = is(&[DeepSeek]) || (is(&[Moonshot]) && reasoning);
        Self {
            supports_store: !is(&[
                Nvidia,
                Cerebras,
                Xai,
                Together,
                Chutes,
                DeepSeek,
                Zai,
                Moonshot,
                OpenCode,
                CloudflareGateway,
                Cloudflare,
                AntLing,
                Mistral,
            ]),
            supports_developer_role: is(&[OpenAi]),
            supports_reasoning_effort: !is(&[Xai, Zai, Moonshot, Together, CloudflareGateway, Nvidia, AntLing]),
            max_tokens_field: match is(&[
                Chutes,
                DeepSeek,
                Moonshot,
                CloudflareGateway,
                Together,
                Nvidia,
                AntLing,
                Zai,
                Mistral,
            ]) {
                true => MaxTokensField::MaxTokens,
                false => MaxTokensField::MaxCompletionTokens,
            },
            requires_reasoning_content_on_assistant_messages: needs_reasoning_content,
            reasoning_placeholder: if is(&[Moonshot]) { " " } else { "" },
            thinking_format: match server {
                Some(DeepSeek) => ThinkingFormat::Deepseek,
                Some(Zai) => ThinkingFormat::Zai,
                Some(Together) => ThinkingFormat::Together,
                Some(AntLing) => ThinkingFormat::AntLing,
                Some(OpenRouter) => ThinkingFormat::Openrouter,
                _ => ThinkingFormat::Openai,
            },
            id_format: match server {
                Some(OpenAi) => IdFormat::Short,
                Some(Mistral) => IdFormat::Mistral,
                _ => IdFormat::Plain,
            },
            supports_long_cache_retention: !is(&[Together, Cloudflare, CloudflareGateway, Nvidia, AntLing]),
            send_session_affinity_headers: is(&[OpenRouter]),
            session_affinity_format: match server {
                Some(OpenRouter) => SessionAffinityFormat::Openrouter,
                _ => SessionAffinityFormat::Openai,
            },
            ..Self::default()
        }
    }
}

fn server(model: &ModelInfo) -> Option<Server> {
    let host = model.base_url.split("://").nth(1).unwrap_or(&model.base_url);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let by_url = SERVERS
        .iter()
        .find(|(_, _, hosts)| hosts.iter().any(|known| host == *known || host.ends_with(&format!(".{known}"))));
    let by_name = || SERVERS.iter().find(|(_, name, _)| model.provider.eq_ignore_ascii_case(name));
    by_url.or_else(by_name).map(|(server, _, _)| *server)
}

macro_rules! overrides {
    ($($field:ident: $kind:ty),* $(,)?) => {
        /// The model's own `compat`, by pi's names; what is absent stays as detected.
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct Overrides {
            $($field: Option<$kind>,)*
            supports_thinking_token_budget: bool,
            thinking_token_budget_field: Option<String>,
            open_router_routing: Option<Map<String, Value>>,
            vllm_priority: Option<Value>,
        }

        impl Quirks {
            fn apply(&mut self, overrides: Overrides) {
                $(if let Some(value) = overrides.$field {
                    self.$field = value;
                })*
                let default = || overrides.supports_thinking_token_budget.then(|| "thinking_token_budget".to_owned());
                self.thinking_token_budget_field = overrides.thinking_token_budget_field.or_else(default);
                self.open_router_routing = overrides.open_router_routing;
                self.vllm_priority = overrides.vllm_priority;
            }
        }
    };
}

overrides! {
    supports_store: bool,
    supports_developer_role: bool,
    supports_reasoning_effort: bool,
    supports_usage_in_streaming: bool,
    supports_finish_reason: bool,
    max_tokens_field: MaxTokensField,
    requires_tool_result_name: bool,
    requires_assistant_after_tool_result: bool,
    requires_non_null_assistant_content: bool,
    requires_tools_with_tool_history: bool,
    requires_thinking_as_text: bool,
    requires_reasoning_content_on_assistant_messages: bool,
    thinking_format: ThinkingFormat,
    id_format: IdFormat,
    chat_template_kwargs: Map<String, Value>,
    chat_template_args: Map<String, Value>,
    zai_tool_stream: bool,
    vercel_gateway_routing: Map<String, Value>,
    prompt_cache_key_mode: PromptCacheKeyMode,
    supports_long_cache_retention: bool,
    send_session_affinity_headers: bool,
    session_affinity_format: SessionAffinityFormat,
}
