//! The scripted model (§10): what it says, how it is cut, how long it takes.

use serde_json::{Value, json};
use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Message, StopReason, ToolCall, Usage};
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest};
use vitrine_agent::signal::AbortSignal;
use vitrine_providers::scripted::{Batch, Script, Scripted};

fn scripted(script: Value) -> Scripted {
    Scripted::new(serde_json::from_value::<Script>(script).unwrap())
}

fn ask(text: &str) -> ModelRequest {
    let history: History = [Message::user(text, 1).into()].into_iter().collect();
    ModelRequest { model: ModelInfo::default().into(), history, reasoning: None, signal: AbortSignal::new() }
}

fn events(batches: impl IntoIterator<Item = Batch>) -> Vec<ModelEvent> {
    batches.into_iter().flat_map(|batch| batch.events).collect()
}

/// Deltas of a block in one, since where they are cut is not what most tests are about.
fn joined(events: Vec<ModelEvent>) -> Vec<ModelEvent> {
    let mut joined = Vec::<ModelEvent>::new();
    for event in events {
        match (joined.last_mut(), &event) {
            (Some(ModelEvent::TextDelta { delta, .. }), ModelEvent::TextDelta { delta: more, .. })
            | (Some(ModelEvent::ThinkingDelta { delta, .. }), ModelEvent::ThinkingDelta { delta: more, .. })
            | (Some(ModelEvent::ToolCallDelta { delta, .. }), ModelEvent::ToolCallDelta { delta: more, .. }) => {
                delta.push_str(more);
            }
            _ => joined.push(event),
        }
    }
    joined
}

#[test]
fn a_turn_is_played_block_by_block() {
    let mut model = scripted(json!({"turns": [{
        "thinking": "A file is asked for, so I have to read it.", "text": "",
        "calls": [{"name": "read", "arguments": {"path": "notes/a long name.txt"}}], "stop": "toolUse"
    }]}));
    let arguments = r#"{"path":"notes/a long name.txt"}"#;
    let thinking = "A file is asked for, so I have to read it.";
    let (id, name) = ("call_1".to_owned(), "read".to_owned());
    // `user:12345678`, by four; 42 and 32 characters, by four.
    let usage = Usage { input: 4, output: 19, total_tokens: 23, ..Usage::default() };
    assert_eq!(
        joined(events(model.play(&ask("12345678")))),
        [
            ModelEvent::Start,
            ModelEvent::ThinkingStart { index: 0 },
            ModelEvent::ThinkingDelta { index: 0, delta: thinking.to_owned() },
            ModelEvent::ThinkingEnd { index: 0, signature: None, redacted: false },
            ModelEvent::TextStart { index: 1 },
            ModelEvent::TextDelta { index: 1, delta: String::new() },
            ModelEvent::TextEnd { index: 1, signature: None },
            ModelEvent::ToolCallStart { index: 2, id: id.clone().into(), name: name.clone().into() },
            ModelEvent::ToolCallDelta { index: 2, delta: arguments.to_owned() },
            ModelEvent::ToolCallEnd {
                index: 2,
                tool_call: ToolCall {
                    id: id.into(),
                    name: name.into(),
                    arguments: Json::parse(arguments).unwrap(),
                    ..ToolCall::default()
                }
                .into(),
            },
            ModelEvent::Usage(usage.into()),
            ModelEvent::Done { reason: StopReason::ToolUse },
        ]
    );
}

#[test]
fn the_stop_reason_is_what_the_script_says() {
    let call = json!([{"name": "ls"}]);
    let error = |reason, message: &str| ModelEvent::Error { reason, message: message.to_owned() };
    for (turn, last) in [
        (json!({"calls": call}), ModelEvent::Done { reason: StopReason::Stop }),
        (json!({"calls": call, "stop": "toolUse"}), ModelEvent::Done { reason: StopReason::ToolUse }),
        (json!({"text": "x", "stop": "length"}), ModelEvent::Done { reason: StopReason::Length }),
        (json!({"text": "x", "error": "boom"}), error(StopReason::Error, "boom")),
        (json!({"text": "x", "stop": "aborted"}), error(StopReason::Aborted, "Request was aborted")),
        (
            json!({"text": "x", "stop": "pending"}),
            error(StopReason::Error, "Scripted response ended without a stop reason"),
        ),
    ] {
        let played = events(scripted(json!({"turns": [turn]})).play(&ask("q")));
        assert_eq!(played.last(), Some(&last), "{turn}");
        assert_eq!(played.first(), Some(&ModelEvent::Start), "{turn}: an answer that fails is written first");
    }
}

