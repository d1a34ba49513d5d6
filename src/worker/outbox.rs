//! What goes to the page: notifications and replies, as text, in order.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use vitrine::platform::worker_port::WorkerPort;
use vitrine_agent::event::{Event, EventWriter};
use vitrine_agent::json::Json;
use vitrine_protocol::notification::{Notification, Problem, Reply};

/// What a command gives back.
#[derive(Debug, Default)]
pub struct Answer {
    /// The value.
    json: Option<Json>,
    /// Bytes beside it.
    bytes: Option<Arc<[u8]>>,
}

impl Answer {
    /// Nothing to say but that it is done.
    pub fn done() -> Self {
        Self::default()
    }

    /// A value.
    pub fn json<T: serde::Serialize + ?Sized>(value: &T) -> Result<Self, Problem> {
        let json = Json::from_serialize(value).map_err(|error| {
            Problem::new("internal", format!("the answer could not be written: {error}"), "report this as a bug")
        })?;
        Ok(Self { json: Some(json), bytes: None })
    }

    /// Bytes.
    pub fn bytes(bytes: Arc<[u8]>) -> Self {
        Self { json: None, bytes: Some(bytes) }
    }
}

/// The way to the page. Clones share it.
#[derive(Clone, Debug)]
pub struct Outbox {
    port: WorkerPort,
    events: Rc<RefCell<EventWriter>>,
}

impl Outbox {
    /// Over a port.
    pub fn new(port: WorkerPort) -> Self {
        Self { port, events: Rc::default() }
    }

    /// Tells the page something, within a frame.
    pub fn tell(&self, notification: &Notification) {
        // Every notification is plain data with string keys.
        if let Ok(text) = serde_json::to_string(notification) {
            self.port.post(&text);
        }
    }

    /// Tells the page an event.
    pub fn tell_event(&self, event: &Event) {
        let mut text = String::from(r#"{"type":"event","event":"#);
        self.events.borrow_mut().write(event, &mut text);
        text.push('}');
        self.port.post(&text);
    }

    /// Answers a command.
    pub fn reply(&self, id: u64, result: Result<Answer, Problem>) {
        let (ok, problem, bytes) = match result {
            Ok(answer) => (answer.json, None, answer.bytes),
            Err(problem) => (None, Some(problem), None),
        };
        let notification = Notification::Reply(Reply { id, ok, problem });
        match bytes {
            Some(bytes) => {
                if let Ok(text) = serde_json::to_string(&notification) {
                    self.port.post_with_bytes(&text, &bytes);
                }
            }
            None => self.tell(&notification),
        }
    }
}
