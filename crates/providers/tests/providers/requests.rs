//! Requests (`cases/requests.jsonl`): exact bodies, and that every body built here is one a strict server takes.

use serde_json::{Value, json};
use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Message, SharedMessage};
use vitrine_agent::model::{ModelInfo, ModelRequest};
use vitrine_agent::signal::AbortSignal;
use vitrine_providers::http::HttpRequest;
use vitrine_providers::openai_completions::{BodyCache, DecodeOptions, models_request, request, validate_request_body};

fn message(json: &Value) -> SharedMessage {
    SharedMessage::new(
        serde_json::from_value::<Message>(json.clone()).unwrap_or_else(|error| panic!("{json}: {error}")),
    )
}

fn model_request(case: &Value) -> ModelRequest {
    let mut model = case["model"].clone();
    let compat = model.as_object_mut().unwrap().remove("compat");
    let mut model: ModelInfo = serde_json::from_value(model).unwrap();
    model.compat = compat.map(|compat| Json::from_value(&compat));
    ModelRequest {
        model: model.into(),
        history: case["history"].as_array().unwrap().iter().map(message).collect(),
        reasoning: case["reasoning"].as_str().map(ToOwned::to_owned),
        signal: AbortSignal::new(),
    }
}

/// Builds and validates: no test builds a request in another way.
fn build(input: &ModelRequest, cache: &mut BodyCache) -> (HttpRequest, Value) {
    let built = request(input, Some("sk-test"), cache);
    let text = std::str::from_utf8(&built.body).unwrap();
    assert_eq!(validate_request_body(text), Ok(()), "{text}");
    let body = serde_json::from_str(text).unwrap();
    (built, body)
}

#[test]
fn every_case_has_its_body() {
    for line in include_str!("../cases/requests.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (built, mut body) = build(&model_request(&case), &mut BodyCache::default());
        if let Some(loose) = case["loose"].as_str() {
            assert!(body.as_object_mut().unwrap().remove(loose).is_some(), "{}", case["id"]);
        }
        assert_eq!(body, case["body"], "{}\nfound  {body}\nwanted {}", case["id"], case["body"]);
        assert_eq!(built.method, "POST");
        assert!(built.url.ends_with("/chat/completions") && !built.url.contains("//chat"), "{}", built.url);
    }
}

fn body_of(id: &str) -> Value {
    let mut cases =
        include_str!("../cases/requests.jsonl").lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let case = cases.find(|case| case["id"] == id).unwrap();
    build(&model_request(&case), &mut BodyCache::default()).1
}

fn call_ids(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    let calls = messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten();
    calls.map(|call| call["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn mistral_gets_nine_letters() {
    let ids = call_ids(&body_of("b33"));
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())), "{ids:?}");
    assert_eq!(ids[2], "Abcdefgh1", "an id that fits stays");
    assert_ne!(ids[0], ids[1]);
    assert_eq!(call_ids(&body_of("b33")), ids, "the same each time");
}

#[test]
fn a_long_foreign_id_is_cut_and_an_own_one_is_not() {
    let ids = call_ids(&body_of("foreign-long-id"));
    assert_eq!(ids[0].len(), 40);
    assert!(ids[0].starts_with("call_xxxxxxxxxxxxxxxxxxxxxxxxxx_"), "{ids:?}");
    assert_eq!(ids[1], format!("own|{}", "y".repeat(50)));
}

#[test]
fn the_output_limit_leaves_room_for_the_prompt() {
    let limit = body_of("room")["max_completion_tokens"].as_u64().unwrap();
    assert!((1..=8192 - 4096).contains(&limit), "{limit}");
}

