//! [`Import`]: an archive that comes in.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::Read;

use flate2::read::DeflateDecoder;
use rawzip::extra_fields::ExtraFieldId;
use rawzip::time::{UtcDateTime, ZipDateTimeKind};
use rawzip::{
    CompressionMethod, ErrorKind, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder,
    ZipFileHeaderRecord, ZipLocator,
};

use crate::error::{ArchiveError, Refusal, SkipReason, Skipped};
use crate::names::{self, Decode};
use crate::paths;

/// What an archive may come to.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Entries of its list.
    pub entries: u64,
    /// Bytes of one file, unpacked.
    pub file_bytes: u64,
    /// Bytes of all files, unpacked.
    pub total_bytes: u64,
}

impl Default for Limits {
    /// 100,000 entries, 50 MB a file, 200 MB together.
    fn default() -> Self {
        Self { entries: 100_000, file_bytes: 50 << 20, total_bytes: 200 << 20 }
    }
}

/// A file or folder of an archive, in the order of its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A folder.
    Folder {
        /// Its path, relative, with `/` between its parts.
        path: String,
    },
    /// A file.
    File {
        /// Its path, relative, with `/` between its parts.
        path: String,
        /// Its size, unpacked.
        bytes: u64,
        /// When it was changed, in milliseconds since 1970. Most archives know only the wall clock, which is taken as UTC.
        modified_ms: u64,
    },
}

impl Entry {
    /// Its path.
    pub fn path(&self) -> &str {
        match self {
            Self::Folder { path } | Self::File { path, .. } => path,
        }
    }
}

/// An archive whose list of entries has been read and found to be in order.
#[derive(Debug)]
pub struct Import<R> {
    archive: ZipArchive<Blocks<R>>,
    entries: Vec<Entry>,
    /// Where the entries are.
    places: Vec<Place>,
    skipped: Vec<Skipped>,
    total_bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    way: ZipArchiveEntryWayfinder,
    is_deflated: bool,
}

impl<R: ReaderAt> Import<R> {
    /// Reads the list of an archive of `length` bytes. Nothing is unpacked yet.
    ///
    /// # Errors
    /// When it is no archive, or is refused as a whole. A single entry that cannot be had (encrypted, packed in a way that
    /// few tools know, a link) does not spoil the rest: it is among [`skipped`](Self::skipped).
    pub fn open(source: R, length: u64, limits: &Limits, decode: &dyn Decode) -> Result<Self, ArchiveError> {
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let blocks = Blocks { source, block: RefCell::default() };
        let archive =
            ZipLocator::new().locate_in_reader(blocks, &mut buffer, length).map_err(|(_, error)| broken(error))?;
        let said = archive.entries_hint();
        if said > limits.entries {
            return Err(ArchiveError::Refused(Refusal::Entries { count: said, limit: limits.entries }));
        }
        let mut list = List { limits, decode, ..List::default() };
        let mut records = archive.entries(&mut buffer);
        while let Some(record) = records.next_entry().map_err(broken)? {
            list.add(&record).map_err(ArchiveError::Refused)?;
        }
        if list.listed != said {
            return Err(ArchiveError::Refused(Refusal::Count { listed: list.listed, said }));
        }
        list.check().map_err(ArchiveError::Refused)?;
        let List { entries, places, skipped, total_bytes, .. } = list;
        Ok(Self { archive, entries, places, skipped, total_bytes })
    }

    /// What it has, in the order of its list. A folder that only its files name is not among them.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What is left out, and why.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The bytes of all files, unpacked.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Unpacks the file at this place of [`entries`](Self::entries). Its size and checksum are verified.
    pub fn read(&self, index: usize) -> Result<Vec<u8>, ArchiveError> {
        let (Some(Entry::File { path, bytes, .. }), Some(place)) = (self.entries.get(index), self.places.get(index))
        else {
            return Err(ArchiveError::NoSuchFile(index));
        };
        let damaged = |reason: String| ArchiveError::Damaged { path: path.clone(), reason };
        let entry = self.archive.get_entry(place.way).map_err(|error| match error.into_kind() {
            ErrorKind::IO(error) => ArchiveError::Io(error),
            kind => damaged(kind.to_string()),
        })?;
        let packed = entry.reader();
        let unpacked: Box<dyn Read> =
            if place.is_deflated { Box::new(DeflateDecoder::new(packed)) } else { Box::new(packed) };
        // One byte more than it may have, so that one that goes on is noticed and not cut.
        let mut unpacked = entry.verifying_reader(unpacked.take(bytes.saturating_add(1)));
        // What it says is within the limits, and still only a word: memory is taken as it comes.
        let mut content = Vec::with_capacity(usize::try_from(*bytes).unwrap_or_default().min(1 << 20));
        unpacked.read_to_end(&mut content).map_err(|error| damaged(error.to_string()))?;
        if content.len() as u64 != *bytes {
            return Err(damaged(format!("{} bytes where {bytes} were said", content.len())));
        }
        Ok(content)
    }
}

fn broken(error: rawzip::Error) -> ArchiveError {
    match error.into_kind() {
        ErrorKind::IO(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => ArchiveError::Io(error),
        kind => ArchiveError::NotAnArchive(kind.to_string()),
    }
}

/// The list while it is read.
struct List<'a> {
    limits: &'a Limits,
    decode: &'a dyn Decode,
    listed: u64,
    entries: Vec<Entry>,
    places: Vec<Place>,
    skipped: Vec<Skipped>,
    total_bytes: u64,
    /// Where the bytes of each entry begin and end at the least, and whose they are.
    ranges: Vec<(u64, u64, String)>,
}

