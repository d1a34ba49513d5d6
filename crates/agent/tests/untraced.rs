//! A host that shows no traces gets none, and everything else as ever.
#![cfg(test)]

use serde_json::json;
use vitrine_agent::history::History;
use vitrine_agent::message::{Message, SharedMessage};
use vitrine_agent::model::ModelInfo;
use vitrine_agent::run::{Changes, FinishTurn, Input, Now, Output, Run, RunConfig, Start};
use vitrine_agent::signal::AbortSignal;

/// The kinds of all outputs of a run in which a tool is called that there is none of.
fn kinds(prepare: fn(Run) -> Run) -> Vec<&'static str> {
    let config = RunConfig {
        start: Start::Prompts(vec![SharedMessage::new(Message::user("go", 1))]),
        history: History::new(),
        model: ModelInfo::default(),
        reasoning: None,
        tools: Vec::new(),
        execution: Default::default(),
        signal: AbortSignal::new(),
    };
    let mut run = prepare(Run::new(config, Now::default()).unwrap());
    let mut kinds = Vec::new();
    while let Some(output) = run.poll_output() {
        kinds.push(output.kind());
        let input = match output {
            Output::CallModel(_) => {
                let call = json!({"type": "toolCall", "id": "1", "name": "none", "arguments": {}});
                let message = json!({"role": "assistant", "content": [call], "api": "", "provider": "", "model": "", "stopReason": "toolUse", "timestamp": 1});
                Input::Answer(SharedMessage::new(serde_json::from_value(message).unwrap()))
            }
            Output::PollSteering => Input::Steering(Vec::new()),
            Output::PrepareRequest { .. } => Input::Request(Changes::default()),
            Output::TransformContext { .. } => Input::Context(None),
            Output::FinishTurn(_) => Input::FinishTurn(FinishTurn::End),
            _ => continue,
        };
        run.handle(input, Now::default());
    }
    assert!(run.is_done());
    kinds
}

#[test]
fn a_run_without_traces_gives_all_else() {
    let traced = kinds(|run| run);
    assert!(traced.contains(&"trace"));
    let all_else: Vec<_> = traced.into_iter().filter(|kind| *kind != "trace").collect();
    assert_eq!(kinds(Run::without_traces), all_else);
}
