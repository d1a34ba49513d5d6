//! A response made elsewhere (`Input::Answer`), and what a host that keeps its own objects learns from the run.
#![cfg(test)]

use serde_json::json;
use vitrine_agent::event::Event;
use vitrine_agent::history::History;
use vitrine_agent::message::{Message, SharedMessage, StopReason};
use vitrine_agent::model::{ModelEvent, ModelInfo};
use vitrine_agent::run::{About, AfterTool, BeforeTool, Changes, FinishTurn, Input, NextTurn, Now, Output, Run};
use vitrine_agent::run::{RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ToolError, ToolOutput, ToolSpec};

/// A message that bears what the run would stamp or mend, were it its own.
fn answer(calls: &[(&str, &str)], stop_reason: &str) -> SharedMessage {
    let calls = calls.iter().map(|(id, name)| json!({"type": "toolCall", "id": id, "name": name, "arguments": {}}));
    let message = json!({
        "role": "assistant", "content": calls.collect::<Vec<_>>(), "api": "elsewhere", "provider": "p", "model": "other",
        "stopReason": stop_reason, "timestamp": 5,
    });
    SharedMessage::new(serde_json::from_value(message).unwrap())
}

fn run(tools: &[&str]) -> Run {
    run_with(vec![SharedMessage::new(Message::user("go", 1))], tools)
}

fn run_with(prompts: Vec<SharedMessage>, tools: &[&str]) -> Run {
    let tool = |name: &&str| {
        let spec = json!({"name": name, "description": "", "parameters": {}});
        RunTool { spec: serde_json::from_value::<ToolSpec>(spec).unwrap(), execution: Default::default() }
    };
    let config = RunConfig {
        start: Start::Prompts(prompts),
        history: History::new(),
        model: ModelInfo::default(),
        reasoning: Some("high".to_owned()),
        tools: tools.iter().map(tool).collect(),
        execution: Default::default(),
        signal: AbortSignal::new(),
    };
    Run::new(config, Now::default()).unwrap()
}

/// What each message or call event is about, in a line each, and the messages of the history.
fn play(mut run: Run, mut responses: Vec<Vec<Input>>) -> (Vec<String>, History) {
    let now = Now { wall_ms: 9, monotonic_ms: 9.0 };
    let mut told = Vec::new();
    while let Some(output) = run.poll_output() {
        let answer = match output {
            Output::Emit(event) => {
                if !matches!(event, Event::MessageUpdate { .. }) && run.about() != About::Run {
                    told.push(format!("{} {:?}", event.kind(), run.about()));
                }
                continue;
            }
            Output::Trace(_) => continue,
            Output::CallModel(_) => {
                assert!(!responses.is_empty(), "one more request than there are answers");
                for input in responses.remove(0) {
                    run.handle(input, now);
                }
                continue;
            }
            Output::Prepare { call, .. } => Input::Prepared { call, result: Ok(json!({})) },
            Output::BeforeTool { call, arguments, .. } => {
                Input::Admission { call, result: Ok(BeforeTool::Allow(arguments)) }
            }
            Output::Execute { call, .. } if call == 1 => {
                Input::Executed { call, result: Err(ToolError("thrown".to_owned())), duration_ms: 1 }
            }
            Output::Execute { call, .. } => {
                run.handle(Input::Update { call, output: ToolOutput::text("half") }, now);
                Input::Executed { call, result: Ok(ToolOutput::text("x")), duration_ms: 1 }
            }
            Output::AfterTool { call, .. } => Input::Finalized { call, result: Ok(AfterTool::default()) },
            Output::PollSteering => Input::Steering(Vec::new()),
            Output::PollFollowUps => Input::FollowUps(Vec::new()),
            Output::PrepareNextTurn(_) => Input::NextTurn(NextTurn::default()),
            Output::PrepareRequest { .. } => Input::Request(Changes::default()),
            Output::TransformContext { .. } => Input::Context(None),
            Output::FinishTurn(_) => Input::FinishTurn(FinishTurn::Default),
        };
        run.handle(answer, now);
    }
    assert!(run.is_done(), "{told:?}");
    (told, run.history().clone())
}

