//! Faults of what the model says, over streams cut anywhere: what comes out does not depend on the cuts.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use std::sync::Arc;

use serde_json::json;
use vitrine_agent::json::Json;
use vitrine_agent::message::{StopReason, ToolCall};
use vitrine_agent::model::ModelEvent;
use vitrine_protocol::fault::{Fault, FaultKind};
use vitrine_tamper::fault::{Admitted, Asked, Execution, Faults, MAX_ARMED};

fn fault(value: serde_json::Value) -> Fault {
    serde_json::from_value(value).unwrap()
}

/// A response of a text and two calls that stream side by side, as Chat Completions may send them.
fn response() -> Vec<ModelEvent> {
    let call = |id: &str, name: &str, arguments: &str| {
        let arguments = Json::parse(arguments).unwrap();
        Arc::new(ToolCall { id: id.into(), name: name.into(), arguments, ..ToolCall::default() })
    };
    let delta = |index, delta: &str| ModelEvent::ToolCallDelta { index, delta: delta.to_owned() };
    vec![
        ModelEvent::Start,
        ModelEvent::TextStart { index: 0 },
        ModelEvent::TextDelta { index: 0, delta: "I look.".into() },
        ModelEvent::TextEnd { index: 0, signature: None },
        ModelEvent::ToolCallStart { index: 1, id: "a".into(), name: "ls".into() },
        delta(1, "{}"),
        ModelEvent::ToolCallStart { index: 2, id: "b".into(), name: "read".into() },
        delta(2, "{\"path\":"),
        delta(2, "\"x\"}"),
        ModelEvent::ToolCallEnd { index: 1, tool_call: call("a", "ls", "{}") },
        ModelEvent::ToolCallEnd { index: 2, tool_call: call("b", "read", "{\"path\":\"x\"}") },
        ModelEvent::Done { reason: StopReason::ToolUse },
    ]
}

/// What the response comes to: the calls, the pieces of their arguments, how it ends; and which faults acted, which wait.
fn come_to(faults: &[serde_json::Value], cut: usize) -> Vec<String> {
    let mut armed = Faults::default();
    faults.iter().for_each(|value| armed.arm(fault(value.clone())).unwrap());
    let mut lines = Vec::new();
    match armed.request() {
        Asked::Refused(words) => lines.push(format!("refused {words}")),
        Asked::Sent => {
            let events = response();
            let batches = [events[..cut].to_vec(), events[cut..].to_vec()];
            for event in batches.into_iter().flat_map(|batch| armed.answer(batch)) {
                match event {
                    ModelEvent::ToolCallStart { id, name, .. } => lines.push(format!("start {id} {name}")),
                    ModelEvent::ToolCallDelta { index, delta } => lines.push(format!("delta {index} {delta}")),
                    ModelEvent::ToolCallEnd { tool_call, .. } => {
                        lines.push(format!("end {} {} {}", tool_call.id, tool_call.name, tool_call.arguments.as_str()));
                    }
                    ModelEvent::Done { reason } => lines.push(format!("done {reason:?}")),
                    ModelEvent::Error { message, .. } => lines.push(format!("error {message}")),
                    _ => {}
                }
            }
        }
    }
    lines.extend(armed.take_acted().iter().map(|acted| format!("acted {:?} {:?}", acted.kind, acted.call_id)));
    lines.extend(armed.armed().map(|fault| format!("waits {:?}", fault.kind)));
    lines
}

const PLAIN: [&str; 8] = [
    "start a ls",
    "delta 1 {}",
    "start b read",
    "delta 2 {\"path\":",
    "delta 2 \"x\"}",
    "end a ls {}",
    "end b read {\"path\":\"x\"}",
    "done ToolUse",
];

