//! The rail: the run as a flat list of nodes, read off the transcript, with the now line and what lies ahead.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_agent::event::CallState;
use vitrine_protocol::gates::{Gate, gates};
use vitrine_protocol::notification::Status;
use vitrine_protocol::scroll::follows_bottom;
use vitrine_protocol::transcript::{AssistantRow, CallCard, Part, Row, RowContent, RowId, Transcript};

use crate::chat::call::look;
use crate::chat::output::size;
use crate::glyphs::{Glyph, glyph};
use crate::store::Store;
use crate::text::Texts;

/// Transcript rows the rail is drawn of.
const ROWS: usize = 40;

/// A result up to this size has its lines counted; the rail is read anew each frame.
const COUNT_LINES: usize = 16 * 1024;

/// A node: one thing that happened, or is yet to.
#[derive(Clone, PartialEq)]
struct Node {
    key: (RowId, usize),
    level: u8,
    class: &'static str,
    shape: Glyph,
    word: String,
    what: String,
    code: bool,
    meta: String,
    /// A bar stands for the time it took.
    bar: bool,
}

impl Node {
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

/// Draws the rail, or the five words of the loop while there is none.
pub fn rail(store: Store) -> impl IntoView {
    let list = NodeRef::<html::Ul>::new();
    let follows = StoredValue::new(true);
    let (happened, ahead) = (RwSignal::new(Vec::<Node>::new()), RwSignal::new(Vec::<Node>::new()));
    let skipped = RwSignal::new(0_usize);
    Effect::new(move || {
        store.drawn.track();
        let t = store.t();
        let paused = store.state.with(|state| state.paused_at.clone().filter(|_| state.status == Status::Paused));
        let read = store.with_transcript(|transcript| {
            let skip = transcript.rows.len().saturating_sub(ROWS);
            let held = paused.and_then(|at| at.call_id).and_then(|id| transcript.call(&id));
            (skip, nodes(transcript, skip, t), held.map(|card| ahead_of(card, t)).unwrap_or_default())
        });
        let Some((skip, nodes, next)) = read else { return };
        if skipped.get_untracked() != skip {
            skipped.set(skip);
        }
        if happened.with_untracked(|old| *old != nodes) {
            happened.set(nodes);
        }
        if ahead.with_untracked(|old| *old != next) {
            ahead.set(next);
        }
        if let Some(list) = list.get_untracked().filter(|_| follows.get_value()) {
            dom::soon(move || dom::scroll_to(&list, f64::from(i32::MAX)));
        }
    });
    let on_scroll = move |_| {
        if let Some(list) = list.get_untracked() {
            let at = dom::scroll_metrics(&list);
            follows.set_value(follows_bottom(at.top, at.client, at.height));
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowDown" | "]" => 1,
            "ArrowUp" | "[" => -1,
            _ => return,
        };
        if let Some(list) = list.get_untracked()
            && dom::rove(&list, step)
        {
            event.prevent_default();
        }
    };
    let empty = Memo::new(move |_| happened.with(Vec::is_empty));
    let last = Memo::new(move |_| happened.with(|nodes| nodes.last().map(|node| node.key)));
    let earlier = move || {
        let skipped = skipped.get();
        (skipped > 0).then(|| view! { <li class="q" role="none">{(store.t().rail_earlier)(skipped)}</li> })
    };
    let now = move || {
        let paused = store.status() == Status::Paused;
        paused.then(|| view! { <li class="railnow" role="none"><span class="nowtag">{store.t().now}</span></li> })
    };
    move || {
        if empty.get() {
            return empty_loop(store).into_any();
        }
        view! {
            <ul
                class="rail scroll"
                role="tree"
                aria-label=move || (store.t().rail_name)(store.state.with(|state| state.turn))
                node_ref=list
                on:scroll=on_scroll
                on:keydown=on_key
            >
                {earlier}
                <For
                    each=move || happened.get()
                    key=|node| (node.key, node.word.clone(), node.what.clone(), node.meta.clone(), node.class)
                    children=move |node| {
                        let key = node.key;
                        node_view(node, move || last.get() == Some(key))
                    }
                />
                {now}
                <For
                    each=move || ahead.get()
                    key=|node| (node.key, node.word.clone())
                    children=|node| node_view(node, || false)
                />
            </ul>
        }
        .into_any()
    }
}

fn node_view(node: Node, current: impl Fn() -> bool + Copy + Send + Sync + 'static) -> impl IntoView {
    let name = [node.word.as_str(), node.what.as_str(), node.meta.as_str()];
    let name = name.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(", ");
    let turn = node.class == "turn";
    view! {
        <li
            class=format!("node {}", node.class)
            role="treeitem"
            attr:aria-level=node.level.to_string()
            aria-label=name
            aria-selected=move || current().to_string()
            tabindex=move || if current() { "0" } else { "-1" }
            data-testid="event"
        >
            {glyph(node.shape)}
            <span class="word">{node.word}</span>
            {(!turn).then(|| view! {
                <span class="what" class:code=node.code>
                    {if node.bar { view! { <span class="bar-x"></span> }.into_any() } else { node.what.into_any() }}
                </span>
                <span class="meta">{node.meta}</span>
            })}
        </li>
    }
}

fn empty_loop(store: Store) -> impl IntoView {
    let shapes = [Glyph::RequestNot, Glyph::Call, Glyph::Ticks, Glyph::ExecuteNot, Glyph::ResultNot];
    let classes = ["node ghost first", "node ghost", "node ghost", "node ghost", "node ghost last"];
    let nodes = move || {
        let words = store.t().loop_empty;
        let nodes = shapes.into_iter().zip(classes).zip(words).map(|((shape, class), (word, what))| {
            view! { <li class=class>{glyph(shape)}<span class="word">{word}</span><span class="what">{what}</span></li> }
        });
        nodes.collect_view()
    };
    view! {
        <div class="scroll">
            <section class="empty">
                <h3>{move || store.t().loop_}</h3>
                <ul>{nodes}</ul>
            </section>
        </div>
    }
}

/// Everything that happened, from row `skip` on.
fn nodes(transcript: &Transcript, skip: usize, t: &Texts) -> Vec<Node> {
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
fn ahead_of(card: &CallCard, t: &Texts) -> Vec<Node> {
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
