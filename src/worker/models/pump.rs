//! A stream that fills itself: it goes on arriving while the run is paused, and stops when nobody holds it any more.

use futures_channel::mpsc;
use vitrine_agent::model::{ModelEvent, ModelStream};

/// The writing end.
pub struct Sink(mpsc::UnboundedSender<Vec<ModelEvent>>);

impl Sink {
    /// Adds a batch. `false` when nobody holds the stream any more: stop then.
    pub fn send(&self, events: Vec<ModelEvent>) -> bool {
        events.is_empty() || self.0.unbounded_send(events).is_ok()
    }

    /// Whether somebody still holds the stream.
    pub fn is_wanted(&self) -> bool {
        !self.0.is_closed()
    }
}

/// Runs `fill` on its own and gives the stream it fills.
pub fn pump<F: Future<Output = ()> + 'static>(fill: impl FnOnce(Sink) -> F) -> ModelStream {
    let (sender, receiver) = mpsc::unbounded();
    wasm_bindgen_futures::spawn_local(fill(Sink(sender)));
    Box::pin(receiver)
}
