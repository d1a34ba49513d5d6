//! What goes to the page: notifications and replies, as text, in order.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use vitrine::platform::worker_port::{OutgoingBlob, WorkerPort};
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
    /// Or a blob.
    blob: Option<OutgoingBlob>,
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
        Ok(Self { json: Some(json), ..Self::default() })
    }

    /// A blob.
    pub fn blob(blob: OutgoingBlob) -> Self {
        Self { blob: Some(blob), ..Self::default() }
    }

    /// Bytes.
    pub fn bytes(bytes: Arc<[u8]>) -> Self {
        Self { bytes: Some(bytes), ..Self::default() }
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
        let (Answer { json: ok, bytes, blob }, problem) = match result {
            Ok(answer) => (answer, None),
            Err(problem) => (Answer::default(), Some(problem)),
        };
        let notification = Notification::Reply(Reply { id, ok, problem });
        let text = || serde_json::to_string(&notification).unwrap_or_default();
        match (bytes, blob) {
            (Some(bytes), _) => self.port.post_with_bytes(&text(), &bytes),
            (None, Some(blob)) => self.port.post_with_blob(&text(), &blob),
            (None, None) => self.tell(&notification),
        }
    }
}
