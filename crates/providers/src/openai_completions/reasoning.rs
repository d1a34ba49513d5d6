//! How much a model is asked to reason: the level that it has (§6.7), and the fields that say so (§6.11).

use serde_json::{Map, Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::model::ModelInfo;

use super::options::RequestOptions;
use super::quirks::{Quirks, ThinkingFormat};

/// The levels, from the least to the most.
const LEVELS: [&str; 7] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];
/// Tokens to think with at a level, where a server takes a number.
const BUDGETS: [(&str, u64); 4] = [("minimal", 1024), ("low", 2048), ("medium", 8192), ("high", 16384)];
/// What is left for the answer of a budget that both share.
const MIN_ANSWER_TOKENS: u64 = 1024;

/// What a model calls the levels. `null` is a level that it does not have.
struct Names(Map<String, Value>);

impl Names {
    fn of(model: &ModelInfo) -> Self {
        match model.thinking_level_map.as_ref().map(Json::to_value) {
            Some(Value::Object(names)) => Self(names),
            Some(_) | None => Self(Map::new()),
        }
    }

    fn lacks(&self, level: &str) -> bool {
        self.0.get(level) == Some(&Value::Null)
    }

    fn name(&self, level: &str) -> Option<&Value> {
        self.0.get(level).filter(|name| !name.is_null())
    }

    /// Its name there, else the level itself.
    fn name_or_level(&self, level: &str) -> Value {
        self.name(level).cloned().unwrap_or_else(|| json!(level))
    }

    /// Its name there if that is text; the level itself if it has none; nothing for a level that the model lacks.
    fn text(&self, level: &str) -> Option<Value> {
        self.0.get(level).map_or_else(|| Some(json!(level)), |name| name.is_string().then(|| name.clone()))
    }
}

/// The level that is asked of a model: the one wanted, else the next higher one that it has, else the next lower.
pub(super) fn clamp<'l>(model: &ModelInfo, wanted: &'l str) -> &'l str {
    let names = Names::of(model);
    let has = |level: &str| match level {
        "off" if !model.reasoning => true,
        _ if !model.reasoning => false,
        // Few models have these.
        "xhigh" | "max" => names.name(level).is_some(),
        _ => !names.lacks(level),
    };
    let Some(place) = LEVELS.iter().position(|level| *level == wanted) else {
        return LEVELS.into_iter().find(|level| has(level)).unwrap_or("off");
    };
    if has(wanted) {
        return wanted;
    }
    let (lower, higher) = LEVELS.split_at(place);
    let nearest = higher.iter().chain(lower.iter().rev()).find(|level| has(level));
    nearest.copied().unwrap_or("off")
}

/// The fields that ask for a level, or for none. `limit` is how much may be written in all, 0 if that is not known.
pub(super) fn fields(
    model: &ModelInfo,
    wanted: Option<&str>,
    quirks: &Quirks,
    options: &RequestOptions,
    limit: u64,
) -> Vec<(String, Value)> {
    if !model.reasoning {
        return Vec::new();
    }
    let asked = Asked {
        names: Names::of(model),
        level: wanted.map(|wanted| clamp(model, wanted)).filter(|level| *level != "off"),
        takes_effort: quirks.supports_reasoning_effort,
        budget: None,
    };
    let budget = asked.level.and_then(|level| budget(level, options, limit));
    let asked = Asked { budget, ..asked };
    let mut fields = asked.fields(quirks);
    if let (Some(field), Some(budget)) = (&quirks.thinking_token_budget_field, budget) {
        fields.push((field.clone(), json!(budget)));
    }
    fields
}

/// The tokens to think with, so that an answer still fits.
fn budget(level: &str, options: &RequestOptions, limit: u64) -> Option<u64> {
    let level = if matches!(level, "xhigh" | "max") { "high" } else { level };
    let own = options.thinking_budgets.get(level).and_then(Value::as_f64).map(|tokens| tokens as u64);
    let known = || BUDGETS.iter().find(|(name, _)| *name == level).map(|(_, tokens)| *tokens);
    let budget = own.or_else(known)?.min(limit.saturating_sub(MIN_ANSWER_TOKENS));
    (budget > 0).then_some(budget)
}

