//! The scripted model: plays written turns at their own speed.

use std::cell::RefCell;

use futures_util::future::{Either, select};
use vitrine::platform::clock;
use vitrine_agent::model::{ModelRequest, ModelStream};
use vitrine_providers::scripted::{Script, Scripted};

use super::pump::pump;
use crate::lesson;

/// The script of the open session.
#[derive(Debug, Default)]
pub struct ScriptPlayer(RefCell<Scripted>);

impl ScriptPlayer {
    /// Starts a script, in place of the one before.
    pub fn load(&self, script: Script) {
        self.0.replace(Scripted::new(script));
    }

    /// Goes back to an earlier place in it.
    pub fn go_back(&self, place: Scripted) {
        self.0.replace(place);
    }

    /// The place in it.
    pub fn place(&self) -> Scripted {
        self.0.borrow().clone()
    }

    /// Makes sure the next prompt is answered, by what the scripted model says of itself.
    pub fn top_up(&self, lang: &str, call_id: String) {
        if self.0.borrow().pending_turns() == 0 {
            let turns = lesson::fallback(lang, call_id).into();
            self.load(Script { turns, tokens_per_second: Some(lesson::TOKENS_PER_SECOND), seed: 1 });
        }
    }
}

/// Plays the next turn. A turn is taken at the call, as pi's faux provider does.
pub fn stream(player: &ScriptPlayer, request: ModelRequest) -> ModelStream {
    let mut playback = player.0.borrow_mut().play(&request);
    pump(|sink| async move {
        let mut due_ms = clock::monotonic_ms();
        while let Some(batch) = playback.next() {
            due_ms += batch.delay_ms;
            let wait_ms = due_ms - clock::monotonic_ms();
            if wait_ms >= 1.0 {
                let aborted = std::pin::pin!(request.signal.aborted());
                let slept = std::pin::pin!(clock::sleep(wait_ms as u32));
                if let Either::Left(_) = select(aborted, slept).await {
                    sink.send(playback.abort());
                    return;
                }
            }
            if request.signal.is_aborted() {
                sink.send(playback.abort());
                return;
            }
            if !sink.send(batch.events) {
                return;
            }
        }
    })
}
