//! [`SessionStore`]: the sessions of a backend, one file each.

use std::rc::Rc;

use vitrine_vfs::{Backend, BackendError, Log};

use crate::entry::Header;
use crate::ids::SessionId;
use crate::log::{self, LogError, Parsed};
use crate::session::{Session, SessionError, SharedEntropy, read_all};
use crate::summary::{self, SessionInfo};
use crate::time;

/// How the names of session files end; the store leaves every other file alone.
const EXTENSION: &str = ".jsonl";

/// Why the store did not do what it was asked. Nothing was changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The storage refused.
    #[error(transparent)]
    Storage(#[from] BackendError),
    /// No file is that session's.
    #[error("there is no session {id}")]
    NotFound {
        /// The id that was asked for.
        id: SessionId,
    },
    /// The bytes are not a session.
    #[error("{name} is not a session: {reason}")]
    NotASession {
        /// The file, or what the bytes were given as.
        name: String,
        /// What is wrong with them.
        reason: LogError,
    },
    /// The session was found but could not be written.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// One line of the list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The file's name in the backend.
    pub file: String,
    /// The id that [`SessionStore::open`] takes, from the file's name: known also when the file cannot be read.
    pub id: SessionId,
    /// What is known of it.
    pub state: ListedState,
}

/// What is known of a listed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedState {
    /// A session.
    Readable(SessionInfo),
    /// Open in this program or in another tab, so it cannot be read here now.
    InUse,
    /// No session, or the storage could not read it. It stays where it is and can still be exported or removed.
    Damaged {
        /// Why, in words.
        reason: String,
    },
}

/// The sessions of a backend.
#[derive(Clone)]
pub struct SessionStore {
    backend: Rc<dyn Backend>,
    entropy: SharedEntropy,
}

impl std::fmt::Debug for SessionStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionStore").finish_non_exhaustive()
    }
}

impl SessionStore {
    /// The sessions that `backend` holds. `entropy` makes the ids of new ones and of their entries.
    pub fn new(backend: Rc<dyn Backend>, entropy: SharedEntropy) -> Self {
        Self { backend, entropy }
    }

    /// A new session. It is in no list before its first user or assistant message.
    pub fn create(&self, cwd: &str, now_ms: u64) -> Session {
        let id = SessionId::generate(now_ms, &mut *self.entropy.borrow_mut());
        let header = Header::new(id, now_ms, cwd, None);
        Session::new(self.backend.clone(), file_name(&header), self.entropy.clone(), header)
    }

