//! Writing a journal: the base, then one batch a change, each flushed before it counts.

use crate::backend::{BackendError, Log};
use crate::checksum;
use crate::journal::head::{Head, N_HEAD, header};
use crate::journal::{Place, RecordKind};
use crate::operation::Operation;

/// Records are gathered up to this size, since a call into the browser costs more than a copy; larger contents go to
/// the log as they are.
const N_GATHERED: usize = 64 << 10;

/// A state of the base: the operations that lead to it from the one before.
pub(crate) struct BaseState {
    pub(crate) snapshot: u64,
    pub(crate) operations: Vec<Operation>,
    /// The names under which it is kept.
    pub(crate) names: Vec<String>,
}

/// A journal open for appending.
pub(crate) struct Journal {
    log: Box<dyn Log>,
    salt: u64,
    /// Where the base ends.
    founded_at: u64,
    /// Where the last whole batch ends.
    length: u64,
    /// A failed append could not be undone: the log may be longer than `length`.
    has_torn_tail: bool,
}

/// A journal could not be begun.
pub(crate) struct BeginError {
    pub(crate) error: BackendError,
    /// The log, if what was written could not be taken back: it may hold a whole base, and whoever goes on with another
    /// journal has to empty it first.
    pub(crate) left: Option<Box<dyn Log>>,
}

impl Journal {
    /// Begins a journal in `log`, whose bytes are lost. On an error it holds no whole base and so no journal,
    /// or else is left to the caller.
    pub(crate) fn begin(mut log: Box<dyn Log>, salt: u64, base: &[BaseState]) -> Result<Self, BeginError> {
        match write_base(&mut *log, salt, base) {
            Ok(length) => Ok(Self { log, salt, founded_at: length, length, has_torn_tail: false }),
            Err(error) => {
                // The flush may have been what failed, with the whole base in place.
                let left = log.truncate(0).is_err().then_some(log);
                Err(BeginError { error, left })
            }
        }
    }

    /// Goes on with a journal that was read up to `length`, cutting what is behind it.
    pub(crate) fn resume(mut log: Box<dyn Log>, founded_at: u64, length: u64) -> Result<Self, BackendError> {
        let salt = crate::journal::reader::salt_of(&*log)?;
        if log.len()? > length {
            log.truncate(length)?;
            log.flush()?;
        }
        Ok(Self { log, salt, founded_at, length, has_torn_tail: false })
    }

    /// Appends a change as one batch and flushes it. On an error the journal is as it was.
    pub(crate) fn append(&mut self, snapshot: u64, operations: &[Operation]) -> Result<(), BackendError> {
        self.append_with(|appender| appender.batch(snapshot, operations))
    }

    /// Notes that a snapshot is kept, and flushes that.
    pub(crate) fn keep(&mut self, newest: u64, snapshot: u64, name: &str) -> Result<(), BackendError> {
        self.append_with(|appender| appender.keep(newest, snapshot, name))
    }

    /// Notes that a name is given up.
    pub(crate) fn release(&mut self, newest: u64, name: &str) -> Result<(), BackendError> {
        self.append_with(|appender| appender.mark(RecordKind::Release, newest, name.as_bytes()))
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// How much of it is its base.
    pub(crate) fn founded_at(&self) -> u64 {
        self.founded_at
    }

    /// What it is written in, to be read as well.
    pub(crate) fn log(&self) -> &dyn Log {
        &*self.log
    }

    fn append_with(
        &mut self,
        write: impl FnOnce(&mut Appender<'_>) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        if self.has_torn_tail {
            self.log.truncate(self.length)?;
            self.has_torn_tail = false;
        }
        let mut appender = Appender { log: &mut *self.log, salt: self.salt, gathered: Vec::new(), at: self.length };
        match write(&mut appender).and_then(|()| appender.finish()) {
            Ok(length) => {
                self.length = length;
                Ok(())
            }
            Err(error) => {
                self.has_torn_tail = self.log.truncate(self.length).is_err();
                Err(error)
            }
        }
    }
}

/// What failed should not be found at the next start: one more try.
impl Drop for Journal {
    fn drop(&mut self) {
        if self.has_torn_tail {
            let _ = self.log.truncate(self.length);
        }
    }
}

/// The bytes that a batch takes, about.
pub(crate) fn n_bytes(operations: &[Operation]) -> u64 {
    let n_bytes = |operation: &Operation| {
        let n_data = match operation {
            Operation::Write { contents, .. } => contents.len(),
            Operation::Patch { patch, .. } => patch.inserted.len() + 20,
            Operation::MakeFolder(_) | Operation::Remove(_) => 0,
            Operation::Rename { from, .. } => from.as_str().len(),
        };
        (N_HEAD + operation.path().as_str().len() + n_data) as u64
    };
    operations.iter().map(n_bytes).sum()
}

fn write_base(log: &mut dyn Log, salt: u64, base: &[BaseState]) -> Result<u64, BackendError> {
    log.truncate(0)?;
    let mut appender = Appender { log, salt, gathered: [header(salt), header(salt)].concat(), at: 0 };
    let mut newest = 0;
    for state in base {
        newest = state.snapshot;
        appender.batch(newest, &state.operations)?;
        for name in &state.names {
            appender.keep(newest, newest, name)?;
        }
    }
    // What comes now makes the base count, so all of it has to be safe before that.
    appender.flush()?;
    appender.mark(RecordKind::Founded, newest, &[])?;
    appender.finish()
}

struct Appender<'a> {
    log: &'a mut dyn Log,
    salt: u64,
    gathered: Vec<u8>,
    /// Where in the log the gathered bytes go.
    at: u64,
}

