//! Reading a journal back, up to the last good batch.

use std::sync::Arc;

use crate::backend::{BackendError, Log};
use crate::checksum;
use crate::journal::{MAGIC, N_HEADER, N_RECORD_HEAD, Place, RecordKind, VERSION};
use crate::operation::Operation;
use crate::path::WorkspacePath;

/// What a journal holds. Operations were handed on as they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    /// The snapshot of the base; `None` when there is no complete base, and then the log is no journal.
    pub(crate) base: Option<u64>,
    /// Where the last good batch ends.
    pub(crate) good_length: u64,
    /// Bytes behind it.
    pub(crate) dropped_bytes: u64,
    /// Why reading ended there.
    pub(crate) tail: Tail,
}

/// Why reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// At the end of the log.
    Clean,
    /// In a record or batch whose rest is missing: a crash while it was written.
    Torn,
    /// At bytes that nobody wrote.
    Damaged,
}

/// Why a journal could not be read at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// Written by a later version of this program.
    NewerFormat(u32),
    /// The log failed.
    Backend(BackendError),
}

impl From<BackendError> for ReadError {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

/// Hands each whole batch of the log to `on_batch`, the base first (possibly empty). If it refuses one, the log counts
/// as damaged from there on.
pub(crate) fn scan(log: &dyn Log, mut on_batch: impl FnMut(Vec<Operation>) -> bool) -> Result<Scan, ReadError> {
    let mut reader = Reader { log, at: 0, length: log.len()? };
    let mut base = None;
    let mut good_length = 0;
    let tail = match reader.header()? {
        Step::Item(()) => loop {
            match reader.batch()? {
                Step::Item(Batch { operations, checkpoint }) => {
                    // The first batch, and only that, ends with a checkpoint.
                    if base.is_none() != checkpoint.is_some() || !on_batch(operations) {
                        break Tail::Damaged;
                    }
                    base = base.or(checkpoint);
                    good_length = reader.at;
                }
                Step::End(tail) => break tail,
            }
        },
        Step::End(tail) => tail,
    };
    Ok(Scan { base, good_length, dropped_bytes: reader.length.saturating_sub(good_length), tail })
}

struct Reader<'a> {
    log: &'a dyn Log,
    at: u64,
    length: u64,
}

enum Step<T> {
    Item(T),
    End(Tail),
}

struct Batch {
    operations: Vec<Operation>,
    checkpoint: Option<u64>,
}

enum Record {
    Operation(Operation),
    Checkpoint(u64),
}

