//! Reading a journal back: everything that is as it was written, and what is not.

use std::fmt;
use std::sync::Arc;

use crate::backend::{BackendError, Log};
use crate::checksum;
use crate::journal::head::{Fields, Head, Header, N_HEAD, SYNC, read_header};
use crate::journal::window::Window;
use crate::journal::{N_HEADER, N_HEADERS, RecordKind, first_format};
use crate::operation::Operation;
use crate::patch::Patch;
use crate::path::WorkspacePath;

/// What a journal holds, in the order in which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A change. The first is the oldest state, from nothing.
    Batch(Batch),
    /// What came before is whole; later batches are what happened since.
    Founded,
    /// A snapshot is kept under a name.
    Keep { snapshot: u64, name: String },
    /// A name is given up.
    Release(String),
    /// Something could not be read.
    Damage(Damage),
}

/// A change of any number of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// The snapshot it leads to.
    pub(crate) snapshot: u64,
    pub(crate) operations: Vec<Operation>,
}

/// A part of a journal that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where it is in the log; 0 for a change that was read and needs another that was lost.
    pub at: u64,
    /// How long it is.
    pub n_bytes: u64,
    /// What it was about, if that can still be read.
    pub path: Option<WorkspacePath>,
    /// The snapshot that its change led to, likewise.
    pub snapshot: Option<u64>,
    /// What is lost.
    pub kind: DamageKind,
    /// The file was written whole later on: only older snapshots are harmed.
    pub is_made_good: bool,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, n_bytes, path, snapshot, kind, is_made_good } = self;
        match (path, snapshot, kind) {
            (Some(path), Some(snapshot), DamageKind::Contents) => {
                write!(f, "{path}: the contents of change {snapshot} are lost")?;
            }
            (Some(path), Some(snapshot), DamageKind::Change | DamageKind::Unknown) => {
                write!(f, "{path}: change {snapshot} is lost")?;
            }
            (None, Some(snapshot), _) => write!(f, "{n_bytes} bytes at {at}, of change {snapshot}, cannot be read")?,
            (_, None, _) => write!(f, "{n_bytes} bytes at {at} cannot be read")?,
        }
        if *is_made_good { f.write_str(", and were written again later") } else { Ok(()) }
    }
}

/// What could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// New contents of a file: it has its older ones, or is not there.
    Contents,
    /// A folder, a removal or a renaming: it was not done.
    Change,
    /// Nobody can say.
    Unknown,
}

/// How the reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scan {
    pub(crate) format: Format,
    /// Where the base ends; `None` if it is not whole.
    pub(crate) founded_at: Option<u64>,
    /// Where the last good item ends.
    pub(crate) good_length: u64,
    /// Bytes behind it.
    pub(crate) dropped_bytes: u64,
    /// Why reading ended there.
    pub(crate) tail: Tail,
}

/// How a journal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    First,
    Present,
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

/// Hands on each item of the log. Linear in its length.
pub(crate) fn scan(log: &dyn Log, on_item: &mut dyn FnMut(Item)) -> Result<Scan, ReadError> {
    let length = log.len()?;
    let mut bytes = [0; 2 * N_HEADER];
    let n_read = log.read(0, &mut bytes)?;
    let bytes = bytes.get(..n_read).unwrap_or_default();
    let (first, second) = bytes.split_at(bytes.len().min(N_HEADER));
    let (first, second) = (read_header(first), read_header(second));
    match first.or(second) {
        Some(Header::Newer(version)) => Err(ReadError::NewerFormat(version)),
        Some(Header::First) => first_format::scan(log, on_item),
        // What is shorter was torn when it was begun.
        Some(Header::Present(salt)) if length >= N_HEADERS => {
            if first != second {
                on_item(Item::Damage(unknown(0, N_HEADERS)));
            }
            let window = Window::new(log, length);
            let reader =
                Reader { window, salt, at: N_HEADERS, length, pending: None, founded_at: None, good_length: N_HEADERS };
            reader.run(on_item)
        }
        Some(Header::Present(_)) | None => {
            let is_begun =
                length < N_HEADERS && (first.is_some() || b"VITRINEJ".starts_with(bytes) || n_read < N_HEADER);
            let tail = if is_begun { Tail::Torn } else { Tail::Damaged };
            Ok(Scan { format: Format::Present, founded_at: None, good_length: 0, dropped_bytes: length, tail })
        }
    }
}

