//! Writing a journal: the base, then one batch a change, each flushed before it counts.

use crate::backend::{BackendError, Log};
use crate::checksum;
use crate::journal::{MAGIC, N_RECORD_HEAD, Place, RecordKind, VERSION};
use crate::operation::Operation;

/// Records are gathered up to this size, since a call into the browser costs more than a copy; larger contents go to
/// the log as they are.
const N_GATHERED: usize = 64 << 10;

/// A journal open for appending.
pub(crate) struct Journal {
    log: Box<dyn Log>,
    /// Where the last whole batch ends.
    length: u64,
    /// A failed append could not be undone: the log may be longer than `length`.
    has_torn_tail: bool,
}

impl Journal {
    /// Begins a journal in `log`, whose bytes are lost, with a tree as its base. On an error the log holds no complete
    /// base and so no journal.
    pub(crate) fn begin(mut log: Box<dyn Log>, base: &[Operation], snapshot: u64) -> Result<Self, BackendError> {
        let length = match write_base(&mut *log, base, snapshot) {
            Ok(length) => length,
            Err(error) => {
                // The flush may have been what failed, with the whole base in place.
                let _ = log.truncate(0);
                return Err(error);
            }
        };
        Ok(Self { log, length, has_torn_tail: false })
    }

    /// Goes on with a journal that was read up to `length`, cutting what is behind it.
    pub(crate) fn resume(mut log: Box<dyn Log>, length: u64) -> Result<Self, BackendError> {
        if log.len()? > length {
            log.truncate(length)?;
            log.flush()?;
        }
        Ok(Self { log, length, has_torn_tail: false })
    }

    /// Appends one batch and flushes it. On an error the journal is as it was.
    pub(crate) fn append(&mut self, batch: &[Operation]) -> Result<(), BackendError> {
        if self.has_torn_tail {
            self.log.truncate(self.length)?;
            self.has_torn_tail = false;
        }
        let mut appender = Appender { log: &mut *self.log, gathered: Vec::new(), n_appended: 0 };
        let result = append_batch(&mut appender, batch, Place::Last).and_then(|()| appender.finish());
        match result {
            Ok(n_appended) => {
                self.length += n_appended;
                Ok(())
            }
            Err(error) => {
                self.has_torn_tail = self.log.truncate(self.length).is_err();
                Err(error)
            }
        }
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }
}

fn write_base(log: &mut dyn Log, base: &[Operation], snapshot: u64) -> Result<u64, BackendError> {
    log.truncate(0)?;
    let mut appender = Appender { log, gathered: Vec::new(), n_appended: 0 };
    appender.gathered.extend(MAGIC);
    appender.gathered.extend(VERSION.to_le_bytes());
    let checksum = checksum::of(&[&appender.gathered]);
    appender.gathered.extend(checksum.to_le_bytes());
    append_batch(&mut appender, base, Place::Followed)?;
    // The checkpoint is what makes the base count, so all of it has to be safe before that.
    let n_base = appender.finish()?;
    let mut appender = Appender { log, gathered: Vec::new(), n_appended: 0 };
    appender.record(RecordKind::Checkpoint, Place::Last, "", &snapshot.to_le_bytes())?;
    Ok(n_base + appender.finish()?)
}

/// `place` is that of the batch's last record.
fn append_batch(appender: &mut Appender<'_>, batch: &[Operation], place: Place) -> Result<(), BackendError> {
    let n_followed = match place {
        Place::Last => batch.len().saturating_sub(1),
        Place::Followed => batch.len(),
    };
    for (index, operation) in batch.iter().enumerate() {
        let place = if index < n_followed { Place::Followed } else { Place::Last };
        match operation {
            Operation::Write { path, contents } => {
                appender.record(RecordKind::Write, place, path.as_str(), contents)?;
            }
            Operation::MakeFolder(path) => appender.record(RecordKind::MakeFolder, place, path.as_str(), &[])?,
            Operation::Remove(path) => appender.record(RecordKind::Remove, place, path.as_str(), &[])?,
            Operation::Rename { from, to } => {
                appender.record(RecordKind::Rename, place, from.as_str(), to.as_str().as_bytes())?;
            }
        }
    }
    Ok(())
}

struct Appender<'a> {
    log: &'a mut dyn Log,
    gathered: Vec<u8>,
    n_appended: u64,
}

impl Appender<'_> {
    fn record(&mut self, kind: RecordKind, place: Place, path: &str, data: &[u8]) -> Result<(), BackendError> {
        let n_path = u16::try_from(path.len()).map_err(|_| BackendError::Io("a path is too long to record".into()))?;
        let mut head = Vec::with_capacity(N_RECORD_HEAD);
        head.extend([kind as u8, place as u8]);
        head.extend(n_path.to_le_bytes());
        head.extend((data.len() as u64).to_le_bytes());
        let head_checksum = checksum::of(&[&head]);
        head.extend(head_checksum.to_le_bytes());
        head.extend(checksum::of(&[path.as_bytes(), data]).to_le_bytes());

        self.gathered.extend(head);
        self.gathered.extend(path.as_bytes());
        if data.len() < N_GATHERED {
            self.gathered.extend(data);
        } else {
            self.hand_over()?;
            self.log.append(data)?;
            self.n_appended += data.len() as u64;
        }
        if self.gathered.len() >= N_GATHERED { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> Result<(), BackendError> {
        self.log.append(&self.gathered)?;
        self.n_appended += self.gathered.len() as u64;
        self.gathered.clear();
        Ok(())
    }

    /// Flushes, and says how many bytes were appended in all.
    fn finish(mut self) -> Result<u64, BackendError> {
        self.hand_over()?;
        self.log.flush()?;
        Ok(self.n_appended)
    }
}
