//! The file of a session: when it is made, what it lacks, and how a failed write is taken back.

use std::rc::Rc;

use vitrine_vfs::{Backend, BackendError, Log};

use crate::entry::{Entry, Header};
use crate::log::{self, Parsed};

/// The file of a session, and how much of the session is in it.
pub(super) struct File {
    backend: Rc<dyn Backend>,
    name: String,
    state: FileState,
    /// How many entries of the tree are in the file.
    n_written: usize,
    /// Whether bytes under that name are this session's: a new file must not cut somebody else's.
    is_ours: bool,
}

enum FileState {
    /// Nothing is stored yet.
    Unwritten,
    /// Stored in an older form: the next write puts the whole session in its place.
    Outdated,
    /// Open for appending.
    Open(Tail),
}

/// An open log and the end of what is known to be good in it.
struct Tail {
    log: Box<dyn Log>,
    length: u64,
    /// The last line has no line feed yet.
    unended: bool,
    /// A failed append may have left bytes behind `length`.
    torn: bool,
}

impl File {
    /// A file that is not there yet.
    pub(super) fn unwritten(backend: Rc<dyn Backend>, name: String) -> Self {
        Self { backend, name, state: FileState::Unwritten, n_written: 0, is_ours: false }
    }

    /// A file that was read to its end, `length`, and holds `n_written` entries, in the current form or an older one.
    pub(super) fn stored(
        backend: Rc<dyn Backend>,
        name: String,
        log: Box<dyn Log>,
        length: u64,
        parsed: &Parsed,
    ) -> Self {
        let state = if parsed.migrated {
            drop(log);
            FileState::Outdated
        } else {
            FileState::Open(Tail { log, length, unended: !parsed.ended, torn: false })
        };
        Self { backend, name, state, n_written: parsed.entries.len(), is_ours: true }
    }

    /// Its name in the backend.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is there.
    pub(super) fn is_stored(&self) -> bool {
        !matches!(self.state, FileState::Unwritten)
    }

    /// The bytes that are stored; `None` while nothing is, or only an older form.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, BackendError> {
        match &self.state {
            FileState::Unwritten | FileState::Outdated => Ok(None),
            FileState::Open(tail) => read_all(&*tail.log).map(Some),
        }
    }

    /// Brings the file up to `entries`. On an error the file is as it was, or will be before the next write.
    pub(super) async fn save(&mut self, header: &Header, entries: &[Entry]) -> Result<(), BackendError> {
        match &mut self.state {
            FileState::Open(tail) => {
                let new = entries.get(self.n_written..).unwrap_or_default();
                tail.append(&log::encode_lines(new))?;
            }
            FileState::Unwritten => {
                let log = self.backend.open(&self.name).await?;
                let torn = log.len()? > 0;
                if torn && !self.is_ours {
                    return Err(BackendError::Io(format!("{} is there already", self.name)));
                }
                self.is_ours = true;
                let mut tail = Tail { log, length: 0, unended: false, torn };
                let written = tail.append(&log::encode(header, entries));
                if let Err(error) = written {
                    drop(tail);
                    // Best effort: what stays behind is cut off by the next attempt.
                    let _ = self.backend.remove(&self.name).await;
                    return Err(error);
                }
                self.state = FileState::Open(tail);
            }
            FileState::Outdated => {
                let tail = replace(&*self.backend, &self.name, &log::encode(header, entries)).await?;
                self.state = FileState::Open(tail);
            }
        }
        self.n_written = entries.len();
        Ok(())
    }
}

/// Writes `bytes` beside the file and then puts them in its place, so that a crash leaves the old or the new ones.
async fn replace(backend: &dyn Backend, name: &str, bytes: &[u8]) -> Result<Tail, BackendError> {
    let beside = format!("{name}.new");
    backend.remove(&beside).await?;
    let mut log = backend.open(&beside).await?;
    let written = log.append(bytes).and_then(|()| log.flush());
    drop(log);
    if let Err(error) = written {
        // Best effort: the next attempt removes it too.
        let _ = backend.remove(&beside).await;
        return Err(error);
    }
    backend.replace(&beside, name).await?;
    let log = backend.open(name).await?;
    Ok(Tail { length: log.len()?, log, unended: false, torn: false })
}

impl Tail {
    fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        if self.torn {
            self.log.truncate(self.length)?;
            self.torn = false;
        }
        let written = self.append_and_flush(bytes);
        match written {
            Ok(()) => {
                self.length += bytes.len() as u64 + u64::from(self.unended);
                self.unended = false;
            }
            Err(_) => self.torn = self.log.truncate(self.length).is_err(),
        }
        written
    }

    fn append_and_flush(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        if self.unended {
            let mut ended = Vec::with_capacity(bytes.len() + 1);
            ended.push(b'\n');
            ended.extend_from_slice(bytes);
            self.log.append(&ended)?;
        } else {
            self.log.append(bytes)?;
        }
        self.log.flush()
    }
}

/// Reads a log to its end.
pub(crate) fn read_all(log: &dyn Log) -> Result<Vec<u8>, BackendError> {
    let mut bytes = vec![0; usize::try_from(log.len()?).unwrap_or(usize::MAX)];
    let mut at = 0;
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| !rest.is_empty()) {
        match log.read(at as u64, rest)? {
            0 => break,
            n_read => at += n_read,
        }
    }
    bytes.truncate(at);
    Ok(bytes)
}