/// The salt of a journal of this version.
pub(super) fn salt_of(log: &dyn Log) -> Result<u64, BackendError> {
    let mut bytes = [0; 2 * N_HEADER];
    log.read(0, &mut bytes)?;
    let (first, second) = bytes.split_at(N_HEADER);
    match read_header(first).or(read_header(second)) {
        Some(Header::Present(salt)) => Ok(salt),
        Some(Header::First | Header::Newer(_)) | None => {
            Err(BackendError::Io("the journal has lost its header".into()))
        }
    }
}

struct Reader<'a> {
    window: Window<'a>,
    salt: u64,
    at: u64,
    length: u64,
    /// The batch that is being read, or is waiting for a later record to vouch for it.
    pending: Option<Pending>,
    founded_at: Option<u64>,
    good_length: u64,
}

struct Pending {
    batch: Batch,
    /// Its last record was there.
    is_ended: bool,
    is_damaged: bool,
}

enum Record {
    Operation(Operation),
    State,
    Founded,
    Keep { snapshot: u64, name: String },
    Release(String),
}

impl Reader<'_> {
    fn run(mut self, on_item: &mut dyn FnMut(Item)) -> Result<Scan, ReadError> {
        let tail = loop {
            if self.at >= self.length {
                break if self.pending.is_some() { Tail::Torn } else { Tail::Clean };
            }
            let begins = self.at;
            let head = Head::from_bytes(self.window.slice(begins, N_HEAD)?, self.salt, begins);
            let Some((head, end)) = head.and_then(|head| Some((head, head.end(begins)?))) else {
                if self.length - begins < N_HEAD as u64 {
                    break Tail::Torn;
                }
                let Some(next) = self.next_head(begins + 1)? else { break Tail::Damaged };
                on_item(Item::Damage(unknown(begins, next - begins)));
                if let Some(pending) = &mut self.pending {
                    pending.is_damaged = true;
                }
                self.at = next;
                continue;
            };
            if end > self.length {
                break Tail::Torn;
            }
            self.finish_before(head.snapshot, begins, on_item);
            match self.record(&head, begins)? {
                Ok(record) => self.take(record, &head, end, on_item),
                Err(damage) => {
                    on_item(Item::Damage(damage));
                    let pending = self.pending(&head);
                    pending.is_damaged = true;
                    pending.is_ended = head.place.is_last();
                }
            }
            self.at = end;
        };
        // What nothing later vouches for has to be whole.
        let tail = match self.pending {
            Some(Pending { is_damaged: true, .. }) => Tail::Damaged,
            Some(_) | None => tail,
        };
        let dropped_bytes = self.length.saturating_sub(self.good_length);
        let (founded_at, good_length) = (self.founded_at, self.good_length);
        Ok(Scan { format: Format::Present, founded_at, good_length, dropped_bytes, tail })
    }

    /// The batch that a record belongs to.
    fn pending(&mut self, head: &Head) -> &mut Pending {
        self.pending.get_or_insert_with(|| Pending {
            batch: Batch { snapshot: head.snapshot, operations: Vec::new() },
            is_ended: false,
            is_damaged: !head.place.is_first(),
        })
    }

    /// A record at `at` shows that a batch before it was finished.
    fn finish_before(&mut self, snapshot: u64, at: u64, on_item: &mut dyn FnMut(Item)) {
        let is_finished = |pending: &mut Pending| pending.is_ended || pending.batch.snapshot != snapshot;
        if let Some(pending) = self.pending.take_if(is_finished) {
            on_item(Item::Batch(pending.batch));
            self.good_length = at;
        }
    }

    fn take(&mut self, record: Record, head: &Head, end: u64, on_item: &mut dyn FnMut(Item)) {
        let mark = match record {
            Record::Operation(operation) => {
                self.pending(head).batch.operations.push(operation);
                None
            }
            Record::State => None,
            Record::Founded => Some(Item::Founded),
            Record::Keep { snapshot, name } => Some(Item::Keep { snapshot, name }),
            Record::Release(name) => Some(Item::Release(name)),
        };
        if let Some(mark) = mark {
            // Such a record is a batch of its own; one that is in the way was not finished.
            if let Some(pending) = self.pending.take() {
                on_item(Item::Batch(pending.batch));
            }
            if mark == Item::Founded {
                self.founded_at = Some(end);
            }
            on_item(mark);
            self.good_length = end;
            return;
        }
        self.pending(head).is_ended = head.place.is_last();
        if head.place.is_last()
            && let Some(pending) = self.pending.take_if(|pending| !pending.is_damaged)
        {
            on_item(Item::Batch(pending.batch));
            self.good_length = end;
        }
    }

    /// The record that a head announces, or what can be said of it.
    fn record(&mut self, head: &Head, at: u64) -> Result<Result<Record, Damage>, ReadError> {
        let path_at = at + N_HEAD as u64;
        let n_path = usize::from(head.n_path);
        let path = self.window.slice(path_at, n_path)?;
        let is_path_whole = path.len() == n_path && checksum::of(&[path]) == head.path_checksum;
        let path = if is_path_whole { decode_path(path) } else { None };
        let data = self.window.shared(path_at + u64::from(head.n_path), head.n_data)?;
        let is_whole = is_path_whole && checksum::of(&[&data]) == head.data_checksum;
        let record = if is_whole { decode(head, path.clone(), data) } else { None };
        Ok(record.ok_or_else(|| Damage {
            at,
            n_bytes: head.end(at).unwrap_or(at) - at,
            path: path.filter(|path| !path.is_root()),
            snapshot: Some(head.snapshot),
            is_made_good: false,
            kind: match head.kind {
                RecordKind::Put | RecordKind::Patch => DamageKind::Contents,
                RecordKind::Folder | RecordKind::Remove | RecordKind::Rename => DamageKind::Change,
                RecordKind::Founded | RecordKind::State | RecordKind::Keep | RecordKind::Release => DamageKind::Unknown,
            },
        }))
    }

    /// Where the next record begins, from `from` on.
    fn next_head(&mut self, from: u64) -> Result<Option<u64>, ReadError> {
        let mut from = from;
        loop {
            let (salt, length) = (self.salt, self.length);
            let bytes = self.window.refill(from)?;
            let is_end = from + bytes.len() as u64 >= length;
            let mut start = 0;
            while let Some(rest) = bytes.get(start..)
                && let Some(found) = rest.windows(SYNC.len()).position(|bytes| bytes == SYNC)
            {
                start += found;
                let candidate = bytes.get(start..).unwrap_or_default();
                let at = from + start as u64;
                if candidate.len() < N_HEAD && !is_end {
                    break;
                }
                let head = Head::from_bytes(candidate.get(..N_HEAD).unwrap_or_default(), salt, at);
                if head.and_then(|head| head.end(at)).is_some_and(|end| end <= length) {
                    return Ok(Some(at));
                }
                start += 1;
            }
            if is_end {
                return Ok(None);
            }
            // A head may lie across the end of the window.
            from += (bytes.len() + 1).saturating_sub(N_HEAD).max(1) as u64;
        }
    }
}