impl Reader<'_> {
    fn header(&mut self) -> Result<Step<()>, ReadError> {
        let mut bytes = [0; N_HEADER];
        let n_read = self.log.read(0, &mut bytes)?;
        if n_read < N_HEADER {
            let is_begun = bytes.iter().take(n_read).zip(MAGIC).all(|(found, expected)| found == expected);
            return Ok(Step::End(if is_begun { Tail::Torn } else { Tail::Damaged }));
        }
        let [magic @ .., v0, v1, v2, v3, c0, c1, c2, c3] = bytes;
        let version = [v0, v1, v2, v3];
        if magic != *MAGIC || checksum::of(&[&magic, &version]) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Ok(Step::End(Tail::Damaged));
        }
        match u32::from_le_bytes(version) {
            VERSION => {
                self.at = N_HEADER as u64;
                Ok(Step::Item(()))
            }
            newer if newer > VERSION => Err(ReadError::NewerFormat(newer)),
            _ => Ok(Step::End(Tail::Damaged)),
        }
    }

    fn batch(&mut self) -> Result<Step<Batch>, ReadError> {
        if self.at == self.length {
            return Ok(Step::End(Tail::Clean));
        }
        let mut batch = Batch { operations: Vec::new(), checkpoint: None };
        loop {
            let (record, place) = match self.record()? {
                Step::Item(item) => item,
                Step::End(tail) => return Ok(Step::End(tail)),
            };
            match (record, place) {
                (Record::Operation(operation), _) => batch.operations.push(operation),
                (Record::Checkpoint(snapshot), Place::Last) => batch.checkpoint = Some(snapshot),
                (Record::Checkpoint(_), Place::Followed) => return Ok(Step::End(Tail::Damaged)),
            }
            if place == Place::Last {
                return Ok(Step::Item(batch));
            }
        }
    }

    fn record(&mut self) -> Result<Step<(Record, Place)>, ReadError> {
        let mut head = [0; N_RECORD_HEAD];
        if self.log.read(self.at, &mut head)? < N_RECORD_HEAD {
            return Ok(Step::End(Tail::Torn));
        }
        let [kind, follows, p0, p1, d0, d1, d2, d3, d4, d5, d6, d7, h0, h1, h2, h3, b0, b1, b2, b3] = head;
        let lengths = [kind, follows, p0, p1, d0, d1, d2, d3, d4, d5, d6, d7];
        if checksum::of(&[&lengths]) != u32::from_le_bytes([h0, h1, h2, h3]) {
            return Ok(Step::End(Tail::Damaged));
        }
        let place = match follows {
            0 => Place::Last,
            1 => Place::Followed,
            _ => return Ok(Step::End(Tail::Damaged)),
        };
        let n_path = u16::from_le_bytes([p0, p1]);
        let n_data = u64::from_le_bytes([d0, d1, d2, d3, d4, d5, d6, d7]);
        let path_at = self.at + N_RECORD_HEAD as u64;
        let data_at = path_at + u64::from(n_path);
        let end = match data_at.checked_add(n_data) {
            Some(end) if end <= self.length => end,
            Some(_) => return Ok(Step::End(Tail::Torn)),
            None => return Ok(Step::End(Tail::Damaged)),
        };
        let path = self.bytes(path_at, u64::from(n_path))?;
        let data = self.bytes(data_at, n_data)?;
        let is_whole = checksum::of(&[&path, &data]) == u32::from_le_bytes([b0, b1, b2, b3]);
        let record = RecordKind::from_byte(kind).filter(|_| is_whole).and_then(|kind| decode(kind, &path, data));
        let Some(record) = record else {
            return Ok(Step::End(Tail::Damaged));
        };
        self.at = end;
        Ok(Step::Item((record, place)))
    }

    /// Bytes that are within the log; read in place, so that a large file is in memory once.
    fn bytes(&self, at: u64, n_bytes: u64) -> Result<Arc<[u8]>, ReadError> {
        let n_bytes = usize::try_from(n_bytes).map_err(|_| BackendError::Io("a record is too large".into()))?;
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, n_bytes).collect();
        if let Some(buffer) = Arc::get_mut(&mut bytes) {
            self.log.read(at, buffer)?;
        }
        Ok(bytes)
    }
}

fn decode(kind: RecordKind, path: &[u8], data: Arc<[u8]>) -> Option<Record> {
    let record = match kind {
        RecordKind::Write => Record::Operation(Operation::Write { path: decode_path(path)?, contents: data }),
        RecordKind::MakeFolder => Record::Operation(Operation::MakeFolder(decode_path(path)?)),
        RecordKind::Remove => Record::Operation(Operation::Remove(decode_path(path)?)),
        RecordKind::Rename => {
            Record::Operation(Operation::Rename { from: decode_path(path)?, to: decode_path(&data)? })
        }
        RecordKind::Checkpoint => Record::Checkpoint(u64::from_le_bytes(data.as_ref().try_into().ok()?)),
    };
    Some(record)
}

/// A path is stored as it is spelled when parsed; any other spelling was not written by this crate.
fn decode_path(bytes: &[u8]) -> Option<WorkspacePath> {
    let text = std::str::from_utf8(bytes).ok()?;
    WorkspacePath::parse(text).ok().filter(|path| path.as_str() == text)
}
