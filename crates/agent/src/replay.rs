//! The prompt and the tools are state of the transcript: [`replay`] folds its system messages into both.
//!
//! A system message sets text, patches named sections and adds or removes tools from its place on. A wire that sends one
//! prompt sends the replay of them all; a wire that knows system messages in mid-conversation sends each at its place,
//! the first by [`render_leading`] and the rest by [`render_update`].

use indexmap::IndexMap;
use serde_json::Value;

use crate::json::Json;
use crate::message::{Message, SharedMessage, SystemMessage, ToolName, UserContent};
use crate::tool::ToolSpec;

/// What the system messages of a transcript add up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// The prompt as one text; empty when there is none.
    pub prompt: String,
    /// The tools declared, in order of declaration.
    pub tools: Vec<ToolSpec>,
}

/// Folds all system messages, wherever they stand.
pub fn replay(messages: &[SharedMessage]) -> Replayed {
    let mut texts = Vec::new();
    let mut sections = IndexMap::<&str, &str>::new();
    let mut tools = ToolSet::default();
    for system in systems(messages) {
        texts.push(system.content.text());
        for (name, value) in system.sections.iter().flatten() {
            match value {
                // A section that is set again keeps its place.
                Some(value) => drop(sections.insert(name, value)),
                None => drop(sections.shift_remove(name.as_str())),
            }
        }
        tools.apply(system);
    }
    let texts = texts.iter().map(String::as_str);
    Replayed { prompt: paragraphs(texts.chain(sections.into_values())), tools: tools.into_specs() }
}

/// The system message a transcript begins with, at time 0; `None` when there is nothing to say.
pub fn create_initial_system_message(prompt: &str, tools: &[ToolSpec]) -> Option<SharedMessage> {
    if prompt.is_empty() && tools.is_empty() {
        return None;
    }
    Some(SharedMessage::new(Message::System(SystemMessage {
        content: UserContent::Text(prompt.to_owned()),
        tools_added: (!tools.is_empty()).then(|| tools.to_vec()),
        ..SystemMessage::default()
    })))
}

/// The text of a leading system message: its content, then its sections.
pub fn render_leading(system: &SystemMessage) -> String {
    let text = system.content.text();
    let sections = system.sections.iter().flatten().filter_map(|(_, value)| value.as_deref());
    paragraphs([text.as_str()].into_iter().chain(sections))
}

/// The text of a later system message: its content, then what became of each section it names.
pub fn render_update(system: &SystemMessage) -> String {
    let mut parts = vec![system.content.text()];
    for (name, value) in system.sections.iter().flatten() {
        parts.push(match value {
            Some(value) => format!("Updated system prompt section \"{name}\":\n\n{value}"),
            None => format!("Removed system prompt section \"{name}\"."),
        });
    }
    paragraphs(parts.iter().map(String::as_str))
}

/// The system messages of a transcript.
pub(crate) fn systems(messages: &[SharedMessage]) -> impl Iterator<Item = &SystemMessage> {
    messages.iter().filter_map(|message| match &**message {
        Message::System(system) => Some(system),
        Message::User(_) | Message::Assistant(_) | Message::ToolResult(_) | Message::Other(_) => None,
    })
}

fn paragraphs<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The tools that a transcript has declared, kept up to date one system message at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolSet(IndexMap<String, ToolSpec>);

impl ToolSet {
    /// The tools declared by a whole transcript.
    pub(crate) fn of(messages: &[SharedMessage]) -> Self {
        let mut tools = Self::default();
        systems(messages).for_each(|system| tools.apply(system));
        tools
    }

    /// Removals first, then additions: a changed tool is in both, and moves to the end.
    pub(crate) fn apply(&mut self, system: &SystemMessage) {
        for ToolName { name } in system.tools_removed.iter().flatten() {
            self.0.shift_remove(name);
        }
        for spec in system.tools_added.iter().flatten() {
            self.0.insert(spec.name.clone(), spec.clone());
        }
    }

    /// What has to be added and removed so that exactly the wanted tools are declared.
    pub(crate) fn delta<'a>(&self, wanted: impl Iterator<Item = &'a ToolSpec>) -> ToolDelta {
        let wanted: IndexMap<&str, &ToolSpec> = wanted.map(|spec| (spec.name.as_str(), spec)).collect();
        let is_declared = |spec: &ToolSpec| self.0.get(&spec.name).is_some_and(|declared| same_tool(declared, spec));
        ToolDelta {
            added: wanted.values().filter(|spec| !is_declared(spec)).map(|&spec| spec.clone()).collect(),
            removed: (self.0.values())
                .filter(|declared| !wanted.get(declared.name.as_str()).is_some_and(|spec| same_tool(declared, spec)))
                .map(|declared| ToolName { name: declared.name.clone() })
                .collect(),
        }
    }

    fn into_specs(self) -> Vec<ToolSpec> {
        self.0.into_values().collect()
    }
}

/// A change of the declared tools.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolDelta {
    pub(crate) added: Vec<ToolSpec>,
    pub(crate) removed: Vec<ToolName>,
}

impl ToolDelta {
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// Makes it the tool change of a system message.
    pub(crate) fn put_into(self, system: &mut SystemMessage) {
        system.tools_added = (!self.added.is_empty()).then_some(self.added);
        system.tools_removed = (!self.removed.is_empty()).then_some(self.removed);
    }
}

/// The same declaration: equal as JSON without its white space, as pi compares them. A log that was written elsewhere
/// spaces its schemas in its own way, but another order of keys is another text to a model.
fn same_tool(a: &ToolSpec, b: &ToolSpec) -> bool {
    let same_json = |a: &Json, b: &Json| a == b || same_value(&a.to_value(), &b.to_value());
    a.name == b.name
        && a.description == b.description
        && same_json(&a.parameters, &b.parameters)
        && match (&a.constrained_sampling, &b.constrained_sampling) {
            (Some(a), Some(b)) => same_json(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((a_key, a), (b_key, b))| a_key == b_key && same_value(a, b))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b)),
        (a, b) => a == b,
    }
}
