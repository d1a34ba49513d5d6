//! The rail's nodes, read off the transcript: what happened, and what a held call still has before it.

use vitrine_agent::event::CallState;
use vitrine_protocol::gates::{Gate, gates};
use vitrine_protocol::numbers::size;
use vitrine_protocol::transcript::{AssistantRow, CallCard, Part, Row, RowContent, RowId, Transcript};

use crate::chat::call::look;
use crate::glyphs::Glyph;
use crate::text::Texts;

/// A result up to this size has its lines counted; the rail is read anew each frame.
const COUNT_LINES: usize = 16 * 1024;

/// A node: one thing that happened, or is yet to.
#[derive(Clone, PartialEq)]
pub struct Node {
    /// The row, and the place in it.
    pub key: (RowId, usize),
    /// Depth in the tree.
    pub level: u8,
    /// Role, as the style sheet spells it.
    pub class: &'static str,
    /// Its glyph.
    pub shape: Glyph,
    /// What it is.
    pub word: String,
    /// The detail.
    pub what: String,
    /// Whether the detail is code.
    pub code: bool,
    /// At the right: time, size, state.
    pub meta: String,
    /// A bar stands for the time it took.
    pub bar: bool,
}

impl Node {
    /// All by which one node on screen differs from another: a node that says something else is another.
    pub fn key(&self) -> String {
        let Self { key: (row, place), class, word, what, meta, .. } = self;
        format!("{row} {place} {class}\n{word}\n{what}\n{meta}")
    }

    fn new(key: (RowId, usize), class: &'static str, shape: Glyph, word: impl Into<String>) -> Self {
        let (what, meta) = Default::default();
        Self { key, level: 2, class, shape, word: word.into(), what, code: false, meta, bar: false }
    }

    fn what(mut self, what: impl Into<String>) -> Self {
        self.what = what.into();
        self
    }

    fn code(mut self, what: impl Into<String>) -> Self {
        self.code = true;
        self.what(what)
    }

    fn meta(mut self, meta: impl Into<String>) -> Self {
        self.meta = meta.into();
        self
    }

    fn sub(mut self) -> Self {
        self.level = 3;
        self
    }
}

/// Everything that happened, from row `skip` on.
pub fn nodes(transcript: &Transcript, skip: usize, t: &Texts) -> Vec<Node> {
    let is_answer = |row: &&Row| matches!(row.content, RowContent::Assistant(_));
    let mut requests = transcript.rows.iter().take(skip).filter(is_answer).count();
    let mut sent = 0;
    let mut nodes = Vec::new();
    for row in transcript.rows.iter().skip(skip) {
        match &row.content {
            RowContent::Turn { number } => nodes.push(Node::new((row.id, 0), "turn", Glyph::Turn, (t.turn)(*number))),
            RowContent::User { text } => {
                sent += 1;
                let what = (t.rail_user)(&short(text));
                nodes.push(Node::new((row.id, 0), "", Glyph::User, t.rail_message).what(what));
            }
            RowContent::Assistant(answer) => {
                requests += 1;
                let what = if requests == 1 { t.rail_request_first.to_owned() } else { (t.rail_request_more)(sent) };
                nodes.push(Node::new((row.id, 0), "host", Glyph::Request, (t.rail_request)(requests)).what(what));
                answered(&mut nodes, row.id, answer, t);
                // The next request carries the answer and the results of its calls.
                sent = 1 + answer.parts.iter().filter(|part| matches!(part, Part::Call(_))).count();
            }
        }
    }
    nodes
}

fn answered(nodes: &mut Vec<Node>, id: RowId, answer: &AssistantRow, t: &Texts) {
    let text = answer.parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(short(text)),
        Part::Thinking(_) | Part::Call(_) => None,
    });
    if answer.streaming || text.is_some() {
        let node = Node::new((id, 1), "model", Glyph::Message, t.rail_message);
        nodes.push(if answer.streaming {
            node.what(t.streaming)
        } else {
            let meta = if answer.usage.output > 0 { (t.tokens)(answer.usage.output) } else { String::new() };
            node.what((t.quoted)(&text.unwrap_or_default())).meta(meta)
        });
    }
    for (index, part) in answer.parts.iter().enumerate() {
        if let Part::Call(card) = part {
            called(nodes, (id, 10 + 10 * index), card, t);
        }
    }
}