#[test]
fn turns_are_taken_in_order_and_then_there_are_none() {
    let mut model = scripted(json!({"turns": [{"text": "one"}]}));
    model.append([serde_json::from_value(json!({"content": [{"type": "text", "text": "two"}]})).unwrap()]);
    let text = |batches: Vec<Batch>| -> String {
        let text = |event| if let ModelEvent::TextDelta { delta, .. } = event { Some(delta) } else { None };
        events(batches).into_iter().filter_map(text).collect()
    };
    assert_eq!(model.pending_turns(), 2);
    assert_eq!(text(model.play(&ask("q")).collect()), "one");
    assert_eq!(text(model.play(&ask("q")).collect()), "two");
    let none = ModelEvent::Error { reason: StopReason::Error, message: "No more scripted responses queued".to_owned() };
    for _ in 0..2 {
        assert_eq!(events(model.play(&ask("q"))), std::slice::from_ref(&none));
    }
}

#[test]
fn a_seed_decides_the_cuts_and_speed_the_delays() {
    let text = "0123456789é€😀".repeat(40);
    let play = |seed: u64, speed: Value| -> Vec<Batch> {
        scripted(json!({"turns": [{"text": text}], "seed": seed, "tokensPerSecond": speed})).play(&ask("q")).collect()
    };
    assert_eq!(play(7, json!(50)), play(7, json!(50)));
    assert_ne!(play(7, json!(50)), play(8, json!(50)));
    let batches = play(7, json!(50));
    let mut written = String::new();
    for batch in &batches {
        for event in &batch.events {
            let ModelEvent::TextDelta { delta, .. } = event else { continue };
            written.push_str(delta);
            let is_last = written.len() == text.len();
            let n_chars = delta.chars().count();
            assert!(matches!(n_chars, 12 | 16 | 20) || (is_last && n_chars < 20), "{n_chars}");
            // 20 ms a token of four characters.
            assert!(batch.delay_ms >= n_chars as f64 * 5.0 && batch.delay_ms <= 100.0, "{batch:?}");
        }
        assert!(!batch.events.is_empty());
    }
    assert_eq!(written, text);
    let mut two = scripted(json!({"turns": [{"text": text}, {"text": text}], "seed": 7}));
    let mut cuts = || two.play(&ask("q")).map(|batch| batch.events).collect::<Vec<_>>();
    assert_ne!(cuts(), cuts(), "the next turn is cut elsewhere");
    assert!(play(7, Value::Null).iter().all(|batch| batch.delay_ms == 0.0));
}

#[test]
fn an_abort_keeps_what_was_played() {
    let mut playback =
        scripted(json!({"turns": [{"text": "a long enough text to be cut into several pieces"}]})).play(&ask("q"));
    assert!(playback.next().is_some());
    let aborted = ModelEvent::Error { reason: StopReason::Aborted, message: "Request was aborted".to_owned() };
    assert_eq!(playback.abort(), [aborted]);
    assert_eq!(playback.next(), None);
    assert_eq!(playback.abort(), []);
}

#[test]
fn arguments_that_are_no_json_are_refused_as_from_any_model() {
    let turn = json!({"calls": [{"id": "c", "name": "ls", "rawArguments": "{\"path\":"}]});
    let played = events(scripted(json!({"turns": [turn]})).play(&ask("q")));
    let refused = played.iter().any(|event| {
        let ModelEvent::ToolCallEnd { tool_call, .. } = event else { return false };
        tool_call.arguments_error.as_ref().is_some_and(|error| error.contains("cut off"))
    });
    assert!(refused, "{played:?}");
}

#[test]
fn a_script_with_an_unknown_field_is_refused() {
    for script in [json!({"turns": [], "sed": 1}), json!({"turns": [{"txt": "x"}]}), json!({})] {
        assert!(serde_json::from_value::<Script>(script.clone()).is_err(), "{script}");
    }
}
