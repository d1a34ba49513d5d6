//! [`Happening`]: what a lesson can look at; and [`Pattern`], how it says which one it means.

use serde::Deserialize;
use vitrine_agent::event::{CallTrace, Event};
use vitrine_agent::message::{Block, Message, StopReason, join_text};
use vitrine_protocol::edit::EditedPart;
use vitrine_protocol::fault::FaultKind;
use vitrine_protocol::part::Part;

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'a> {
    /// An event of the run.
    Event(&'a Event),
    /// A call has reached a state.
    Trace(&'a CallTrace),
    /// A request was made: its body.
    Request(&'a [u8]),
    /// A fault has acted.
    Fault(FaultKind),
    /// A person has put something in place of what was.
    Edited(EditedPart),
    /// A person plays a part now.
    Part(Part),
    /// A person went back.
    Rewound,
    /// The session has settled.
    Settled {
        /// By an abort.
        aborted: bool,
    },
}

/// What kind of thing happened, as a lesson names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is the event, or the happening, of its name")]
pub enum Kind {
    AgentStart,
    TurnStart,
    MessageStart,
    MessageEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    ToolExecutionEnd,
    TurnEnd,
    AgentEnd,
    Trace,
    Request,
    Fault,
    Edited,
    Part,
    Rewound,
    Settled,
}

/// Which happenings are meant. Every field that is given must fit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pattern {
    /// An event, or what else can happen.
    pub event: Kind,
    /// Only the n-th of them, from 1, since the step before was shown; for a step.
    #[serde(default)]
    pub nth: Option<u32>,
    /// The tool of the call that it is about.
    #[serde(default)]
    pub tool: Option<String>,
    /// The role of the message that it carries.
    #[serde(default)]
    pub role: Option<String>,
    /// Whether the result that it carries is an error.
    #[serde(default)]
    pub is_error: Option<bool>,
    /// The stop reason of the answer that it carries.
    #[serde(default)]
    pub stop_reason: Option<StopReason>,
    /// The state that the call has reached; the kind of the fault; what was edited; the part.
    #[serde(default)]
    pub what: Option<String>,
    /// Whether a result says how long its call ran.
    #[serde(default)]
    pub timed: Option<bool>,
    /// Whether it came of an abort.
    #[serde(default)]
    pub aborted: Option<bool>,
    /// A text that what it carries has in it.
    #[serde(default)]
    pub contains: Option<String>,
}

/// What of a happening a pattern looks at.
#[derive(Default)]
struct Sides<'a> {
    tool: Option<&'a str>,
    role: Option<&'a str>,
    is_error: Option<bool>,
    stop_reason: Option<StopReason>,
    what: Option<&'a str>,
    timed: Option<bool>,
    aborted: Option<bool>,
    blocks: &'a [Block],
    /// JSON.
    body: &'a [u8],
    text: String,
}

impl Happening<'_> {
    /// The name that a pattern calls it by; none for what no pattern is about.
    fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Event(Event::AgentStart) => Kind::AgentStart,
            Self::Event(Event::TurnStart) => Kind::TurnStart,
            Self::Event(Event::MessageStart { .. }) => Kind::MessageStart,
            Self::Event(Event::MessageUpdate { .. }) => return None,
            Self::Event(Event::MessageEnd { .. }) => Kind::MessageEnd,
            Self::Event(Event::ToolExecutionStart { .. }) => Kind::ToolExecutionStart,
            Self::Event(Event::ToolExecutionUpdate { .. }) => Kind::ToolExecutionUpdate,
            Self::Event(Event::ToolExecutionEnd { .. }) => Kind::ToolExecutionEnd,
            Self::Event(Event::TurnEnd { .. }) => Kind::TurnEnd,
            Self::Event(Event::AgentEnd { .. }) => Kind::AgentEnd,
            Self::Trace(_) => Kind::Trace,
            Self::Request(_) => Kind::Request,
            Self::Fault(_) => Kind::Fault,
            Self::Edited(_) => Kind::Edited,
            Self::Part(_) => Kind::Part,
            Self::Rewound => Kind::Rewound,
            Self::Settled { .. } => Kind::Settled,
        })
    }

    fn sides(&self) -> Sides<'_> {
        match self {
            Self::Event(event) => of_event(event),
            Self::Trace(trace) => Sides {
                tool: Some(&trace.name),
                what: Some(trace.state.as_str()),
                text: trace.reason.clone().unwrap_or_default(),
                ..Sides::default()
            },
            Self::Fault(kind) => Sides { what: Some(kind.as_str()), ..Sides::default() },
            Self::Edited(part) => Sides { what: Some(part.as_str()), ..Sides::default() },
            Self::Part(part) => Sides { what: Some(part.as_str()), ..Sides::default() },
            Self::Settled { aborted } => Sides { aborted: Some(*aborted), ..Sides::default() },
            Self::Request(body) => Sides { body, ..Sides::default() },
            Self::Rewound => Sides::default(),
        }
    }
}

