//! What a compaction writes, apart from the summary: the prompt and the tools as they were, so that the cut loses
//! neither.

use indexmap::IndexMap;
use vitrine_agent::message::{Message, SharedMessage, SystemMessage, UserContent};
use vitrine_agent::tool::ToolSpec;

/// All system messages of a context, replayed into one of the given time; `None` when there are none.
pub fn checkpoint(messages: &[SharedMessage], now_ms: u64) -> Option<SystemMessage> {
    let mut texts = Vec::new();
    let mut sections = IndexMap::<String, Option<String>>::new();
    let mut tools = IndexMap::<&str, &ToolSpec>::new();
    let mut is_empty = true;
    for message in messages {
        let Message::System(system) = &**message else { continue };
        is_empty = false;
        texts.push(system.content.text());
        for (name, value) in system.sections.iter().flatten() {
            match value {
                Some(_) => drop(sections.insert(name.clone(), value.clone())),
                None => drop(sections.shift_remove(name)),
            }
        }
        // Removals first: a changed tool is in both lists.
        for removed in system.tools_removed.iter().flatten() {
            tools.shift_remove(removed.name.as_str());
        }
        tools.extend(system.tools_added.iter().flatten().map(|tool| (tool.name.as_str(), tool)));
    }
    if is_empty {
        return None;
    }
    texts.retain(|text| !text.is_empty());
    Some(SystemMessage {
        content: UserContent::Text(texts.join("\n\n")),
        sections: (!sections.is_empty()).then_some(sections),
        tools_added: (!tools.is_empty()).then(|| tools.into_values().cloned().collect()),
        tools_removed: None,
        timestamp: now_ms,
        ..SystemMessage::default()
    })
}