#[test]
fn an_answer_is_final_and_goes_in_as_it_is() {
    let done = answer(&[], "stop");
    let user = Input::Answer(SharedMessage::new(Message::user("no answer", 1)));
    let start = || Input::Model(vec![ModelEvent::Start]);
    for (what, inputs, starts) in [
        ("alone it gives both ends", vec![Input::Answer(done.clone())], "Given"),
        ("behind a start it gives the end", vec![start(), Input::Answer(done.clone())], "Response"),
        ("the stream may close behind it", vec![Input::Answer(done.clone()), Input::ModelClosed], "Given"),
        ("an event behind it is ignored", vec![Input::Answer(done.clone()), start()], "Given"),
        ("only the first counts", vec![Input::Answer(done.clone()), Input::Answer(answer(&[], "error"))], "Given"),
        ("a message of another role is none", vec![user, Input::Answer(done.clone())], "Given"),
        (
            "one that is here outlives the end of waiting",
            vec![Input::Answer(done.clone()), Input::Abort, Input::GraceOver],
            "Given",
        ),
    ] {
        let (told, history) = play(run(&[]), vec![inputs]);
        let expected = [
            "message_start Given".to_owned(),
            "message_end Given".to_owned(),
            format!("message_start {starts}"),
            "message_end Given".to_owned(),
        ];
        assert_eq!(told, expected, "{what}");
        assert!(SharedMessage::ptr_eq(&history.last().unwrap(), &done), "{what}: the very message is in the history");
    }
}

#[test]
fn the_loop_goes_by_an_answer_as_by_a_response() {
    for (what, first, n_results) in [
        ("calls are executed whatever the stop reason", answer(&[("A", "read")], "stop"), 1),
        ("a cut-off answer's calls are failed", answer(&[("A", "read"), ("B", "read")], "length"), 2),
    ] {
        let inputs = vec![vec![Input::Answer(first)], vec![Input::Answer(answer(&[], "stop"))]];
        let (_, history) = play(run(&["read"]), inputs);
        let n = history.messages().iter().filter(|message| message.role() == "toolResult").count();
        assert_eq!(n, n_results, "{what}");
    }
    for reason in ["error", "aborted"] {
        let (_, history) = play(run(&["read"]), vec![vec![Input::Answer(answer(&[("A", "read")], reason))]]);
        assert_eq!(history.last().unwrap().role(), "assistant", "{reason}: nothing is executed");
    }
}

#[test]
fn a_response_that_was_done_already_is_not_replaced() {
    let done = Input::Model(vec![ModelEvent::Start, ModelEvent::Done { reason: StopReason::Stop }]);
    let (told, history) = play(run(&[]), vec![vec![done, Input::Answer(answer(&[], "error"))]]);
    assert_eq!(told.last().map(String::as_str), Some("message_end Response"));
    let last = serde_json::to_value(&*history.last().unwrap()).unwrap();
    assert_eq!((&last["stopReason"], &last["thinkingLevel"]), (&json!("stop"), &json!("high")));
}

#[test]
fn every_event_says_whom_it_is_about() {
    let calls = [("same", "read"), ("same", "read"), ("same", "nope")];
    let inputs = vec![vec![Input::Answer(answer(&calls, "toolUse"))], vec![Input::Abort, Input::ModelClosed]];
    let (told, _) = play(run(&["read"]), inputs);
    let call = |call: usize, is_refused: bool| format!("{:?}", About::Call { call, is_refused });
    let expected = [
        "message_start Declaration".to_owned(),
        "message_end Declaration".to_owned(),
        "message_start Given".to_owned(),
        "message_end Given".to_owned(),
        "message_start Given".to_owned(),
        "message_end Given".to_owned(),
        format!("tool_execution_start {}", call(0, false)),
        format!("tool_execution_start {}", call(1, false)),
        format!("tool_execution_start {}", call(2, false)),
        format!("tool_execution_end {}", call(2, true)),
        format!("tool_execution_update {}", call(0, false)),
        format!("tool_execution_end {}", call(0, false)),
        format!("tool_execution_end {}", call(1, false)),
        format!("message_start {}", call(0, false)),
        format!("message_end {}", call(0, false)),
        format!("message_start {}", call(1, false)),
        format!("message_end {}", call(1, false)),
        format!("message_start {}", call(2, true)),
        format!("message_end {}", call(2, true)),
        "message_start Response".to_owned(),
        "message_end Response".to_owned(),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_system_message_that_is_right_stays_the_very_one_it_was() {
    let system = |text: &str| -> SharedMessage { SharedMessage::new(serde_json::from_str(text).unwrap()) };
    let right = system(
        r#"{"role":"system","content":"p","toolsAdded":[{"name":"read","description":"","parameters":{}}],"timestamp":1}"#,
    );
    let wrong = system(r#"{"role":"system","content":"p","timestamp":1}"#);
    let plain = system(r#"{"role":"system","content":"p","timestamp":1}"#);
    for (what, tools, prompt, is_kept) in [
        ("it declares what is to be declared", &["read"][..], right, true),
        ("it lacks it", &["read"], wrong, false),
        ("there is nothing to declare", &[], plain, true),
    ] {
        let run = run_with(vec![prompt.clone()], tools);
        let (told, history) = play(run, vec![vec![Input::Answer(answer(&[], "stop"))]]);
        assert_eq!(SharedMessage::ptr_eq(&history.messages()[0], &prompt), is_kept, "{what}");
        assert_eq!(told[0], format!("message_start {}", if is_kept { "Given" } else { "Declaration" }), "{what}");
    }
}
