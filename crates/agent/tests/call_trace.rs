//! The trace of a call: how each state is reached, in which order, and that each that is not good says why.
#![cfg(test)]

use serde_json::json;
use vitrine_agent::event::{CallState, CallTrace};
use vitrine_agent::history::History;
use vitrine_agent::message::{Message, SharedMessage, StopReason, ToolCall};
use vitrine_agent::model::{ModelEvent, ModelInfo};
use vitrine_agent::run::{
    AfterTool, BeforeTool, Changes, FinishTurn, Input, NextTurn, Now, Output, PrepareError, Run, RunConfig, RunTool,
    Start,
};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, ToolError, ToolOutput, ToolSpec};

const STATES: [CallState; 14] = [
    CallState::Requested,
    CallState::Found,
    CallState::Prepared,
    CallState::Valid,
    CallState::Admitted,
    CallState::Executing,
    CallState::Finalized,
    CallState::Recorded,
    CallState::NotFound,
    CallState::Invalid,
    CallState::Blocked,
    CallState::Truncated,
    CallState::Aborted,
    CallState::Threw,
];

/// How a call comes to an end, and the states it has on the way.
struct Row {
    how: &'static str,
    call: ToolCall,
    stop: StopReason,
    /// At which output, an event or a question, what comes in place of the usual.
    at: Option<(&'static str, Input)>,
    states: &'static str,
    /// Of the state before the last.
    reason: Option<&'static str>,
}

impl Row {
    fn new(how: &'static str, states: &'static str) -> Self {
        let call = ToolCall { id: "A".into(), name: "read".into(), ..ToolCall::default() };
        Self { how, call, stop: StopReason::ToolUse, at: None, states, reason: None }
    }

    fn at(self, output: &'static str, input: Input) -> Self {
        Self { at: Some((output, input)), ..self }
    }

