//! The saved sessions and the open one.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::lock::Mutex;
use serde_json::json;
use vitrine::platform::unicode::Browser;
use vitrine::platform::{clock, random};
use vitrine_agent::event::Event;
use vitrine_agent::message::SharedMessage;
use vitrine_protocol::notification::{Notification, Problem, SessionInfo};
use vitrine_session::ids::SessionId;
use vitrine_session::loss::Loss;
use vitrine_session::session::{Session, SessionError};
use vitrine_session::settle;
use vitrine_session::store::{ListedState, SessionStore, StoreError};
use vitrine_session::summary;
use vitrine_tools::Paths;
use vitrine_vfs::{Backend, BackendError, MemoryBackend};

use crate::desk::{Desk, Tally};
use crate::outbox::Answer;

/// The folder the agent works in, as sessions record it and the model sees it.
pub const CWD: &str = "/workspace";

/// How paths are read, and shown to the model.
pub fn paths() -> Paths {
    Paths::new(CWD, CWD, &Browser)
}

/// The store and the open session.
pub struct Sessions {
    store: SessionStore,
    /// Held while an entry is written: entries are written in the order of their events.
    pub current: Mutex<Session>,
}

impl Sessions {
    /// Over a backend, with a new session open.
    pub fn new(backend: Rc<dyn Backend>) -> Self {
        let entropy = Rc::new(RefCell::new(|| u64::from_le_bytes(random::bytes())));
        let store = SessionStore::new(backend, entropy);
        let current = Mutex::new(store.create(CWD, clock::wall_ms()));
        Self { store, current }
    }

    /// All sessions, newest first, the open one among them once it is stored.
    pub async fn list(&self) -> Result<Vec<SessionInfo>, Problem> {
        let current = self.current.lock().await;
        let listed = self.store.list().await.map_err(|error| problem(&error))?;
        let mut infos = Vec::new();
        if current.is_stored() {
            infos.push(info(&current.info(), true));
        }
        for listed in listed {
            match listed.state {
                ListedState::Readable(summary) if summary.id != *current.id() => infos.push(info(&summary, false)),
                // The open one was added above; one that another tab holds cannot be read here.
                ListedState::Readable(_) | ListedState::InUse => {}
                ListedState::Damaged { reason } => infos.push(SessionInfo {
                    id: listed.id.to_string(),
                    name: format!("{} ({reason})", listed.file),
                    ..SessionInfo::default()
                }),
            }
        }
        Ok(infos)
    }

    /// The id of the open session, once it is stored.
    pub async fn stored_id(&self) -> Option<String> {
        let current = self.current.lock().await;
        current.is_stored().then(|| current.id().to_string())
    }

    /// What is known of the open session.
    pub async fn current_info(&self) -> SessionInfo {
        info(&self.current.lock().await.info(), true)
    }
}

/// Makes a saved session the open one: every call that a cut-off run left open gets its result, and the page shows it.
pub async fn open(desk: &Desk, id: &str) -> Result<Answer, Problem> {
    idle(desk)?;
    let id = SessionId::from(id);
    // Opening the open one again is a reread of what is in memory.
    if *desk.sessions.current.lock().await.id() != id {
        let session = desk.sessions.store.open(&id).await.map_err(|error| problem(&error))?;
        let loss = session.loss();
        replace(desk, session).await;
        let answer = show(desk).await;
        tell_loss(desk, loss);
        return answer;
    }
    show(desk).await
}

/// Starts a new session.
pub async fn create(desk: &Desk) -> Result<Answer, Problem> {
    idle(desk)?;
    let session = desk.sessions.store.create(CWD, clock::wall_ms());
    replace(desk, session).await;
    show(desk).await
}

/// Names a session.
pub async fn rename(desk: &Desk, id: &str, name: &str) -> Result<Answer, Problem> {
    let id = SessionId::from(id);
    let mut current = desk.sessions.current.lock().await;
    let renamed = if *current.id() == id {
        current.append_session_info(name, clock::wall_ms()).await.map_err(|error| session_problem(&error))?;
        info(&current.info(), true)
    } else {
        let renamed = desk.sessions.store.rename(&id, name, clock::wall_ms()).await;
        info(&renamed.map_err(|error| problem(&error))?, false)
    };
    drop(current);
    tell_list(desk).await;
    Answer::json(&renamed)
}

