//! The rail's nodes in words, shapes and colours. What they are is [`rail`]'s to say.

use vitrine_agent::event::CallState;
use vitrine_protocol::course::Placed;
use vitrine_protocol::gates::Gate;
use vitrine_protocol::lanes::Lane;
use vitrine_protocol::numbers::size;
use vitrine_protocol::rail::{self, Ahead, Ending, Kind, Role};
use vitrine_protocol::transcript::{CallCard, Executed, RowId};

use crate::chat::call::look;
use crate::glyphs::Glyph;
use crate::loop_panel::words::LoopWords;
use crate::text::Texts;

/// A node as it is drawn.
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
    /// The number of its event, if the visit saw it.
    pub event: Option<usize>,
    /// The calls of a batch, side by side.
    pub lanes: Vec<Lane>,
}

impl Node {
    /// All by which one node on screen differs from another: a node that says something else is another.
    pub fn key(&self) -> String {
        let Self { key: (row, place), class, word, what, meta, lanes, .. } = self;
        let running = lanes.iter().filter(|lane| lane.ran.is_some()).count();
        format!("{row} {place} {class} {running}\n{word}\n{what}\n{meta}")
    }

    fn new(key: (RowId, usize), level: u8, class: &'static str, shape: Glyph, word: impl Into<String>) -> Self {
        let (what, meta) = Default::default();
        Self {
            key,
            level,
            class,
            shape,
            word: word.into(),
            what,
            code: false,
            meta,
            bar: false,
            event: None,
            lanes: Vec::new(),
        }
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
}

/// Puts a node into words.
pub fn told(placed: Placed, t: &Texts, words: &LoopWords) -> Node {
    let Placed { node: rail::Node { key, kind }, event } = placed;
    Node { event, ..node(key, kind, t, words) }
}

fn node(key: (RowId, usize), kind: Kind, t: &Texts, words: &LoopWords) -> Node {
    let class = match kind.role() {
        Role::Plain => "",
        Role::Model => "model",
        Role::Host => "host",
        Role::Warn => "warn",
        Role::Danger => "danger",
    };
    let level = kind.level();
    let new = |shape, word: &str| Node::new(key, level, class, shape, word);
    match kind {
        Kind::Run => new(Glyph::Turn, words.run).code("agent_start"),
        Kind::Ended => new(Glyph::Turn, words.ended).code("agent_end"),
        Kind::Settled => new(Glyph::Settled, words.settled).what(words.settled_detail),
        Kind::Turn { number } => Node::new(key, level, "turn", Glyph::Turn, (t.turn)(number)),
        Kind::User { text } => new(Glyph::User, t.rail_message).what((t.rail_user)(&text)),
        Kind::Request { number, new_messages } => {
            let what = new_messages.map_or_else(|| t.rail_request_first.to_owned(), t.rail_request_more);
            new(Glyph::Request, &(t.rail_request)(number)).what(what)
        }
        Kind::Message { text, tokens, ending } => {
            let shape = match ending {
                Ending::Streaming | Ending::Whole => Glyph::Message,
                Ending::Aborted | Ending::NotAsked => Glyph::Stop,
                Ending::Failed => Glyph::Triangle,
            };
            let said = if text.is_empty() { String::new() } else { (t.quoted)(&text) };
            let node = new(shape, t.rail_message);
            match ending {
                Ending::Streaming => node.what(t.streaming),
                Ending::Whole if tokens > 0 => node.what(said).meta((t.tokens)(tokens)),
                Ending::Whole => node.what(said),
                Ending::Aborted => node.what(said).meta((t.state)(CallState::Aborted, Executed::Yes)),
                Ending::NotAsked => node.what(t.rail_not_asked),
                Ending::Failed => node.what(said).meta(t.an_error),
            }
        }
        Kind::Batch { lanes } => {
            let names = lanes.iter().map(|lane| lane.name.as_str()).collect::<Vec<_>>().join(", ");
            let n_ended = lanes.iter().filter(|lane| lane.ended.is_some()).count();
            let meta = (words.batch_ended)(n_ended, lanes.len());
            Node { lanes, ..new(Glyph::Call, words.batch).code(names).meta(meta) }
        }
        Kind::Call { name, subject, is_open } => {
            let open = if is_open { (t.state)(CallState::Requested, Executed::No) } else { "" };
            new(Glyph::Call, "toolCall").code(format!("{name} {subject}")).meta(open)
        }
        Kind::Check { gates } => {
            let tried = gates.iter().zip(t.gates).filter_map(|(gate, name)| match gate {
                Gate::Passed => Some(format!("✓ {name}")),
                Gate::Failed | Gate::Blocked => Some(format!("✕ {name}")),
                Gate::NotTried => None,
            });
            new(Glyph::Ticks, t.rail_check).what(tried.collect::<Vec<_>>().join("  "))
        }
        Kind::Execute { duration_ms: Some(ms), .. } => {
            Node { bar: true, ..new(Glyph::Execute, t.rail_execute).meta(format!("{ms} ms")) }
        }
        Kind::Execute { subject, duration_ms: None } => {
            Node { class: "host moving", ..new(Glyph::Execute, t.rail_execute).code(subject) }
        }
        Kind::Result { state, is_error, executed, n_lines, n_bytes } => {
            let shape = if class == "host" { Glyph::Result } else { look(state, is_error).0 };
            let said = match state {
                CallState::Recorded | CallState::Finalized if is_error => t.an_error,
                _ if is_error => (t.state)(state, executed),
                _ => t.no_error,
            };
            let what = match n_lines {
                Some(n_lines) => format!("{}, {}", (t.lines)(n_lines), size(n_bytes)),
                None => size(n_bytes),
            };
            new(shape, "toolResult").what(what).meta(said)
        }
    }
}

/// What a held call still has before it.
pub fn ahead_of(card: &CallCard, t: &Texts) -> Vec<Node> {
    let ghost = |(at, step): (usize, &Ahead)| {
        let new = |level, shape, word: &str| Node::new((RowId::MAX, at), level, "ghost", shape, word).meta(t.not_yet);
        match step {
            Ahead::Check => new(3, Glyph::Ticks, t.rail_check).what(t.rail_gates),
            Ahead::Execute => new(3, Glyph::ExecuteNot, t.rail_execute).code(card.subject.clone().unwrap_or_default()),
            Ahead::Result => new(2, Glyph::ResultNot, "toolResult").what(t.rail_same_id),
        }
    };
    rail::ahead(card.state).iter().enumerate().map(ghost).collect()
}