#[test]
fn the_key_is_in_one_header_and_nowhere_else() {
    let case = json!({"model": {"id": "m", "baseUrl": "http://h/v1/chat/completions"}, "history": [{"role": "user", "content": "q"}]});
    let input = model_request(&case);
    let (built, _) = build(&input, &mut BodyCache::default());
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        built.headers,
        [
            header("authorization", "Bearer sk-test"),
            header("accept", "text/event-stream"),
            header("content-type", "application/json"),
        ]
    );
    assert_eq!(built.url, "http://h/v1/chat/completions");
    assert!(!String::from_utf8_lossy(&built.body).contains("sk-test"));
    assert!(!format!("{built:?}").contains("sk-test"), "a debug print shows no key");
    let models = models_request(&input.model, None);
    assert_eq!((models.method, models.url.as_str()), ("GET", "http://h/v1/models"));
    assert_eq!(models.headers, [header("accept", "application/json")]);
}

#[test]
fn the_decoder_knows_the_tools_that_were_declared() {
    let tool = json!({"name": "ls", "description": "d", "parameters": {}});
    let system = json!({"role": "system", "content": "", "toolsAdded": [tool], "timestamp": 0});
    let case = json!({"model": {"id": "m", "contextWindow": 9}, "history": [system]});
    let options = DecodeOptions::from_request(&model_request(&case));
    assert_eq!((options.model.as_str(), options.context_window, options.tools), ("m", 9, vec!["ls".to_owned()]));
}

/// A message is encoded once however often it is sent; what repair decides anew is encoded anew.
#[test]
fn a_growing_history_encodes_only_what_is_new() {
    let case = json!({"model": {"id": "m", "provider": "p", "api": "a"}, "history": [
        {"role": "system", "content": "s", "timestamp": 0}, {"role": "user", "content": "q"}
    ]});
    let mut input = model_request(&case);
    let mut cache = BodyCache::default();
    let mut n_messages = 1;
    build(&input, &mut cache);
    assert_eq!(cache.n_encoded(), n_messages);
    for turn in 0..50 {
        let id = format!("k{turn}");
        let call = json!({"type": "toolCall", "id": id, "name": "ls", "arguments": {}});
        let thought = json!({"type": "thinking", "thinking": "hm", "thinkingSignature": "reasoning"});
        let answer = json!({"role": "assistant", "content": [thought, call], "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse"});
        input.history.push(message(&answer));
        // Between the call and its result the request is repaired; that must leave no trace.
        build(&input, &mut cache);
        let result = json!({"role": "toolResult", "toolCallId": id, "toolName": "ls", "content": [{"type": "text", "text": "x"}]});
        input.history.push(message(&result));
        let (_, body) = build(&input, &mut cache);
        n_messages += 2;
        assert_eq!(cache.n_encoded(), n_messages);
        assert_eq!(body, build(&input, &mut BodyCache::default()).1, "the same as without a cache");
    }

    // Another model: ids and reasoning of the old one are foreign now.
    std::sync::Arc::make_mut(&mut input.model).id = "m2".into();
    let (_, body) = build(&input, &mut cache);
    assert_eq!(body, build(&input, &mut BodyCache::default()).1);

    // A history that loses its beginning: nothing stale is sent.
    let shorter: History = input.history.messages().iter().skip(60).cloned().collect();
    input.history = shorter;
    let (_, body) = build(&input, &mut cache);
    assert_eq!(body, build(&input, &mut BodyCache::default()).1);

    // The same result in two places has two ids, so its bytes must not be taken from the other place.
    let dup = json!({"type": "toolCall", "id": "dup", "name": "ls", "arguments": {}});
    let answer = json!({"role": "assistant", "content": [dup, dup], "api": "a", "provider": "p", "model": "m2", "stopReason": "toolUse"});
    let shared = message(&json!({"role": "toolResult", "toolCallId": "dup", "toolName": "ls", "content": []}));
    input.history = [message(&answer), shared.clone(), shared].into_iter().collect();
    for _ in 0..2 {
        assert_eq!(call_ids(&build(&input, &mut cache).1), ["dup", "dup_2"]);
    }
}

