//! The channel between the tabs of a workspace: words as they are, and what belongs to them beside.

use std::sync::Arc;

use js_sys::{Array, Uint8Array};
use vitrine_tabs::{Word, WordKind};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, BroadcastChannel, MessageEvent};

use super::worker_port::OutgoingBlob;

/// What rides beside a word.
#[derive(Debug, Default)]
pub enum Beside {
    /// Nothing.
    #[default]
    Nothing,
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A blob.
    Blob(OutgoingBlob),
}

/// An open channel, closed when it is dropped. What one tab posts, all others hear; it does not hear itself.
#[derive(Debug)]
pub struct Channel {
    channel: BroadcastChannel,
    _listener: Closure<dyn FnMut(MessageEvent)>,
}

impl Channel {
    /// Opens the channel of that name. `None` where the browser has none: then every tab believes to be alone on it.
    pub fn open(name: &str, on_word: impl Fn(Word, Beside) + 'static) -> Option<Self> {
        let channel = BroadcastChannel::new(name).ok()?;
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            // Another build may say what is no word here.
            if let Some((word, beside)) = read(event.data()) {
                on_word(word, beside);
            }
        });
        channel.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        Some(Self { channel, _listener: listener })
    }

    /// Says a word to all other tabs.
    pub fn post(&self, word: &Word, beside: &Beside) {
        let message = Array::of4(
            &JsValue::from(word.kind as u8),
            &JsValue::from_str(&word.from),
            &JsValue::from_str(&word.to),
            // Words are counted: whole numbers far below 2^53.
            &JsValue::from_f64(word.number as f64),
        );
        message.push(&JsValue::from_str(&word.text));
        match beside {
            Beside::Nothing => {}
            Beside::Bytes(bytes) => drop(message.push(&Uint8Array::from(&**bytes))),
            Beside::Blob(OutgoingBlob(blob)) => drop(message.push(blob)),
        }
        // Fails only for what cannot be cloned; texts, numbers, bytes and blobs can.
        let _ = self.channel.post_message(&message);
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.channel.set_onmessage(None);
        self.channel.close();
    }
}

fn read(data: JsValue) -> Option<(Word, Beside)> {
    let data: Array = data.dyn_into().ok()?;
    let text = |index| data.get(index).as_string();
    let word = Word {
        kind: WordKind::from_number(data.get(0).as_f64()?)?,
        from: text(1)?,
        to: text(2)?,
        number: data.get(3).as_f64()? as u64,
        text: text(4)?,
    };
    let beside = match data.get(5).dyn_into::<Uint8Array>() {
        Ok(bytes) => Beside::Bytes(bytes.to_vec().into()),
        Err(other) => other.dyn_into::<Blob>().map_or(Beside::Nothing, |blob| Beside::Blob(OutgoingBlob(blob))),
    };
    Some((word, beside))
}
