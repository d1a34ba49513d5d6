//! The rail: a transcript as the flat list of what happened, node by node, and what a held call still has before it.
//!
//! Says what each node is and whose; words, shapes and colours are the page's. A request has a node only where one left:
//! the turn that closes an aborted run says that it asked nobody.

use vitrine_agent::event::CallState;
use vitrine_agent::message::StopReason;

use crate::gates::{Gate, gates};
use crate::lanes::{Lane, lanes};
use crate::transcript::{AssistantRow, CallCard, Executed, Part, Row, RowContent, RowId, Transcript};

/// A result up to this size has its lines counted; the rail is read anew each frame.
const COUNT_LINES: usize = 16 * 1024;
/// Characters of a text that a node shows.
const SHORT: usize = 60;
/// Characters of a text in which its first line is looked for.
const LOOKED_AT: usize = 4096;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The row it is read off, and its place among the nodes of that row. Unique, and kept while the node changes.
    pub key: (RowId, usize),
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A run begins.
    Run,
    /// A run is over: `agent_end`. What was queued may still begin another.
    Ended,
    /// The session has settled: nothing follows by itself.
    Settled,
    /// A turn begins.
    Turn {
        /// From 1, through the run.
        number: u32,
    },
    /// A user message.
    User {
        /// The start of its text, on one line.
        text: String,
    },
    /// A request left.
    Request {
        /// From 1, through the session.
        number: usize,
        /// Messages that the one before did not carry; `None` for the first, which carries everything.
        new_messages: Option<usize>,
    },
    /// What the model said besides its calls.
    Message {
        /// The start of its text, on one line; empty while it grows and where it says nothing.
        text: String,
        /// Tokens of the answer, calls included; 0 = not known.
        tokens: u64,
        /// Where it stands.
        ending: Ending,
    },
    /// The model asks for several tools in one answer.
    Batch {
        /// Each in its lane, in the order of the calls.
        lanes: Vec<Lane>,
    },
    /// The model asks for a tool.
    Call {
        /// The tool.
        name: String,
        /// The argument worth showing.
        subject: String,
        /// Nothing has been done about it yet.
        is_open: bool,
    },
    /// The host checks the call.
    Check {
        /// Found, prepared, schema, hook.
        gates: [Gate; 4],
    },
    /// The host runs the tool.
    Execute {
        /// The argument worth showing.
        subject: String,
        /// How long it took; `None` while it runs.
        duration_ms: Option<u64>,
    },
    /// The host gives the call its result.
    Result {
        /// How the call ended.
        state: CallState,
        /// Whether the result says that it failed.
        is_error: bool,
        /// Whether the tool did anything.
        executed: Executed,
        /// Lines, unless it is too long to count them.
        n_lines: Option<usize>,
        /// Bytes.
        n_bytes: usize,
    },
}

/// Where a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It grows.
    Streaming,
    /// It is whole.
    Whole,
    /// The run was aborted in it.
    Aborted,
    /// The run was aborted before its request: nobody was asked.
    NotAsked,
    /// The provider or the connection failed.
    Failed,
}

/// Whose a node is, or what is wrong with it: all that its colour says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nobody's, or the user's.
    Plain,
    /// The model asks.
    Model,
    /// The host acts.
    Host,
    /// Held up on purpose: blocked, truncated, aborted.
    Warn,
    /// Went wrong.
    Danger,
}

impl Kind {
    /// Depth in the tree, from 1: a turn, what happens in it, what the host does about a call.
    pub fn level(&self) -> u8 {
        match self {
            Self::Run | Self::Ended | Self::Settled | Self::Turn { .. } => 1,
            Self::User { .. }
            | Self::Request { .. }
            | Self::Message { .. }
            | Self::Batch { .. }
            | Self::Call { .. }
            | Self::Result { .. } => 2,
            Self::Check { .. } | Self::Execute { .. } => 3,
        }
    }

    /// Whose it is.
    pub fn role(&self) -> Role {
        match self {
            Self::Run | Self::Ended | Self::Settled | Self::Turn { .. } | Self::User { .. } => Role::Plain,
            Self::Batch { .. } | Self::Call { .. } => Role::Model,
            Self::Request { .. } | Self::Check { .. } | Self::Execute { .. } => Role::Host,
            Self::Message { ending, .. } => match ending {
                Ending::Streaming | Ending::Whole => Role::Model,
                Ending::Aborted | Ending::NotAsked => Role::Warn,
                Ending::Failed => Role::Danger,
            },
            Self::Result { state, is_error, .. } => match state {
                CallState::Blocked | CallState::Truncated | CallState::Aborted => Role::Warn,
                CallState::NotFound | CallState::Invalid | CallState::Threw => Role::Danger,
                CallState::Finalized | CallState::Recorded if *is_error => Role::Danger,
                CallState::Requested
                | CallState::Found
                | CallState::Prepared
                | CallState::Valid
                | CallState::Admitted
                | CallState::Executing
                | CallState::Finalized
                | CallState::Recorded => Role::Host,
            },
        }
    }
}

/// Everything that happened, from row `skip` on. Earlier rows are counted, and cost no more than that.
pub fn nodes(transcript: &Transcript, skip: usize) -> Vec<Node> {
    nodes_of(transcript, skip, usize::MAX)
}

