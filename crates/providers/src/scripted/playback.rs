//! [`Playback`]: one scripted answer as timed batches of events.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use vitrine_agent::message::{Block, Message, StopReason, ToolCall, Usage, UserContent};
use vitrine_agent::model::{ModelEvent, ModelRequest};

use super::script::{Call, Part, Script, Turn};
use crate::json_stream::parse_tool_call_arguments;

/// Events that belong together, and how long to wait before they are given out.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Milliseconds after the batch before it.
    pub delay_ms: f64,
    /// Never empty.
    pub events: Vec<ModelEvent>,
}

/// A script with its place in it. One instance serves a session: each request takes the next turn, at the call. A clone is the
/// same place, to be gone back to, and costs a pointer.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    tokens_per_second: f64,
    seed: u64,
    turns: Rc<Vec<Turn>>,
    next: usize,
    turns_played: u64,
    calls_played: u64,
}

impl Scripted {
    /// At the beginning of a script.
    pub fn new(script: Script) -> Self {
        Self {
            tokens_per_second: script.tokens_per_second.unwrap_or_default(),
            seed: script.seed,
            turns: Rc::new(script.turns),
            next: 0,
            turns_played: 0,
            calls_played: 0,
        }
    }

    /// Adds turns at the end.
    pub fn append(&mut self, turns: impl IntoIterator<Item = Turn>) {
        Rc::make_mut(&mut self.turns).extend(turns);
    }

    /// How many turns are left.
    pub fn pending_turns(&self) -> usize {
        self.turns.len() - self.next
    }

    /// Takes the next turn. With none left the answer is an error, as a stream.
    pub fn play(&mut self, request: &ModelRequest) -> Playback {
        let Some(turn) = self.turns.get(self.next).cloned() else {
            return Playback::failed("No more scripted responses queued");
        };
        self.next += 1;
        // A turn's cuts depend on its number alone, so that a rewind and a replay cut the same.
        let chunks = Chunks(self.seed ^ self.turns_played.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        self.turns_played += 1;
        let mut writer = Writer { batches: VecDeque::new(), chunks, ms_per_token: 0.0, index: 0, output_chars: 0 };
        if self.tokens_per_second > 0.0 {
            writer.ms_per_token = 1000.0 / self.tokens_per_second;
        }
        writer.turn(turn, &mut self.calls_played, prompt_tokens(request));
        Playback { batches: writer.batches }
    }
}

/// One answer being played; an iterator of its batches.
#[derive(Clone, Debug)]
pub struct Playback {
    batches: VecDeque<Batch>,
}

impl Playback {
    fn failed(message: &str) -> Self {
        let event = ModelEvent::Error { reason: StopReason::Error, message: message.to_owned() };
        Self { batches: VecDeque::from([Batch { delay_ms: 0.0, events: vec![event] }]) }
    }

    /// Ends it: what was played is kept. Empty if it had already ended.
    pub fn abort(&mut self) -> Vec<ModelEvent> {
        if std::mem::take(&mut self.batches).is_empty() {
            return Vec::new();
        }
        vec![ModelEvent::Error { reason: StopReason::Aborted, message: "Request was aborted".to_owned() }]
    }
}

impl Iterator for Playback {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        self.batches.pop_front()
    }
}

struct Writer {
    batches: VecDeque<Batch>,
    chunks: Chunks,
    ms_per_token: f64,
    index: usize,
    output_chars: u64,
}

impl Writer {
    fn turn(&mut self, turn: Turn, calls_played: &mut u64, input: u64) {
        self.push(0, vec![ModelEvent::Start]);
        let Turn { thinking, text, calls, content, stop, error } = turn;
        let parts = thinking
            .map(|thinking| Part::Thinking { thinking })
            .into_iter()
            .chain(text.map(|text| Part::Text { text }))
            .chain(calls.into_iter().map(Part::ToolCall))
            .chain(content);
        for part in parts {
            let index = self.index;
            self.index += 1;
            match part {
                Part::Thinking { thinking } => {
                    let delta = |delta| ModelEvent::ThinkingDelta { index, delta };
                    self.block(ModelEvent::ThinkingStart { index }, &thinking, delta);
                    self.end(ModelEvent::ThinkingEnd { index, signature: None, redacted: false });
                }
                Part::Text { text } => {
                    self.block(ModelEvent::TextStart { index }, &text, |delta| ModelEvent::TextDelta { index, delta });
                    self.end(ModelEvent::TextEnd { index, signature: None });
                }
                Part::ToolCall(call) => {
                    *calls_played += 1;
                    self.call(index, call, *calls_played);
                }
            }
        }
        let output = self.output_chars.div_ceil(4);
        self.end(ModelEvent::Usage(Usage { input, output, total_tokens: input + output, ..Usage::default() }.into()));
        self.end(match (error, stop.unwrap_or(StopReason::Stop)) {
            (None, reason @ (StopReason::Stop | StopReason::Length | StopReason::ToolUse | StopReason::Deferred)) => {
                ModelEvent::Done { reason }
            }
            (None, StopReason::Pending) => ModelEvent::Error {
                reason: StopReason::Error,
                message: "Scripted response ended without a stop reason".to_owned(),
            },
            (message, StopReason::Aborted) => ModelEvent::Error {
                reason: StopReason::Aborted,
                message: message.unwrap_or_else(|| "Request was aborted".to_owned()),
            },
            (message, _) => ModelEvent::Error {
                reason: StopReason::Error,
                message: message.unwrap_or_else(|| "Scripted response failed".to_owned()),
            },
        });
    }

