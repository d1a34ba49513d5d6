//! The journal: a header, then checksummed records, in a log that only grows.
//!
//! ```text
//! header      "VITRINEJ"  version u32  crc32 of these 12 bytes u32
//! record      kind u8  follows u8  n_path u16  n_data u64  crc32 of these 12 bytes u32  crc32 of the body u32
//!             body: path (UTF-8), data
//! ```
//! Numbers are little-endian. Records with `follows` = 1 form one batch with the next: a batch counts only when its last
//! record is there, so a change of many files is whole or absent. The first batch is the *base*: the tree as it was when
//! the journal was begun, closed by a checkpoint that names its snapshot. A journal without a complete base is none.
//!
//! Since both lengths are under a checksum of their own and are held against what is left of the log, no damaged length
//! makes the reader allocate more than the log is long.

mod reader;
mod writer;

pub(crate) use reader::{ReadError, Scan, Tail, scan};
pub(crate) use writer::Journal;

const MAGIC: &[u8; 8] = b"VITRINEJ";
/// Raised when an older reader could no longer read what is written.
const VERSION: u32 = 1;
const N_HEADER: usize = 16;
const N_RECORD_HEAD: usize = 20;

/// What a record is; the numbers are the format's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordKind {
    /// Path, contents.
    Write = 1,
    /// Path.
    MakeFolder = 2,
    /// Path.
    Remove = 3,
    /// Old path; the new one is the data.
    Rename = 4,
    /// No path; the data is the number of the snapshot, u64.
    Checkpoint = 5,
}

impl RecordKind {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Write, Self::MakeFolder, Self::Remove, Self::Rename, Self::Checkpoint]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

/// Whether a record is the last of its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Last = 0,
    Followed = 1,
}

#[cfg(test)]
mod tests;
