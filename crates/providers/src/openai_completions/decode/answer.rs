//! [`Answer`]: payloads to events, and the judgement at the end (rules 2 to 4 of the cases, §6.4).

use serde_json::value::RawValue;
use vitrine_agent::message::{StopReason, Usage};
use vitrine_agent::model::{Facts, ModelEvent};

use super::DecodeOptions;
use crate::error::{ErrorKind, ProviderError, classify, from_error_value};
use crate::openai_completions::calls::{Calls, RunawayError};
use crate::openai_completions::reasoning_details::ReasoningDetails;
use crate::openai_completions::wire::{self, Chunk, Delta, WireUsage};
use crate::sse;

/// At most this much of a payload that is no JSON is quoted.
const MAX_QUOTE_CHARS: usize = 300;

/// Where the answer stands after a payload.
#[derive(Debug)]
pub(super) enum Said {
    More,
    /// The server's end mark.
    Done,
    Failed(ProviderError),
}

#[derive(Debug)]
pub(super) struct Answer {
    model: String,
    context_window: u64,
    without_finish_reason: bool,
    has_begun: bool,
    response_id: bool,
    response_model: bool,
    text: Option<usize>,
    has_visible_text: bool,
    /// Index, and the field that the reasoning came in: it is how it must be sent back.
    thinking: Option<(usize, &'static str)>,
    details: ReasoningDetails,
    calls: Calls,
    next_index: usize,
    usage: Usage,
    finish_reason: Option<String>,
}

impl Answer {
    pub(super) fn new(options: DecodeOptions) -> Self {
        Self {
            model: options.model,
            context_window: options.context_window,
            without_finish_reason: options.without_finish_reason,
            has_begun: false,
            response_id: false,
            response_model: false,
            text: None,
            has_visible_text: false,
            thinking: None,
            details: ReasoningDetails::default(),
            calls: Calls::new(options.tools, options.history),
            next_index: 0,
            usage: Usage::default(),
            finish_reason: None,
        }
    }

    /// Whether any payload was understood.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    pub(super) fn is_ending(&self) -> bool {
        self.finish_reason.is_some()
    }

    pub(super) fn event(&mut self, event: &sse::Event<'_>, events: &mut Vec<ModelEvent>) -> Said {
        let payload = event.data.trim();
        // A proxy that wraps a keep-alive comment as data (case a07).
        if payload.is_empty() || payload.starts_with(':') {
            return Said::More;
        }
        if payload == "[DONE]" {
            return Said::Done;
        }
        if event.name == "error" && event.is_terminated {
            return Said::Failed(error_text(payload));
        }
        let is_known = matches!(&*event.name, "" | "message" | "data" | "completion" | "chunk");
        self.payload(payload, event.is_terminated && is_known, events)
    }

    /// One payload. Whether text that is no JSON is a failure, `must_be_json` says: it is skipped in events of unknown names
    /// (case a23), and in one that the end of the body cut off.
    pub(super) fn payload(&mut self, payload: &str, must_be_json: bool, events: &mut Vec<ModelEvent>) -> Said {
        if let Ok(said) = self.json(payload, events) {
            return said;
        }
        if !must_be_json {
            return Said::More;
        }
        // A gateway that wrote its error into the middle of an event (case a17).
        if let Some((_, last_line)) = payload.rsplit_once('\n')
            && let Ok(said) = self.json(last_line.trim(), events)
        {
            return said;
        }
        let quote: String = payload.chars().take(MAX_QUOTE_CHARS).collect();
        Said::Failed(classify(None, "", &quote))
    }

    fn json(&mut self, payload: &str, events: &mut Vec<ModelEvent>) -> Result<Said, serde_json::Error> {
        let said = wire::read(payload, |chunk| self.chunk(chunk, payload, events))?;
        Ok(said.unwrap_or(Said::More))
    }