    fn call(&mut self, index: usize, call: Call, number: u64) {
        let Call { id, name, arguments, raw_arguments } = call;
        let id: Arc<str> = id.unwrap_or_else(|| format!("call_{number}")).into();
        let name: Arc<str> = name.into();
        let text = raw_arguments.unwrap_or_else(|| serde_json::Value::Object(arguments).to_string());
        let start = ModelEvent::ToolCallStart { index, id: id.clone(), name: name.clone() };
        self.block(start, &text, |delta| ModelEvent::ToolCallDelta { index, delta });
        let (arguments, arguments_error) = parse_tool_call_arguments(&text);
        let tool_call = ToolCall { id, name, arguments, arguments_error, ..ToolCall::default() };
        self.end(ModelEvent::ToolCallEnd { index, tool_call: tool_call.into() });
    }

    /// A block's start and its text in chunks; empty text is one empty delta (§10).
    fn block(&mut self, start: ModelEvent, text: &str, delta: impl Fn(String) -> ModelEvent) {
        self.end(start);
        self.output_chars += text.chars().count() as u64;
        if text.is_empty() {
            self.end(delta(String::new()));
        }
        let mut rest = text;
        while !rest.is_empty() {
            let tokens = self.chunks.next_tokens();
            let cut = rest.char_indices().nth(tokens * 4).map_or(rest.len(), |(at, _)| at);
            let (chunk, after) = rest.split_at(cut);
            self.push(tokens, vec![delta(chunk.to_owned())]);
            rest = after;
        }
    }

    fn push(&mut self, tokens: usize, events: Vec<ModelEvent>) {
        self.batches.push_back(Batch { delay_ms: tokens as f64 * self.ms_per_token, events });
    }

    /// Adds to the last batch: no time passes.
    fn end(&mut self, event: ModelEvent) {
        match self.batches.back_mut() {
            Some(batch) => batch.events.push(event),
            None => self.push(0, vec![event]),
        }
    }
}

/// Chunk sizes of three to five tokens, from a seed (splitmix64).
#[derive(Clone, Debug)]
struct Chunks(u64);

impl Chunks {
    fn next_tokens(&mut self) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        3 + usize::try_from(mixed % 3).unwrap_or_default()
    }
}

/// An estimate: characters by four, of `role:text` with a blank line between (§10).
fn prompt_tokens(request: &ModelRequest) -> u64 {
    let mut chars = 0_u64;
    for message in request.history.messages().iter() {
        let text = match message.as_ref() {
            Message::System(system) => content_chars(&system.content),
            Message::User(user) => content_chars(&user.content),
            Message::Assistant(assistant) => block_chars(&assistant.content),
            Message::ToolResult(result) => block_chars(&result.content),
            Message::Other(_) => continue,
        };
        chars += message.role().len() as u64 + 1 + text + if chars == 0 { 0 } else { 2 };
    }
    chars.div_ceil(4)
}

fn content_chars(content: &UserContent) -> u64 {
    match content {
        UserContent::Text(text) => text.chars().count() as u64,
        UserContent::Blocks(blocks) => block_chars(blocks),
    }
}

fn block_chars(blocks: &[Block]) -> u64 {
    let chars = |text: &str| text.chars().count() as u64;
    blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => chars(&text.text),
            Block::Thinking(thinking) => chars(&thinking.thinking),
            Block::ToolCall(call) => chars(&call.name) + chars(call.arguments.as_str()),
            Block::Image(_) | Block::Other(_) => 0,
        })
        .sum()
}
