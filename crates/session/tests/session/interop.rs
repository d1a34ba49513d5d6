//! A session that pi 1.6 wrote: a compaction, a branch that was left, and what pi itself makes of each leaf.

use serde::Deserialize;
use vitrine_agent::message::SharedMessage;
use vitrine_session::entry::ModelChange;
use vitrine_session::ids::EntryId;
use vitrine_session::log::parse;
use vitrine_session::projection::{Context, for_model, project};
use vitrine_session::tree::Tree;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expected {
    leaf: EntryId,
    messages: Vec<SharedMessage>,
    model: Option<ModelChange>,
    thinking_level: String,
    for_model: Vec<SharedMessage>,
}

#[test]
fn contexts_of_pi_are_ours() {
    let parsed = parse(include_bytes!("files/pi-1.6.jsonl")).unwrap();
    let tree = Tree::new(parsed.entries);
    let lines: Vec<_> = include_str!("files/pi-1.6.contexts.jsonl").lines().collect();
    assert_eq!(lines.len(), 3);
    for line in lines {
        let Expected { leaf, messages, model, thinking_level, for_model: sent } = serde_json::from_str(line).unwrap();
        let context = project(&tree.path_to(&leaf));
        assert_eq!(for_model(&context.messages), sent, "{leaf}");
        assert_eq!(context, Context { messages, model, thinking_level }, "{leaf}");
    }
}