/// Whatever is in a history, what goes out is valid; and it is the same with and without a cache.
#[test]
fn any_history_makes_a_valid_request() {
    let mut choices = crate::Random(1);
    let mut random = |limit| choices.below(limit);
    let servers =
        ["http://localhost/v1", "https://api.deepseek.com", "https://api.mistral.ai/v1", "https://api.openai.com/v1"];
    for round in 0..400 {
        let model =
            json!({"id": "m", "provider": "p", "api": "a", "reasoning": random(2) == 0, "baseUrl": servers[random(4)]});
        let mut input = model_request(&json!({"model": model, "history": []}));
        let mut cache = BodyCache::default();
        for _ in 0..random(25) {
            let id = ["", "k1", "k2", "k3", "a|b", "call_ÿ|x"][random(6)];
            let text = ["", " ", "x", "é\u{0}\"\\"][random(4)];
            let block = |kind: usize| match kind {
                0 => json!({"type": "text", "text": text}),
                1 => json!({"type": "thinking", "thinking": text, "thinkingSignature": "reasoning"}),
                2 => json!({"type": "image", "data": "QQ==", "mimeType": "image/png"}),
                3 => json!({"type": "unknown"}),
                _ => json!({"type": "toolCall", "id": id, "name": "ls", "arguments": {"a": text}}),
            };
            let content: Vec<_> = (0..random(4)).map(|_| block(random(7))).collect();
            let stop = ["stop", "toolUse", "error", "aborted", "length"][random(5)];
            let from = ["m", "m0"][random(2)];
            let next = match random(5) {
                0 => json!({"role": "user", "content": content}),
                1 => json!({"role": "system", "content": text}),
                2 => json!({"role": "toolResult", "toolCallId": id, "toolName": "ls", "content": content}),
                _ => {
                    json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": from, "stopReason": stop})
                }
            };
            let mut messages = input.history.messages().to_vec();
            let place = random(messages.len() + 1);
            // Most histories grow; some lose their end, or another message takes a place in their midst.
            match random(8) {
                0 => messages.truncate(place),
                1 => messages.insert(place, message(&next)),
                2 if place < messages.len() => messages[place] = message(&next),
                _ => messages.push(message(&next)),
            }
            input.history = messages.into_iter().collect();
            let with = build(&input, &mut cache).1;
            assert_eq!(with, build(&input, &mut BodyCache::default()).1, "round {round}");
        }
    }
}

/// The check itself sees each fault it is there for.
#[test]
fn faulty_bodies_are_refused() {
    let user = json!({"role": "user", "content": "q"});
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    let calls = |ids: &[&str]| json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(|id| call(id)).collect::<Vec<_>>()});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    let bad_arguments = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "k", "type": "function", "function": {"name": "ls", "arguments": {}}}]});
    let fine = [user.clone(), calls(&["a", "b"]), result("b"), result("a"), user.clone()];
    let body = |messages: &[Value]| json!({"model": "m", "messages": messages, "stream": true}).to_string();
    assert_eq!(validate_request_body(&body(&fine)), Ok(()));
    let faulty: [&[Value]; 12] = [
        &[],
        &[json!({"role": "system", "content": "s"})],
        &[user.clone(), json!({"role": "system", "content": "s"})],
        &[user.clone(), calls(&["a"])],
        &[user.clone(), calls(&["a"]), user.clone(), result("a")],
        &[user.clone(), calls(&["a"]), result("a"), result("a")],
        &[user.clone(), result("a")],
        &[user.clone(), calls(&["a", "a"]), result("a")],
        &[user.clone(), bad_arguments, result("k")],
        &[user.clone(), json!({"role": "assistant", "content": " "})],
        &[json!({"role": "user", "content": [{"type": "text", "text": ""}]})],
        &[json!({"role": "toolResult", "content": "x"}), user.clone()],
    ];
    for messages in faulty {
        assert!(validate_request_body(&body(messages)).is_err(), "{messages:?}");
    }
    let tool = json!({"type": "function", "function": {"name": "ls", "parameters": {}}});
    for (field, value) in [("model", json!("")), ("stream", json!(false)), ("tools", json!([tool, tool]))] {
        let mut body = json!({"model": "m", "messages": [user], "stream": true});
        body[field] = value;
        assert!(validate_request_body(&body.to_string()).is_err(), "{body}");
    }
    assert!(validate_request_body("{").is_err());
}