    fn because(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }
}

fn table() -> Vec<Row> {
    const WELL: &str = "requested found prepared valid admitted executing finalized recorded";
    let error = || ToolError("thrown".to_owned());
    let executed = |result| Input::Executed { call: 0, result, duration_ms: 1 };
    let unfit = PrepareError::Invalid("unfit".to_owned());
    let block = BeforeTool::Block { reason: Some("no".to_owned()), terminate: false };
    let mut unknown = Row::new("no such tool", "requested not-found recorded").because("Tool nope not found");
    unknown.call.name = "nope".into();
    let mut refused = Row::new("arguments that are none", "requested found prepared invalid recorded")
        .because("Invalid arguments for tool \"read\": bad");
    refused.call.arguments_error = Some("bad".to_owned());
    let mut cut = Row::new("a response that was cut off", "requested truncated recorded").because(
        "Tool call \"read\" was not executed: the response hit the output token limit, so its arguments may be \
         truncated. Re-issue the tool call with complete arguments.",
    );
    cut.stop = StopReason::Length;
    vec![
        Row::new("all well", WELL),
        Row::new("a tool that says it failed", WELL).at("execute", executed(Ok(ToolOutput::error("failed")))),
        unknown,
        refused,
        cut,
        Row::new("arguments that do not fit", "requested found prepared invalid recorded")
            .at("prepare", Input::Prepared { call: 0, result: Err(unfit) })
            .because("unfit"),
        Row::new("a shim that throws", "requested found threw recorded")
            .at("prepare", Input::Prepared { call: 0, result: Err(PrepareError::Threw("thrown".to_owned())) })
            .because("thrown"),
        Row::new("a hook that blocks", "requested found prepared valid blocked recorded")
            .at("before_tool", Input::Admission { call: 0, result: Ok(block) })
            .because("no"),
        Row::new("a hook that throws", "requested found prepared valid blocked recorded")
            .at("before_tool", Input::Admission { call: 0, result: Err(error()) })
            .because("thrown"),
        Row::new("a tool that throws", "requested found prepared valid admitted executing threw recorded")
            .at("execute", executed(Err(error())))
            .because("thrown"),
        Row::new("an after hook that throws", "requested found prepared valid admitted executing threw recorded")
            .at("after_tool", Input::Finalized { call: 0, result: Err(error()) })
            .because("thrown"),
        Row::new("an abort before its turn", "requested aborted recorded")
            .at("tool_execution_start", Input::Abort)
            .because("Operation aborted"),
        Row::new("an abort while it is prepared", "requested found prepared valid aborted recorded")
            .at("prepare", Input::Abort)
            .because("Operation aborted"),
        Row::new("an abort while the hook is asked", "requested found prepared valid aborted recorded")
            .at("before_tool", Input::Abort)
            .because("Operation aborted"),
        Row::new(
            "an abort that nobody waits for",
            "requested found prepared valid admitted executing aborted recorded",
        )
        .at("execute", Input::GraceOver)
        .because("Interrupted by the user. The tool may have partly run."),
        // It has run: what it gave stands.
        Row::new("an abort that the tool outlives", WELL).at("execute", Input::Abort),
    ]
}

/// The traces of a call, in a world where each input takes a millisecond.
fn traces(row: &Row) -> Vec<CallTrace> {
    let spec = ToolSpec { name: "read".to_owned(), ..ToolSpec::default() };
    let config = RunConfig {
        start: Start::Prompts(vec![SharedMessage::new(Message::user("go", 1))]),
        history: History::new(),
        model: ModelInfo::default(),
        reasoning: None,
        tools: vec![RunTool { spec, execution: ExecutionMode::Parallel }],
        execution: ExecutionMode::Parallel,
        signal: AbortSignal::new(),
    };
    let mut now = Now::default();
    let mut run = Run::new(config, now).unwrap();
    let (mut traces, mut n_requests, mut has_come) = (Vec::new(), 0, false);
    while let Some(output) = run.poll_output() {
        let mut inputs = Vec::new();
        if let Some((kind, input)) = &row.at
            && *kind == output.kind()
            && !std::mem::replace(&mut has_come, true)
        {
            // Waiting ends only after an abort.
            inputs.extend(matches!(input, Input::GraceOver).then_some(Input::Abort));
            inputs.push(input.clone());
        }
        if matches!(inputs.last(), None | Some(Input::Abort)) {
            inputs.extend(usual(&output, row, &mut n_requests));
        }
        if let Output::Trace(trace) = output {
            assert_eq!(trace.at, now.monotonic_ms, "{}: the time of what caused it", row.how);
            traces.push(trace);
        }
        for input in inputs {
            now.monotonic_ms += 1.0;
            run.handle(input, now);
        }
    }
    assert!(run.is_done(), "{}", row.how);
    assert_eq!(has_come, row.at.is_some(), "{}", row.how);
    traces
}

fn usual(output: &Output, row: &Row, n_requests: &mut usize) -> Option<Input> {
    Some(match output {
        Output::Emit(_) | Output::Trace(_) => return None,
        Output::CallModel(_) => {
            *n_requests += 1;
            let ToolCall { id, name, .. } = row.call.clone();
            Input::Model(if *n_requests > 1 {
                vec![ModelEvent::Start, ModelEvent::Done { reason: StopReason::Stop }]
            } else {
                vec![
                    ModelEvent::Start,
                    ModelEvent::ToolCallStart { index: 0, id, name },
                    ModelEvent::ToolCallEnd { index: 0, tool_call: row.call.clone().into() },
                    ModelEvent::Done { reason: row.stop },
                ]
            })
        }
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

#[test]
fn each_state_is_reached_in_its_order_and_says_why() {
    let mut reached = Vec::new();
    for row in table() {
        let traces = traces(&row);
        let states: Vec<_> = traces.iter().map(|trace| trace.state.as_str()).collect();
        assert_eq!(states.join(" "), row.states, "{}", row.how);
        let places: Vec<_> = traces.iter().map(|trace| trace.seq).collect();
        assert_eq!(places, (0..traces.len() as u64).collect::<Vec<_>>(), "{}", row.how);
        assert!(traces.is_sorted_by_key(|trace| trace.at), "{}", row.how);
        assert!(traces.iter().all(|trace| trace.call_id == "A".into() && trace.name == row.call.name));
        let (last, before) = traces.split_last().unwrap();
        let (end, before) = before.split_last().unwrap();
        assert_eq!(end.reason.as_deref(), row.reason, "{}", row.how);
        assert!(before.iter().chain([last]).all(|trace| trace.reason.is_none()), "{}", row.how);
        reached.extend(traces.iter().map(|trace| trace.state));
    }
    for state in STATES {
        assert!(reached.contains(&state), "nothing comes to {}", state.as_str());
    }
}

/// As `vitrine-trace` tells it.
#[test]
fn a_trace_is_written_by_its_public_names() {
    let trace = &traces(&table().remove(2))[1];
    let json = serde_json::to_value(trace).unwrap();
    let expected = json!({"seq": 1, "at": trace.at, "callId": "A", "name": "nope", "state": "not-found", "reason": "Tool nope not found"});
    assert_eq!(json, expected);
    for state in STATES {
        assert_eq!(serde_json::to_value(state).unwrap(), json!(state.as_str()));
    }
}
