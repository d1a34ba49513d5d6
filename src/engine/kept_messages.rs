//! Messages that JavaScript has handed over once and names by a number from then on, and what was encoded of them.
//!
//! Whether a message is still the one that was handed over, JavaScript knows; here it never changes.

use std::cell::RefCell;
use std::collections::VecDeque;

use vitrine_agent::history::History;
use vitrine_agent::json;
use vitrine_agent::message::{Message, SharedMessage};
use vitrine_providers::openai_completions::BodyCache;
use wasm_bindgen::prelude::wasm_bindgen;

/// How many conversations keep what was encoded for them. One more, and the one that rested longest begins anew.
const MAX_CONVERSATIONS: usize = 8;

#[derive(Default)]
struct Kept {
    messages: Vec<Option<SharedMessage>>,
    free: Vec<u32>,
    failure: Option<String>,
    /// By the address of their first message after the prompt, which many may share; the one used last at the end.
    conversations: VecDeque<(usize, BodyCache)>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Keeps a JSON list of messages and gives a number for each; none, and a failure, if one cannot be read.
#[wasm_bindgen(js_name = keepMessages)]
pub fn keep_messages(list: &str) -> Vec<u32> {
    KEPT.with_borrow_mut(|kept| {
        kept.failure = None;
        match json::read::<Vec<SharedMessage>>(list) {
            Ok(messages) => messages.into_iter().map(|message| kept.keep(message)).collect(),
            Err(error) => {
                kept.failure = Some(format!("messages: {error}"));
                Vec::new()
            }
        }
    })
}

/// Why the last list could not be kept.
#[wasm_bindgen(js_name = keepFailure)]
pub fn keep_failure() -> Option<String> {
    KEPT.with_borrow(|kept| kept.failure.clone())
}

/// Forgets a message. What still uses it keeps it alive.
#[wasm_bindgen(js_name = dropMessage)]
pub fn drop_message(number: u32) {
    KEPT.with_borrow_mut(|kept| {
        if let Some(place) = kept.messages.get_mut(number as usize)
            && place.take().is_some()
        {
            kept.free.push(number);
        }
    });
}

/// The history that these numbers stand for.
pub fn history(numbers: &[u32]) -> History {
    KEPT.with_borrow(|kept| numbers.iter().filter_map(|number| kept.messages.get(*number as usize)?.clone()).collect())
}

/// Does something with what is kept of the encoded messages of a conversation: one that begins with the same message.
pub fn with_cache<T>(history: &History, act: impl FnOnce(&mut BodyCache) -> T) -> T {
    let is_prompt = |message: &&SharedMessage| matches!(&***message, Message::System(_));
    let first = history.messages().iter().find(|message| !is_prompt(message)).map_or(0, SharedMessage::address);
    let mut cache = KEPT.with_borrow_mut(|kept| {
        let place = kept.conversations.iter().position(|(known, _)| *known == first);
        place.and_then(|place| kept.conversations.remove(place)).map(|(_, cache)| cache).unwrap_or_default()
    });
    let outcome = act(&mut cache);
    KEPT.with_borrow_mut(|kept| {
        kept.conversations.push_back((first, cache));
        if kept.conversations.len() > MAX_CONVERSATIONS {
            kept.conversations.pop_front();
        }
    });
    outcome
}

impl Kept {
    fn keep(&mut self, message: SharedMessage) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(place) = self.messages.get_mut(number as usize)
        {
            *place = Some(message);
            return number;
        }
        self.messages.push(Some(message));
        // There is no room for so many in 4 GB of memory.
        u32::try_from(self.messages.len() - 1).unwrap_or(u32::MAX)
    }
}
