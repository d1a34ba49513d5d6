//! Chat Completions answers (`cases/streams.jsonl`): each is read whole, in two pieces cut at every byte, byte by byte and
//! in chunks of chosen sizes, and must give the very same events each time.

use serde_json::{Value, json};
use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Block, Message, SharedMessage, StopReason, ToolCall, Usage};
use vitrine_agent::model::{Facts, ModelEvent};
use vitrine_providers::error::ProviderError;
use vitrine_providers::openai_completions::{DecodeOptions, Decoder};

#[test]
fn every_case_has_its_outcome_however_it_is_cut() {
    let mut failed = Vec::new();
    let cases = include_str!("../cases/streams.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    for case in cases {
        for body in case["bodies"].as_array().unwrap() {
            let body = body.as_str().unwrap().as_bytes();
            let stays_open = case["stays_open"] == true;
            let (events, outcome) = read(&case, [body], stays_open);
            check_contract(&case["id"], &events);
            if let Err(difference) = compare(&case, &events, &outcome) {
                failed.push(format!("{}: {difference}\n  {events:?}", case["id"]));
                continue;
            }
            for cut in 1..body.len() {
                let (head, tail) = body.split_at(cut);
                let again = read(&case, [head, tail], stays_open).0;
                assert_eq!(again, events, "{} cut at {cut}", case["id"]);
            }
            for size in [1, 2, 3, 7, 64] {
                let again = read(&case, body.chunks(size), stays_open).0;
                assert_eq!(again, events, "{} in chunks of {size}", case["id"]);
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn decoder(case: &Value) -> Decoder {
    let strings = |list: &Value| -> Vec<String> { serde_json::from_value(list.clone()).unwrap_or_default() };
    let history: History =
        strings(&case["earlier"]).iter().map(|id| SharedMessage::new(answer_with_call(id))).collect();
    Decoder::new(DecodeOptions {
        model: "m".to_owned(),
        context_window: case["window"].as_u64().unwrap_or_default(),
        tools: strings(&case["tools"]),
        history,
        without_finish_reason: false,
    })
}

fn answer_with_call(id: &str) -> Message {
    let call = ToolCall { id: id.to_owned().into(), name: "ls".into(), ..ToolCall::default() };
    Message::Assistant(AssistantMessage {
        content: vec![Block::ToolCall(call.into())],
        stop_reason: StopReason::ToolUse,
        ..AssistantMessage::pending("openai-completions", "p", "m", 0)
    })
}

fn read<'b>(
    case: &Value,
    chunks: impl IntoIterator<Item = &'b [u8]>,
    stays_open: bool,
) -> (Vec<ModelEvent>, Option<ProviderError>) {
    let mut decoder = decoder(case);
    let mut events = Vec::new();
    for chunk in chunks {
        events.extend(decoder.push(chunk));
    }
    if stays_open {
        assert!(decoder.is_complete(), "{}: the driver would wait for ever", case["id"]);
    }
    events.extend(decoder.finish());
    assert!(decoder.is_complete());
    assert_eq!(decoder.push(b"data: {}\n\n"), [], "nothing follows the end");
    assert_eq!(decoder.finish(), []);
    (events, decoder.error().cloned())
}

/// The contract of a model stream: one start, blocks opened in order and closed once, one end and nothing after it.
fn check_contract(id: &Value, events: &[ModelEvent]) {
    let mut opened = 0;
    let mut ended = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let is_last = at + 1 == events.len();
        match event {
            ModelEvent::Start => assert_eq!(at, 0, "{id}"),
            ModelEvent::TextStart { index }
            | ModelEvent::ThinkingStart { index }
            | ModelEvent::ToolCallStart { index, .. } => {
                assert_eq!(*index, opened, "{id}: blocks open in order");
                opened += 1;
            }
            ModelEvent::TextDelta { index, .. }
            | ModelEvent::ThinkingDelta { index, .. }
            | ModelEvent::ToolCallDelta { index, .. } => {
                assert!(*index < opened && !ended.contains(index), "{id}: {event:?}");
            }
            ModelEvent::TextEnd { index, .. }
            | ModelEvent::ThinkingEnd { index, .. }
            | ModelEvent::ToolCallEnd { index, .. } => {
                assert!(*index < opened && !ended.contains(index), "{id}: {event:?}");
                ended.push(*index);
            }
            ModelEvent::Done { .. } => {
                assert!(is_last, "{id}");
                assert_eq!(ended.len(), opened, "{id}: every block ends");
            }
            ModelEvent::Error { .. } => assert!(is_last, "{id}"),
            ModelEvent::Meta(_) | ModelEvent::Usage(_) => {}
        }
    }
    assert!(matches!(events.last(), Some(ModelEvent::Done { .. } | ModelEvent::Error { .. })), "{id}");
}

fn compare(case: &Value, events: &[ModelEvent], error: &Option<ProviderError>) -> Result<(), String> {
    let expected = &case["expected"];
    let mut text = String::new();
    let mut thinking = String::new();
    let (mut calls, mut refused, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    let mut usage = Usage::default();
    let mut stop = Value::Null;
    for event in events {
        match event {
            ModelEvent::TextDelta { delta, .. } => text.push_str(delta),
            ModelEvent::ThinkingDelta { delta, .. } => thinking.push_str(delta),
            ModelEvent::ToolCallEnd { tool_call, .. } => {
                let ToolCall { id, name, arguments, arguments_error, .. } = &**tool_call;
                match arguments_error {
                    None => calls.push(json!({"name": name, "arguments": arguments.to_value()})),
                    Some(because) => refused.push((name.clone(), because.clone())),
                }
                ids.push(id.clone());
            }
            ModelEvent::Usage(latest) => usage = Usage::clone(latest),
            ModelEvent::Done { reason } => stop = json!(reason),
            _ => {}
        }
    }
    let same = |what: &str, found: Value, wanted: Value| match found == wanted {
        true => Ok(()),
        false => Err(format!("{what}: found {found}, wanted {wanted}")),
    };
    same("text", json!(text), expected["text"].clone())?;
    same("calls", json!(calls), expected["calls"].clone())?;
    same("thinking", json!(thinking), expected.get("thinking").cloned().unwrap_or(json!("")))?;
    same("stop", stop, expected["stop"].clone())?;
    if let Some(wanted) = expected.get("usage") {
        let mut wanted: Usage = serde_json::from_value(wanted.clone()).unwrap();
        wanted.total_tokens = wanted.total_tokens.max(wanted.input + wanted.output);
        same("usage", json!(usage), json!(wanted))?;
    }
    let wanted = expected["refused"].as_array().cloned().unwrap_or_default();
    let fits = refused.len() == wanted.len()
        && refused.iter().zip(&wanted).all(|((name, because), wanted)| {
            json!(name) == wanted["name"] && because.contains(wanted["because"].as_str().unwrap())
        });
    same("refused as wanted", json!(fits), json!(true))?;
    ids.sort();
    ids.dedup();
    same("every call has an id of its own", json!(ids.len()), json!(calls.len() + refused.len()))?;
    if let Some(wanted) = case.get("ids") {
        same("ids", json!(ids), wanted.clone())?;
    }
    match error {
        None => same("ending", json!("ok"), expected["ending"].clone()),
        Some(error) => {
            same("ending", json!("error"), expected["ending"].clone())?;
            same("kind", json!(error.kind.as_str()), expected["kind"].clone())?;
            same("retryable", json!(error.retryable), expected["retryable"].clone())?;
            let says = expected["says"].as_str().unwrap_or_default();
            same("says", json!(error.message.contains(says)), json!(true))
                .map_err(|_| format!("message {:?}", error.message))
        }
    }
}

/// The whole list of events of one answer, so that names, order and indexes are looked at and not only their sum.
#[test]
fn the_events_of_an_answer_are_these() {
    let body = concat!(
        "data: {\"id\":\"r1\",\"model\":\"m-2\",\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}\n\n",
        "data: {\"id\":\"r1\",\"model\":\"m-2\",\"choices\":[{\"delta\":{\"content\":\"Look: \"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"k1\",\"function\":{\"name\":\"ls\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"p\\\":\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":1}}\n\n",
        "data: [DONE]\n\n",
    );
    let (id, name) = ("k1".to_owned(), "ls".to_owned());
    let usage = Usage { input: 2, output: 1, total_tokens: 3, ..Usage::default() };
    let events = read(&json!({"tools": ["ls"]}), [body.as_bytes()], true).0;
    assert_eq!(
        events,
        [
            ModelEvent::Start,
            ModelEvent::Meta(Box::new(Facts {
                response_id: Some("r1".to_owned()),
                response_model: Some("m-2".to_owned()),
                ..Facts::default()
            })),
            ModelEvent::ThinkingStart { index: 0 },
            ModelEvent::ThinkingDelta { index: 0, delta: "hm".to_owned() },
            ModelEvent::TextStart { index: 1 },
            ModelEvent::TextDelta { index: 1, delta: "Look: ".to_owned() },
            ModelEvent::ToolCallStart { index: 2, id: id.clone().into(), name: name.clone().into() },
            // Each piece is told, also one that says nothing.
            ModelEvent::ToolCallDelta { index: 2, delta: String::new() },
            ModelEvent::ToolCallDelta { index: 2, delta: "{\"p\":".to_owned() },
            ModelEvent::ToolCallDelta { index: 2, delta: "1}".to_owned() },
            ModelEvent::Usage(usage.into()),
            ModelEvent::Meta(Box::new(Facts { raw_stop_reason: Some("tool_calls".to_owned()), ..Facts::default() })),
            ModelEvent::ThinkingEnd { index: 0, signature: Some("reasoning".to_owned()), redacted: false },
            ModelEvent::TextEnd { index: 1, signature: None },
            ModelEvent::ToolCallEnd {
                index: 2,
                tool_call: ToolCall {
                    id: id.into(),
                    name: name.into(),
                    arguments: Json::parse("{\"p\":1}").unwrap(),
                    ..ToolCall::default()
                }
                .into(),
            },
            ModelEvent::Done { reason: StopReason::ToolUse },
        ]
    );
}

const TEXT: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"Thin\"}}]}\n\n";

/// Case a24, and the driver's side of it.
#[test]
fn a_stalled_answer_is_an_error_and_keeps_its_text() {
    let mut decoder = decoder(&json!({}));
    let mut events = decoder.push(TEXT);
    events.extend(decoder.fail(ProviderError::stalled(30_000)));
    assert_eq!(
        events.last(),
        Some(&ModelEvent::Error {
            reason: StopReason::Error,
            message: "Stream stalled: no data for 30 s, timed out".to_owned()
        })
    );
    let error = decoder.error().unwrap();
    assert_eq!((error.kind.as_str(), error.retryable), ("stream_stalled", true));
    assert!(events.contains(&ModelEvent::TextDelta { index: 0, delta: "Thin".to_owned() }));
}

/// A server that never stops is stopped; the text so far is kept and nothing runs.
#[test]
fn an_endless_answer_is_stopped_at_16_mb() {
    let piece = "x".repeat(1 << 20);
    for delta in [json!({"content": piece}), json!({"reasoning_content": piece})] {
        let event = format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}));
        let mut decoder = decoder(&json!({}));
        let mut n_pushes = 0;
        while !decoder.is_complete() && n_pushes < 100 {
            decoder.push(event.as_bytes());
            n_pushes += 1;
        }
        assert_eq!(n_pushes, 17);
        let error = decoder.error().unwrap();
        assert_eq!((error.kind.as_str(), error.retryable), ("provider_error", false));
        assert_eq!(decoder.push(event.as_bytes()), []);
    }
}

