//! What a recording refuses, and what becomes of one that was cut off.
#![cfg(test)]

use serde_json::json;
use vitrine_agent::history::History;
use vitrine_agent::message::{AssistantMessage, Block, Message, SharedMessage, StopReason};
use vitrine_agent::model::{ModelEvent, ModelInfo};
use vitrine_agent::record::{Recorder, Recording, RecordingError};
use vitrine_agent::run::{Changes, Input, Now, Output, Run, RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, ToolOutput, ToolSpec};

fn config() -> RunConfig {
    let spec = ToolSpec { name: "read".to_owned(), ..ToolSpec::default() };
    RunConfig {
        start: Start::Prompts(vec![SharedMessage::new(Message::user("go", 1))]),
        history: [SharedMessage::new(Message::user("before", 1))].into_iter().collect(),
        model: ModelInfo { id: "m".into(), ..ModelInfo::default() },
        reasoning: Some("low".to_owned()),
        tools: vec![RunTool { spec, execution: ExecutionMode::Sequential }],
        execution: ExecutionMode::Parallel,
        signal: AbortSignal::new(),
    }
}

/// The answer of a host that has something of everything.
fn answer(output: &Output, n_requests: &mut usize) -> Option<Input> {
    let result = |json| Ok(serde_json::from_value::<ToolOutput>(json).unwrap());
    Some(match output {
        Output::Emit(_) | Output::Trace(_) => return None,
        Output::CallModel(_) if *n_requests == 0 => {
            *n_requests += 1;
            let mut message = AssistantMessage::pending("a", "p", "m", 1);
            let call = json!({"type": "toolCall", "id": "A", "name": "read", "arguments": {"n": 1e-7}});
            message.content = vec![serde_json::from_value::<Block>(call).unwrap()];
            message.stop_reason = StopReason::ToolUse;
            Input::Answer(SharedMessage::new(Message::Assistant(message)))
        }
        Output::CallModel(_) => Input::Model(vec![ModelEvent::Start, ModelEvent::Done { reason: StopReason::Stop }]),
        Output::Prepare { call, .. } => Input::Prepared { call: *call, result: Ok(json!({"n": 0.1})) },
        Output::BeforeTool { call, arguments, .. } => {
            let result = Ok(vitrine_agent::run::BeforeTool::Allow(arguments.clone()));
            Input::Admission { call: *call, result }
        }
        Output::Execute { call, .. } => {
            // A null that a tool has given is not nothing.
            let output =
                json!({"content": [{"type": "text", "text": "x"}], "structuredContent": null, "terminate": true});
            Input::Executed { call: *call, result: result(output), duration_ms: 3 }
        }
        Output::AfterTool { call, .. } => Input::Finalized { call: *call, result: Ok(Default::default()) },
        Output::PollSteering => Input::Steering(Vec::new()),
        Output::PollFollowUps if *n_requests == 1 => {
            *n_requests += 1;
            Input::FollowUps(vec![SharedMessage::new(Message::user("more", 2))])
        }
        Output::PollFollowUps => Input::FollowUps(Vec::new()),
        Output::PrepareNextTurn(_) => Input::NextTurn(Default::default()),
        Output::PrepareRequest { .. } => Input::Request(Default::default()),
        Output::TransformContext { history } => Input::Context(Some(history.clone())),
        Output::FinishTurn(_) => Input::FinishTurn(Default::default()),
    })
}

/// A recording of a whole run, and its events.
fn record() -> (String, Vec<String>) {
    let now = Now { wall_ms: 5, monotonic_ms: 0.1 + 0.2 };
    let mut recorder = Recorder::new(&config(), now);
    let mut run = Run::new(config(), now).unwrap();
    let (mut events, mut n_requests) = (Vec::new(), 0);
    while let Some(output) = run.poll_output() {
        if let Output::Emit(event) = &output {
            events.push(serde_json::to_string(event).unwrap());
        }
        if let Some(input) = answer(&output, &mut n_requests) {
            recorder.record(&run, &input, now);
            run.handle(input, now);
        }
    }
    assert!(run.is_done());
    (recorder.text().unwrap().to_owned(), events)
}