    /// All sessions, the last changed first; what is not readable comes after, never hidden. Fails only when the backend
    /// cannot list its files. Sessions that are open are `InUse`: whoever holds one asks it for its `info`.
    pub async fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let mut list = Vec::new();
        for file in self.files().await? {
            let state = match self.backend.open(&file).await {
                Err(BackendError::LockedElsewhere { .. }) => ListedState::InUse,
                Err(error) => ListedState::Damaged { reason: error.to_string() },
                Ok(log) => match read_all(&*log) {
                    Err(error) => ListedState::Damaged { reason: error.to_string() },
                    Ok(bytes) => match summary::of_bytes(&bytes) {
                        Ok(info) => ListedState::Readable(info),
                        Err(reason) => ListedState::Damaged { reason: reason.to_string() },
                    },
                },
            };
            let id = SessionId::from(id_of(&file));
            list.push(Listed { file, id, state });
        }
        list.sort_by(|a, b| changed(b).cmp(&changed(a)).then_with(|| b.file.cmp(&a.file)));
        Ok(list)
    }

    /// Opens a session for writing. Call [`Session::settle`] before it continues.
    pub async fn open(&self, id: &SessionId) -> Result<Session, StoreError> {
        let (file, log) = self.find(id).await?;
        let bytes = read_all(&*log)?;
        let parsed = log::parse(&bytes).map_err(|reason| StoreError::NotASession { name: file.clone(), reason })?;
        let length = bytes.len() as u64;
        Ok(Session::stored(self.backend.clone(), file, self.entropy.clone(), log, length, parsed))
    }

    /// Names a session that is not open. An open one is named by its own
    /// [`append_session_info`](Session::append_session_info).
    pub async fn rename(&self, id: &SessionId, name: &str, now_ms: u64) -> Result<SessionInfo, StoreError> {
        let mut session = self.open(id).await?;
        session.append_session_info(name, now_ms).await?;
        Ok(session.info())
    }

    /// Removes a session for good, readable or not. One that is open is refused.
    pub async fn remove(&self, id: &SessionId) -> Result<(), StoreError> {
        let (file, log) = self.find(id).await?;
        drop(log);
        Ok(self.backend.remove(&file).await?)
    }

    /// The bytes of a session that is not open, exactly as they are stored. An open one is exported by
    /// [`Session::export`].
    pub async fn export(&self, id: &SessionId) -> Result<Vec<u8>, StoreError> {
        let (_, log) = self.find(id).await?;
        Ok(read_all(&*log)?)
    }

    /// Stores bytes as a session and gives it open. Bytes that are none are refused and nothing is stored. No session
    /// is ever overwritten: when its id is here already, or could not name a file, the copy gets a new id and names the
    /// old one as its parent.
    pub async fn import(&self, bytes: &[u8], now_ms: u64) -> Result<Session, StoreError> {
        let not_a_session = |reason| StoreError::NotASession { name: "the file".to_owned(), reason };
        let mut parsed = log::parse(bytes).map_err(not_a_session)?;
        let (old, damage) = (parsed.header.clone(), parsed.damage.clone());
        let taken = !parsed.header.id.is_safe() || self.is_taken(&parsed.header.id).await?;
        if taken {
            let id = SessionId::generate(now_ms, &mut *self.entropy.borrow_mut());
            let parent = parsed.header.id.to_string();
            parsed.header = Header::new(id, parsed.header.created_at(), &parsed.header.cwd, Some(parent));
        }
        let file = file_name(&parsed.header);
        let written_anew = || log::encode(&parsed.header, &parsed.entries);
        let stored = match (parsed.migrated, taken) {
            (true, _) => written_anew(),
            (false, true) => log::with_header(bytes, &old, &parsed.header).unwrap_or_else(written_anew),
            (false, false) => bytes.to_vec(),
        };
        let mut log = self.backend.open(&file).await?;
        let written = log.append(&stored).and_then(|()| log.flush());
        if let Err(error) = written {
            drop(log);
            // Best effort: a file that stays behind is listed as damaged, and the error says that nothing was imported.
            let _ = self.backend.remove(&file).await;
            return Err(error.into());
        }
        // What was lost on the way here is told of the copy too, though its file may have no trace of it.
        let parsed = Parsed { damage, ..log::parse(&stored).map_err(not_a_session)? };
        let length = stored.len() as u64;
        Ok(Session::stored(self.backend.clone(), file, self.entropy.clone(), log, length, parsed))
    }

    async fn files(&self) -> Result<Vec<String>, BackendError> {
        let mut files = self.backend.list().await?;
        files.retain(|file| file.ends_with(EXTENSION));
        Ok(files)
    }

    async fn is_taken(&self, id: &SessionId) -> Result<bool, StoreError> {
        match self.find(id).await {
            Ok(_) | Err(StoreError::Storage(BackendError::LockedElsewhere { .. })) => Ok(true),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The file of a session, by its name; a file that was put there under another name is not found.
    async fn find(&self, id: &SessionId) -> Result<(String, Box<dyn Log>), StoreError> {
        let Some(file) = self.files().await?.into_iter().find(|file| id_of(file) == id.as_str()) else {
            return Err(StoreError::NotFound { id: id.clone() });
        };
        let log = self.backend.open(&file).await?;
        Ok((file, log))
    }
}

/// `<timestamp>_<id>.jsonl`, the timestamp spelled so that any file system takes it and names sort by age.
fn file_name(header: &Header) -> String {
    let timestamp = time::to_iso(header.created_at()).replace([':', '.'], "-");
    format!("{timestamp}_{}{EXTENSION}", header.id)
}

/// The id in a file's name.
fn id_of(file: &str) -> &str {
    let stem = file.strip_suffix(EXTENSION).unwrap_or(file);
    stem.split_once('_').map_or(stem, |(_, id)| id)
}

fn changed(listed: &Listed) -> Option<u64> {
    match &listed.state {
        ListedState::Readable(info) => Some(info.changed_at),
        // An open session is the most recent one.
        ListedState::InUse => Some(u64::MAX),
        ListedState::Damaged { .. } => None,
    }
}