impl Appender<'_> {
    fn batch(&mut self, snapshot: u64, operations: &[Operation]) -> Result<(), BackendError> {
        if operations.is_empty() {
            return self.mark(RecordKind::State, snapshot, &[]);
        }
        for (index, operation) in operations.iter().enumerate() {
            let place = Place::of(index, operations.len());
            let mut record = |kind, modified_ms, path: &str, data: &[&[u8]]| {
                self.record(kind, place, snapshot, modified_ms, path, data)
            };
            match operation {
                Operation::Write { path, contents, modified_ms } => {
                    record(RecordKind::Put, *modified_ms, path.as_str(), &[contents])?;
                }
                Operation::Patch { path, patch, modified_ms, contents: _ } => {
                    let (at, n_removed) = (patch.at.to_le_bytes(), patch.n_removed.to_le_bytes());
                    let data: [&[u8]; 4] = [&at, &n_removed, &patch.checksum.to_le_bytes(), &patch.inserted];
                    record(RecordKind::Patch, *modified_ms, path.as_str(), &data)?;
                }
                Operation::MakeFolder(path) => record(RecordKind::Folder, 0, path.as_str(), &[])?,
                Operation::Remove(path) => record(RecordKind::Remove, 0, path.as_str(), &[])?,
                Operation::Rename { from, to } => {
                    record(RecordKind::Rename, 0, from.as_str(), &[to.as_str().as_bytes()])?;
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, newest: u64, snapshot: u64, name: &str) -> Result<(), BackendError> {
        self.mark(RecordKind::Keep, newest, &[&snapshot.to_le_bytes(), name.as_bytes()].concat())
    }

    fn mark(&mut self, kind: RecordKind, snapshot: u64, data: &[u8]) -> Result<(), BackendError> {
        self.record(kind, Place::Alone, snapshot, 0, "", &[data])
    }

    fn record(
        &mut self,
        kind: RecordKind,
        place: Place,
        snapshot: u64,
        modified_ms: u64,
        path: &str,
        data: &[&[u8]],
    ) -> Result<(), BackendError> {
        let n_path = u16::try_from(path.len()).map_err(|_| BackendError::Io("a path is too long to record".into()))?;
        let head = Head {
            kind,
            place,
            n_path,
            n_data: data.iter().map(|part| part.len() as u64).sum(),
            snapshot,
            modified_ms,
            path_checksum: checksum::of(&[path.as_bytes()]),
            data_checksum: checksum::of(data),
        };
        let begins = self.at + self.gathered.len() as u64;
        self.gathered.extend(head.to_bytes(self.salt, begins));
        self.gathered.extend(path.as_bytes());
        for part in data {
            if part.len() < N_GATHERED {
                self.gathered.extend(*part);
            } else {
                self.hand_over()?;
                self.log.append(part)?;
                self.at += part.len() as u64;
            }
        }
        if self.gathered.len() >= N_GATHERED { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> Result<(), BackendError> {
        self.log.append(&self.gathered)?;
        self.at += self.gathered.len() as u64;
        self.gathered.clear();
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        self.hand_over()?;
        self.log.flush()
    }

    /// Flushes, and says how long the log is.
    fn finish(mut self) -> Result<u64, BackendError> {
        self.flush()?;
        Ok(self.at)
    }
}