fn replay(text: &str, config: RunConfig) -> Result<(Vec<String>, Run), RecordingError> {
    let mut replay = Recording::parse(text)?.replay(config)?;
    let mut events = Vec::new();
    while let Some(output) = replay.poll_output()? {
        if let Output::Emit(event) = output {
            events.push(serde_json::to_string(&event).unwrap());
        }
    }
    Ok((events, replay.into_run()))
}

#[test]
fn a_recording_cut_anywhere_is_an_error_that_says_where_or_a_run_that_waits() {
    let (text, events) = record();
    let (again, run) = replay(&text, config()).unwrap();
    assert!(again == events && run.is_done());
    assert!(events.iter().any(|event| event.contains("\"structuredContent\":null")));
    let mut n_waiting = 0;
    for cut in 0..text.len() {
        let Some(part) = text.get(..cut) else { continue };
        let line = part.lines().count().max(1);
        let is_whole = part.is_empty() || text.as_bytes().get(cut) == Some(&b'\n') || part.ends_with('\n');
        match replay(part, config()) {
            Ok((came, run)) => {
                assert!(is_whole && events.starts_with(&came), "cut at {cut}");
                assert_eq!(run.is_done(), came == events);
                n_waiting += usize::from(!run.is_done());
            }
            Err(RecordingError::NotARecording) => assert!(line == 1 && cut < 30, "cut at {cut}"),
            Err(RecordingError::Line { line: named, .. }) => assert!(!is_whole && named == line, "cut at {cut}"),
            Err(other) => panic!("cut at {cut}: {other}"),
        }
    }
    assert!(n_waiting > 20, "{n_waiting} cuts leave a run that waits");
}

#[test]
fn a_line_that_is_missing_is_noticed() {
    let (text, _) = record();
    let lines: Vec<_> = text.lines().collect();
    for missing in 1..lines.len() - 1 {
        let rest: Vec<_> =
            lines.iter().enumerate().filter(|(index, _)| *index != missing).map(|(_, line)| *line).collect();
        let error = replay(&rest.join("\n"), config()).unwrap_err().to_string();
        let expected = format!("line {} of the recording is for position ", missing + 1);
        assert!(
            error.starts_with(&expected) && error.contains(", and the run waits at "),
            "without {missing}: {error}"
        );
    }
}

