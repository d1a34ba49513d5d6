//! The journal: a header, then checksummed records, in a log that only grows.
//!
//! Numbers are little-endian, checksums are CRC-32 (as in zip), texts are UTF-8.
//!
//! ```text
//! header, twice, so that a damaged one is no damaged journal (28 bytes each)
//!      0  8  "VITRINEJ"
//!      8  4  version: 2
//!     12  4  checksum of bytes 0 to 12; so far the header of every version, past and to come
//!     16  8  salt: any number, the same in both
//!     24  4  checksum of bytes 0 to 24
//!
//! record (44 bytes, then path, then data)
//!      0  4  F5 56 4A 0A, where a reader that has lost its way looks on
//!      4  1  kind, see below
//!      5  1  place in its batch: 1 if more follow, 2 if others came before, 3 if both, 0 if it is alone
//!      6  2  n_path, bytes of the path
//!      8  8  n_data, bytes of the data
//!     16  8  the snapshot that its batch leads to
//!     24  8  when the file was modified, in milliseconds since 1970; 0 if nobody said, or of what is no file
//!     32  4  checksum of the path
//!     36  4  checksum of the data
//!     40  4  checksum of the salt, of where the record begins in the log (8 bytes), and of bytes 0 to 40
//!
//! kind            path      data
//!   1 put         file      its contents
//!   2 folder      folder    none
//!   3 remove      either    none
//!   4 rename      old path  new path
//!   5 founded     none      none: what is before it is whole
//!   6 state       none      none: no change, but a snapshot of that number
//!   7 patch       file      where 8, n_removed 8, checksum of the file that comes of it 4, what is inserted
//!   8 keep        none      snapshot 8, name
//!   9 release     none      name
//! ```
//!
//! A *batch* is a change of any number of files: the records with one snapshot number, up to one that is the last. After a
//! crash it is there as a whole or not at all. A journal begins with its *base*, the batches that lead from nothing to the
//! state in which it was begun, by way of every snapshot that is kept; then comes `founded`. A journal without it is what a
//! crash left of one, and counts only if there is no other.
//!
//! *Damage.* A record whose path or data are not as they were written is left out, and whatever follows is read. After a
//! head that is not as it was written, the next one is looked for; nothing in a file can pass for one, since its checksum
//! needs the salt and its place. A batch with damage counts once a later record shows that it had been finished.
//!
//! Since lengths are under a checksum and are held against what is left of the log, no damaged length makes the reader
//! allocate more than the log is long.
//!
//! *Version 1* (`journal/first_format.rs`) is read, and written anew as version 2 when it may be changed.

mod first_format;
mod head;
mod reader;
mod window;
mod writer;

pub(crate) use reader::{Batch, Format, Item, ReadError, Scan, Tail, scan};
pub use reader::{Damage, DamageKind};
pub(crate) use writer::{BaseState, BeginError, Journal, n_bytes};

const MAGIC: &[u8; 8] = b"VITRINEJ";
/// Raised when an older reader could no longer read what is written.
const VERSION: u32 = 2;
const N_HEADER: usize = 28;
/// What a journal has before its first record.
const N_HEADERS: u64 = 2 * N_HEADER as u64;

/// What a record is; the numbers are the format's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordKind {
    Put = 1,
    Folder = 2,
    Remove = 3,
    Rename = 4,
    Founded = 5,
    State = 6,
    Patch = 7,
    Keep = 8,
    Release = 9,
}

impl RecordKind {
    fn from_byte(byte: u8) -> Option<Self> {
        let kinds = [
            Self::Put,
            Self::Folder,
            Self::Remove,
            Self::Rename,
            Self::Founded,
            Self::State,
            Self::Patch,
            Self::Keep,
            Self::Release,
        ];
        kinds.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Where a record is in its batch; the numbers are the format's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Alone = 0,
    First = 1,
    Last = 2,
    Between = 3,
}

impl Place {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Alone, Self::First, Self::Last, Self::Between].into_iter().find(|place| *place as u8 == byte)
    }

    fn of(index: usize, n_records: usize) -> Self {
        match (index == 0, index + 1 >= n_records) {
            (true, true) => Self::Alone,
            (true, false) => Self::First,
            (false, true) => Self::Last,
            (false, false) => Self::Between,
        }
    }

    fn is_first(self) -> bool {
        matches!(self, Self::Alone | Self::First)
    }

    fn is_last(self) -> bool {
        matches!(self, Self::Alone | Self::Last)
    }
}

#[cfg(test)]
pub(crate) use tests::{extents, replayed_without};

#[cfg(test)]
mod tests;