fn called(nodes: &mut Vec<Node>, (id, at): (RowId, usize), card: &CallCard, t: &Texts) {
    let is_error = card.result.as_ref().is_some_and(|result| result.is_error);
    let (shape, role) = look(card.state, is_error);
    let subject = card.subject.clone().unwrap_or_default();
    let node = Node::new((id, at), "model", Glyph::Call, "toolCall").code(format!("{} {subject}", card.name));
    if card.state == CallState::Requested {
        nodes.push(node.meta((t.state)(card.state)));
        return;
    }
    nodes.push(node);
    // A call that no gate looked at (truncated) has no check to show.
    if let Some(gates) = gates(card).filter(|gates| *gates != [Gate::NotTried; 4]) {
        let tried = gates.iter().zip(t.gates).filter_map(|(gate, name)| match gate {
            Gate::Passed => Some(format!("✓ {name}")),
            Gate::Failed | Gate::Blocked => Some(format!("✕ {name}")),
            Gate::NotTried => None,
        });
        let what = tried.collect::<Vec<_>>().join("  ");
        nodes.push(Node::new((id, at + 1), "host", Glyph::Ticks, t.rail_check).what(what).sub());
    }
    match (card.state, card.result.as_ref().and_then(|result| result.duration_ms)) {
        (CallState::Executing, _) => {
            nodes.push(Node::new((id, at + 2), "host moving", Glyph::Execute, t.rail_execute).code(subject).sub());
        }
        (_, Some(ms)) => {
            let node = Node::new((id, at + 2), "host", Glyph::Execute, t.rail_execute).meta(format!("{ms} ms")).sub();
            nodes.push(Node { bar: true, ..node });
        }
        (_, None) => {}
    }
    if let Some(result) = &card.result {
        let class = match role {
            "is-danger" => "danger",
            "is-warn" | "q2" => "warn",
            _ => "host",
        };
        let shape = if class == "host" { Glyph::Result } else { shape };
        let state = match card.state {
            CallState::Recorded | CallState::Finalized if is_error => t.an_error,
            _ if is_error => (t.state)(card.state),
            _ => t.no_error,
        };
        let what = match result.text.len() {
            n_bytes @ ..COUNT_LINES => format!("{}, {}", (t.lines)(result.text.lines().count()), size(n_bytes)),
            n_bytes => size(n_bytes),
        };
        nodes.push(Node::new((id, at + 3), class, shape, "toolResult").what(what).meta(state));
    }
}

/// What a held call still has before it.
pub fn ahead_of(card: &CallCard, t: &Texts) -> Vec<Node> {
    let key = |at| (RowId::MAX, at);
    let subject = card.subject.clone().unwrap_or_default();
    let check = Node::new(key(0), "ghost", Glyph::Ticks, t.rail_check).what(t.rail_gates).sub();
    let execute = Node::new(key(1), "ghost", Glyph::ExecuteNot, t.rail_execute).code(subject).sub();
    let result = Node::new(key(2), "ghost", Glyph::ResultNot, "toolResult").what(t.rail_same_id);
    let done = match card.state {
        CallState::Requested => 0,
        CallState::Found | CallState::Prepared | CallState::Valid | CallState::Admitted => 1,
        CallState::Executing => 2,
        _ => 3,
    };
    [check, execute, result].into_iter().map(|node| node.meta(t.not_yet)).skip(done).collect()
}

/// The start of a text, on one line.
fn short(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut start: String = line.chars().take(60).collect();
    if start.len() < line.len() {
        start.push('…');
    }
    start
}
