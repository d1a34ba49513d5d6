//! What a reader does: asks the writer, and follows what it tells.

use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use vitrine::platform::channel::Beside;
use vitrine::platform::clock;
use vitrine::platform::worker_port::Attached;
use vitrine_agent::json::{self, Json};
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{Notification, Problem, SessionInfo, Storage, StorageKind, StorageRole};
use vitrine_protocol::reader::{ForReader, for_reader};
use vitrine_tabs::{Input, Role};

use super::{Called, Seat};
use crate::desk::Desk;
use crate::outbox::Answer;
use crate::{commands, sessions, storage};

/// How long the writer may take for an answer. It may be in the middle of a search.
const ANSWER_MS: u32 = 3_000;
/// How often a session on screen is asked for, at most.
const FOLLOW_MS: u32 = 250;

/// How far following the writer has come.
#[derive(Debug, Default)]
pub struct Follow {
    /// Whether it is being asked right now.
    is_asking: bool,
    /// Something was told meanwhile.
    is_stale: bool,
}

impl Seat {
    /// Answers a command by the role of now: here, or through the writer.
    pub async fn answer(self: &Rc<Self>, command: Command, attached: Attached) -> Result<Answer, Problem> {
        let desk = self.desk()?;
        let leaves = self.tab.borrow().role() == Role::Leaving;
        if !desk.reads() && !leaves {
            return commands::answer(&desk, command, attached).await;
        }
        match for_reader(&command) {
            ForReader::Refused => Err(refused()),
            ForReader::Here => commands::answer(&desk, command, attached).await,
            // The storage is still open, or about to be another's: the writer's answer is as good.
            ForReader::AskWriter if leaves => commands::answer(&desk, command, attached).await,
            ForReader::AskWriter => match command {
                Command::ListSessions {} => Answer::json(&self.sessions(&desk).await?),
                Command::OpenSession { session_id } => {
                    self.show_session(&desk, &session_id).await?;
                    Answer::json(&desk.sessions.current_info().await)
                }
                command => match self.call(&command).await {
                    // Nobody wrote any more: by now it may be this tab.
                    None => match self.desk()? {
                        desk if desk.reads() => Err(unanswered()),
                        desk => commands::answer(&desk, command, attached).await,
                    },
                    Some(answered) => answered,
                },
            },
        }
    }

    /// Asks the writer. `None` when it does not answer.
    async fn call(self: &Rc<Self>, command: &Command) -> Option<Called> {
        if !self.tab.borrow().knows_writer() {
            return None;
        }
        let number = self.last_call.get() + 1;
        self.last_call.set(number);
        let (sender, answer) = oneshot::channel();
        self.calls.borrow_mut().insert(number, sender);
        let text = serde_json::to_string(command).unwrap_or_default();
        let word = self.tab.borrow().call(number, text);
        self.say(&word, &Beside::Nothing);
        let answered = match select(answer, Box::pin(clock::sleep(ANSWER_MS))).await {
            Either::Left((answered, _)) => answered.ok(),
            Either::Right(_) => None,
        };
        self.calls.borrow_mut().remove(&number);
        if answered.is_none() {
            self.happen(Input::Unanswered);
        }
        answered
    }

    /// Carries a reader's command out.
    pub(super) async fn answer_for(self: &Rc<Self>, command: &str) -> (Result<String, String>, Beside) {
        let answered = match (serde_json::from_str::<Command>(command), self.desk()) {
            // Only what a reader may: other tabs are of this origin, but may be of another build.
            (Ok(command), Ok(desk)) if for_reader(&command) == ForReader::AskWriter => {
                commands::answer(&desk, command, Attached::nothing()).await
            }
            (Ok(_), Ok(_)) => Err(refused()),
            (Err(error), _) => Err(Problem::new("invalid-argument", error.to_string(), "reload both tabs")),
            (_, Err(problem)) => Err(problem),
        };
        match answered.map(Answer::into_parts) {
            Ok((json, beside)) => (Ok(json.map(|json| json.as_str().to_owned()).unwrap_or_default()), beside),
            Err(problem) => (Err(serde_json::to_string(&problem).unwrap_or_default()), Beside::Nothing),
        }
    }

