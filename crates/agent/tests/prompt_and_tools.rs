//! Prompt and tools as state of the transcript (§1.5): replay, rendering, and what a run declares.
#![cfg(test)]

use serde_json::{Value, json};
use vitrine_agent::event::Event;
use vitrine_agent::history::History;
use vitrine_agent::message::{Message, SharedMessage};
use vitrine_agent::model::ModelInfo;
use vitrine_agent::replay::{create_initial_system_message, render_leading, render_update, replay};
use vitrine_agent::run::{Input, Now, Output, Run, RunConfig, RunTool, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{ExecutionMode, ToolSpec};

fn messages(value: &Value) -> Vec<SharedMessage> {
    serde_json::from_value(value.clone()).unwrap()
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "parameters": {"type": "object", "required": []}})
}

fn spec(value: &Value) -> ToolSpec {
    serde_json::from_value(value.clone()).unwrap()
}

fn system(fields: &Value) -> Value {
    let mut system = json!({"role": "system", "content": "", "timestamp": 7});
    system.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    system
}

fn user() -> Value {
    json!({"role": "user", "content": "hi", "timestamp": 1})
}

#[test]
fn replay_folds_all_system_messages() {
    let (read, read2, write) = (tool("read", "Reads"), tool("read", "Reads more"), tool("write", "Writes"));
    for (what, transcript, prompt, tools) in [
        ("nothing", json!([user()]), "", json!([])),
        (
            "content is joined by blank lines, wherever it stands",
            json!([
                system(&json!({"content": "a"})),
                user(),
                system(&json!({"content": [{"type": "text", "text": "b"}]}))
            ]),
            "a\n\nb",
            json!([]),
        ),
        (
            "sections follow the content; one that is set again keeps its place, one that is removed loses it",
            json!([
                system(&json!({"content": "a", "sections": {"x": "1", "y": "2", "z": "3"}})),
                system(&json!({"sections": {"x": "4", "y": null}})),
                system(&json!({"sections": {"y": "5"}})),
            ]),
            "a\n\n4\n\n3\n\n5",
            json!([]),
        ),
        (
            "tools are removed, then added: a changed one moves to the end",
            json!([
                system(&json!({"toolsAdded": [read, write]})),
                system(&json!({"toolsRemoved": [{"name": "read"}, {"name": "nope"}], "toolsAdded": [read2]})),
            ]),
            "",
            json!([write, read2]),
        ),
        (
            "a tool that is set again without a removal keeps its place",
            json!([system(&json!({"toolsAdded": [read, write]})), system(&json!({"toolsAdded": [read2]}))]),
            "",
            json!([read2, write]),
        ),
    ] {
        let replayed = replay(&messages(&transcript));
        assert_eq!((replayed.prompt.as_str(), json!(replayed.tools)), (prompt, tools), "{what}");
    }
}

#[test]
fn a_system_message_is_rendered_for_its_place() {
    let message = messages(&json!([system(&json!({"content": "Be kind.", "sections": {"cwd": "/w", "docs": null}}))]));
    let Message::System(system) = &*message[0] else { panic!("a system message") };
    assert_eq!(render_leading(system), "Be kind.\n\n/w");
    assert_eq!(
        render_update(system),
        "Be kind.\n\nUpdated system prompt section \"cwd\":\n\n/w\n\nRemoved system prompt section \"docs\"."
    );
}

#[test]
fn the_initial_system_message_says_something_or_is_not_there() {
    let read = tool("read", "Reads");
    let initial = |prompt, tools: &[ToolSpec]| json!(create_initial_system_message(prompt, tools));
    assert_eq!(initial("", &[]), Value::Null);
    assert_eq!(initial("p", &[]), json!({"role": "system", "content": "p", "timestamp": 0}));
    assert_eq!(
        initial("", &[spec(&read)]),
        json!({"role": "system", "content": "", "toolsAdded": [read], "timestamp": 0})
    );
}

/// What a run puts into the history before its first request.
fn opening(history: &Value, prompts: &Value, tools: &[Value]) -> Value {
    let config = RunConfig {
        start: Start::Prompts(messages(prompts)),
        history: messages(history).into_iter().collect::<History>(),
        model: ModelInfo::default(),
        reasoning: None,
        tools: tools.iter().map(|tool| RunTool { spec: spec(tool), execution: ExecutionMode::Parallel }).collect(),
        execution: ExecutionMode::Parallel,
        signal: AbortSignal::new(),
    };
    let now = Now { wall_ms: 50, monotonic_ms: 0.0 };
    let mut run = Run::new(config, now).unwrap();
    let mut opening = Vec::new();
    while let Some(output) = run.poll_output() {
        match output {
            Output::Emit(Event::MessageEnd { message }) => opening.push(message),
            Output::PollSteering => run.handle(Input::Steering(Vec::new()), now),
            _ => {}
        }
    }
    json!(opening)
}

