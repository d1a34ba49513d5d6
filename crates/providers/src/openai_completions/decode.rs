//! [`Decoder`]: the bytes of a Chat Completions answer to model events.

mod answer;
mod body;

use vitrine_agent::history::History;
use vitrine_agent::message::StopReason;
use vitrine_agent::model::{ModelEvent, ModelRequest};

use self::answer::{Answer, Said};
use self::body::Body;
use super::Quirks;
use crate::error::{ErrorKind, ProviderError};
use crate::sse::{self, Flow};

/// What a decoder must know of the request it answers.
#[derive(Clone, Debug, Default)]
pub struct DecodeOptions {
    /// The model that was asked for; another name in the answer is reported as `response_model`.
    pub model: String,
    /// Tokens the model can read; 0 = not known. Tells an overflow from an empty answer.
    pub context_window: u64,
    /// Names of the declared tools.
    pub tools: Vec<String>,
    /// The history that was sent: new call ids are made unlike the ones in it.
    pub history: History,
    /// Whether the server never sends a finish reason; a clean end then counts as one.
    pub without_finish_reason: bool,
}

impl DecodeOptions {
    /// From the request itself.
    pub fn from_request(request: &ModelRequest) -> Self {
        let tools = vitrine_agent::replay::replay(&request.history.messages()).tools;
        Self {
            model: request.model.id.to_string(),
            context_window: request.model.context_window,
            tools: tools.into_iter().map(|tool| tool.name).collect(),
            history: request.history.clone(),
            without_finish_reason: !Quirks::of(&request.model).supports_finish_reason,
        }
    }
}

/// How much text, thinking and arguments one answer may have: ten times what any model writes. A server that never stops
/// would otherwise fill the tab's memory.
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// Reads one answer. `push` every chunk as it comes, then `finish` at the end of the body, or `fail` or `abort`.
///
/// The stream it yields: at most one `Start`, block events, then exactly one `Done` or `Error`; after that every method
/// returns nothing. Blocks end when the answer does, in the order of `content`; a failed answer does not end them. A body
/// that is JSON (a server that ignored `stream`) reads as one answer; a web page is an error that says so.
#[derive(Debug)]
pub struct Decoder {
    body: Body,
    sse: sse::Decoder,
    answer: Answer,
    events: Vec<ModelEvent>,
    is_complete: bool,
    /// Text, thinking and arguments so far.
    n_bytes: usize,
    error: Option<ProviderError>,
}

impl Decoder {
    /// For one answer.
    pub fn new(options: DecodeOptions) -> Self {
        Self {
            body: Body::default(),
            sse: sse::Decoder::new(),
            answer: Answer::new(options),
            events: Vec::new(),
            is_complete: false,
            n_bytes: 0,
            error: None,
        }
    }

    /// The next bytes of the body, cut anywhere.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        if self.is_complete {
            return Vec::new();
        }
        match self.body.push(bytes) {
            body::Pushed::Held => {}
            body::Pushed::Refused(error) => self.end(Err(error)),
            body::Pushed::Events { held } => {
                self.read_events(&held);
                self.read_events(bytes);
            }
        }
        self.n_bytes += self.events.iter().map(delta_bytes).sum::<usize>();
        if self.n_bytes > MAX_ANSWER_BYTES && !self.is_complete {
            let message = "the answer is longer than 16 MB: it was stopped there, and nothing of it was executed";
            self.end(Err(ProviderError::of(ErrorKind::ProviderError, false, message)));
        }
        std::mem::take(&mut self.events)
    }

    /// The body has ended cleanly.
    pub fn finish(&mut self) -> Vec<ModelEvent> {
        if !self.is_complete {
            let Self { sse, answer, events, .. } = self;
            let ending = self.body.finish(|payload| answer.payload(payload, true, events));
            let ending = match ending {
                Said::More => {
                    let mut said = Said::More;
                    let flushed = sse.finish(|event| {
                        said = answer.event(&event, events);
                        if matches!(said, Said::More) { Flow::Continue } else { Flow::Stop }
                    });
                    flushed.err().map_or(said, too_long)
                }
                ending => ending,
            };
            match ending {
                Said::More if !self.answer.has_begun() => self.end(Err(self.body.nothing_said())),
                Said::More => self.conclude(false),
                Said::Done => self.conclude(true),
                Said::Failed(error) => self.end(Err(error)),
            }
        }
        std::mem::take(&mut self.events)
    }

    /// The driver's own failure: the connection broke, or no bytes came for too long. What came before is kept; an answer
    /// whose finish reason has already been read is whole and ends well.
    pub fn fail(&mut self, error: ProviderError) -> Vec<ModelEvent> {
        if !self.is_complete {
            if self.answer.is_ending() {
                self.conclude(false);
            } else {
                self.end(Err(error));
            }
        }
        std::mem::take(&mut self.events)
    }

    /// The run was aborted.
    pub fn abort(&mut self) -> Vec<ModelEvent> {
        if !self.is_complete {
            self.is_complete = true;
            let message = "Request was aborted".to_owned();
            self.events.push(ModelEvent::Error { reason: StopReason::Aborted, message });
        }
        std::mem::take(&mut self.events)
    }

    /// Whether the terminal event has been given out. The driver then cancels the body at once and does not wait for the
    /// server to close.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether a finish reason was read, so that only usage and the end may still come: wait a second, not a minute.
    pub fn is_ending(&self) -> bool {
        self.answer.is_ending()
    }

    /// The error behind `Error`, sorted; `None` for success and for an abort.
    pub fn error(&self) -> Option<&ProviderError> {
        self.error.as_ref()
    }

    fn read_events(&mut self, bytes: &[u8]) {
        if self.is_complete {
            return;
        }
        let Self { sse, answer, events, .. } = self;
        let mut said = Said::More;
        let pushed = sse.push(bytes, |event| {
            said = answer.event(&event, events);
            if matches!(said, Said::More) { Flow::Continue } else { Flow::Stop }
        });
        match pushed.err().map_or(said, too_long) {
            Said::More => {}
            Said::Done => self.conclude(true),
            Said::Failed(error) => self.end(Err(error)),
        }
    }

    fn conclude(&mut self, has_end_mark: bool) {
        let ending = self.answer.conclude(has_end_mark, &mut self.events);
        self.end(ending);
    }

    fn end(&mut self, ending: Result<StopReason, ProviderError>) {
        self.is_complete = true;
        self.events.push(match ending {
            Ok(reason) => ModelEvent::Done { reason },
            Err(error) => {
                let message = error.message.clone();
                self.error = Some(error);
                ModelEvent::Error { reason: StopReason::Error, message }
            }
        });
    }
}

/// The text that an event adds to the answer.
fn delta_bytes(event: &ModelEvent) -> usize {
    match event {
        ModelEvent::TextDelta { delta, .. }
        | ModelEvent::ThinkingDelta { delta, .. }
        | ModelEvent::ToolCallDelta { delta, .. } => delta.len(),
        ModelEvent::Start
        | ModelEvent::Meta(_)
        | ModelEvent::TextStart { .. }
        | ModelEvent::TextEnd { .. }
        | ModelEvent::ThinkingStart { .. }
        | ModelEvent::ThinkingEnd { .. }
        | ModelEvent::ToolCallStart { .. }
        | ModelEvent::ToolCallEnd { .. }
        | ModelEvent::Usage(_)
        | ModelEvent::Done { .. }
        | ModelEvent::Error { .. } => 0,
    }
}

fn too_long(error: sse::TooLongError) -> Said {
    Said::Failed(ProviderError::of(ErrorKind::NotAStream, false, error.to_string()))
}