/// Removes a session for good. Removing the open one opens a new one.
pub async fn remove(desk: &Desk, id: &str) -> Result<Answer, Problem> {
    let id = SessionId::from(id);
    let is_current = *desk.sessions.current.lock().await.id() == id;
    if is_current {
        create(desk).await?;
    }
    match desk.sessions.store.remove(&id).await {
        Ok(()) => {}
        // The open one may never have been stored.
        Err(StoreError::NotFound { .. }) if is_current => {}
        Err(error) => return Err(problem(&error)),
    }
    tell_list(desk).await;
    Ok(Answer::done())
}

/// The text of a session, byte for byte as it is stored.
pub async fn export(desk: &Desk, id: &str) -> Result<Answer, Problem> {
    let id = SessionId::from(id);
    let current = desk.sessions.current.lock().await;
    let bytes = if *current.id() == id {
        current.export().map_err(|error| session_problem(&error))?
    } else {
        drop(current);
        desk.sessions.store.export(&id).await.map_err(|error| problem(&error))?
    };
    let text = String::from_utf8_lossy(&bytes);
    Answer::json(&json!({ "text": text, "fileName": format!("{id}.jsonl") }))
}

/// Stores bytes as a session and opens it.
pub async fn import(desk: &Desk, bytes: &[u8]) -> Result<Answer, Problem> {
    idle(desk)?;
    let session = desk.sessions.store.import(bytes, clock::wall_ms()).await.map_err(|error| problem(&error))?;
    let loss = session.loss();
    replace(desk, session).await;
    let answer = show(desk).await;
    tell_loss(desk, loss);
    answer
}

/// Says what the file of the session on screen has lost: after it is on screen, so that it is heard of that one.
fn tell_loss(desk: &Desk, loss: Option<Loss>) {
    if let Some(loss) = loss {
        let help = "all that can be read is shown; export the session to look at its lines";
        desk.outbox.tell(&Notification::Problem(Problem::new("session-damaged", loss.to_string(), help)));
    }
}

/// Names the open session without telling it to the model.
pub async fn name_current(desk: &Desk, name: &str) {
    // A name is a comfort: where it cannot be written, the write of the message that follows reports it.
    let _ = desk.sessions.current.lock().await.append_session_info(name, clock::wall_ms()).await;
}

/// Makes a session that is stored here the open one, as another desk had it. What cannot be opened leaves a new one.
pub async fn reopen(desk: &Desk, id: &str) {
    if let Ok(session) = desk.sessions.store.open(&SessionId::from(id)).await {
        replace(desk, session).await;
    }
}

/// Stores the session that another desk had open, if this storage does not have all of it, and makes it the open one.
pub async fn bring_over(desk: &Desk, id: &str, bytes: &[u8]) {
    let stored = desk.sessions.store.export(&SessionId::from(id)).await;
    if stored.is_ok_and(|stored| stored.starts_with(bytes)) {
        return reopen(desk, id).await;
    }
    match desk.sessions.store.import(bytes, clock::wall_ms()).await {
        Ok(session) => replace(desk, session).await,
        Err(error) => desk.outbox.tell(&Notification::Problem(problem(&error))),
    }
}

/// Reads a session that is stored elsewhere; nothing of it is stored here.
async fn borrow(bytes: &[u8]) -> Result<Session, StoreError> {
    let entropy = Rc::new(RefCell::new(|| u64::from_le_bytes(random::bytes())));
    SessionStore::new(Rc::new(MemoryBackend::default()), entropy).import(bytes, clock::wall_ms()).await
}

/// Keeps what is on screen, for a desk that only reads: the page sees no difference.
pub async fn keep_showing(desk: &Desk, bytes: &[u8]) {
    if let Ok(session) = borrow(bytes).await {
        desk.tally.replace(Tally::of(&session.messages()));
        *desk.sessions.current.lock().await = session;
    }
}