#[test]
fn a_run_declares_exactly_its_tools() {
    let (read, read2, write) = (tool("read", "Reads"), tool("read", "Reads more"), tool("write", "Writes"));
    let mut reordered = read.clone();
    reordered["parameters"] = json!({"required": [], "type": "object"});
    let (mut a_and_b, mut b_and_a) = (read.clone(), read.clone());
    a_and_b["parameters"] = json!({"properties": {"a": {}, "b": {}}});
    b_and_a["parameters"] = json!({"properties": {"b": {}, "a": {}}});
    let mut constrained = read.clone();
    constrained["constrainedSampling"] = json!(false);
    let declared = |fields: Value| {
        let mut system = system(&fields);
        system["timestamp"] = json!(50);
        system
    };
    for (what, history, prompts, tools, expected) in [
        (
            "nothing to say",
            json!([system(&json!({"toolsAdded": [read]}))]),
            json!([user()]),
            vec![read.clone()],
            json!([user()]),
        ),
        (
            "another order of keys is another declaration",
            json!([system(&json!({"toolsAdded": [reordered]}))]),
            json!([user()]),
            vec![read.clone()],
            json!([declared(json!({"toolsAdded": [read], "toolsRemoved": [{"name": "read"}]})), user()]),
        ),
        (
            "at any depth",
            json!([system(&json!({"toolsAdded": [a_and_b]}))]),
            json!([user()]),
            vec![b_and_a.clone()],
            json!([declared(json!({"toolsAdded": [b_and_a], "toolsRemoved": [{"name": "read"}]})), user()]),
        ),
        (
            "how its sampling is constrained is part of a declaration",
            json!([system(&json!({"toolsAdded": [read]}))]),
            json!([user()]),
            vec![constrained.clone()],
            json!([declared(json!({"toolsAdded": [constrained], "toolsRemoved": [{"name": "read"}]})), user()]),
        ),
        (
            "what is missing and what is too much",
            json!([system(&json!({"toolsAdded": [read]}))]),
            json!([user()]),
            vec![write.clone()],
            json!([declared(json!({"toolsAdded": [write], "toolsRemoved": [{"name": "read"}]})), user()]),
        ),
        (
            "a changed tool is in both lists",
            json!([system(&json!({"toolsAdded": [read, write]}))]),
            json!([user()]),
            vec![read2.clone(), write.clone()],
            json!([declared(json!({"toolsAdded": [read2], "toolsRemoved": [{"name": "read"}]})), user()]),
        ),
        (
            "a system message that goes in bears the change, in place of its own claim",
            json!([]),
            json!([user(), system(&json!({"content": "p", "toolsAdded": [write]})), user()]),
            vec![read.clone()],
            json!([user(), system(&json!({"content": "p", "toolsAdded": [read]})), user()]),
        ),
        (
            "the last of two bears it, after what the first has done",
            json!([]),
            json!([system(&json!({"toolsAdded": [read]})), system(&json!({"content": "p"})), user()]),
            vec![write.clone()],
            json!([
                system(&json!({"toolsAdded": [read]})),
                system(&json!({"content": "p", "toolsAdded": [write], "toolsRemoved": [{"name": "read"}]})),
                user()
            ]),
        ),
        (
            "one that says nothing of tools stays as it is when nothing changes",
            json!([system(&json!({"toolsAdded": [read]}))]),
            json!([system(&json!({"content": "p"})), user()]),
            vec![read.clone()],
            json!([system(&json!({"content": "p"})), user()]),
        ),
    ] {
        assert_eq!(opening(&history, &prompts, &tools), expected, "{what}");
    }
}

/// A log that was written elsewhere spaces its schemas in its own way.
#[test]
fn white_space_is_no_change() {
    let text = r#"[{"role": "system", "content": "", "timestamp": 0, "toolsAdded": [{"name": "read", "description": "Reads",
        "parameters": { "type" : "object", "required" : [ ] }}]}]"#;
    let spaced: Vec<SharedMessage> = serde_json::from_str(text).unwrap();
    let Message::System(system) = &*spaced[0] else { panic!("a system message") };
    assert!(system.tools_added.as_ref().unwrap()[0].parameters.as_str().contains(" : "));
    let config = RunConfig {
        start: Start::Prompts(messages(&json!([user()]))),
        history: spaced.into_iter().collect::<History>(),
        model: ModelInfo::default(),
        reasoning: None,
        tools: vec![RunTool { spec: spec(&tool("read", "Reads")), execution: ExecutionMode::Parallel }],
        execution: ExecutionMode::Parallel,
        signal: AbortSignal::new(),
    };
    let mut run = Run::new(config, Now::default()).unwrap();
    while let Some(output) = run.poll_output() {
        assert!(!matches!(output, Output::Emit(Event::MessageEnd { message }) if message.role() == "system"));
    }
}
