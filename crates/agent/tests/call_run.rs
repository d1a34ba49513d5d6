//! A call that a tool makes in turn goes by the rules of a model's call (§5.2, §5.3), and nobody is told.
#![cfg(test)]

use serde_json::json;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, ToolCall};
use vitrine_agent::run::{AfterTool, BeforeTool, CallOutcome, CallRun, Input, Now, Output, PrepareError, RunTool};
use vitrine_agent::tool::{ToolError, ToolOutput, ToolSpec};

/// What the world answers; the default lets everything pass.
struct Answers {
    name: &'static str,
    arguments_error: Option<&'static str>,
    prepare: Result<(), PrepareError>,
    before: Result<Option<BeforeTool>, ToolError>,
    execute: Result<ToolOutput, ToolError>,
    after: Result<AfterTool, ToolError>,
    /// The output at whose asking the abort comes.
    abort_at: Option<&'static str>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            name: "read",
            arguments_error: None,
            prepare: Ok(()),
            before: Ok(None),
            execute: Ok(ToolOutput { terminate: true, ..ToolOutput::text("x") }),
            after: Ok(AfterTool::default()),
            abort_at: None,
        }
    }
}

fn threw<T>(text: &str) -> Result<T, ToolError> {
    Err(ToolError(text.to_owned()))
}

/// The outputs' names in order, and the outcome.
fn play(answers: &Answers) -> (String, CallOutcome) {
    let spec = ToolSpec { name: "read".to_owned(), ..ToolSpec::default() };
    let tool_call = ToolCall {
        id: "a/1".into(),
        name: answers.name.to_owned().into(),
        arguments_error: answers.arguments_error.map(str::to_owned),
        ..ToolCall::default()
    };
    let mut call = CallRun::new(&tool_call, &[RunTool { spec, execution: Default::default() }], Now::default());
    let mut asked = Vec::new();
    if answers.abort_at == Some("start") {
        call.handle(Input::Abort, Now::default());
    }
    while let Some(output) = call.poll_output() {
        assert_eq!(call.outcome(), None);
        asked.push(output.kind());
        if answers.abort_at == Some(output.kind()) {
            call.handle(Input::Abort, Now::default());
        }
        let answer = match output {
            Output::Prepare { call, .. } => {
                Input::Prepared { call, result: answers.prepare.clone().map(|()| json!({"path": "a"})) }
            }
            Output::BeforeTool { call, arguments, .. } => {
                assert_eq!(arguments, json!({"path": "a"}));
                let allow = BeforeTool::Allow(arguments);
                Input::Admission { call, result: answers.before.clone().map(|decision| decision.unwrap_or(allow)) }
            }
            Output::Execute { call, .. } => Input::Executed { call, result: answers.execute.clone(), duration_ms: 3 },
            Output::AfterTool { call, .. } => Input::Finalized { call, result: answers.after.clone() },
            other => panic!("a call alone gives no {}", other.kind()),
        };
        call.handle(answer, Now::default());
    }
    (asked.join(" "), call.outcome().expect("it is over").clone())
}

#[test]
fn a_call_alone_goes_by_the_same_rules() {
    let error = |text: &str| CallOutcome {
        output: ToolOutput { details: Some(Json::empty_object()), ..ToolOutput::text(text) },
        is_error: true,
        duration_ms: None,
    };
    let ran = |output: ToolOutput, is_error: bool| CallOutcome { output, is_error, duration_ms: Some(3) };
    let x = || ToolOutput { terminate: true, ..ToolOutput::text("x") };
    let all = "prepare before_tool execute after_tool";
    let block = |reason: &str, terminate| Ok(Some(BeforeTool::Block { reason: Some(reason.to_owned()), terminate }));
    for (what, answers, asked, outcome) in [
        ("it runs", Answers::default(), all, ran(x(), false)),
        ("no such tool", Answers { name: "nope", ..Answers::default() }, "", error("Tool nope not found")),
        (
            "arguments that are no JSON",
            Answers { arguments_error: Some("cut off"), ..Answers::default() },
            "prepare",
            error("Invalid arguments for tool \"read\": cut off"),
        ),
        (
            "arguments that do not fit",
            Answers { prepare: Err(PrepareError::Invalid("bad".to_owned())), ..Answers::default() },
            "prepare",
            error("bad"),
        ),
        (
            "a shim that throws",
            Answers { prepare: Err(PrepareError::Threw("boom".to_owned())), ..Answers::default() },
            "prepare",
            error("boom"),
        ),
        ("blocked", Answers { before: block("no", false), ..Answers::default() }, "prepare before_tool", error("no")),
        (
            "blocked without a reason",
            Answers { before: block("", true), ..Answers::default() },
            "prepare before_tool",
            CallOutcome {
                output: ToolOutput { terminate: true, ..error("Tool execution was blocked").output },
                ..error("")
            },
        ),
        (
            "a before hook that throws",
            Answers { before: threw("h"), ..Answers::default() },
            "prepare before_tool",
            error("h"),
        ),
        (
            "a tool that throws",
            Answers { execute: threw("t"), ..Answers::default() },
            all,
            CallOutcome { duration_ms: Some(3), ..error("t") },
        ),
        (
            "a tool that fails in its own terms",
            Answers { execute: Ok(ToolOutput { is_error: true, ..x() }), ..Answers::default() },
            all,
            ran(ToolOutput { is_error: true, ..x() }, true),
        ),
        (
            "an after hook that replaces",
            Answers {
                after: Ok(AfterTool {
                    content: Some(vec![Block::text("y")]),
                    is_error: Some(true),
                    ..AfterTool::default()
                }),
                ..Answers::default()
            },
            all,
            ran(ToolOutput { terminate: true, ..ToolOutput::text("y") }, true),
        ),
        (
            "an after hook that throws",
            Answers { after: threw("late"), ..Answers::default() },
            all,
            CallOutcome { duration_ms: Some(3), ..error("late") },
        ),
        (
            "aborted before it began: no hook is asked",
            Answers { abort_at: Some("start"), ..Answers::default() },
            "",
            error("Operation aborted"),
        ),
        (
            "aborted at the before hook",
            Answers { abort_at: Some("before_tool"), ..Answers::default() },
            "prepare before_tool",
            error("Operation aborted"),
        ),
        (
            "aborted while it runs: its own result stands, and the after hook is asked",
            Answers { abort_at: Some("execute"), ..Answers::default() },
            all,
            ran(x(), false),
        ),
    ] {
        assert_eq!(play(&answers), (asked.to_owned(), outcome), "{what}");
    }
}

#[test]
fn only_after_an_abort_it_stops_waiting() {
    let spec = ToolSpec { name: "read".to_owned(), ..ToolSpec::default() };
    let tool_call = ToolCall { name: "read".into(), ..ToolCall::default() };
    let mut call = CallRun::new(&tool_call, &[RunTool { spec, execution: Default::default() }], Now::default());
    assert!(matches!(call.poll_output(), Some(Output::Prepare { .. })));
    call.handle(Input::GraceOver, Now::default());
    assert!(call.poll_output().is_none() && call.outcome().is_none());
    call.handle(Input::Abort, Now::default());
    call.handle(Input::GraceOver, Now::default());
    assert!(call.poll_output().is_none());
    assert_eq!(call.outcome().map(|outcome| outcome.is_error), Some(true));
    // What comes late is ignored.
    call.handle(Input::Prepared { call: 0, result: Ok(json!({})) }, Now::default());
    assert!(call.poll_output().is_none());
}