impl Default for List<'_> {
    fn default() -> Self {
        const NONE: &Limits = &Limits { entries: 0, file_bytes: 0, total_bytes: 0 };
        Self {
            limits: NONE,
            decode: &(),
            listed: 0,
            entries: Vec::new(),
            places: Vec::new(),
            skipped: Vec::new(),
            total_bytes: 0,
            ranges: Vec::new(),
        }
    }
}

impl List<'_> {
    fn add(&mut self, record: &ZipFileHeaderRecord<'_>) -> Result<(), Refusal> {
        self.listed += 1;
        if self.listed > self.limits.entries {
            return Err(Refusal::Entries { count: self.listed, limit: self.limits.entries });
        }
        let mut fields = record.extra_fields();
        let unicode = fields.find(|(id, _)| *id == ExtraFieldId::new(names::UNICODE_PATH)).map(|(_, value)| value);
        let name = names::name(record.file_path().as_bytes(), unicode, self.decode);
        let path = paths::path(&name)?;
        let is_folder = name.ends_with(['/', '\\']);
        if path.is_empty() {
            return Ok(());
        }
        let method = record.compression_method();
        let is_deflated = method == CompressionMethod::DEFLATE;
        let reason = if paths::is_mac_metadata(&path) {
            Some(SkipReason::MacMetadata)
        } else if is_folder {
            None
        } else if record.mode().is_symlink() {
            Some(SkipReason::Link)
        } else if record.flags().is_encrypted() || record.flags().has_strong_encryption() {
            Some(SkipReason::Encrypted)
        } else if !is_deflated && method != CompressionMethod::STORE {
            Some(SkipReason::Packing)
        } else {
            None
        };
        if let Some(reason) = reason {
            self.skipped.push(Skipped { path, reason });
            return Ok(());
        }
        self.places.push(Place { way: record.wayfinder(), is_deflated });
        if is_folder {
            self.entries.push(Entry::Folder { path });
            return Ok(());
        }
        let (bytes, limit) = (record.uncompressed_size_hint(), self.limits.file_bytes);
        if bytes > limit {
            return Err(Refusal::FileSize { path, bytes, limit });
        }
        self.total_bytes = self.total_bytes.saturating_add(bytes);
        if self.total_bytes > self.limits.total_bytes {
            return Err(Refusal::TotalSize { bytes: self.total_bytes, limit: self.limits.total_bytes });
        }
        let begin = record.local_header_offset();
        let end = begin.saturating_add(LOCAL_HEADER_BYTES).saturating_add(record.compressed_size_hint());
        self.ranges.push((begin, end, path.clone()));
        self.entries.push(Entry::File { path, bytes, modified_ms: milliseconds(&record.last_modified()) });
        Ok(())
    }

    /// What only the whole list shows.
    fn check(&mut self) -> Result<(), Refusal> {
        self.ranges.sort_unstable();
        for pair in self.ranges.windows(2) {
            if let [(_, end, _), (begin, _, path)] = pair
                && begin < end
            {
                return Err(Refusal::Overlaps(path.clone()));
            }
        }
        let mut seen: HashMap<&str, bool> = HashMap::with_capacity(self.entries.len());
        for entry in &self.entries {
            let is_file = matches!(entry, Entry::File { .. });
            match seen.insert(entry.path(), is_file) {
                // Some tools list a folder twice; it is the same folder.
                Some(was_file) if was_file || is_file => return Err(Refusal::Twice(entry.path().to_owned())),
                Some(_) | None => {}
            }
        }
        for entry in &self.entries {
            let mut path = entry.path();
            while let Some((folder, _)) = path.rsplit_once('/') {
                if seen.get(folder) == Some(&true) {
                    return Err(Refusal::Twice(folder.to_owned()));
                }
                path = folder;
            }
        }
        Ok(())
    }
}

/// Of the header before an entry's bytes, its name left out.
const LOCAL_HEADER_BYTES: u64 = 30;

fn milliseconds(time: &ZipDateTimeKind) -> u64 {
    let (seconds, nanoseconds) = match time {
        ZipDateTimeKind::Utc(time) => (time.to_unix(), time.nanosecond()),
        ZipDateTimeKind::Local(time) => {
            let (date, clock) = ((time.year(), time.month(), time.day()), (time.hour(), time.minute(), time.second()));
            match UtcDateTime::from_components(date.0, date.1, date.2, clock.0, clock.1, clock.2, time.nanosecond()) {
                Some(time) => (time.to_unix(), time.nanosecond()),
                None => (0, 0),
            }
        }
    };
    u64::try_from(seconds).unwrap_or_default() * 1000 + u64::from(nanoseconds / 1_000_000)
}

/// A source that is read in large blocks: its entries are asked for a few bytes at a time, one after the other.
#[derive(Debug)]
struct Blocks<R> {
    source: R,
    block: RefCell<Block>,
}

#[derive(Debug, Default)]
struct Block {
    offset: u64,
    bytes: Vec<u8>,
}

const BLOCK_BYTES: usize = 256 << 10;

impl<R: ReaderAt> ReaderAt for Blocks<R> {
    fn read_at(&self, out: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let mut block = self.block.borrow_mut();
        let start = offset.checked_sub(block.offset).and_then(|start| usize::try_from(start).ok());
        let mut here = start.and_then(|start| block.bytes.get(start..)).unwrap_or_default();
        if here.is_empty() {
            block.offset = offset;
            block.bytes.resize(BLOCK_BYTES, 0);
            let n_read = self.source.read_at(&mut block.bytes, offset);
            block.bytes.truncate(*n_read.as_ref().unwrap_or(&0));
            n_read?;
            here = &block.bytes;
        }
        let n_given = here.len().min(out.len());
        for (to, from) in out.iter_mut().zip(here) {
            *to = *from;
        }
        Ok(n_given)
    }
}