#[test]
fn a_recording_of_another_configuration_is_refused() {
    let (text, _) = record();
    type Change = fn(&mut RunConfig);
    let changes: [(&str, Change); 6] = [
        ("start", |config| config.start = Start::Continue),
        ("history", |config| config.history = History::new()),
        ("model", |config| config.model.base_url = "https://x".to_owned()),
        ("reasoning", |config| config.reasoning = None),
        ("tools", |config| config.tools.clear()),
        ("execution", |config| config.execution = ExecutionMode::Sequential),
    ];
    for (name, change) in changes {
        let mut other = config();
        change(&mut other);
        let error = replay(&text, other).unwrap_err().to_string();
        assert_eq!(error, format!("the recording is of a run with another {name}"));
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let (text, _) = record();
    let later = text.replacen("\"version\":1", "\"version\":2", 1);
    for (text, expected) in [
        ("", "not a recording of a run"),
        ("{}", "not a recording of a run"),
        ("{\"type\":\"session\",\"version\":3}", "not a recording of a run"),
        (later.as_str(), "a recording of version 2; this is version 1"),
    ] {
        assert_eq!(replay(text, config()).unwrap_err().to_string(), expected);
    }
    // A place that no run comes to is an error and no endless wait.
    let far = format!(
        "{}\n{{\"position\":18446744073709551615,\"now\":{{\"wallMs\":0,\"monotonicMs\":0}},\"input\":\"abort\"}}",
        text.lines().next().unwrap()
    );
    assert_eq!(
        replay(&far, config()).unwrap_err().to_string(),
        "line 2 of the recording is for position 18446744073709551615, and the run waits at 15"
    );
}

#[test]
fn an_abort_of_the_recording_is_one_of_the_replay() {
    let (text, _) = record();
    let head = text.lines().next().unwrap();
    let abort = r#"{"position":0,"now":{"wallMs":9,"monotonicMs":2.5},"input":"abort"}"#;
    let mut replay = Recording::parse(&format!("{head}\n{abort}\n")).unwrap().replay(config()).unwrap();
    while replay.poll_output().unwrap().is_some() {}
    assert!(replay.run().is_aborted() && replay.run().signal().is_aborted());
}

/// A host that sends another context each time costs what is new in it.
#[test]
fn a_context_is_written_by_what_of_it_is_new() {
    let long = "x".repeat(1_000);
    let message = |n: usize| SharedMessage::new(Message::user(format!("{n} {long}"), 1));
    let config = || RunConfig { history: (0..200).map(message).collect(), ..config() };
    let new = SharedMessage::new(Message::user("new", 1));
    // Which messages each request sends: some left out, turned round, twice, and one of the host's own; then none.
    let part = |all: &[SharedMessage], from, to| all.iter().take(to).skip(from).cloned().collect::<Vec<_>>();
    type Context<'a> = &'a dyn Fn(&[SharedMessage]) -> Vec<SharedMessage>;
    let contexts: [Context<'_>; 6] = [
        &|all| all.to_vec(),
        &|all| part(all, 50, 300),
        &|all| [part(all, 0, 1), vec![new.clone()], part(all, 10, 20), part(all, 100, 300)].concat(),
        &|all| [part(all, 150, 152), part(all, 0, 2), part(all, 160, 300)].concat(),
        &|all| [part(all, 0, 3), part(all, 2, 3)].concat(),
        &|_| Vec::new(),
    ];
    for (case, context) in contexts.iter().enumerate() {
        let mut recorder = Recorder::new(&config(), Now::default());
        let head = recorder.text().unwrap().len();
        let mut run = Run::new(config(), Now::default()).unwrap();
        let (mut sent, mut n_requests) = (Vec::new(), 0);
        while let Some(output) = run.poll_output() {
            let input = match &output {
                Output::TransformContext { history } => {
                    Some(Input::Context(Some(context(&history.messages()).into_iter().collect())))
                }
                // Kept from here on: the next one is made of it.
                Output::PrepareRequest { history, .. } if n_requests == 2 => {
                    let history = Some(context(&history.messages()).into_iter().collect());
                    Some(Input::Request(Changes { history, ..Changes::default() }))
                }
                other => answer(other, &mut n_requests),
            };
            if let Output::CallModel(request) = &output {
                sent.push(serde_json::to_string(&request.history).unwrap());
            }
            if let Some(input) = input {
                recorder.record(&run, &input, Now::default());
                run.handle(input, Now::default());
            }
        }
        assert!(run.is_done() && sent.len() == 2, "{case}");
        let text = recorder.text().unwrap();
        assert!(text.len() - head < 10_000 + case * 1_000, "{case}: {} bytes", text.len() - head);

        let mut replay = Recording::parse(text).unwrap().replay(config()).unwrap();
        let mut again = Vec::new();
        while let Some(output) = replay.poll_output().unwrap() {
            if let Output::CallModel(request) = output {
                again.push(serde_json::to_string(&request.history).unwrap());
            }
        }
        assert!(again == sent && replay.run().is_done(), "{case}");
    }
}

#[test]
fn messages_that_are_not_there_are_refused() {
    let (text, _) = record();
    let line = text.lines().position(|line| line.contains("\"context\":[]") && line.contains("\"kept\"")).unwrap() + 1;
    for wrong in ["[0,99]", "[2,1]", "[1,2]},{\"kept\":[0,1]", "[0,1]},{\"kept\":[0,1]"] {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let (start, _) = lines[line - 1].split_once("\"kept\":").unwrap();
        lines[line - 1] = format!("{start}\"kept\":{wrong}}}]}}");
        let error = replay(&lines.join("\n"), config()).unwrap_err().to_string();
        assert_eq!(error, format!("line {line} of the recording names messages that the run does not have"), "{wrong}");
    }
}