    fn chunk(&mut self, chunk: Chunk<'_>, payload: &str, events: &mut Vec<ModelEvent>) -> Said {
        if chunk.kind.0 == "error" || chunk.object.0 == "error" {
            return Said::Failed(error_text(payload));
        }
        let mut error = chunk.error;
        let choice = chunk.choices.and_then(|choices| choices.into_iter().next());
        if choice.is_some() || error.is_none() {
            self.begin(&chunk.id.0, &chunk.model.0, events);
        }
        if let Some(usage) = chunk.usage {
            self.usage(usage, events);
        }
        if let Some(mut choice) = choice {
            if let Some(usage) = choice.usage {
                self.usage(usage, events);
            }
            if !choice.finish_reason.0.is_empty() {
                let reason = std::mem::take(&mut choice.finish_reason.0).into_owned();
                if self.finish_reason.as_ref() != Some(&reason) {
                    let raw_stop_reason = Some(reason.clone());
                    events.push(ModelEvent::Meta(Box::new(Facts { raw_stop_reason, ..Facts::default() })));
                }
                self.finish_reason = Some(reason);
            }
            if let Some(delta) = choice.delta()
                && self.delta(&delta, events).is_err()
            {
                return Said::Failed(ProviderError::of(ErrorKind::ProviderError, false, RunawayError.to_string()));
            }
            error = error.or(choice.error);
        }
        match error.map(RawValue::get) {
            None | Some("null" | "false" | "\"\"" | "{}") => Said::More,
            Some(error) => Said::Failed(error_text(error)),
        }
    }

