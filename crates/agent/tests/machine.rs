//! The run without a driver: what must hold whatever comes in.
#![cfg(test)]

use serde_json::json;
use vitrine_agent::event::Event;
use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Message, SharedMessage, StopReason, ToolCall, Usage};
use vitrine_agent::model::{Facts, ModelEvent, ModelInfo};
use vitrine_agent::run::{
    AfterTool, BeforeTool, Changes, FinishTurn, Input, NextTurn, Now, Output, PrepareError, Run, RunConfig, RunTool,
    Start,
};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, ToolError, ToolOutput, ToolSpec};

fn user(text: &str) -> SharedMessage {
    SharedMessage::new(Message::user(text, 1))
}

fn tool(name: &str, execution: ExecutionMode) -> RunTool {
    let parameters = Json::from_value(&json!({"type": "object"}));
    RunTool { spec: ToolSpec { name: name.to_owned(), parameters, ..ToolSpec::default() }, execution }
}

fn run(history: History, tools: Vec<RunTool>) -> Run {
    let config = RunConfig {
        start: Start::Prompts(vec![user("go")]),
        history,
        model: ModelInfo::default(),
        reasoning: None,
        tools,
        execution: ExecutionMode::Parallel,
        signal: AbortSignal::new(),
    };
    Run::new(config, Now::default()).unwrap()
}

/// The answer of a world where everything is well.
fn plain_answer(output: &Output) -> Option<Input> {
    Some(match output {
        Output::Emit(_) | Output::Trace(_) | Output::CallModel(_) => return None,
        Output::Prepare { call, .. } => Input::Prepared { call: *call, result: Ok(json!({})) },
        Output::BeforeTool { call, arguments, .. } => {
            Input::Admission { call: *call, result: Ok(BeforeTool::Allow(arguments.clone())) }
        }
        Output::Execute { call, .. } => {
            Input::Executed { call: *call, result: Ok(ToolOutput::text("x")), duration_ms: 1 }
        }
        Output::AfterTool { call, .. } => Input::Finalized { call: *call, result: Ok(AfterTool::default()) },
        Output::PollSteering => Input::Steering(Vec::new()),
        Output::PollFollowUps => Input::FollowUps(Vec::new()),
        Output::PrepareNextTurn(_) => Input::NextTurn(NextTurn::default()),
        Output::PrepareRequest { .. } => Input::Request(Changes::default()),
        Output::TransformContext { .. } => Input::Context(None),
        Output::FinishTurn(_) => Input::FinishTurn(FinishTurn::Default),
    })
}

/// Plays one response per request, each in the given batches, and gives all events.
fn play(responses: &[Vec<Vec<ModelEvent>>]) -> Vec<Event> {
    play_with(responses, |_, _| {})
}

/// The same, with something done to the run after each output, before its answer.
fn play_with(responses: &[Vec<Vec<ModelEvent>>], mut meddle: impl FnMut(&mut Run, &Output)) -> Vec<Event> {
    let mut run = run(History::new(), vec![tool("read", ExecutionMode::Parallel)]);
    let (mut events, mut responses) = (Vec::new(), responses.iter());
    loop {
        while let Some(output) = run.poll_output() {
            meddle(&mut run, &output);
            if let Some(answer) = plain_answer(&output) {
                run.handle(answer, Now::default());
            }
            if let Output::Emit(event) = output {
                events.push(event);
            }
        }
        if run.is_done() {
            return events;
        }
        for batch in responses.next().expect("one response a request") {
            run.handle(Input::Model(batch.clone()), Now::default());
            while run.is_streaming()
                && let Some(output) = run.poll_output()
            {
                let Output::Emit(event) = output else { panic!("a stream only emits: {output:?}") };
                events.push(event);
            }
        }
        run.handle(Input::ModelClosed, Now::default());
    }
}

fn call_end(index: usize, id: &str, name: &str) -> ModelEvent {
    let (id, name) = (id.to_owned(), name.to_owned());
    ModelEvent::ToolCallEnd {
        index,
        tool_call: ToolCall { id: id.into(), name: name.into(), ..ToolCall::default() }.into(),
    }
}

fn text_and_call() -> Vec<ModelEvent> {
    let (id, name) = ("A".to_owned(), "read".to_owned());
    vec![
        ModelEvent::Start,
        ModelEvent::Meta(Box::new(Facts { response_id: Some("r".to_owned()), ..Facts::default() })),
        ModelEvent::ThinkingStart { index: 0 },
        ModelEvent::ThinkingDelta { index: 0, delta: "hm".to_owned() },
        ModelEvent::TextStart { index: 1 },
        ModelEvent::TextDelta { index: 1, delta: "a".to_owned() },
        ModelEvent::ThinkingEnd { index: 0, signature: None, redacted: false },
        ModelEvent::TextDelta { index: 1, delta: "b".to_owned() },
        ModelEvent::TextEnd { index: 1, signature: None },
        ModelEvent::ToolCallStart { index: 2, id: id.clone().into(), name: name.clone().into() },
        ModelEvent::ToolCallDelta { index: 2, delta: "{}".to_owned() },
        call_end(2, &id, &name),
        ModelEvent::Usage(Usage { output: 3, ..Usage::default() }.into()),
        ModelEvent::Done { reason: StopReason::ToolUse },
        ModelEvent::TextStart { index: 3 },
    ]
}

