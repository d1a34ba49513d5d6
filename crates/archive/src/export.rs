//! [`Export`]: an archive that goes out.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::path::EntryPath;
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, DataDescriptorOutput, ZipArchiveWriter, crc32};

use crate::error::ArchiveError;

/// Writes an archive to `W`, front to back. An archive without its end is none: call [`finish`](Self::finish).
#[derive(Debug)]
pub struct Export<W> {
    archive: ZipArchiveWriter<W>,
}

impl<W: Write> Export<W> {
    /// An archive without entries.
    pub fn new(to: W) -> Self {
        Self { archive: ZipArchiveWriter::new(to) }
    }

    /// Adds a folder, which is needed for one that is empty.
    pub fn folder(&mut self, path: &str, modified_ms: u64) -> Result<(), ArchiveError> {
        let path = EntryPath::conformant(format!("{path}/"));
        self.archive.new_dir(path).last_modified(time(modified_ms)).create().map_err(failed)?;
        Ok(())
    }

    /// Adds a file: deflated where that makes it shorter, as it is otherwise.
    pub fn file(&mut self, path: &str, content: &[u8], modified_ms: u64) -> Result<(), ArchiveError> {
        let packed = packed(content);
        let (bytes, method) = match &packed {
            Some(packed) => (packed.as_slice(), CompressionMethod::DEFLATE),
            None => (content, CompressionMethod::STORE),
        };
        let (mut entry, _) = self
            .archive
            .new_file(EntryPath::conformant(path))
            .compression_method(method)
            .last_modified(time(modified_ms))
            .start()
            .map_err(failed)?;
        entry.write_all(bytes)?;
        entry.finish(DataDescriptorOutput::new(crc32(content), content.len() as u64)).map_err(failed)?;
        Ok(())
    }

    /// Writes the list of entries, and gives back what was written to.
    pub fn finish(self) -> Result<W, ArchiveError> {
        self.archive.finish().map_err(failed)
    }
}

/// How much of a large file is packed for a trial: one that does not shrink there is taken for packed already.
const TRIAL_BYTES: usize = 64 << 10;

/// The content deflated, where that is worth a reader's unpacking.
fn packed(content: &[u8]) -> Option<Vec<u8>> {
    if let Some(beginning) = content.get(..TRIAL_BYTES)
        && deflated(beginning).len() > TRIAL_BYTES / 20 * 19
    {
        return None;
    }
    Some(deflated(content)).filter(|packed| packed.len() < content.len())
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Memory takes what it is given; were it not to, the bytes so far are no shorter than what they stand for.
    let written = encoder.write_all(content);
    written.and_then(|()| encoder.finish()).unwrap_or_else(|_| content.to_vec())
}

fn time(modified_ms: u64) -> UtcDateTime {
    /// The end of the format's own calendar.
    const LAST: u64 = 4_354_819_198;
    UtcDateTime::from_unix((modified_ms / 1000).min(LAST).cast_signed())
}

fn failed(error: rawzip::Error) -> ArchiveError {
    match error.into_kind() {
        rawzip::ErrorKind::IO(error) => ArchiveError::Io(error),
        kind => ArchiveError::Io(std::io::Error::other(kind.to_string())),
    }
}