/// What is asked of a model that reasons.
struct Asked<'l> {
    names: Names,
    /// Never `off`.
    level: Option<&'l str>,
    takes_effort: bool,
    budget: Option<u64>,
}

impl Asked<'_> {
    fn fields(&self, quirks: &Quirks) -> Vec<(String, Value)> {
        let is_on = self.level.is_some();
        let switch = json!({"type": if is_on { "enabled" } else { "disabled" }});
        let field = |name: &str, value: Value| Some((name.to_owned(), value));
        // A model that cannot but reason is not told to stop.
        let may_be_off = !self.names.lacks("off");
        let off_name = || self.names.name("off").cloned().unwrap_or_else(|| json!("none"));
        let level_or_off = || match self.level {
            Some(level) => Some(self.names.name_or_level(level)),
            None => may_be_off.then(off_name),
        };
        let effort = |value: Option<Value>| {
            value.filter(|_| self.takes_effort).map(|value| ("reasoning_effort".to_owned(), value))
        };
        let effort_by_name = || effort(self.level.map(|level| self.names.name_or_level(level)));
        let off_effort = || effort(self.names.name("off").filter(|name| !is_on && name.is_string()).cloned());
        let fields = match quirks.thinking_format {
            ThinkingFormat::Openai => [effort_by_name(), off_effort()],
            ThinkingFormat::Openrouter => {
                [level_or_off().and_then(|effort| field("reasoning", json!({"effort": effort}))), None]
            }
            ThinkingFormat::Deepseek => [field("thinking", switch).filter(|_| is_on || may_be_off), effort_by_name()],
            ThinkingFormat::Zai => {
                let mut thinking = switch;
                if is_on && let Some(thinking) = thinking.as_object_mut() {
                    thinking.insert("clear_thinking".to_owned(), json!(false));
                }
                [field("thinking", thinking), effort(self.level.and_then(|level| self.names.text(level)))]
            }
            ThinkingFormat::Together => [field("reasoning", json!({"enabled": is_on})), effort_by_name()],
            ThinkingFormat::AntLing => {
                let name = self.level.and_then(|level| self.names.name(level)).filter(|name| name.is_string());
                [name.and_then(|name| field("reasoning", json!({"effort": name}))), off_effort()]
            }
            ThinkingFormat::Qwen => [field("enable_thinking", json!(is_on)), effort_by_name()],
            ThinkingFormat::QwenChatTemplate => {
                let arguments = json!({"enable_thinking": is_on, "preserve_thinking": true});
                [field("chat_template_kwargs", arguments), None]
            }
            ThinkingFormat::ChatTemplate => [self.template("chat_template_kwargs", &quirks.chat_template_kwargs), None],
            ThinkingFormat::Baseten => [
                self.template("chat_template_args", &quirks.chat_template_args),
                effort(match self.level {
                    Some(level) => self.names.text(level),
                    None => self.names.name("off").filter(|name| name.is_string()).cloned(),
                }),
            ],
            ThinkingFormat::StringThinking => [level_or_off().and_then(|level| field("thinking", level)), None],
        };
        fields.into_iter().flatten().collect()
    }

    /// Arguments of a chat template, where `{"$var": …}` stands for what is asked. None at all is no field.
    fn template(&self, field: &str, arguments: &Map<String, Value>) -> Option<(String, Value)> {
        let known = arguments.iter().filter_map(|(name, value)| Some((name.clone(), self.argument(value)?)));
        let known: Map<String, Value> = known.collect();
        (!known.is_empty()).then(|| (field.to_owned(), Value::Object(known)))
    }

    fn argument(&self, value: &Value) -> Option<Value> {
        if !value.is_object() && !value.is_array() {
            return Some(value.clone());
        }
        if self.level.is_none() && value.get("omitWhenOff") == Some(&Value::Bool(true)) {
            return None;
        }
        match value.get("$var").and_then(Value::as_str) {
            Some("thinking.enabled") => Some(json!(self.level.is_some())),
            Some("thinking.budget") => self.budget.map(|budget| json!(budget)),
            Some(_) | None => match self.level {
                Some(level) => self.names.text(level),
                None => self.names.name("off").filter(|name| name.is_string()).cloned(),
            },
        }
    }
}