/// What happened in `n_rows` rows from row `skip` on.
pub fn nodes_of(transcript: &Transcript, skip: usize, n_rows: usize) -> Vec<Node> {
    let (mut n_requests, mut unsent) = (0, 0);
    let mut nodes = Vec::new();
    for (index, row) in transcript.rows.iter().enumerate().take(skip.saturating_add(n_rows)) {
        let is_shown = index >= skip;
        match &row.content {
            RowContent::Turn { number } if is_shown => {
                nodes.push(Node { key: (row.id, 0), kind: Kind::Turn { number: *number } });
            }
            RowContent::Turn { .. } => {}
            RowContent::User { text, .. } => {
                unsent += 1;
                if is_shown {
                    nodes.push(Node { key: (row.id, 0), kind: Kind::User { text: short(text) } });
                }
            }
            RowContent::Assistant(answer) => {
                if answer.asked {
                    n_requests += 1;
                    if is_shown {
                        let new_messages = (n_requests > 1).then_some(unsent);
                        let kind = Kind::Request { number: n_requests, new_messages };
                        nodes.push(Node { key: (row.id, 0), kind });
                    }
                    unsent = carried_on(answer);
                }
                if is_shown {
                    answered(&mut nodes, row, answer);
                }
            }
        }
    }
    nodes
}

/// The messages that an answer leaves for the next request: itself and the result of each call. One that failed or was
/// aborted is never sent (§6.1), nor has it results.
fn carried_on(answer: &AssistantRow) -> usize {
    match answer.stop_reason {
        Some(StopReason::Error | StopReason::Aborted) => 0,
        _ => 1 + answer.parts.iter().filter(|part| matches!(part, Part::Call(_))).count(),
    }
}

fn answered(nodes: &mut Vec<Node>, row: &Row, answer: &AssistantRow) {
    let ending = match answer.stop_reason {
        _ if answer.streaming => Ending::Streaming,
        _ if !answer.asked => Ending::NotAsked,
        Some(StopReason::Aborted) => Ending::Aborted,
        Some(StopReason::Error) => Ending::Failed,
        _ => Ending::Whole,
    };
    let text = answer.parts.iter().find_map(|part| match part {
        Part::Text(text) if ending != Ending::Streaming => Some(short(text)),
        Part::Text(_) | Part::Thinking(_) | Part::Call(_) => None,
    });
    if ending != Ending::Whole || text.is_some() {
        let kind = Kind::Message { text: text.unwrap_or_default(), tokens: answer.usage.output, ending };
        nodes.push(Node { key: (row.id, 1), kind });
    }
    let lanes = lanes(answer);
    if !lanes.is_empty() {
        nodes.push(Node { key: (row.id, 2), kind: Kind::Batch { lanes } });
    }
    for (index, part) in answer.parts.iter().enumerate() {
        if let Part::Call(card) = part {
            called(nodes, (row.id, 10 + 10 * index), card);
        }
    }
}

fn called(nodes: &mut Vec<Node>, (row, place): (RowId, usize), card: &CallCard) {
    let mut push = |offset, kind| nodes.push(Node { key: (row, place + offset), kind });
    let subject = card.subject.clone().unwrap_or_default();
    let is_open = card.state == CallState::Requested;
    push(0, Kind::Call { name: card.name.clone(), subject: subject.clone(), is_open });
    if is_open {
        return;
    }
    // A call that no gate looked at (truncated) has no check to show.
    if let Some(gates) = gates(card).filter(|gates| *gates != [Gate::NotTried; 4]) {
        push(1, Kind::Check { gates });
    }
    let duration_ms = card.result.as_ref().and_then(|result| result.duration_ms);
    if card.state == CallState::Executing || duration_ms.is_some() {
        let duration_ms = duration_ms.filter(|_| card.state != CallState::Executing);
        push(2, Kind::Execute { subject, duration_ms });
    }
    if let Some(result) = &card.result {
        let n_bytes = result.text.len();
        let n_lines = (n_bytes < COUNT_LINES).then(|| result.text.lines().count());
        let (state, is_error, executed) = (card.state, result.is_error, card.executed());
        push(3, Kind::Result { state, is_error, executed, n_lines, n_bytes });
    }
}

/// What a held call still has before it, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// The four gates.
    Check,
    /// The tool runs.
    Execute,
    /// Its result goes back.
    Result,
}

/// What a call in this state has before it.
pub fn ahead(state: CallState) -> &'static [Ahead] {
    match state {
        CallState::Requested => &[Ahead::Check, Ahead::Execute, Ahead::Result],
        CallState::Found | CallState::Prepared | CallState::Valid | CallState::Admitted => {
            &[Ahead::Execute, Ahead::Result]
        }
        CallState::Executing => &[Ahead::Result],
        CallState::Finalized
        | CallState::Recorded
        | CallState::NotFound
        | CallState::Invalid
        | CallState::Blocked
        | CallState::Truncated
        | CallState::Aborted
        | CallState::Threw => &[],
    }
}

/// Who is at work while a run goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Actor {
    /// The model answers, or is being asked.
    #[default]
    Model,
    /// The host sees to the calls of the last answer.
    Host,
}

/// How many requests have left so far, and who is at work.
pub fn going_on(transcript: &Transcript) -> (usize, Actor) {
    let is_asked = |row: &&Row| matches!(&row.content, RowContent::Assistant(answer) if answer.asked);
    let actor = match transcript.rows.last().map(|row| &row.content) {
        Some(RowContent::Assistant(answer)) if !answer.streaming => Actor::Host,
        Some(RowContent::Assistant(_) | RowContent::User { .. } | RowContent::Turn { .. }) | None => Actor::Model,
    };
    (transcript.rows.iter().filter(is_asked).count(), actor)
}

/// The start of a text, on one line.
fn short(text: &str) -> String {
    // A text of blank lines is not read to its end in every frame.
    let head = text.char_indices().nth(LOOKED_AT).and_then(|(end, _)| text.get(..end)).unwrap_or(text);
    let line = head.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut start: String = line.chars().take(SHORT).collect();
    if start.len() < line.len() {
        start.push('…');
    }
    start
}
