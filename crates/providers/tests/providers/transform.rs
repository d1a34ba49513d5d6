//! How a history is arranged for any wire (§6.1, the vectors of A.4): a line a message, so that order can be read.

use serde_json::{Value, json};
use vitrine_agent::message::{Message, SharedMessage};
use vitrine_agent::model::ModelInfo;
use vitrine_providers::transform::{IdRule, Item, arrange};

fn history(list: &Value) -> Vec<SharedMessage> {
    let message = |json: &Value| SharedMessage::new(serde_json::from_value::<Message>(json.clone()).unwrap());
    list.as_array().unwrap().iter().map(message).collect()
}

fn lines(list: &Value, rule: IdRule) -> Vec<String> {
    let model = ModelInfo { api: "a".into(), provider: "p".into(), id: "m".into(), ..ModelInfo::default() };
    let line = |item: Item<'_>| match item {
        Item::System(_) => "system".to_owned(),
        Item::User(_) => "user".to_owned(),
        Item::Assistant { is_own, call_ids, .. } => format!("{} {call_ids:?}", if is_own { "own" } else { "foreign" }),
        Item::Result { id, result, .. } => format!("result {id} for {}", result.tool_call_id),
        Item::Missing { id, name } => format!("missing {id} of {name}"),
    };
    arrange(&history(list), &model, rule).into_iter().map(line).collect()
}

fn user() -> Value {
    json!({"role": "user", "content": "q"})
}

fn answer(ids: &[&str], model: &str, stop: &str) -> Value {
    let call = |id: &&str| json!({"type": "toolCall", "id": id, "name": "ls", "arguments": {}});
    let content: Vec<_> = ids.iter().map(call).collect();
    json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": model, "stopReason": stop})
}

fn result(id: &str) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "ls", "content": []})
}

#[test]
fn a_missing_result_is_made_before_the_next_message_and_at_the_end() {
    let list = json!([user(), answer(&["1", "2"], "m", "toolUse"), result("1"), user()]);
    let expected = ["user", "own [\"1\", \"2\"]", "result 1 for 1", "missing 2 of ls", "user"];
    assert_eq!(lines(&list, IdRule::Plain), expected);
    let list = json!([answer(&["1"], "m", "toolUse")]);
    assert_eq!(lines(&list, IdRule::Plain), ["own [\"1\"]", "missing 1 of ls"]);
}

#[test]
fn a_system_message_waits_for_the_results() {
    let system = json!({"role": "system", "content": "s"});
    let list = json!([system, answer(&["1"], "m", "toolUse"), system, result("1"), user(), system]);
    assert_eq!(lines(&list, IdRule::Plain), ["system", "own [\"1\"]", "result 1 for 1", "system", "user", "system"]);
}

/// pi keeps the result here and sends an invalid request; ours goes with its call.
#[test]
fn an_aborted_answer_takes_its_results_with_it() {
    let list = json!([user(), answer(&["1"], "m", "aborted"), result("1"), user()]);
    assert_eq!(lines(&list, IdRule::Plain), ["user", "user"]);
}

#[test]
fn ids_of_another_model_are_made_fit_and_results_follow() {
    let long = format!("x|{}", "+/=".repeat(20));
    let list = json!([answer(&["a|b+/=", &long], "m0", "toolUse"), result(&long), result("a|b+/=")]);
    let lines = lines(&list, IdRule::Plain);
    assert_eq!(lines[1], "result a_b___ for a|b+/=");
    let id = lines[2].split(' ').nth(1).unwrap();
    assert_eq!(id.len(), 40);
    assert!(id.starts_with("x_____"), "{id}");
}

#[test]
fn a_short_id_rule_cuts_foreign_ids_only() {
    let long = "k".repeat(60);
    for (model, length) in [("m", 60), ("m0", 40)] {
        let lines = lines(&json!([answer(&[&long], model, "toolUse"), result(&long)]), IdRule::Short);
        assert_eq!(lines[1].split(' ').nth(1).unwrap().len(), length, "{model}");
    }
}