fn of_event(event: &Event) -> Sides<'_> {
    match event {
        Event::MessageStart { message } | Event::MessageEnd { message } | Event::TurnEnd { message, .. } => {
            of_message(message)
        }
        Event::ToolExecutionStart { tool_name, args, .. } => {
            Sides { tool: Some(tool_name), text: args.as_str().to_owned(), ..Sides::default() }
        }
        Event::ToolExecutionUpdate { tool_name, partial_result, .. } => {
            Sides { tool: Some(tool_name), blocks: &partial_result.content, ..Sides::default() }
        }
        Event::ToolExecutionEnd { tool_name, result, is_error, duration_ms, .. } => Sides {
            tool: Some(tool_name),
            is_error: Some(*is_error),
            timed: Some(duration_ms.is_some()),
            blocks: &result.content,
            ..Sides::default()
        },
        Event::AgentStart | Event::TurnStart | Event::MessageUpdate { .. } | Event::AgentEnd { .. } => Sides::default(),
    }
}

fn of_message(message: &Message) -> Sides<'_> {
    let role = Some(message.role());
    match message {
        Message::User(user) => Sides { role, text: user.content.text(), ..Sides::default() },
        Message::Assistant(assistant) => Sides {
            role,
            stop_reason: Some(assistant.stop_reason),
            aborted: Some(assistant.stop_reason == StopReason::Aborted),
            blocks: &assistant.content,
            text: assistant.error_message.clone().unwrap_or_default(),
            ..Sides::default()
        },
        Message::ToolResult(result) => Sides {
            role,
            tool: Some(&result.tool_name),
            is_error: Some(result.is_error),
            timed: Some(result.duration_ms.is_some()),
            blocks: &result.content,
            ..Sides::default()
        },
        Message::System(_) | Message::Other(_) => Sides { role, ..Sides::default() },
    }
}

impl Pattern {
    /// Whether this is one of those that are meant.
    pub fn fits(&self, happening: &Happening<'_>) -> bool {
        // Most of what happens is not what is looked for, and is not taken apart.
        if happening.kind() != Some(self.event) {
            return false;
        }
        let sides = happening.sides();
        let same =
            |wanted: &Option<String>, is: Option<&str>| wanted.as_deref().is_none_or(|wanted| is == Some(wanted));
        same(&self.tool, sides.tool)
            && same(&self.role, sides.role)
            && same(&self.what, sides.what)
            && self.is_error.is_none_or(|wanted| sides.is_error == Some(wanted))
            && self.stop_reason.is_none_or(|wanted| sides.stop_reason == Some(wanted))
            && self.timed.is_none_or(|wanted| sides.timed == Some(wanted))
            && self.aborted.is_none_or(|wanted| sides.aborted == Some(wanted))
            && self.contains.as_deref().is_none_or(|wanted| {
                sides.text.contains(wanted)
                    || join_text(sides.blocks).contains(wanted)
                    || (!sides.body.is_empty() && String::from_utf8_lossy(sides.body).contains(&in_json(wanted)))
            })
    }
}

/// A text as it stands within JSON.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}
