//! Which model a request goes to. Each driver is the IO round a pure decoder or script of `vitrine_providers`.

mod completions;
mod pump;
mod scripted;

use std::rc::Rc;

use vitrine_agent::message::StopReason;
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest, ModelStream};

use crate::desk::Desk;
use crate::requests;

pub use scripted::ScriptPlayer;

/// The model a page starts with: no key, no network, not an AI.
pub fn scripted_model() -> ModelInfo {
    ModelInfo {
        api: "scripted".into(),
        id: "scripted".into(),
        provider: "scripted".into(),
        context_window: 128_000,
        max_tokens: 16_384,
        ..ModelInfo::default()
    }
}

/// Starts one response. Failures are events of the stream.
pub fn stream(desk: &Rc<Desk>, request: ModelRequest) -> ModelStream {
    match &*request.model.api {
        "scripted" => {
            requests::note_unsent(desk, &request);
            scripted::stream(&desk.scripts, request)
        }
        "openai-completions" => completions::stream(desk, request),
        other => {
            let message = format!("No model speaks the api \"{other}\" here. Use scripted or openai-completions.");
            let events = vec![ModelEvent::Error { reason: StopReason::Error, message }];
            Box::pin(futures_util::stream::iter([events]))
        }
    }
}
