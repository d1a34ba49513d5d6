//! What a list of sessions shows of one, read without building its messages.

use serde::Deserialize;
use serde_json::value::RawValue;
use vitrine_agent::message::{Message, SharedMessage};

use crate::entry::line::{parse_object, string};
use crate::entry::{Entry, Header, Payload};
use crate::ids::{EntryId, SessionId};
use crate::log::{self, LogError};
use crate::time;
use crate::tree::{self, Tree};

/// How many characters of the first user message make a name.
const MAX_NAME_CHARS: usize = 60;

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Its id.
    pub id: SessionId,
    /// The last name it was given, else its first user message, shortened; empty when it has neither.
    pub name: String,
    /// Milliseconds since 1970.
    pub created_at: u64,
    /// Milliseconds since 1970, of the last entry in the file.
    pub changed_at: u64,
    /// Messages on the branch of the leaf, not counting system messages.
    pub n_messages: usize,
}

/// The info of a session in memory.
pub(crate) fn of_session(header: &Header, tree: &Tree) -> SessionInfo {
    let entries = tree.entries();
    let named = entries.iter().rev().find_map(|entry| match &entry.payload {
        Payload::SessionInfo(info) => Some(one_line(info.name.as_deref().unwrap_or_default())),
        _ => None,
    });
    let asked = entries.iter().find_map(|entry| match entry.message().map(|message| &**message) {
        Some(Message::User(user)) => Some(user.content.text()),
        _ => None,
    });
    SessionInfo {
        id: header.id.clone(),
        name: name(named, asked),
        created_at: header.created_at(),
        changed_at: entries.last().map_or(header.created_at(), Entry::written_at),
        n_messages: tree.path().iter().filter(|entry| is_shown(entry)).count(),
    }
}

/// The info of a session file; equal to what the opened session says of itself.
pub(crate) fn of_bytes(bytes: &[u8]) -> Result<SessionInfo, LogError> {
    let mut header = None;
    let mut list = Scan::default();
    let damage = log::scan(bytes, |record| {
        if header.is_none() {
            header = Header::parse(record).filter(|header| header.version >= 3);
            // An old version, or no session at all: the codec knows.
            return if header.is_some() { Ok(()) } else { Err(LogError::NoJson) };
        }
        list.record(record);
        Ok(())
    });
    let (Ok(_), Some(header)) = (damage, header) else {
        let parsed = log::parse(bytes)?;
        return Ok(of_session(&parsed.header, &Tree::new(parsed.entries)));
    };
    let links = list.nodes.iter().map(|node| (&node.id, node.parent_id.as_ref()));
    let (_, parents) = tree::resolve(links);
    let branch = tree::chain(&parents, list.nodes.len().checked_sub(1));
    Ok(SessionInfo {
        n_messages: branch.filter(|number| list.nodes.get(*number).is_some_and(|node| node.is_shown)).count(),
        name: name(list.named, list.asked),
        created_at: header.created_at(),
        changed_at: list.last_timestamp.map_or(header.created_at(), |text| time::from_iso(&text).unwrap_or_default()),
        id: header.id,
    })
}

/// Text on one line, without white space around it.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ").trim().to_owned()
}

fn name(named: Option<String>, asked: Option<String>) -> String {
    if let Some(named) = named.filter(|name| !name.is_empty()) {
        return named;
    }
    let asked = asked.unwrap_or_default();
    // Only the front of a message that may be a megabyte long.
    let front: String = asked.trim_start().chars().take(MAX_NAME_CHARS * 4).collect();
    let words = front.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = words.chars().take(MAX_NAME_CHARS).collect();
    if short.len() < words.len() {
        short.truncate(short.trim_end().len());
        short.push('…');
    }
    short
}

fn is_shown(entry: &Entry) -> bool {
    entry.message().is_some_and(|message| !matches!(**message, Message::System(_)))
}

#[derive(Default)]
struct Scan {
    nodes: Vec<Node>,
    named: Option<String>,
    asked: Option<String>,
    last_timestamp: Option<String>,
}

struct Node {
    id: EntryId,
    parent_id: Option<EntryId>,
    is_shown: bool,
}

/// The fields of an entry that a list needs.
#[derive(Deserialize)]
struct ListLine<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(rename = "parentId", borrow)]
    parent_id: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ListRole<'a> {
    #[serde(borrow)]
    role: Option<&'a RawValue>,
}

impl Scan {
    fn record(&mut self, record: &str) {
        let line = parse_object::<ListLine<'_>>(record);
        let Some((line, id)) = line.and_then(|line| string(line.id).map(|id| (line, EntryId::from(id.as_ref()))))
        else {
            return;
        };
        let parent_id = string(line.parent_id).map(|id| EntryId::from(id.as_ref()));
        let is_shown = match string(line.kind).as_deref() {
            Some("message") => self.message(record, line.message),
            Some("session_info") => {
                if let Some(Payload::SessionInfo(info)) = Entry::parse(record).map(|entry| entry.payload) {
                    self.named = Some(one_line(info.name.as_deref().unwrap_or_default()));
                }
                false
            }
            Some(_) | None => false,
        };
        self.last_timestamp = Some(string(line.timestamp).unwrap_or_default().into_owned());
        self.nodes.push(Node { id, parent_id, is_shown });
    }

    /// Whether a message entry is shown; the first user message gives the name.
    fn message(&mut self, record: &str, message: Option<&RawValue>) -> bool {
        let role = message.and_then(|raw| parse_object::<ListRole<'_>>(raw.get())).and_then(|line| string(line.role));
        match role.as_deref() {
            Some("user") if self.asked.is_none() => {
                let message: Option<SharedMessage> = Entry::parse(record).and_then(|entry| entry.message().cloned());
                if let Some(Message::User(user)) = message.as_deref() {
                    self.asked = Some(user.content.text());
                }
                message.is_some()
            }
            Some("system") => false,
            Some(_) => true,
            None => false,
        }
    }
}
