//! What goes to the page: notifications and replies, as text, in order.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use vitrine::platform::channel::Beside;
use vitrine::platform::worker_port::{OutgoingBlob, WorkerPort};
use vitrine_agent::event::{Event, EventWriter};
use vitrine_agent::json::Json;
use vitrine_protocol::notification::{Notification, Problem, Reply};
use vitrine_protocol::requests::RequestInfo;
use vitrine_tabs::WordKind;

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

    /// What another tab answered.
    pub fn from_parts(json: Option<Json>, beside: Beside) -> Self {
        let (bytes, blob) = match beside {
            Beside::Nothing => (None, None),
            Beside::Bytes(bytes) => (Some(bytes), None),
            Beside::Blob(blob) => (None, Some(blob)),
        };
        Self { json, bytes, blob }
    }

    /// The value, and what belongs to it.
    pub fn into_parts(self) -> (Option<Json>, Beside) {
        let beside = self.bytes.map(Beside::Bytes).or(self.blob.map(Beside::Blob));
        (self.json, beside.unwrap_or_default())
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
#[derive(Clone)]
pub struct Outbox {
    port: WorkerPort,
    events: Rc<RefCell<EventWriter>>,
    on_change: Rc<OnceCell<OnChange>>,
}

/// Told what other tabs should know, too.
type OnChange = Box<dyn Fn(WordKind, &str)>;

impl Outbox {
    /// Over a port.
    pub fn new(port: WorkerPort) -> Self {
        Self { port, events: Rc::default(), on_change: Rc::default() }
    }

    /// Calls `tell` with what other tabs should know, too: a notification about a file, or that a session has grown. Once; a
    /// second one is not called.
    pub fn on_change(&self, tell: impl Fn(WordKind, &str) + 'static) {
        let _ = self.on_change.set(Box::new(tell));
    }

    /// Tells the other tabs that a session has grown, or the list of them is another.
    pub fn tell_grown(&self) {
        if let Some(tell) = self.on_change.get() {
            tell(WordKind::Grown, "");
        }
    }

    /// Hands on what another tab told its page.
    pub fn pass(&self, notification: &str) {
        self.port.post(notification);
    }

    /// Tells the page something, within a frame.
    pub fn tell(&self, notification: &Notification) {
        // Every notification is plain data with string keys.
        if let Ok(text) = serde_json::to_string(notification) {
            self.port.post(&text);
            match notification {
                Notification::File(_) => {
                    if let Some(tell) = self.on_change.get() {
                        tell(WordKind::Changed, &text);
                    }
                }
                Notification::Sessions(_) => self.tell_grown(),
                Notification::Ready
                | Notification::Event(_)
                | Notification::Trace(_)
                | Notification::State(_)
                | Notification::SessionOpened { .. }
                | Notification::Settled { .. }
                | Notification::Request(_)
                | Notification::Rewound(_)
                | Notification::Edited(_)
                | Notification::Lesson(_)
                | Notification::Toy(_)
                | Notification::Fault(_)
                | Notification::Approval(_)
                | Notification::Part(_)
                | Notification::Problem(_)
                | Notification::Reply(_) => {}
            }
        }
    }

    /// Tells the page an event.
    pub fn tell_event(&self, event: &Event) {
        let mut text = String::from(r#"{"type":"event","event":"#);
        self.events.borrow_mut().write(event, &mut text);
        text.push('}');
        self.port.post(&text);
    }

    /// Tells the page something that it does not read by itself.
    pub fn tell_unread<T: serde::Serialize>(&self, value: &T, notification: impl FnOnce(Json) -> Notification) {
        // Plain data with string keys.
        if let Ok(json) = Json::from_serialize(value) {
            self.tell(&notification(json));
        }
    }

    /// Tells the page a request, with its body beside it for a host page.
    pub fn tell_request(&self, info: &RequestInfo, body: Option<&str>) {
        let texts = (serde_json::to_string(info), serde_json::to_string(&body));
        if let (Ok(info), Ok(body)) = texts {
            self.port.post(&format!(r#"{{"type":"request","request":{info},"body":{body}}}"#));
        }
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
