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
        Self { backend, name, state: FileState::Unwritten, n_written: 0 }
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
        Self { backend, name, state, n_written: parsed.entries.len() }
    }

    /// Its name in the backend.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is there.
    pub(super) fn is_stored(&self) -> bool {
        !matches!(self.state, FileState::Unwritten)
    }

    /// Brings the file up to `entries`. On an error the file is as it was, or will be before the next write.
    pub(super) async fn save(&mut self, header: &Header, entries: &[Entry]) -> Result<(), BackendError> {
        match &mut self.state {
            FileState::Open(tail) => {
                let new = entries.get(self.n_written..).unwrap_or_default();
                tail.append(&log::encode_lines(new))?;
            }
            FileState::Unwritten => {
                let file = self.backend.open(&self.name).await?;
                // Bytes that are here already belong to a session of the same name or to a first write that failed: the
                // name holds a UUID, so it is the latter unless the file has been put there by hand.
                let mut tail = Tail { length: 0, torn: file.len()? > 0, log: file, unended: false };
                let written = tail.append(&log::encode(header, entries));
                if let Err(error) = written {
                    drop(tail);
                    // Best effort: an empty file that stays behind is listed as damaged, not taken for a session.
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
    log.append(bytes)?;
    log.flush()?;
    drop(log);
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
                self.length = self.log.len()?;
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