    fn begin(&mut self, id: &str, model: &str, events: &mut Vec<ModelEvent>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            events.push(ModelEvent::Start);
        }
        let response_id = (!self.response_id && !id.is_empty()).then(|| id.to_owned());
        let response_model =
            (!self.response_model && !model.is_empty() && model != self.model && !self.model.is_empty())
                .then(|| model.to_owned());
        self.response_id |= response_id.is_some();
        self.response_model |= response_model.is_some();
        if response_id.is_some() || response_model.is_some() {
            events.push(ModelEvent::Meta(Box::new(Facts { response_id, response_model, ..Facts::default() })));
        }
    }

    fn delta(&mut self, delta: &Delta<'_>, events: &mut Vec<ModelEvent>) -> Result<(), RunawayError> {
        // Reasoning first: a chunk that carries both is where one turns into the other.
        if let Some((field, text)) = delta.thinking() {
            let index = self.open_thinking(field, events);
            events.push(ModelEvent::ThinkingDelta { index, delta: text.to_owned() });
        }
        if let Some(details) = delta.reasoning_details
            && self.details.push(details)
        {
            self.open_thinking("", events);
        }
        for text in [&delta.content.0, &delta.refusal.0] {
            if text.is_empty() {
                continue;
            }
            let index = match self.text {
                Some(index) => index,
                None => {
                    let index = self.take_index();
                    self.text = Some(index);
                    events.push(ModelEvent::TextStart { index });
                    index
                }
            };
            self.has_visible_text = self.has_visible_text || !text.trim().is_empty();
            events.push(ModelEvent::TextDelta { index, delta: text.to_string() });
        }
        if let Some(deltas) = &delta.tool_calls {
            self.calls.push(deltas, &mut self.next_index, events)?;
        }
        if let Some(function) = &delta.function_call {
            self.calls.push_function(&function.name.0, &function.arguments(), &mut self.next_index, events)?;
        }
        Ok(())
    }

    /// The one block of thinking. The field that opened it is how its text is sent back.
    fn open_thinking(&mut self, field: &'static str, events: &mut Vec<ModelEvent>) -> usize {
        if let Some((index, _)) = self.thinking {
            return index;
        }
        let index = self.take_index();
        self.thinking = Some((index, field));
        events.push(ModelEvent::ThinkingStart { index });
        index
    }

    fn take_index(&mut self) -> usize {
        let index = self.next_index;
        self.next_index += 1;
        index
    }

    /// Usage that cannot be read is no reason to lose an answer.
    fn usage(&mut self, raw: &RawValue, events: &mut Vec<ModelEvent>) {
        let Ok(wire) = serde_json::from_str::<WireUsage>(raw.get()) else { return };
        // Saturates, and a negative number is 0: `as` from a float never wraps.
        let tokens = |number: Option<f64>| number.unwrap_or_default() as u64;
        let details = wire.prompt_tokens_details.unwrap_or_default();
        let cache_read = tokens(details.cached_tokens.or(wire.prompt_cache_hit_tokens).or(wire.cached_tokens));
        let cache_write = tokens(details.cache_write_tokens);
        let input = tokens(wire.prompt_tokens).saturating_sub(cache_read).saturating_sub(cache_write);
        let output = tokens(wire.completion_tokens);
        let reasoning = tokens(wire.completion_tokens_details.unwrap_or_default().reasoning_tokens);
        let reasoning = if reasoning > 0 { reasoning } else { tokens(wire.reasoning_tokens) };
        let usage = Usage {
            input,
            output,
            cache_read,
            cache_write,
            reasoning: (reasoning > 0).then_some(reasoning),
            total_tokens: input.saturating_add(output).saturating_add(cache_read).saturating_add(cache_write),
            ..Usage::default()
        };
        if usage != self.usage {
            self.usage = usage.clone();
            events.push(ModelEvent::Usage(usage.into()));
        }
    }

    /// The answer's end, when no error has been sent: is it whole, and why did it stop?
    pub(super) fn conclude(
        &mut self,
        has_end_mark: bool,
        events: &mut Vec<ModelEvent>,
    ) -> Result<StopReason, ProviderError> {
        let is_whole = has_end_mark || self.without_finish_reason;
        let by_server = match self.finish_reason.as_deref() {
            None if is_whole => StopReason::Stop,
            None => return Err(ProviderError::incomplete()),
            Some(
                "stop" | "end" | "eos" | "stop_sequence" | "end_turn" | "tool_calls" | "function_call" | "tool_use",
            ) => StopReason::Stop,
            Some("length" | "max_tokens") => StopReason::Length,
            Some(reason) => return Err(refused(reason)),
        };
        if !self.has_visible_text && self.calls.is_empty() {
            return Err(self.empty(by_server));
        }
        let calls = self.end_blocks(events);
        Ok(match (by_server, calls) {
            (StopReason::Length, _) | (_, CallsAre::CutOff) => StopReason::Length,
            // Whole calls run, whatever the reason says (rule 7).
            (_, CallsAre::Whole) => StopReason::ToolUse,
            (_, CallsAre::None) => StopReason::Stop,
        })
    }

    /// An answer that says nothing is never a success (cases a25, c17).
    fn empty(&self, by_server: StopReason) -> ProviderError {
        let prompt = self.usage.input + self.usage.cache_read + self.usage.cache_write;
        if self.context_window > 0 && prompt >= self.context_window {
            let message = format!(
                "The answer is empty: the prompt has {prompt} tokens, but the configured context size is {} tokens",
                self.context_window
            );
            return ProviderError::of(ErrorKind::ContextOverflow, false, message);
        }
        let message = match (by_server, self.thinking) {
            (StopReason::Length, _) => {
                "Empty answer: the model reached its output limit, it ended without text or a tool call"
            }
            (_, Some(_)) => "Empty answer: the model only reasoned and ended without text or a tool call",
            (_, None) => "Empty answer: the model ended without text or a tool call",
        };
        ProviderError::of(ErrorKind::EmptyResponse, true, message)
    }

    /// Ends every block, in the order of `content`.
    fn end_blocks(&mut self, events: &mut Vec<ModelEvent>) -> CallsAre {
        let calls = self.calls.finish(&mut self.next_index, events);
        let are = match calls.iter().max_by_key(|call| call.index) {
            None => CallsAre::None,
            // Only what comes last can have been cut off by the end of the answer.
            Some(last) if last.is_cut_off => CallsAre::CutOff,
            Some(_) => CallsAre::Whole,
        };
        let mut ends: Vec<_> = calls.into_iter().map(|call| (call.index, call.events)).collect();
        if let Some((index, field)) = self.thinking {
            let details = std::mem::take(&mut self.details);
            let signature = Some(if details.is_empty() { field.to_owned() } else { details.into_signature() });
            ends.push((index, vec![ModelEvent::ThinkingEnd { index, signature, redacted: false }]));
        }
        if let Some(index) = self.text {
            ends.push((index, vec![ModelEvent::TextEnd { index, signature: None }]));
        }
        ends.sort_by_key(|(index, _)| *index);
        events.extend(ends.into_iter().flat_map(|(_, ends)| ends));
        are
    }
}

enum CallsAre {
    None,
    Whole,
    CutOff,
}

fn refused(reason: &str) -> ProviderError {
    let message = format!("Provider finish_reason: {reason}");
    let retryable = reason != "content_filter";
    ProviderError { message, ..ProviderError::of(ErrorKind::ProviderError, retryable, "") }
}

fn error_text(json: &str) -> ProviderError {
    match serde_json::from_str(json) {
        Ok(value) => from_error_value(&value),
        Err(_) => classify(None, "", json),
    }
}