#[test]
fn a_connection_that_breaks_after_the_finish_reason_loses_nothing() {
    let mut decoder = decoder(&json!({}));
    decoder.push(TEXT);
    assert!(!decoder.is_ending());
    decoder.push(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    assert!(decoder.is_ending() && !decoder.is_complete());
    let events = decoder.fail(ProviderError::network("Failed to fetch"));
    assert_eq!(events.last(), Some(&ModelEvent::Done { reason: StopReason::Stop }));
    assert_eq!(decoder.error(), None);
}

#[test]
fn an_abort_ends_the_stream_once() {
    let mut decoder = decoder(&json!({}));
    decoder.push(TEXT);
    let aborted = ModelEvent::Error { reason: StopReason::Aborted, message: "Request was aborted".to_owned() };
    assert_eq!(decoder.abort(), [aborted]);
    assert_eq!(decoder.abort(), []);
    assert_eq!(decoder.finish(), []);
    assert_eq!(decoder.error(), None);
}

/// There is nothing to wait for: the body of a login page may be long.
#[test]
fn a_web_page_is_told_at_its_first_sign() {
    let mut decoder = decoder(&json!({}));
    assert_eq!(decoder.push(b"\r\n "), []);
    assert!(matches!(decoder.push(b"<")[..], [ModelEvent::Error { .. }]));
    assert!(decoder.is_complete());
}

/// Untrusted input: neither endless calls nor deep nesting may hurt.
#[test]
fn a_runaway_answer_is_refused() {
    let mut decoder = decoder(&json!({}));
    let mut events = Vec::new();
    for number in 0..10_000 {
        let call = json!({"index": number, "id": format!("k{number}"), "function": {"name": "ls", "arguments": "{}"}});
        let chunk = json!({"choices": [{"delta": {"tool_calls": [call]}}]});
        events.extend(decoder.push(format!("data: {chunk}\n\n").as_bytes()));
        if decoder.is_complete() {
            break;
        }
    }
    assert!(matches!(events.last(), Some(ModelEvent::Error { .. })));
    assert!(events.len() < 2000);

    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let chunk = json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "k", "function": {"name": "ls", "arguments": deep}}]}}]});
    let body = format!("data: {chunk}\n\ndata: [DONE]\n\n");
    let (events, error) = read(&json!({}), [body.as_bytes()], true);
    assert_eq!(error, None);
    let is_refused = |event: &ModelEvent| matches!(event, ModelEvent::ToolCallEnd { tool_call, .. } if tool_call.arguments_error.is_some());
    assert!(events.iter().any(is_refused));
}

/// Damaged streams: whatever bytes come, the contract holds and the cuts do not matter.
#[test]
fn damaged_streams_keep_the_contract() {
    let mut random = crate::Random(1);
    let cases: Vec<Value> =
        include_str!("../cases/streams.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for round in 0..2000 {
        let case = &cases[random.below(cases.len())];
        let mut body = case["bodies"][0].as_str().unwrap().as_bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(body.len() + 1);
            match random.below(4) {
                0 => body.truncate(at),
                1 if at < body.len() => body[at] ^= 1 << random.below(8),
                2 => body.insert(at, b"{}[]\",:\\\n\r \x00\xf0d"[random.below(14)]),
                _ => {
                    let end = (at + random.below(40)).min(body.len());
                    let copy = body[at..end].to_vec();
                    body.splice(at..at, copy);
                }
            }
        }
        let (events, _) = read(case, [&body[..]], false);
        check_contract(&json!(round), &events);
        let size = 1 + random.below(9);
        assert_eq!(read(case, body.chunks(size), false).0, events, "{}", String::from_utf8_lossy(&body));
    }
}