/// Shows a session that another tab writes, as it is now: what is new of the one on screen as events, another one anew.
pub async fn follow(desk: &Desk, bytes: &[u8]) -> Result<(), Problem> {
    let session = borrow(bytes).await.map_err(|error| problem(&error))?;
    let mut current = desk.sessions.current.lock().await;
    let (before, now) = (current.messages(), session.messages());
    let goes_on = current.is_stored() && current.id() == session.id() && now.starts_with(&before);
    *current = session;
    drop(current);
    desk.tally.replace(Tally::of(&now));
    if !goes_on {
        return show(desk).await.map(|_| ());
    }
    for message in now.get(before.len()..).unwrap_or_default() {
        desk.outbox.tell_event(&Event::MessageStart { message: message.clone() });
        desk.outbox.tell_event(&Event::MessageEnd { message: message.clone() });
    }
    desk.tell_state();
    Ok(())
}

async fn replace(desk: &Desk, mut session: Session) {
    // Where the results cannot be written, the session still opens: its context answers open calls by itself.
    if let Err(error) = session.settle(clock::wall_ms()).await {
        desk.outbox.tell(&Notification::Problem(session_problem(&error)));
    }
    desk.tally.replace(Tally::of(&session.messages()));
    desk.turn.set(0);
    desk.tamper.reset();
    desk.visit.reset();
    desk.requests.reset();
    desk.scripts.load(vitrine_providers::scripted::Script::default());
    *desk.sessions.current.lock().await = session;
}

/// Tells the page which session is open, and answers with the same.
pub async fn show(desk: &Desk) -> Result<Answer, Problem> {
    let (session, messages): (_, Vec<SharedMessage>) = {
        let current = desk.sessions.current.lock().await;
        let messages = current.messages();
        // A call that another tab is carrying out will have its result.
        (info(&current.info(), true), if desk.reads() { messages } else { settle::fill(&messages) })
    };
    let answer = Answer::json(&session)?;
    desk.outbox.tell(&Notification::SessionOpened { session, messages });
    desk.tell_state();
    if !desk.reads() {
        tell_list(desk).await;
    }
    Ok(answer)
}

/// Tells the page the list of sessions.
pub async fn tell_list(desk: &Desk) {
    match desk.sessions.list().await {
        Ok(list) => desk.outbox.tell(&Notification::Sessions(list)),
        Err(problem) => desk.outbox.tell(&Notification::Problem(problem)),
    }
}

fn idle(desk: &Desk) -> Result<(), Problem> {
    if desk.active.borrow().is_some() {
        return Err(Problem::new("busy", "a run goes on in the open session", "wait for it, or stop it first"));
    }
    Ok(())
}

fn info(summary: &summary::SessionInfo, current: bool) -> SessionInfo {
    SessionInfo {
        id: summary.id.to_string(),
        name: summary.name.clone(),
        created_at: summary.created_at,
        changed_at: summary.changed_at,
        n_messages: u32::try_from(summary.n_messages).unwrap_or(u32::MAX),
        current,
    }
}

/// A session error as the reader sees it.
pub fn session_problem(error: &SessionError) -> Problem {
    match error {
        SessionError::Storage(storage) => storage_problem(storage, &error.to_string()),
        SessionError::UnknownEntry { .. } => {
            Problem::new("entry-not-found", error.to_string(), "open the session again; it may have changed")
        }
    }
}

fn problem(error: &StoreError) -> Problem {
    match error {
        StoreError::Storage(storage) => storage_problem(storage, &error.to_string()),
        StoreError::Session(session) => session_problem(session),
        StoreError::NotFound { .. } => {
            Problem::new("session-not-found", error.to_string(), "look at the list of sessions")
        }
        StoreError::NotASession { .. } => Problem::new(
            "session-invalid",
            error.to_string(),
            "choose a session file: JSON Lines that begin with {\"type\":\"session\"",
        ),
    }
}

fn storage_problem(error: &BackendError, message: &str) -> Problem {
    let help = match error {
        BackendError::LockedElsewhere { .. } => "close the other tab that has it open, and try again",
        BackendError::QuotaExceeded { .. } => "export and remove old sessions or files, and try again",
        BackendError::NotSupported
        | BackendError::NameRefused { .. }
        | BackendError::NotFound { .. }
        | BackendError::Io(_) => "export what you need; then reload the page and try again",
    };
    Problem::new("storage", message, help)
}