fn answer() -> Vec<Vec<ModelEvent>> {
    vec![vec![ModelEvent::Start, ModelEvent::Done { reason: StopReason::Stop }]]
}

#[test]
fn batches_of_a_stream_make_no_difference() {
    let mut cut = text_and_call();
    cut.truncate(8);
    let mut malformed = text_and_call();
    malformed.remove(4);
    for response in [text_and_call(), cut, malformed, Vec::new()] {
        let whole = play(&[vec![response.clone()], answer()]);
        assert_eq!(whole.last().map(Event::kind), Some("agent_end"));
        // Every way to cut it, as the bits of a number.
        for cuts in 0..1_u32 << response.len().saturating_sub(1) {
            let mut batches = vec![Vec::new()];
            for (index, event) in response.iter().enumerate() {
                batches.last_mut().unwrap().push(event.clone());
                if cuts >> index & 1 == 1 {
                    batches.push(Vec::new());
                }
            }
            assert_eq!(play(&[batches, answer()]), whole, "cut as {cuts:b}");
        }
    }
}

/// Whether an input is what an output waits for.
fn answers(input: &Input, output: &Output) -> bool {
    match (input, output) {
        (Input::Prepared { call, .. }, Output::Prepare { call: asked, .. })
        | (Input::Admission { call, .. }, Output::BeforeTool { call: asked, .. })
        | (Input::Update { call, .. } | Input::Executed { call, .. }, Output::Execute { call: asked, .. })
        | (Input::Finalized { call, .. }, Output::AfterTool { call: asked, .. }) => call == asked,
        (Input::Model(_) | Input::ModelClosed, Output::CallModel(_))
        | (Input::Steering(_), Output::PollSteering)
        | (Input::FollowUps(_), Output::PollFollowUps)
        | (Input::NextTurn(_), Output::PrepareNextTurn(_))
        | (Input::Request(_), Output::PrepareRequest { .. })
        | (Input::Context(_), Output::TransformContext { .. })
        | (Input::FinishTurn(_), Output::FinishTurn(_)) => true,
        _ => false,
    }
}

#[test]
fn answers_that_nothing_waits_for_are_ignored() {
    let failure = || Err(ToolError("stray".to_owned()));
    let mut strays = vec![
        Input::Model(answer().concat()),
        Input::ModelClosed,
        Input::Steering(vec![user("stray")]),
        Input::FollowUps(vec![user("stray")]),
        Input::NextTurn(NextTurn { messages: vec![user("stray")], ..NextTurn::default() }),
        Input::Request(Changes { history: Some(History::new()), ..Changes::default() }),
        Input::Context(Some(History::new())),
        Input::FinishTurn(FinishTurn::End),
        // Nobody has aborted.
        Input::GraceOver,
    ];
    for call in 0..4 {
        strays.extend([
            Input::Prepared { call, result: Err(PrepareError::Invalid("stray".to_owned())) },
            Input::Admission { call, result: failure().map(|()| BeforeTool::Allow(json!({}))) },
            Input::Update { call, output: ToolOutput::text("stray") },
            Input::Executed { call, result: failure().map(|()| ToolOutput::text("stray")), duration_ms: 1 },
            Input::Finalized { call, result: failure().map(|()| AfterTool::default()) },
        ]);
    }
    let mut two_calls = text_and_call();
    two_calls.splice(
        13..,
        [
            ModelEvent::ToolCallStart { index: 3, id: "B".into(), name: "read".into() },
            call_end(3, "B", "read"),
            ModelEvent::Done { reason: StopReason::ToolUse },
        ],
    );
    let responses = [vec![two_calls], answer()];
    let mut n_strays = 0;
    let events = play_with(&responses, |run, output| {
        if matches!(output, Output::Emit(_) | Output::Trace(_)) {
            return;
        }
        for stray in strays.iter().filter(|stray| !answers(stray, output)) {
            run.handle(stray.clone(), Now::default());
            n_strays += 1;
        }
    });
    assert_eq!(events, play(&responses));
    assert!(n_strays > 400, "{n_strays}");
}

#[test]
fn a_long_history_is_not_copied() {
    let history: History = (0..10_000).map(|_| user("before")).collect();
    let mut run = run(history.clone(), vec![tool("read", ExecutionMode::Parallel)]);
    let mut lengths = Vec::new();
    while !run.is_done() {
        match run.poll_output() {
            Some(Output::CallModel(request)) => {
                assert!(request.history.shares_with(&history), "a request copied the history");
                lengths.push(request.history.len());
                let events = if lengths.len() < 3 { text_and_call() } else { answer().concat() };
                run.handle(Input::Model(events), Now::default());
            }
            Some(output) => {
                if let Output::FinishTurn(turn) | Output::PrepareNextTurn(turn) = &output {
                    assert!(turn.history.shares_with(&history), "a hook copied the history");
                }
                if let Some(answer) = plain_answer(&output) {
                    run.handle(answer, Now::default());
                }
            }
            None => panic!("everything was answered"),
        }
    }
    // The tools' declaration, the prompt; then call and result for each turn.
    assert_eq!(lengths, [10_002, 10_004, 10_006]);
    assert!(run.history().shares_with(&history));
    assert_eq!(history.len(), 10_000, "the caller's handle stays where it was");
}
