//! How notifications are written and read: `{"type": name, …}`. Read through one flat struct, so raw JSON inside survives.

use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use vitrine_agent::event::EventReader;
use vitrine_agent::json;

use super::*;

impl Serialize for Notification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Ready => map.serialize_entry("type", "ready")?,
            Self::Event(event) => {
                map.serialize_entry("type", "event")?;
                map.serialize_entry("event", event)?;
            }
            Self::Trace(trace) => {
                map.serialize_entry("type", "trace")?;
                map.serialize_entry("trace", trace)?;
            }
            Self::State(state) => {
                map.serialize_entry("type", "state")?;
                map.serialize_entry("state", state)?;
            }
            Self::SessionOpened { session, messages } => {
                map.serialize_entry("type", "sessionOpened")?;
                map.serialize_entry("session", session)?;
                map.serialize_entry("messages", messages)?;
            }
            Self::Sessions(sessions) => {
                map.serialize_entry("type", "sessions")?;
                map.serialize_entry("sessions", sessions)?;
            }
            Self::File(file) => {
                map.serialize_entry("type", "file")?;
                map.serialize_entry("file", file)?;
            }
            Self::Settled { aborted } => {
                map.serialize_entry("type", "settled")?;
                map.serialize_entry("aborted", aborted)?;
            }
            Self::Request(request) => {
                map.serialize_entry("type", "request")?;
                map.serialize_entry("request", request)?;
            }
            Self::Rewound(rewound) => {
                map.serialize_entry("type", "rewound")?;
                map.serialize_entry("rewound", rewound)?;
            }
            Self::Edited(edited) => {
                map.serialize_entry("type", "edited")?;
                map.serialize_entry("edited", edited)?;
            }
            Self::Fault(fault) => {
                map.serialize_entry("type", "fault")?;
                map.serialize_entry("fault", fault)?;
            }
            Self::Approval(approval) => {
                map.serialize_entry("type", "approval")?;
                map.serialize_entry("approval", approval)?;
            }
            Self::Toy(toy) => {
                map.serialize_entry("type", "toy")?;
                map.serialize_entry("toy", toy)?;
            }
            Self::Lesson(lesson) => {
                map.serialize_entry("type", "lesson")?;
                map.serialize_entry("lesson", lesson)?;
            }
            Self::Part(part) => {
                map.serialize_entry("type", "part")?;
                map.serialize_entry("part", part)?;
            }
            Self::Problem(problem) => {
                map.serialize_entry("type", "problem")?;
                map.serialize_entry("problem", problem)?;
            }
            Self::Reply(reply) => {
                map.serialize_entry("type", "reply")?;
                map.serialize_entry("reply", reply)?;
            }
        }
        map.end()
    }
}

#[derive(Deserialize)]
struct Flat<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    trace: Option<CallTrace>,
    state: Option<AgentState>,
    session: Option<SessionInfo>,
    messages: Option<Vec<SharedMessage>>,
    sessions: Option<Vec<SessionInfo>>,
    file: Option<FileChange>,
    #[serde(default)]
    aborted: bool,
    request: Option<Json>,
    rewound: Option<Box<Rewound>>,
    edited: Option<Json>,
    fault: Option<FaultActed>,
    approval: Option<Approval>,
    toy: Option<Json>,
    lesson: Option<Json>,
    part: Option<Json>,
    problem: Option<Problem>,
    reply: Option<Reply>,
}

/// Reads the batches of one worker, all of them and in order: an event names messages that were told before.
#[derive(Debug, Default)]
pub struct NotificationReader {
    events: EventReader,
}

impl NotificationReader {
    /// The notifications of a batch. Fails when it is none of ours, and then none of them counts.
    pub fn read(&mut self, batch: &str) -> Result<Vec<Notification>, serde_json::Error> {
        let batch: Vec<Flat<'_>> = json::read(batch)?;
        batch.into_iter().map(|flat| notification(flat, |event| self.events.read(event))).collect()
    }
}

impl<'de> Deserialize<'de> for Notification {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        notification(Flat::deserialize(deserializer)?, |event| json::read(event)).map_err(D::Error::custom)
    }
}

fn notification(
    flat: Flat<'_>,
    event: impl FnOnce(&str) -> Result<Event, serde_json::Error>,
) -> Result<Notification, serde_json::Error> {
    fn need<T>(value: Option<T>, field: &'static str) -> Result<T, serde_json::Error> {
        value.ok_or_else(|| serde_json::Error::missing_field(field))
    }
    Ok(match flat.kind.as_str() {
        "ready" => Notification::Ready,
        "event" => Notification::Event(event(need(flat.event, "event")?.get())?),
        "trace" => Notification::Trace(need(flat.trace, "trace")?),
        "state" => Notification::State(Box::new(need(flat.state, "state")?)),
        "sessionOpened" => Notification::SessionOpened {
            session: need(flat.session, "session")?,
            messages: need(flat.messages, "messages")?,
        },
        "sessions" => Notification::Sessions(need(flat.sessions, "sessions")?),
        "file" => Notification::File(need(flat.file, "file")?),
        "settled" => Notification::Settled { aborted: flat.aborted },
        "request" => Notification::Request(need(flat.request, "request")?),
        "rewound" => Notification::Rewound(need(flat.rewound, "rewound")?),
        "toy" => Notification::Toy(need(flat.toy, "toy")?),
        "lesson" => Notification::Lesson(flat.lesson),
        "edited" => Notification::Edited(need(flat.edited, "edited")?),
        "fault" => Notification::Fault(need(flat.fault, "fault")?),
        "approval" => Notification::Approval(flat.approval),
        "part" => Notification::Part(flat.part),
        "problem" => Notification::Problem(need(flat.problem, "problem")?),
        "reply" => Notification::Reply(need(flat.reply, "reply")?),
        other => return Err(serde_json::Error::custom(format_args!("unknown notification {other}"))),
    })
}
