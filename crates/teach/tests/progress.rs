//! How far a learner is: what is shown when, what counts as foreseen, and when a lesson is passed.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use vitrine_agent::event::{AssistantUpdate, Event};
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Block, Message, SharedMessage, StopReason};
use vitrine_agent::tool::ToolOutput;
use vitrine_protocol::fault::FaultKind;
use vitrine_teach::{Files, Happening, Lesson, Progress, read};

struct Shelf(BTreeMap<&'static str, &'static str>);

impl Files for Shelf {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).map(|text| text.as_bytes().to_vec())
    }
}

fn lesson(steps: Value, checks: Value) -> Lesson {
    let text = json!({
        "id": "l", "title": "T", "prompt": "P", "model": {"turns": [{"text": "A"}]},
        "steps": steps, "goal": {"text": "G", "check": checks},
    });
    read(&text.to_string(), "en", &["read"]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn answer(stop: StopReason, text: &str) -> Event {
    let message =
        AssistantMessage { stop_reason: stop, content: vec![Block::text(text)], ..AssistantMessage::default() };
    Event::MessageEnd { message: SharedMessage::new(Message::Assistant(message)) }
}

fn ended(tool: &str, text: &str, is_error: bool, duration_ms: Option<u64>) -> Event {
    Event::ToolExecutionEnd {
        tool_call_id: "c".into(),
        tool_name: tool.into(),
        result: Arc::new(ToolOutput::text(text)),
        is_error,
        duration_ms,
    }
}

fn reached(progress: &Progress, lesson: &Lesson) -> Vec<bool> {
    progress.state(lesson).steps.iter().map(|step| step.reached).collect()
}

/// A check of the goal that is met only by something else.
fn never_met() -> Value {
    json!([{"text": "c", "seen": {"event": "rewound"}}])
}

#[test]
fn a_step_is_shown_when_its_anchor_has_come_and_not_before_the_step_before_it() {
    let steps = json!([
        {"id": "a", "text": "first"},
        {"id": "b", "at": {"event": "turn_start", "nth": 2}, "text": "second"},
        {"id": "c", "at": {"event": "turn_start"}, "text": "third"},
        {"id": "d", "text": "fourth"},
    ]);
    let lesson = lesson(steps, never_met());
    let mut progress = Progress::new(&lesson);
    assert_eq!(reached(&progress, &lesson), [true, false, false, false]);
    let turn = Happening::Event(&Event::TurnStart);
    assert!(!progress.happened(&lesson, &turn), "one turn is not two");
    assert!(progress.happened(&lesson, &turn));
    assert_eq!(reached(&progress, &lesson), [true, true, false, false], "one happening shows one step");
    progress.happened(&lesson, &turn);
    assert_eq!(reached(&progress, &lesson), [true, true, true, true], "without an anchor: when the one before is done");
    let state = progress.state(&lesson);
    assert_eq!(state.current, None);
    assert!(!state.passed, "the goal is not met");
}

#[test]
fn what_is_not_reached_says_nothing() {
    let steps = json!([{"id": "a", "at": {"event": "settled"}, "text": "secret", "hint": "secret",
        "question": {"ask": "secret", "options": ["secret", "b"], "answer": 0}}]);
    let lesson = lesson(steps, never_met());
    let state = serde_json::to_string(&Progress::new(&lesson).state(&lesson)).expect("plain data");
    assert!(!state.contains("secret"), "{state}");
}

fn question() -> Value {
    json!([{"id": "q", "text": "t", "question": {"ask": "?", "options": ["no", "yes"], "answer": 1, "why": "because"}}])
}

#[test]
fn a_right_first_answer_before_the_run_goes_on_is_foreseen() {
    let lesson = lesson(question(), never_met());
    let mut progress = Progress::new(&lesson);
    assert_eq!(progress.answer(&lesson, "q", 1), Some(true));
    assert_eq!(progress.foreseen(), 1);
    let state = progress.state(&lesson);
    let question = state.steps.first().and_then(|step| step.question.clone()).expect("a question");
    assert_eq!((question.right, question.why.as_deref()), (Some(true), Some("because")));
}

#[test]
fn a_second_answer_is_right_and_not_foreseen() {
    let lesson = lesson(question(), never_met());
    let mut progress = Progress::new(&lesson);
    assert_eq!(progress.answer(&lesson, "q", 0), Some(false));
    let why = |progress: &Progress| progress.state(&lesson).steps.first().and_then(|step| step.question.clone()?.why);
    assert_eq!(why(&progress), None, "a wrong answer does not give the right one away");
    assert_eq!(progress.answer(&lesson, "q", 1), Some(true));
    assert_eq!((progress.foreseen(), why(&progress)), (0, Some("because".to_owned())));
    assert_eq!(progress.answer(&lesson, "q", 0), Some(false));
    assert_eq!(progress.state(&lesson).current, None, "an answer that was right stays");
}

#[test]
fn an_answer_after_the_run_went_on_is_not_foreseen() {
    let lesson = lesson(question(), never_met());
    let mut progress = Progress::new(&lesson);
    let update = Event::MessageUpdate {
        usage: Arc::default(),
        update: AssistantUpdate::TextDelta { index: 0, delta: "x".into() },
    };
    assert!(!progress.happened(&lesson, &Happening::Event(&update)));
    assert_eq!(progress.answer(&lesson, "q", 1), Some(true));
    assert_eq!(progress.foreseen(), 0);
}

#[test]
fn what_only_ends_is_no_going_on() {
    let lesson = lesson(question(), never_met());
    let mut progress = Progress::new(&lesson);
    for event in [answer(StopReason::Stop, "x"), Event::AgentEnd { messages: [].into() }] {
        progress.happened(&lesson, &Happening::Event(&event));
    }
    progress.happened(&lesson, &Happening::Settled { aborted: false });
    assert_eq!(progress.answer(&lesson, "q", 1), Some(true));
    assert_eq!(progress.foreseen(), 1);
}

#[test]
fn only_a_question_that_is_open_can_be_answered() {
    let steps = json!([{"id": "later", "at": {"event": "settled"}, "text": "t",
        "question": {"ask": "?", "options": ["a", "b"], "answer": 0}}]);
    let lesson = lesson(steps, never_met());
    let mut progress = Progress::new(&lesson);
    assert_eq!(progress.answer(&lesson, "later", 0), None, "not reached");
    progress.happened(&lesson, &Happening::Settled { aborted: false });
    assert_eq!(progress.answer(&lesson, "later", 2), None, "no such option");
    assert_eq!(progress.answer(&lesson, "nobody", 0), None, "no such step");
    assert_eq!(progress.answer(&lesson, "later", 0), Some(true));
}

#[test]
fn checks_look_at_every_side_of_what_happens() {
    let one = |pattern: Value| lesson(json!([]), json!([{"text": "c", "seen": pattern}]));
    let passes = |pattern: Value, happening: Happening<'_>| {
        let lesson = one(pattern);
        let mut progress = Progress::new(&lesson);
        progress.happened(&lesson, &happening);
        progress.has_passed(&lesson)
    };
    let ok = ended("read", "alpha", false, Some(3));
    let blocked = ended("bash", "blocked", true, None);
    let stop = answer(StopReason::Stop, "beta");
    let start = Event::ToolExecutionStart {
        tool_call_id: "c".into(),
        tool_name: "read".into(),
        args: Json::from_value(&json!({"path": "a.txt"})),
    };
    for (pattern, event, fits) in [
        (json!({"event": "tool_execution_end"}), &ok, true),
        (json!({"event": "tool_execution_start"}), &ok, false),
        (json!({"event": "tool_execution_end", "tool": "read"}), &ok, true),
        (json!({"event": "tool_execution_end", "tool": "bash"}), &ok, false),
        (json!({"event": "tool_execution_end", "isError": true}), &blocked, true),
        (json!({"event": "tool_execution_end", "isError": true}), &ok, false),
        (json!({"event": "tool_execution_end", "timed": true}), &ok, true),
        (json!({"event": "tool_execution_end", "timed": true}), &blocked, false),
        (json!({"event": "tool_execution_end", "timed": false}), &blocked, true),
        (json!({"event": "tool_execution_end", "contains": "lph"}), &ok, true),
        (json!({"event": "tool_execution_end", "contains": "beta"}), &ok, false),
        (json!({"event": "tool_execution_start", "contains": "a.txt"}), &start, true),
        (json!({"event": "message_end", "role": "assistant"}), &stop, true),
        (json!({"event": "message_end", "role": "user"}), &stop, false),
        (json!({"event": "message_end", "stopReason": "stop"}), &stop, true),
        (json!({"event": "message_end", "stopReason": "length"}), &stop, false),
        (json!({"event": "message_end", "tool": "read"}), &stop, false),
    ] {
        assert_eq!(passes(pattern.clone(), Happening::Event(event)), fits, "{pattern}");
    }
    assert!(passes(json!({"event": "fault", "what": "length"}), Happening::Fault(FaultKind::Length)));
    assert!(!passes(json!({"event": "fault", "what": "length"}), Happening::Fault(FaultKind::Block)));
    assert!(passes(json!({"event": "settled", "aborted": true}), Happening::Settled { aborted: true }));
    assert!(!passes(json!({"event": "settled", "aborted": true}), Happening::Settled { aborted: false }));
    assert!(passes(json!({"event": "request", "contains": "be\"ta"}), Happening::Request(br#"{"x":"be\"ta"}"#)));
    assert!(!passes(json!({"event": "request", "contains": "beta"}), Happening::Request(b"{}")));
}

#[test]
fn so_often_means_exactly_so_often_and_an_order_is_one() {
    let turn = Happening::Event(&Event::TurnStart);
    let twice = lesson(json!([]), json!([{"text": "c", "seen": {"event": "turn_start"}, "times": 2}]));
    let mut progress = Progress::new(&twice);
    let passed: Vec<bool> = (0..3).map(|_| (progress.happened(&twice, &turn), progress.has_passed(&twice)).1).collect();
    assert_eq!(passed, [false, true, false]);

    let ordered =
        json!([{"text": "c", "order": [{"event": "rewound"}, {"event": "turn_start"}, {"event": "rewound"}]}]);
    let ordered = lesson(json!([]), ordered);
    let mut progress = Progress::new(&ordered);
    for happening in [turn, Happening::Rewound, Happening::Rewound] {
        progress.happened(&ordered, &happening);
        assert!(!progress.has_passed(&ordered));
    }
    progress.happened(&ordered, &turn);
    progress.happened(&ordered, &Happening::Rewound);
    assert!(progress.has_passed(&ordered));
}

#[test]
fn what_must_not_happen_is_so_once_the_session_has_settled() {
    let lesson = lesson(json!([]), json!([{"text": "c", "never": {"event": "turn_start"}}]));
    let mut progress = Progress::new(&lesson);
    assert!(!progress.has_passed(&lesson));
    progress.happened(&lesson, &Happening::Settled { aborted: false });
    assert!(progress.has_passed(&lesson));
    progress.happened(&lesson, &Happening::Event(&Event::TurnStart));
    assert!(!progress.has_passed(&lesson));
}

#[test]
fn files_and_answers_are_looked_at() {
    let checks = json!([
        {"text": "has", "file": "a", "contains": "ello"}, {"text": "is", "file": "a", "equals": "hello"},
        {"text": "gone", "file": "b", "absent": true}, {"text": "said", "answer": "q"},
    ]);
    let lesson = lesson(question(), checks);
    let mut progress = Progress::new(&lesson);
    let met =
        |progress: &Progress| progress.state(&lesson).goal_checks.iter().map(|check| check.met).collect::<Vec<_>>();
    progress.look(&lesson, &Shelf(BTreeMap::from([("a", "hello, you"), ("b", "")])));
    assert_eq!(met(&progress), [true, false, false, false]);
    progress.answer(&lesson, "q", 1);
    assert!(progress.look(&lesson, &Shelf(BTreeMap::from([("a", "hello")]))));
    assert_eq!(met(&progress), [true, true, true, true]);
    assert!(progress.has_passed(&lesson));
}

#[test]
fn a_hint_is_shown_when_it_is_asked_for() {
    let lesson = lesson(json!([{"id": "a", "text": "t", "hint": "look up"}, {"id": "b", "text": "t"}]), never_met());
    let mut progress = Progress::new(&lesson);
    let hint = |progress: &Progress| progress.state(&lesson).steps.first().and_then(|step| step.hint.clone());
    assert_eq!(hint(&progress), None);
    assert!(!progress.hint(&lesson, "b"), "there is none");
    assert!(progress.hint(&lesson, "a"));
    assert_eq!(hint(&progress).as_deref(), Some("look up"));
}