fn unknown(at: u64, n_bytes: u64) -> Damage {
    Damage { at, n_bytes, path: None, snapshot: None, kind: DamageKind::Unknown, is_made_good: false }
}

fn decode(head: &Head, path: Option<WorkspacePath>, data: Arc<[u8]>) -> Option<Record> {
    let modified_ms = head.modified_ms;
    let record = match head.kind {
        RecordKind::Put => Record::Operation(Operation::Write { path: path?, contents: data, modified_ms }),
        RecordKind::Folder => Record::Operation(Operation::MakeFolder(path?)),
        RecordKind::Remove => Record::Operation(Operation::Remove(path?)),
        RecordKind::Rename => Record::Operation(Operation::Rename { from: path?, to: decode_path(&data)? }),
        RecordKind::Founded => Record::Founded,
        RecordKind::State => Record::State,
        RecordKind::Patch => {
            let mut fields = Fields(&data);
            let (at, n_removed, checksum) = (fields.u64()?, fields.u64()?, fields.u32()?);
            let patch = Patch { at, n_removed, inserted: fields.0.into(), checksum };
            Record::Operation(Operation::Patch { path: path?, patch, contents: None, modified_ms })
        }
        RecordKind::Keep => {
            let mut fields = Fields(&data);
            let snapshot = fields.u64()?;
            Record::Keep { snapshot, name: std::str::from_utf8(fields.0).ok()?.to_owned() }
        }
        RecordKind::Release => Record::Release(std::str::from_utf8(&data).ok()?.to_owned()),
    };
    Some(record)
}

/// A path is stored as it is spelled when parsed; any other spelling was not written by this crate.
pub(super) fn decode_path(bytes: &[u8]) -> Option<WorkspacePath> {
    let text = std::str::from_utf8(bytes).ok()?;
    WorkspacePath::parse(text).ok().filter(|path| path.as_str() == text)
}
