//! [`Export`]: an archive that goes out.

use std::io::Write;

use rawzip::path::EntryPath;
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};

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

    /// Adds a file, as it is: a compressor would be a part of what every reader downloads.
    pub fn file(&mut self, path: &str, content: &[u8], modified_ms: u64) -> Result<(), ArchiveError> {
        let (mut entry, config) = self
            .archive
            .new_file(EntryPath::conformant(path))
            .compression_method(CompressionMethod::STORE)
            .last_modified(time(modified_ms))
            .start()
            .map_err(failed)?;
        let mut plain = config.wrap(&mut entry);
        plain.write_all(content)?;
        let (_, descriptor) = plain.finish().map_err(failed)?;
        entry.finish(descriptor).map_err(failed)?;
        Ok(())
    }

    /// Writes the list of entries, and gives back what was written to.
    pub fn finish(self) -> Result<W, ArchiveError> {
        self.archive.finish().map_err(failed)
    }
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
