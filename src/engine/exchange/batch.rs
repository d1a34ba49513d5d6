//! Model events as one JSON text, so that a network chunk costs one crossing and one parse.
//!
//! It is one flat array of codes, each followed by its operands, to be read from left to right. `index` is a place in
//! `content`. What the pieces of arguments say so far is no part of it: whoever looks at them reads them.
//!
//! | code | operands |
//! |---|---|
//! | 0 | the response has begun |
//! | 1 | facts: an object whose fields go into the message |
//! | 2, 3, 4 | text: index; index, delta; index, signature or null |
//! | 5, 6, 7 | thinking: index; index, delta; index, signature or null, whether it is hidden |
//! | 8, 9, 10 | tool call: index, id, name; index, delta; index, the whole call |
//! | 11 | usage so far |
//! | 12 | it is whole: stop reason |
//! | 13 | it failed: stop reason, text |

use serde::Serialize;
use vitrine_agent::json::Json;
use vitrine_agent::model::{Facts, ModelEvent};

/// The events as text; empty for none.
pub fn encode(events: &[ModelEvent]) -> String {
    if events.is_empty() {
        return String::new();
    }
    let mut list = List(vec![b'[']);
    for event in events {
        list.event(event);
    }
    list.0.push(b']');
    // Only whole JSON values were written.
    String::from_utf8(list.0).unwrap_or_default()
}

struct List(Vec<u8>);

impl List {
    fn event(&mut self, event: &ModelEvent) {
        match event {
            ModelEvent::Start => self.add(&0),
            ModelEvent::Meta(facts) => self.add(&1).add(&FactsRef::of(facts)),
            ModelEvent::TextStart { index } => self.add(&2).add(index),
            ModelEvent::TextDelta { index, delta } => self.add(&3).add(index).add(delta),
            ModelEvent::TextEnd { index, signature } => self.add(&4).add(index).add(signature),
            ModelEvent::ThinkingStart { index } => self.add(&5).add(index),
            ModelEvent::ThinkingDelta { index, delta } => self.add(&6).add(index).add(delta),
            ModelEvent::ThinkingEnd { index, signature, redacted } => {
                self.add(&7).add(index).add(signature).add(redacted)
            }
            ModelEvent::ToolCallStart { index, id, name } => self.add(&8).add(index).add(id).add(name),
            ModelEvent::ToolCallDelta { index, delta } => self.add(&9).add(index).add(delta),
            ModelEvent::ToolCallEnd { index, tool_call } => self.add(&10).add(index).add(tool_call),
            ModelEvent::Usage(usage) => self.add(&11).add(usage),
            ModelEvent::Done { reason } => self.add(&12).add(reason.as_str()),
            ModelEvent::Error { reason, message } => self.add(&13).add(reason.as_str()).add(message),
        };
    }

    fn add(&mut self, item: &(impl Serialize + ?Sized)) -> &mut Self {
        self.separate();
        // Writing these to memory cannot fail.
        let written = serde_json::to_writer(&mut self.0, item);
        debug_assert!(written.is_ok());
        self
    }

    fn separate(&mut self) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
    }
}

/// Facts under the names that messages have for them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FactsRef<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    response_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_thinking_level: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_stop_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_turn: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deferred: Option<&'a Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<&'a Json>,
}

impl<'a> FactsRef<'a> {
    fn of(facts: &'a Facts) -> Self {
        Self {
            response_id: facts.response_id.as_deref(),
            response_model: facts.response_model.as_deref(),
            provider_thinking_level: facts.provider_thinking_level.as_deref(),
            raw_stop_reason: facts.raw_stop_reason.as_deref(),
            end_turn: facts.end_turn,
            deferred: facts.deferred.as_ref(),
            diagnostics: facts.diagnostics.as_ref(),
        }
    }
}
