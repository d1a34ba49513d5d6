//! [`Edits`]: what a person put in place of a call's arguments or result, of the prompt or of the next request, until the host
//! comes to where it counts.

use std::collections::HashMap;
use std::sync::Arc;

use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, Message, SharedMessage, UserContent};

/// Why an edit does not count any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// No call of the run has that id.
    #[error("the run has no call {0}")]
    UnknownCall(String),
    /// Its arguments have been used.
    #[error("call {0} has begun to run: its arguments cannot be other ones any more")]
    HasBegun(String),
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The model has asked; nothing has run.
    Asked,
    /// The tool runs.
    Running,
    /// It has its result, which is in no message yet, or in one that is not stored.
    Over,
    /// Its result is in the history.
    Recorded,
}

/// A result that a person gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// What the model reads.
    pub content: Vec<Block>,
    /// Whether it says that the call failed. As the tool said, if it is not said.
    pub is_error: Option<bool>,
}

/// The edits of one session that are still to count, and where the run's calls are.
#[derive(Debug, Default)]
pub struct Edits {
    stages: HashMap<Arc<str>, Stage>,
    arguments: HashMap<Arc<str>, Json>,
    results: HashMap<Arc<str>, Given>,
    system: Option<String>,
    request: Option<Vec<SharedMessage>>,
}

impl Edits {
    /// A run begins: what was meant for calls of another counts no more.
    pub fn begin_run(&mut self) {
        self.stages.clear();
        self.arguments.clear();
        self.results.clear();
    }

    /// A call is there, runs, or is over.
    pub fn reached(&mut self, call_id: &Arc<str>, stage: Stage) {
        self.stages.insert(call_id.clone(), stage);
    }

    /// Where a call of the run is.
    pub fn stage(&self, call_id: &str) -> Option<Stage> {
        self.stages.get(call_id).copied()
    }

    /// Other arguments for a call.
    pub fn set_arguments(&mut self, call_id: &str, arguments: Json) -> Result<(), EditError> {
        let (id, stage) =
            self.stages.get_key_value(call_id).ok_or_else(|| EditError::UnknownCall(call_id.to_owned()))?;
        if *stage != Stage::Asked {
            return Err(EditError::HasBegun(call_id.to_owned()));
        }
        self.arguments.insert(id.clone(), arguments);
        Ok(())
    }

    /// The arguments that stand in place of the model's, once.
    pub fn take_arguments(&mut self, call_id: &str) -> Option<Json> {
        self.arguments.remove(call_id)
    }

    /// A result for a call of which none is in the history yet. `false` where one is, or the call is none of the run's.
    pub fn set_result(&mut self, call_id: &str, given: Given) -> bool {
        match self.stages.get_key_value(call_id) {
            Some((id, Stage::Asked | Stage::Running | Stage::Over)) => {
                self.results.insert(id.clone(), given);
                true
            }
            Some((_, Stage::Recorded)) | None => false,
        }
    }

    /// The result that was given to a call, once: in place of running it, as it is finalised, or, where it came later than that, when
    /// its own is in the history.
    pub fn take_result(&mut self, call_id: &str) -> Option<Given> {
        self.results.remove(call_id)
    }

    /// Another system prompt, or the original one again.
    pub fn set_system(&mut self, system: Option<String>) {
        self.system = system;
    }

    /// The messages of the next request.
    pub fn set_request(&mut self, messages: Vec<SharedMessage>) {
        self.request = Some(messages);
    }

    /// What the next request carries in place of the history, if anything: asked once for each. `drops` says whose results
    /// are left out.
    pub fn context(&mut self, history: &History, drops: Option<&dyn Fn(&str) -> bool>) -> Option<History> {
        if let Some(messages) = self.request.take() {
            return Some(messages.into_iter().collect());
        }
        if self.system.is_none() && drops.is_none() {
            return None;
        }
        let mut system = self.system.as_ref();
        let messages = history.messages();
        let kept = messages.iter().filter(|message| match (&***message, drops) {
            (Message::ToolResult(result), Some(drops)) => !drops(&result.tool_call_id),
            _ => true,
        });
        let changed = kept.map(|message| match (&**message, system.take_if(|_| is_system(message))) {
            (Message::System(old), Some(text)) => {
                let content = UserContent::Text(text.clone());
                // Sections are the prompt in parts; with another prompt they are none of it.
                SharedMessage::new(Message::System(vitrine_agent::message::SystemMessage {
                    content,
                    sections: None,
                    ..old.clone()
                }))
            }
            _ => message.clone(),
        });
        Some(changed.collect())
    }
}

fn is_system(message: &Message) -> bool {
    matches!(message, Message::System(_))
}