    /// The list of sessions, as seen from here.
    pub(super) async fn sessions(self: &Rc<Self>, desk: &Rc<Desk>) -> Result<Vec<SessionInfo>, Problem> {
        if !desk.reads() {
            return desk.sessions.list().await;
        }
        let mine = desk.sessions.current_info().await;
        let mut list: Vec<SessionInfo> = self.call(&Command::ListSessions {}).await.map_or(Ok(Vec::new()), read)?;
        for session in &mut list {
            session.current = session.id == mine.id;
        }
        Ok(list)
    }

    /// A desk over nothing, for a reader; what was on screen stays there.
    pub(super) async fn sit_aside(self: &Rc<Self>, old: Option<Rc<Desk>>) -> Result<Rc<Desk>, Problem> {
        let mut opened = storage::in_memory(StorageKind::Browser, None);
        opened.storage = Storage { role: StorageRole::Reader, ..opened.storage };
        let desk = commands::lay(&self.outbox, self.lang.clone(), opened)?;
        match old {
            Some(old) => {
                desk.take_from(&old);
                let text = old.sessions.current.lock().await.to_jsonl();
                sessions::keep_showing(&desk, text.as_bytes()).await;
            }
            None => self.reread(),
        }
        Ok(desk)
    }

    /// Puts a session on screen as the writer has it now.
    async fn show_session(self: &Rc<Self>, desk: &Rc<Desk>, id: &str) -> Result<(), Problem> {
        #[derive(serde::Deserialize)]
        struct Exported {
            text: String,
        }
        let command = Command::ExportSession { session_id: id.to_owned() };
        let exported: Exported = read(self.call(&command).await.ok_or_else(unanswered)?)?;
        sessions::follow(desk, exported.text.as_bytes()).await
    }

    /// A session has grown, or the list of them is another. Asked for a few times a second at most.
    pub(super) fn reread(self: &Rc<Self>) {
        let mut follow = self.follow.borrow_mut();
        follow.is_stale = true;
        if std::mem::replace(&mut follow.is_asking, true) {
            return;
        }
        let seat = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            while std::mem::take(&mut seat.follow.borrow_mut().is_stale) {
                if let Ok(desk) = seat.desk()
                    && desk.reads()
                {
                    seat.catch_up(&desk).await;
                }
                clock::sleep(FOLLOW_MS).await;
            }
            seat.follow.borrow_mut().is_asking = false;
        });
    }

    async fn catch_up(self: &Rc<Self>, desk: &Rc<Desk>) {
        let Some(Ok(mut list)) = self.call(&Command::ListSessions {}).await.map(read::<Vec<SessionInfo>>) else {
            return;
        };
        // On a screen with nothing on it, what the writer has open is what one wants to see.
        let shown = match desk.sessions.stored_id().await {
            Some(id) => Some(id),
            None => list.iter().find(|session| session.current).map(|session| session.id.clone()),
        };
        if let Some(id) = &shown {
            // One that was removed stays on screen as it was.
            let _ = self.show_session(desk, id).await;
        }
        if desk.reads() {
            list.iter_mut().for_each(|session| session.current = Some(&session.id) == shown.as_ref());
            self.outbox.tell(&Notification::Sessions(list));
        }
    }
}

/// What the writer answered.
pub(super) fn called(ok: bool, text: String, beside: Beside) -> Called {
    if ok {
        let json = (!text.is_empty()).then(|| Json::parse(text)).transpose();
        return json.map(|json| Answer::from_parts(json, beside)).map_err(|error| misunderstood(&error.to_string()));
    }
    Err(json::read(&text).unwrap_or_else(|error| misunderstood(&error.to_string())))
}

fn read<T: serde::de::DeserializeOwned>(answered: Called) -> Result<T, Problem> {
    let (json, _) = answered?.into_parts();
    json::read(json.as_ref().map_or("null", Json::as_str)).map_err(|error| misunderstood(&error.to_string()))
}

fn misunderstood(error: &str) -> Problem {
    Problem::new("version-mismatch", format!("the other tab is of another build: {error}"), "reload both tabs")
}

fn refused() -> Problem {
    Problem::new(
        "read-only",
        "another tab writes in this workspace; here it can only be read",
        "choose \"Take over\", or call takeOver(), to write here",
    )
}

fn unanswered() -> Problem {
    Problem::new(
        "no-answer",
        "the tab that writes in this workspace does not answer",
        "try again in a moment, or choose \"Take over\" to write here",
    )
}