#[test]
fn a_fault_of_what_the_model_says_does_not_depend_on_how_the_stream_is_cut() {
    let wrong = "{\"path\":{\"not\":\"what the schema says\"}}";
    let cases: [(Vec<serde_json::Value>, Vec<String>); 8] = [
        (vec![], PLAIN.map(str::to_owned).into()),
        (
            vec![json!({"kind": "unknown-tool"})],
            [
                &["start a ls_that_does_not_exist"],
                &PLAIN[1..5],
                &["end a ls_that_does_not_exist {}", PLAIN[6], PLAIN[7], "acted UnknownTool Some(\"a\")"][..],
            ]
            .concat()
            .iter()
            .map(ToString::to_string)
            .collect(),
        ),
        (
            vec![json!({"kind": "unknown-tool", "nth": 2})],
            vec![
                "start a ls".into(),
                "delta 1 {}".into(),
                "start b read_that_does_not_exist".into(),
                PLAIN[3].into(),
                PLAIN[4].into(),
                PLAIN[5].into(),
                "end b read_that_does_not_exist {\"path\":\"x\"}".into(),
                "done ToolUse".into(),
                "acted UnknownTool Some(\"b\")".into(),
            ],
        ),
        // Arguments are held back until it is clear what stands in their place; then they come whole.
        (
            vec![json!({"kind": "invalid-arguments"})],
            vec![
                "start a ls".into(),
                "start b read".into(),
                format!("delta 1 {wrong}"),
                format!("end a ls {wrong}"),
                PLAIN[3].into(),
                PLAIN[4].into(),
                PLAIN[6].into(),
                "done ToolUse".into(),
                "acted InvalidArguments Some(\"a\")".into(),
            ],
        ),
        // The first call is about no file: the fault waits for one that is.
        (
            vec![json!({"kind": "missing-file"})],
            vec![
                "start a ls".into(),
                "start b read".into(),
                "delta 1 {}".into(),
                "end a ls {}".into(),
                "delta 2 {\"path\":\"x.missing\"}".into(),
                "end b read {\"path\":\"x.missing\"}".into(),
                "done ToolUse".into(),
                "acted MissingFile Some(\"b\")".into(),
            ],
        ),
        (
            vec![json!({"kind": "length"})],
            [&PLAIN[..7], &["done Length", "acted Length None"][..]].concat().iter().map(ToString::to_string).collect(),
        ),
        (
            vec![json!({"kind": "malformed-stream"})],
            vec![
                "error Stream ended without finish_reason. This failure was switched on.".into(),
                "acted MalformedStream None".into(),
            ],
        ),
        (
            vec![json!({"kind": "overloaded", "nth": 2}), json!({"kind": "block"})],
            [&PLAIN[..], &["waits Overloaded", "waits Block"][..]].concat().iter().map(ToString::to_string).collect(),
        ),
    ];
    for (faults, expected) in cases {
        for cut in 0..=response().len() {
            assert_eq!(come_to(&faults, cut), expected, "{faults:?}, cut at {cut}");
        }
    }
}

#[test]
fn a_refused_request_is_one_that_the_provider_would_have_refused_so() {
    use vitrine_providers::error::{ErrorKind, classify};
    for (kind, wanted, retryable) in
        [("overloaded", ErrorKind::ProviderOverloaded, true), ("context-overflow", ErrorKind::ContextOverflow, false)]
    {
        let mut faults = Faults::default();
        faults.arm(fault(json!({ "kind": kind }))).unwrap();
        let Asked::Refused(words) = faults.request() else { unreachable!("it is armed") };
        let error = classify(None, "", words);
        assert_eq!((error.kind, error.retryable), (wanted, retryable), "{words}");
        assert_eq!(faults.request(), Asked::Sent, "once");
    }
}

#[test]
fn faults_of_a_call_bind_to_the_call_they_act_on() {
    let mut faults = Faults::default();
    let ids: [Arc<str>; 3] = ["a", "b", "c"].map(Into::into);
    for value in [
        json!({"kind": "block", "reason": "no"}),
        json!({"kind": "throw", "reason": "ouch", "nth": 2}),
        json!({"kind": "slow", "nth": 2}),
        json!({"kind": "drop-result", "nth": 3}),
        json!({"kind": "terminate", "of": "some"}),
        json!({"kind": "reverse-order"}),
    ] {
        faults.arm(fault(value)).unwrap();
    }
    assert!(!faults.is_idle());
    faults.batch(&ids);
    let admitted = ids.each_ref().map(|id| faults.admit(id));
    assert_eq!(admitted, [Admitted::Blocked(Some("no".into())), Admitted::Yes, Admitted::Yes]);
    let last = Execution { settles_last: true, ..Execution::default() };
    assert_eq!(
        ids.each_ref().map(|id| faults.execution(id)),
        [last.clone(), Execution { throws: Some("ouch".into()), is_slow: true, ..last.clone() }, last]
    );
    assert_eq!(ids.each_ref().map(|id| faults.terminates(id)), [true, true, false]);
    assert_eq!(ids.each_ref().map(|id| faults.drops(id)), [false, false, true]);
    assert_eq!(faults.armed().count(), 0);

    // Another response: what was bound to the calls of this one is over; what is left out stays so.
    faults.batch(&["d".into(), "e".into()]);
    assert_eq!(faults.execution("b"), Execution::default());
    assert!(faults.drops("c") && faults.drops_any());
    faults.keep_dropped(|_| false);
    assert!(faults.is_idle());
}

#[test]
fn a_batch_of_one_has_no_other_order_and_no_some() {
    let mut faults = Faults::default();
    faults.arm(fault(json!({"kind": "reverse-order"}))).unwrap();
    faults.arm(fault(json!({"kind": "terminate", "of": "some"}))).unwrap();
    faults.batch(&["a".into()]);
    assert!(!faults.terminates("a"));
    assert_eq!(faults.execution("a"), Execution::default());
    assert_eq!(faults.armed().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::ReverseOrder]);
}

#[test]
fn there_is_an_end_to_what_can_be_armed() {
    let mut faults = Faults::default();
    for _ in 0..MAX_ARMED {
        faults.arm(Fault::new(FaultKind::Slow)).unwrap();
    }
    assert!(faults.arm(Fault::new(FaultKind::Slow)).is_err());
    faults.clear();
    assert!(faults.is_idle());
}
