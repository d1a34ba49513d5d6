//! Model events as a script writes them: a whole block in a word, or one event by its name.
//!
//! `start` · `text DELTA|DELTA` · `thinking TEXT` · `call ID NAME ARGUMENTS` · `bad-call ID NAME ERROR` · `usage N` ·
//! `meta ID` · `done REASON` · `error TEXT` · `aborted TEXT` · `closed` (the stream has no more) · `text_start INDEX` ·
//! `text_delta INDEX DELTA` and so on.

use std::sync::Arc;

use serde_json::Value;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, StopReason, ToolCall, Usage};
use vitrine_agent::model::{Facts, ModelEvent};

/// The events of one line, and whether the stream is closed behind them. `blocks` counts the response's whole blocks.
pub fn batch(line: &str, blocks: &mut usize) -> (Vec<ModelEvent>, bool) {
    let mut batch = Vec::new();
    for item in line.split("; ") {
        let (word, rest) = item.split_once(' ').unwrap_or((item, ""));
        let index = *blocks;
        match word {
            "closed" => return (batch, true),
            "start" => {
                *blocks = 0;
                batch.push(ModelEvent::Start);
            }
            "text" => {
                batch.push(ModelEvent::TextStart { index });
                batch.extend(rest.split('|').map(|delta| ModelEvent::TextDelta { index, delta: delta.to_owned() }));
                batch.push(ModelEvent::TextEnd { index, signature: None });
                *blocks += 1;
            }
            "thinking" | "redacted" => {
                batch.push(ModelEvent::ThinkingStart { index });
                batch.push(ModelEvent::ThinkingDelta { index, delta: rest.to_owned() });
                batch.push(ModelEvent::ThinkingEnd {
                    index,
                    signature: Some("s".to_owned()),
                    redacted: word == "redacted",
                });
                *blocks += 1;
            }
            "call" | "bad-call" => {
                batch.extend(call(index, rest, word == "bad-call"));
                *blocks += 1;
            }
            "usage" => {
                batch.push(ModelEvent::Usage(Usage { output: rest.parse().unwrap(), ..Usage::default() }.into()));
            }
            "meta" => batch.push(ModelEvent::Meta(Box::new(facts(rest)))),
            "done" => batch.push(ModelEvent::Done { reason: serde_json::from_value(rest.into()).unwrap() }),
            "error" => batch.push(ModelEvent::Error { reason: StopReason::Error, message: rest.to_owned() }),
            "aborted" => batch.push(ModelEvent::Error { reason: StopReason::Aborted, message: rest.to_owned() }),
            name => batch.push(single(name, rest)),
        }
    }
    (batch, false)
}

fn call(index: usize, rest: &str, is_bad: bool) -> [ModelEvent; 2] {
    let mut words = rest.splitn(3, ' ').map(str::to_owned);
    let (id, name) = (words.next().unwrap(), words.next().unwrap());
    let text = words.next().unwrap_or("{}".to_owned());
    let arguments = if is_bad { Json::empty_object() } else { Json::parse(text.clone()).unwrap() };
    [
        ModelEvent::ToolCallStart { index, id: id.clone().into(), name: name.clone().into() },
        ModelEvent::ToolCallEnd {
            index,
            tool_call: ToolCall {
                id: id.into(),
                name: name.into(),
                arguments,
                arguments_error: is_bad.then_some(text),
                ..ToolCall::default()
            }
            .into(),
        },
    ]
}

/// A word alone is the response's id; JSON gives each fact by its field's name.
fn facts(text: &str) -> Facts {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return Facts { response_id: Some(text.to_owned()), ..Facts::default() };
    };
    let word = |name: &str| value[name].as_str().map(str::to_owned);
    Facts {
        response_id: word("responseId"),
        response_model: word("responseModel"),
        provider_thinking_level: word("providerThinkingLevel"),
        raw_stop_reason: word("rawStopReason"),
        end_turn: value["endTurn"].as_bool(),
        deferred: value.get("deferred").map(Json::from_value),
        diagnostics: value.get("diagnostics").map(Json::from_value),
    }
}

fn single(name: &str, rest: &str) -> ModelEvent {
    let (index, delta) = rest.split_once(' ').unwrap_or((rest, ""));
    let (index, delta) = (index.parse().unwrap(), delta.to_owned());
    match name {
        "text_start" => ModelEvent::TextStart { index },
        "text_delta" => ModelEvent::TextDelta { index, delta },
        "text_end" => ModelEvent::TextEnd { index, signature: None },
        "thinking_start" => ModelEvent::ThinkingStart { index },
        "thinking_delta" => ModelEvent::ThinkingDelta { index, delta },
        "thinking_end" => ModelEvent::ThinkingEnd { index, signature: None, redacted: false },
        "toolcall_start" => ModelEvent::ToolCallStart { index, id: delta.clone().into(), name: delta.into() },
        "toolcall_end" => ModelEvent::ToolCallEnd { index, tool_call: whole_call(&delta) },
        "toolcall_delta" => ModelEvent::ToolCallDelta { index, delta },
        _ => panic!("unknown model event: {name} {rest}"),
    }
}

/// A call as JSON without its `type`.
fn whole_call(text: &str) -> Arc<ToolCall> {
    let fields = text.strip_prefix('{').unwrap();
    match serde_json::from_str(&format!("{{\"type\":\"toolCall\",{fields}")).unwrap() {
        Block::ToolCall(call) => call,
        other => panic!("no call: {other:?}"),
    }
}
