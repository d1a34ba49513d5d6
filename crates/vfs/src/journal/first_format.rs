//! Reading journals of version 1, which had neither times, patches nor kept snapshots.
//!
//! ```text
//! header      "VITRINEJ"  version u32  crc32 of these 12 bytes u32
//! record      kind u8  follows u8  n_path u16  n_data u64  crc32 of these 12 bytes u32  crc32 of the body u32
//!             body: path (UTF-8), data
//! ```
//! Kinds 1 to 4 are those of version 2; 5 closes the base, the first batch, and has the number of its snapshot (u64) as
//! data. What was written after damage cannot be found: the reading ends there.

use std::sync::Arc;

use crate::backend::{BackendError, Log};
use crate::checksum;
use crate::journal::RecordKind;
use crate::journal::reader::{Batch as Numbered, Format, Item, ReadError, Scan, Tail, decode_path};
use crate::operation::Operation;

const N_HEADER: usize = 16;
const N_RECORD_HEAD: usize = 20;

/// Hands on each whole batch of the log, the base first. The header was read.
pub(super) fn scan(log: &dyn Log, on_item: &mut dyn FnMut(Item)) -> Result<Scan, ReadError> {
    let mut reader = Reader { log, at: N_HEADER as u64, length: log.len()? };
    let mut newest: Option<u64> = None;
    let mut founded_at = None;
    let mut good_length = 0;
    let tail = loop {
        match reader.batch()? {
            Step::Item(Batch { operations, checkpoint }) => {
                // The first batch, and only that, ends with a checkpoint.
                let snapshot = match (newest, checkpoint) {
                    (None, Some(snapshot)) => snapshot,
                    (Some(newest), None) => newest.saturating_add(1),
                    (None, None) | (Some(_), Some(_)) => break Tail::Damaged,
                };
                newest = Some(snapshot);
                on_item(Item::Batch(Numbered { snapshot, operations }));
                good_length = reader.at;
                if founded_at.is_none() {
                    founded_at = Some(reader.at);
                    on_item(Item::Founded);
                }
            }
            Step::End(tail) => break tail,
        }
    };
    let dropped_bytes = reader.length.saturating_sub(good_length);
    Ok(Scan { format: Format::First, founded_at, good_length, dropped_bytes, tail })
}

struct Reader<'a> {
    log: &'a dyn Log,
    at: u64,
    length: u64,
}

/// Whether a record is the last of its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Last,
    Followed,
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
        RecordKind::Put => {
            Record::Operation(Operation::Write { path: decode_path(path)?, contents: data, modified_ms: 0 })
        }
        RecordKind::Folder => Record::Operation(Operation::MakeFolder(decode_path(path)?)),
        RecordKind::Remove => Record::Operation(Operation::Remove(decode_path(path)?)),
        RecordKind::Rename => {
            Record::Operation(Operation::Rename { from: decode_path(path)?, to: decode_path(&data)? })
        }
        RecordKind::Founded => Record::Checkpoint(u64::from_le_bytes(data.as_ref().try_into().ok()?)),
        RecordKind::State | RecordKind::Patch | RecordKind::Keep | RecordKind::Release => return None,
    };
    Some(record)
}
